"""A new game: scenario, seats, switches."""

from typing import Final

from engine.bots.registry import bots as bots_of
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset
from play.games import NewGame
from tui.presenter import presenter_of
from tui.screens.form import Field, FormDialog

_PERSON: Final = "person"
_SEAT: Final = "seat:"
_OPTION: Final = "option:"
_SCENARIO: Final = "scenario"


def _fields(ruleset: AnyRuleset) -> tuple[Field, ...]:
    scenarios = ruleset.scenarios()
    roles = tuple(dict.fromkeys(role for info in scenarios for role in info.roles))
    persons, bots = _persons(scenarios[0]), bots_of(ruleset.game)
    presenter = presenter_of(ruleset)
    return (
        Field(
            id=_SCENARIO,
            label="Scenario",
            values=tuple(info.id for info in scenarios),
            names=tuple(info.name for info in scenarios),
            value=scenarios[0].id,
            helps=tuple(f"{info.name}: {info.summary}" for info in scenarios),
        ),
        *(
            Field(
                id=f"{_SEAT}{role}",
                label=presenter.role_name(role),
                values=(*persons, *bots),
                value=_PERSON if place == 0 else bots[0],
                help="who plays this seat; several people share the keyboard",
            )
            for place, role in enumerate(roles)
        ),
        *(
            Field(
                id=f"{_OPTION}{option.id}",
                label=option.id,
                values=option.values,
                names=tuple(option.words.values()),
                value=option.default,
                help=option.text,
            )
            for option in ruleset.options()
        ),
    )


def _persons(info: ScenarioInfo) -> tuple[str, ...]:
    """Return how the people are called: where one may play several roles, they are told apart."""
    if not info.teams:
        return (_PERSON,)
    return (_PERSON, *(f"{_PERSON} {number}" for number in range(2, len(info.roles) + 1)))


def new_game_of(ruleset: AnyRuleset, values: dict[str, str]) -> NewGame:
    """Return the game that a form asks for."""
    info = next(one for one in ruleset.scenarios() if one.id == values[_SCENARIO])
    players = {role: values[f"{_SEAT}{role}"] for role in info.roles}
    bots = {role: player for role, player in players.items() if player in bots_of(ruleset.game)}
    names = {role: player for role, player in players.items() if role not in bots}
    options = {
        name.removeprefix(_OPTION): value
        for name, value in values.items()
        if name.startswith(_OPTION) and value != _default(ruleset, name.removeprefix(_OPTION))
    }
    return NewGame(
        game=ruleset.game,
        scenario=info.id,
        bots=bots,
        names=names if info.teams else {},
        options=options,
    )


def _default(ruleset: AnyRuleset, option: str) -> str:
    return next(one.default for one in ruleset.options() if one.id == option)


def first_person(info: ScenarioInfo, new: NewGame) -> Role | None:
    """Return the first seat that a person plays."""
    return next((role for role in info.roles if role not in new.bots), None)


class NewGameDialog(FormDialog):
    """Asks what to play."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        fields = _fields(ruleset)
        switches = sum(1 for field in fields if field.id.startswith(_OPTION))
        title = f"New game: {ruleset.title}"
        super().__init__(title, fields, "Begin", done_at=len(fields) - switches)
