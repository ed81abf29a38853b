"""Random Political Phases: for any Japanese and Allied control, the segment ends in a playable position."""

from functools import cache
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.control import controls, units_at
from engine.eots.ch07_offensive.conclusion import displaced_units
from engine.eots.ch16_victory.judgement import judge_end_of_turn, score_occupations
from engine.eots.ch16_victory.score import score
from engine.eots.ch16_victory.will import begin_political_will
from engine.eots.commands import EotsCommand
from engine.eots.counters import counters
from engine.eots.evolve import EVENT_UNION, evolve
from engine.eots.ids import AreaId, HexId, Side
from engine.eots.invariants import violations
from engine.eots.position import position_from_state, state_from_position
from engine.eots.position_checks import check_position
from engine.eots.setup import starting_position
from engine.eots.state import REMOVED, IndiaStatus, State
from engine.kernel.decision import Decision
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Role
from tests.engine.eots.politics import Asked, at_phase, settle
from tests.engine.eots.positions import with_control, with_units
from tests.engine.eots.strategic import rolling
from tests.sizes import sized

LAND = tuple(sorted(at for at, row in board().hexes.items() if row.is_land))
NORTH = board().areas[AreaId("northern-india")].hexes
SCENARIOS = ("1942", "1943", "1944", "short-campaign")


@cache
def start(name: str) -> State:
    """Return the start of a scenario."""
    return state_from_position(starting_position(name, {}))


def without_north(state: State) -> State:
    """Return the position with Northern India empty and under Japanese control."""
    there = units_at(state)
    gone = [unit for at in NORTH for unit in there.get(at, ())]
    state = with_units(state, dict.fromkeys(gone, (REMOVED, 0)))
    return with_units(with_control(state, Side.JAPAN, NORTH), {"us-air-14af": "1805"})


def shuffled(chance: Random) -> State:
    """Return a position with random changes of control in hexes without ground units."""
    state = start(chance.choice(SCENARIOS))
    if chance.randrange(2):
        state = without_north(state)
    here = units_at(state)
    share = chance.choice((5, 50, 95, 100))
    control = dict(state.control)
    for at in LAND:
        owners = {counters()[u].side for u in here.get(at, ()) if counters()[u].is_ground}
        if not owners and at not in NORTH and chance.randrange(100) < 60:
            control[at] = Side.JAPAN if chance.randrange(100) < share else Side.ALLIED
    for at in board().areas[AreaId("kunming-area")].hexes:
        control[at] = Side.ALLIED
    tracks = replace(
        state.tracks,
        india=chance.choice(tuple(IndiaStatus)),
        political_will=chance.randrange(1, 11),
        blockade_turns=chance.randrange(3),
        surrendered=tuple(nation for nation in state.tracks.surrendered if chance.randrange(2)),
        mandates=chance.choice((None, *Side)),
    )
    return replace(
        state,
        control=control,
        tracks=tracks,
        control_at_turn_start=chance.choice((state.control, control)),
    )


@pytest.mark.parametrize("seed", range(sized(20, 60, 2_000)))
def test_random_national_status_segments_end_in_a_valid_position(seed: int) -> None:
    chance = Random(seed)
    before = shuffled(chance)

    def anything(decision: Decision[EotsCommand]) -> EotsCommand:
        assert len(set(decision.options)) == len(decision.options) > 1
        assert decision.default in decision.options
        return chance.choice(decision.options)

    asked: Asked = []
    ledger = settle(before, anything, asked)
    after = ledger.state
    decoder = msgspec.json.Decoder(type=EVENT_UNION)
    folded = at_phase(before, after.frames[0].phase) if after.frames else None  # type: ignore[attr-defined]  # the turn
    if folded is not None:
        for event in ledger.events:
            folded = evolve(folded, decoder.decode(msgspec.json.encode(event)))
        assert folded == after
    if after.outcome is not None:
        assert after.outcome.winner == Role("allied")
        return
    assert list(violations(after)) == []
    assert displaced_units(after) == ()
    assert not [
        hq
        for hq, piece in after.units.items()
        if counters()[hq].is_hq
        and piece.is_on_map
        and controls(after, counters()[hq].side.enemy, HexId(piece.at))
    ]
    begin_political_will(rolling(ledger, ScriptedDice()))
    score_occupations(ledger)
    assert 0 <= ledger.state.tracks.political_will <= 10
    judge_end_of_turn(replace(ledger.state, turn=ledger.state.last_turn))
    score(ledger.state)
    check_position(position_from_state(ledger.state))
