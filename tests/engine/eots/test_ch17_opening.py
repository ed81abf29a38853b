"""Free emergency naval moves before the first Japanese card (17.25C, 17.25D)."""

from functools import cache

from engine.eots.commands import Done, Emergency, EotsCommand, Pass, TakeCard
from engine.eots.events.units import UnitPlaced
from engine.eots.frames import CardPlayFrame, OpeningFrame
from engine.eots.invariants import violations
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role

SECRET = bytes(32)
ALLIES = Role("allied")


def give(state: State, command: EotsCommand) -> State:
    """Return the state after a command of the role that is asked."""
    role = EOTS.active_roles(state)[0]
    return EOTS.fold(state, EOTS.decide(state, role, command, DerivedDice(SECRET, 1)))


@cache
def opened(name: str, *, take: bool = False) -> State:
    """Return a scenario at the first question after the deal other than an exchange of cards."""
    start = EOTS.open_game(EOTS.position(name, {}), DerivedDice(SECRET, 0))
    state = EOTS.fold(EOTS.initial_state(), start)
    while EOTS.decision(state, EOTS.active_roles(state)[0]).rule in {"17.25D", "17.25E"}:
        decision = EOTS.decision(state, EOTS.active_roles(state)[0])
        wanted = [option for option in decision.options if isinstance(option, TakeCard)]
        state = give(state, wanted[0] if take and wanted else Pass())
    return state


def frame_of(state: State) -> OpeningFrame:
    """Return the open frame."""
    frame = state.frames[-1]
    assert isinstance(frame, OpeningFrame)
    return frame


def test_each_unit_makes_one_emergency_move_and_japan_plays_first() -> None:
    state = opened("1942")
    move = next(o for o in EOTS.decision(state, ALLIES).options if isinstance(o, Emergency))
    events = EOTS.decide(state, ALLIES, move, DerivedDice(SECRET, 1))
    assert [type(event) for event in events if isinstance(event, UnitPlaced)] == [UnitPlaced]
    after = EOTS.fold(state, events)
    assert after.units[move.unit].at == move.to
    assert move.unit not in frame_of(after).waiting
    done = give(after, Done())
    assert isinstance(done.frames[-1], CardPlayFrame)
    assert EOTS.active_roles(done) == (Role("japan"),)
    assert list(violations(done)) == []
