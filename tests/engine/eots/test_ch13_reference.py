"""The Political Phase of random positions agrees with a second implementation of the rules (13, 16)."""

from random import Random

import pytest
from msgspec.structs import replace

from engine.eots.ch06_supply.occupancy import kunming_area
from engine.eots.ch16_victory.will import begin_political_will
from engine.eots.counters import counters
from engine.eots.ids import HexId, NationId, Side
from engine.eots.state import REMOVED, IndiaStatus, State
from engine.kernel.dice import ScriptedDice
from tests.engine.eots import politics_reference as reference
from tests.engine.eots.politics import book, settle
from tests.engine.eots.positions import start_of, with_control, with_tracks, with_units
from tests.engine.eots.strategic import rolling
from tests.sizes import sized

SIDES = (Side.ALLIED, Side.JAPAN)
GROUPS = (
    *reference.DECISIVE.values(),
    reference.NORTH,
    reference.NEW_GUINEA_KEYS,
    ["4021", "4423"],
    ["4415", "4715"],
    reference.ALEUTIANS,
    reference.HAWAII,
    reference.RESOURCES,
)


def shuffled(chance: Random) -> State:
    """Return a position with changed control of groups of hexes and with random markers."""
    state = start_of(chance.choice(("1942", "1943", "1944", "campaign-1941")))
    for _ in range(chance.randint(1, 6)):
        group = [at for at in chance.choice(GROUPS) if chance.random() < 0.95]
        state = with_control(state, chance.choice(SIDES), group)
    driven_off = {
        str(unit): (REMOVED, 0)
        for unit, piece in state.units.items()
        if piece.is_on_map
        and counters()[unit].is_ground
        and piece.at not in kunming_area()
        and state.control[HexId(piece.at)] is not counters()[unit].side
    }
    return marked(with_units(state, driven_off), chance)


def marked(state: State, chance: Random) -> State:
    """Return the position with random markers."""
    turn = chance.randint(2, 12)
    surrendered = tuple(NationId(n) for n in reference.LOSSES if chance.random() < 0.25)
    state = with_tracks(
        state,
        political_will=chance.randint(0, 10),
        surrendered=surrendered,
        recaptured=tuple(n for n in surrendered if chance.random() < 0.3 and n != "china"),
        all_surrendered_penalty=len(surrendered) == len(reference.LOSSES),
        india=IndiaStatus(chance.randint(0, 4)),
        north_india_lost=chance.random() < 0.5,
        aleutians_held={HexId(at): chance.randint(1, 2) for at in reference.ALEUTIANS[:2]},
        hawaii_held={HexId(at): 1 for at in reference.HAWAII if chance.random() < 0.3},
        bombing_turns=(turn,) if chance.random() < 0.3 else (),
        us_force_lost_turn=turn if chance.random() < 0.3 else 0,
        allied_asp_after_reinforcement=chance.randint(0, 6),
        alaska_penalty_used=chance.random() < 0.3,
        resource_bonus_used=chance.random() < 0.3,
    )
    once_japanese = [at for at in state.control if chance.random() < 0.02]
    before = with_control(state, Side.JAPAN, once_japanese).control
    return replace(state, turn=turn, control_at_turn_start=before)


@pytest.mark.parametrize("seed", range(sized(8, 20, 1_000)), ids=lambda seed: f"13.1-6-16.4-{seed}")
def test_political_phase_matches_the_reference(seed: int) -> None:
    chance = Random(seed)  # positions, not secrets
    for _ in range(10):
        state = shuffled(chance)
        expected, after = reference.national_status(state), settle(state).state
        assert after.tracks.political_will == expected.will
        assert frozenset(after.tracks.surrendered) == expected.surrendered
        assert after.tracks.india is expected.india
        assert after.control == expected.control
        if after.outcome is None:
            will = reference.political_will(after)
            ledger = book(after)
            begin_political_will(rolling(ledger, ScriptedDice()))
            assert ledger.state.tracks.political_will == will
