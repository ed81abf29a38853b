"""A new game: scenario, seats, switches."""

from typing import Final

from engine.bots.registry import bots as bots_of
from engine.kernel.rulings import Ruling
from engine.registry import AnyRuleset
from play.games import NewGame
from tui.presenter import presenter_of
from tui.screens.form import Field
from tui.screens.match_form import (
    SEAT,
    MatchDialog,
    chosen_info,
    chosen_options,
    deciding,
    option_fields,
    scenario_field,
)

_PERSON: Final = "person"


def _fields(ruleset: AnyRuleset) -> tuple[Field, ...]:
    persons, bots = _persons(ruleset), bots_of(ruleset.game)
    presenter = presenter_of(ruleset)
    return (
        scenario_field(ruleset),
        *option_fields(deciding(ruleset)),
        *(
            Field(
                id=f"{SEAT}{role}",
                label=presenter.role_name(role),
                values=(*persons, *bots),
                value=_PERSON if place == 0 else bots[0],
                help="who plays this seat; several people share the keyboard",
            )
            for place, role in enumerate(ruleset.all_roles())
        ),
        *option_fields(_switches(ruleset)),
    )


def _switches(ruleset: AnyRuleset) -> tuple[Ruling, ...]:
    """Return the rulings that stand below the row that begins the game."""
    return tuple(one for one in ruleset.options() if not one.decides_roles)


def _persons(ruleset: AnyRuleset) -> tuple[str, ...]:
    """Return how the people are called: where one may play several roles, they are told apart."""
    most = max((len(info.roles) for info in ruleset.infos() if info.teams), default=1)
    return (_PERSON, *(f"{_PERSON} {number}" for number in range(2, most + 1)))


def new_game_of(ruleset: AnyRuleset, values: dict[str, str]) -> NewGame:
    """Return the game that a form asks for."""
    info = chosen_info(ruleset, values)
    players = {role: values[f"{SEAT}{role}"] for role in info.roles}
    bots = {role: player for role, player in players.items() if player in bots_of(ruleset.game)}
    names = {role: player for role, player in players.items() if role not in bots}
    return NewGame(
        game=ruleset.game,
        scenario=info.id,
        bots=bots,
        names=names if info.teams else {},
        options=chosen_options(ruleset, values),
    )


class NewGameDialog(MatchDialog):
    """Asks what to play."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        fields = _fields(ruleset)
        title = f"New game: {ruleset.title}"
        done_at = len(fields) - len(_switches(ruleset))
        super().__init__(ruleset, title, fields, "Begin", done_at)
