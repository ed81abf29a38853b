"""The form for a new game: scenario, seats and rulings."""

from typing import Final

from engine.bots.registry import available_bots, level_description
from engine.registry import AnyRuleset
from play.games import NewGame
from tui.presenter.presenter import load_presenter
from tui.screens.forms.form import Field
from tui.screens.forms.match_form import MatchDialog
from tui.screens.forms.match_rows import (
    SEAT,
    chosen_info,
    chosen_options,
    collapsed_rulings,
    level_field,
    option_fields,
    role_rulings,
    rulings_field,
    scenario_field,
)

_PERSON: Final = "person"
_PEOPLE: Final = ("you", "another person here", "a third person here", "a fourth person here")
"""Default names of the people who share the keyboard, in seat order."""


def _fields(ruleset: AnyRuleset) -> tuple[Field, ...]:
    person_ids, bots = _person_ids(ruleset), available_bots(ruleset.game)
    presenter = load_presenter(ruleset)
    value_labels = (*_person_names(len(person_ids)), *(f"bot: {bot}" for bot in bots))
    helps = (
        "You play this seat.",
        *("Several people share the keyboard; the screen is covered between their moves.",)
        * (len(person_ids) - 1),
        *(f"A bot plays this seat: {bot} {level_description(bot)}." for bot in bots),
    )
    return (
        scenario_field(ruleset),
        *option_fields(role_rulings(ruleset)),
        level_field(ruleset),
        *(
            Field(
                id=f"{SEAT}{role}",
                label=presenter.role_name(role),
                values=(*person_ids, *bots),
                value_labels=value_labels,
                value=_PERSON if index == 0 else bots[0],
                helps=helps,
            )
            for index, role in enumerate(ruleset.all_roles())
        ),
        rulings_field(ruleset),
        *option_fields(collapsed_rulings(ruleset)),
    )


def _person_ids(ruleset: AnyRuleset) -> tuple[str, ...]:
    """Return ids for the people at the keyboard, one for each role in the largest scenario."""
    max_roles = max(len(info.roles) for info in ruleset.scenario_variants())
    return (_PERSON, *(f"{_PERSON} {number}" for number in range(2, max_roles + 1)))


def _person_names(count: int) -> tuple[str, ...]:
    return (*_PEOPLE, *(f"person {number}" for number in range(len(_PEOPLE) + 1, count + 1)))[
        :count
    ]


def build_new_game(ruleset: AnyRuleset, values: dict[str, str], person_name: str = "") -> NewGame:
    """Return the game that a form describes. If `person_name` is not empty, it names the first person."""
    info = chosen_info(ruleset, values)
    players = {role: values[f"{SEAT}{role}"] for role in info.roles}
    bots = {
        role: player for role, player in players.items() if player in available_bots(ruleset.game)
    }
    name_by_id = {_PERSON: person_name or _PERSON}
    names = {
        role: name_by_id.get(player, player) for role, player in players.items() if role not in bots
    }
    return NewGame(
        game=ruleset.game,
        scenario=info.id,
        bots=bots,
        names=names if info.teams else {},
        options=chosen_options(ruleset, values),
    )


class NewGameDialog(MatchDialog):
    """The form for a new game."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        fields = _fields(ruleset)
        title = f"New game: {ruleset.title}"
        submit_position = len(fields) - len(collapsed_rulings(ruleset)) - 1
        super().__init__(ruleset, title, fields, "Begin", submit_position)
