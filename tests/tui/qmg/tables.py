"""Quartermaster General for tests of its screens: local games, and positions after many commands."""

from functools import cache
from typing import Any

from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from engine.qmg.view import QmgView
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tui.qmg.presenter import QmgPresenter

SECRET = bytes(range(32))
PRESENTER = QmgPresenter(QMG)


@cache
def states(scenario: str, commands: int = 1000) -> tuple[State, ...]:
    """Return the states of a random game, from the first question on."""
    found = [
        QMG.fold(
            QMG.initial_state(), QMG.open_game(QMG.position(scenario, {}), DerivedDice(SECRET, 0))
        )
    ]
    luck = DerivedDice(bytes([7]) * 32, 0)
    for number in range(1, commands):
        state = found[-1]
        asked = QMG.active_roles(state)
        if not asked:
            break
        options = QMG.decision(state, asked[0]).options
        command = options[luck.randbelow(len(options))]
        found.append(
            QMG.fold(state, QMG.decide(state, asked[0], command, DerivedDice(SECRET, number)))
        )
    return tuple(found)


def question(state: State) -> tuple[QmgView, Decision[Any]]:
    """Return the first open question with the view of the role that it asks."""
    role = QMG.active_roles(state)[0]
    view = QMG.project(state, role)
    assert isinstance(view, QmgView)
    return view, QMG.decision(state, role)


def session(scenario: str, seat: str = "germany") -> LocalSession:
    """Return a new game in which one person plays all countries, with the same cards every time."""
    roles = QMG.roles(QMG.initial_state())
    seats = [Seat(role=role, player=str(role), seat_id=str(role)) for role in roles]
    position = QMG.position(scenario, {})
    match: Match[Any] = Match.create(QMG, position, scenario, {}, seats, SECRET)
    return LocalSession(match, {}, Role(seat))
