"""Free emergency naval moves before the first Japanese card (17.25C, 17.25D)."""

from collections import Counter
from functools import cache

import pytest

from engine.eots.board import board
from engine.eots.ch17_opening import ARCADIA, HANDLERS
from engine.eots.commands import Done, Emergency, EotsCommand, Pass, PlayEvent, TakeCard
from engine.eots.counters import counters
from engine.eots.events.units import UnitPlaced
from engine.eots.frames import CardPlayFrame, OpeningFrame
from engine.eots.ids import CardId, HexId, Side, UnitId
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


@pytest.mark.parametrize("name", ["1942", "1942-43", "1942-44", "short-campaign"])
def test_scenarios_with_the_set_up_of_1942_ask(name: str) -> None:
    decision = EOTS.decision(opened(name), ALLIES)
    assert decision.rule == "17.25C"
    assert decision.default == Done()


@pytest.mark.parametrize("name", ["1943", "1944", "1943-44", "shorter-campaign"])
def test_other_scenarios_do_not_ask(name: str) -> None:
    assert EOTS.decision(opened(name), EOTS.active_roles(opened(name))[0]).rule != "17.25C"


def test_every_move_goes_to_a_friendly_port_within_ten_hexes() -> None:
    state = opened("1942")
    moves = [o for o in EOTS.decision(state, ALLIES).options if isinstance(o, Emergency)]
    assert moves == sorted(moves, key=lambda move: (move.unit, move.to))
    for move in moves:
        at = HexId(state.units[move.unit].at)
        assert counters()[move.unit].is_naval
        assert board().hexes[move.to].port
        assert state.control[move.to] is Side.ALLIED
        assert 0 < board().distance(at, move.to) <= 10


def test_each_unit_moves_once_and_japan_plays_first() -> None:
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


def test_full_ports_are_not_offered() -> None:
    """8.24: the first moves fill a port, so that later ones find no room there."""
    state = opened("1942")
    for _ in range(40):
        moves = [o for o in EOTS.decision(state, ALLIES).options if isinstance(o, Emergency)]
        if not moves:
            break
        busiest, _ = Counter(move.to for move in moves).most_common(1)[0]
        state = give(state, next(move for move in moves if move.to == busiest))
    assert list(violations(give(state, Done()))) == []


@pytest.mark.parametrize(
    ("command", "broken"),
    [
        pytest.param(
            Emergency(unit=UnitId("jp-bb-yamato"), to=HexId("5808")), ["17.25C"], id="not-allied"
        ),
        pytest.param(
            Emergency(unit=UnitId("cw-corps-3-aus"), to=HexId("5808")), ["17.25C"], id="no-ship"
        ),
        pytest.param(
            Emergency(unit=UnitId("us-cv-enterprise"), to=HexId("1805")), ["8.22"], id="too-far"
        ),
        pytest.param(PlayEvent(card=CardId("A-6")), ["17.25C"], id="another-card"),
        pytest.param(Pass(), ["17.25C"], id="another-command"),
    ],
)
def test_refusals(command: EotsCommand, broken: list[str]) -> None:
    state = opened("1942")
    found = HANDLERS[0].why_not(state, frame_of(state), Side.ALLIED, command)
    assert [refusal.rule for refusal in found] == broken


def test_staying_is_no_move() -> None:
    state = opened("1942")
    unit = UnitId("us-cv-enterprise")
    at = state.units[unit].at
    command = Emergency(unit=unit, to=HexId(at))
    found = HANDLERS[0].why_not(state, frame_of(state), Side.ALLIED, command)
    assert [refusal.rule for refusal in found] == ["8.22"]


def against_arcadia(state: State) -> list[str]:
    command = PlayEvent(card=ARCADIA)
    refusals = HANDLERS[0].why_not(state, frame_of(state), Side.ALLIED, command)
    return [refusal.rule for refusal in refusals]


def test_arcadia_needs_the_card() -> None:
    """17.25D."""
    state = opened("1942")
    if CardId("A-4") not in state.decks[Side.ALLIED].hand:
        assert against_arcadia(state) == ["17.25D"]
    taken = opened("1942", take=True)
    assert CardId("A-4") in taken.decks[Side.ALLIED].hand
    assert "17.25D" not in against_arcadia(taken)
    offered = PlayEvent(card=CardId("A-4")) in EOTS.decision(taken, ALLIES).options
    assert offered is (not against_arcadia(taken))
