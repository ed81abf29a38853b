"""The strategic phase played at random: no dead ends, no lost counters, nothing illegal (4.1, 10-12)."""

import random
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.stacking import LAND_LIMIT, NAVAL_LIMIT, land_stack, naval_stack
from engine.eots.ch10_reinforcements import begin_reinforcements
from engine.eots.ch11_replacements import begin_replacements
from engine.eots.ch12_deal import deal_turn_hands
from engine.eots.ch12_strategic_warfare import begin_strategic_warfare
from engine.eots.commands import EotsCommand
from engine.eots.counters import counters
from engine.eots.events.flow import TurnBegan
from engine.eots.flow import EotsRun
from engine.eots.frames import Phase
from engine.eots.ids import Side
from engine.eots.state import DELAY_BOX, TURN_TRACK, Pools, State
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from tests.engine.eots.positions import start_of, with_tracks
from tests.engine.eots.strategic import in_phase, ledger_on, rolling, run, with_decks
from tests.sizes import sampled, sized

SEGMENTS: tuple[tuple[Phase, Callable[[EotsRun], None]], ...] = (
    (Phase.REINFORCEMENT, begin_reinforcements),
    (Phase.REPLACEMENT, begin_replacements),
    (Phase.STRATEGIC_WARFARE, begin_strategic_warfare),
    (Phase.DEAL, deal_turn_hands),
)
SEEDS = sized(5, 100, 2_000)
BATCH = 10


def stacks(state: State) -> dict[tuple[str, Side], tuple[int, int]]:
    """Return the naval units, and the air and ground units, of each side in each hex."""
    found = {}
    for at, units in units_at(state).items():
        for side in Side:
            own = tuple(unit for unit in units if counters()[unit].side is side)
            if own and state.units[own[0]].is_on_map:
                found[at, side] = (naval_stack(state, own), land_stack(own))
    return found


def check(before: State, after: State) -> None:
    """Check the invariants of a position after a segment."""
    assert list(after.units) == list(before.units)
    assert {u for u, p in after.units.items() if p.at == TURN_TRACK} == set(after.arrivals)
    for unit, piece in after.units.items():
        if piece.is_on_map or piece.at == DELAY_BOX:
            assert 1 <= piece.steps <= counters()[unit].max_steps, unit
        else:
            assert piece.steps <= counters()[unit].max_steps, unit
    held = stacks(before)
    for place, (naval, land) in stacks(after).items():
        was_naval, was_land = held.get(place, (0, 0))
        assert naval <= max(NAVAL_LIMIT, was_naval), place
        assert land <= max(LAND_LIMIT, was_land), place
    hqs = [p.at for u, p in after.units.items() if counters()[u].is_hq and p.is_on_map]
    assert len(hqs) == len(set(hqs))
    assert after.arrived_air == ()
    assert after.pools == Pools()
    for unit in after.arrivals:
        assert after.arrivals[unit].turn > after.turn or unit in before.arrivals


def play(start: State, seed: int) -> tuple[State, int]:
    """Return the position after the four segments and the number of commands."""
    chooser, dice = random.Random(seed), DerivedDice(bytes(32), seed)
    given = 0

    def answer(question: Decision[EotsCommand]) -> EotsCommand:
        nonlocal given
        given += 1
        assert question.default in question.options
        assert len({repr(option) for option in question.options}) == len(question.options)
        return chooser.choice(question.options)

    state = start
    for phase, begin in SEGMENTS:
        ledger = ledger_on(in_phase(state, phase))
        begin(rolling(ledger, dice))
        run(ledger, dice, answer)
        check(state, ledger.state)
        state = ledger.state
    return state, given


def at_turn(name: str, turn: int, seed: int) -> State:
    """Return a scenario at the beginning of a turn, with a war in Europe that depends on the seed."""
    chooser = random.Random(seed)
    tracks = {
        "war_in_europe": chooser.randint(-7, 3),
        "us_rivalry": chooser.random() < 0.5,
        "japan_naval_points": chooser.randint(0, 3),
        "japan_air_points": chooser.randint(0, 3),
    }
    ledger = ledger_on(with_decks(with_tracks(start_of(name), **tracks)))
    ledger.add(TurnBegan(turn=turn))
    return ledger.state


@pytest.mark.parametrize("batch", range(0, SEEDS, BATCH))
def test_random_strategic_phase_1943_turn_6(batch: int) -> None:
    commands = 0
    for seed in range(batch, batch + BATCH):
        start = at_turn("1943", 6, seed)
        after, given = play(start, seed)
        commands += given
        assert set(start.units) == set(after.units)
        assert all(len(after.decks[side].hand) >= 4 for side in Side)
    assert commands > 0


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "turn"),
    sampled(
        [
            pytest.param("1942", 3, id="1942"),
            pytest.param("1942-44", 10, id="1942-44-everything-due-at-once"),
            pytest.param("1944", 9, id="1944"),
            pytest.param("campaign-1941", 2, id="campaign"),
        ],
        1,
    ),
)
def test_random_strategic_phase_of_other_starts(name: str, turn: int) -> None:
    for seed in range(sized(2, 5, 50)):
        play(at_turn(name, turn, seed), seed)


@pytest.mark.full
def test_same_seed_gives_the_same_position() -> None:
    start = at_turn("1943", 6, 3)
    assert play(start, 3) == play(replace(start), 3)
