"""Carrier Battle for tests of its screens: positions of random games, and local games."""

from functools import cache
from typing import Any, Final

from engine.cbps.frames import SetupFrame
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State
from engine.cbps.view import CbpsView
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tui.cbps.index import Index, Indexer
from tui.cbps.presenter import CbpsPresenter

SECRET = bytes(range(32))
US = Role("us")
PRESENTER = CbpsPresenter(CBPS)
_PLACED: Final = 10
"""Number of set-up commands that are random."""
SIZES = ((80, 24), (120, 40), (160, 46), (200, 60))


@cache
def states(scenario: str, commands: int = 160) -> tuple[State, ...]:
    """Return the states of a random game from the first question on."""
    position = CBPS.position(scenario, {})
    found = [CBPS.fold(CBPS.initial_state(), CBPS.open_game(position, DerivedDice(SECRET, 0)))]
    luck = DerivedDice(bytes([7]) * 32, 0)
    for number in range(1, commands):
        state = found[-1]
        asked = CBPS.active_roles(state)
        if not asked:
            break
        options = CBPS.decision(state, asked[0]).options
        is_enough = isinstance(state.frames[-1], SetupFrame) and number > _PLACED
        command = options[-1 if is_enough else luck.randbelow(len(options))]
        events = CBPS.decide(state, asked[0], command, DerivedDice(SECRET, number))
        found.append(CBPS.fold(state, events))
    return tuple(found)


def view_of(state: State) -> CbpsView:
    """Return the commander's view."""
    view = CBPS.project(state, US)
    assert isinstance(view, CbpsView)
    return view


def index_of(state: State) -> Index:
    """Return the index of a state."""
    return Indexer().get(view_of(state))


def question(state: State) -> tuple[CbpsView, Decision[Any]]:
    """Return the open question with the commander's view."""
    return view_of(state), CBPS.decision(state, US)


def session(state: State) -> LocalSession:
    """Return a local game that continues from a state."""
    position = CBPS.to_position(state)
    seats = [Seat(role=US, player="us", seat_id="us")]
    match: Match[Any] = Match.create(
        CBPS, position, position.scenario, dict(position.options), seats, SECRET
    )
    return LocalSession(match, {}, US)
