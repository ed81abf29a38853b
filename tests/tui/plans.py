"""Positions of all games for tests of rosters, goals and calendars: the start, and the middle of a random game."""

from functools import cache

from engine import registry
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from tui.presenter.presenter import Presenter, load_presenter

SCENARIOS = (
    ("eots", "1942", "allied"),
    ("eots", "campaign-1941", "japan"),
    ("eots", "south-pacific", "allied"),
    ("qmg", "base", "germany"),
    ("qmg", "total-war", "uk"),
    ("cbps", "1", "us"),
    ("cbps", "4", "us"),
    ("cbps", "9", "us"),
)


@cache
def position(game: str, scenario: str, role: str) -> tuple[Presenter, View]:
    """Return a game's presenter and a seat's view after some commands."""
    rules = registry.ruleset(game)
    opening = rules.open_game(rules.position(scenario, {}), DerivedDice(bytes(32), 0))
    state = rules.fold(rules.initial_state(), opening)
    luck = DerivedDice(bytes([7]) * 32, 0)
    for number in range(1, 30):
        asked = rules.active_roles(state)
        if not asked:
            break
        options = rules.decision(state, asked[0]).options
        command = options[luck.randbelow(len(options))]
        dice = DerivedDice(bytes(32), number)
        state = rules.fold(state, rules.decide(state, asked[0], command, dice))
    return load_presenter(rules), rules.project(state, Role(role))
