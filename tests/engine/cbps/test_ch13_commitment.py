"""Commitment (13)."""

import pytest
from msgspec.structs import replace

from engine.cbps.events.japan import CommitmentSet, ForceRemoved, LimitReached
from engine.cbps.forces.ch07_forces import remove_force
from engine.cbps.forces.ch13_index import (
    commitment_index,
    commitment_limit,
    commitment_share,
    commitment_threshold,
)
from engine.cbps.ids import Context
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.intelligence.ch13_commitment import passes_commitment_test, recompute_commitment
from engine.cbps.state import State
from tests.engine.cbps.battle import battle, facts, name_after, reads, running, with_force


def carrier(state: State, name: str, level: int, chit: str, **fields: object) -> State:
    return with_force(
        state, name, "1520", **{"level": level, "chit": chit, "is_carrier": True, **fields}
    )


# -- the index (13.1)


@pytest.mark.parametrize(
    ("level", "chit", "fields", "share"),
    [
        (1, "Carrier", {}, 4),
        (1, "Carrier", {"boxes": {"aall": 7}}, 2),
        (1, "Carrier", {"boxes": {"lost": 4, "aall": 4}}, 3),
        (2, "2-3 Carriers", {}, 4),
        (3, "2 CV", {}, 4),
        (4, "2 CV", {"first_carriers": ("shokaku", "zuikaku", "chitose")}, 5),
        (3, "surface", {"is_carrier": False, "first_carriers": ("shokaku",)}, 2),
    ],
)
def test_13_13_each_carrier_force_counts_by_its_level(
    level: int, chit: str, fields: dict[str, object], share: int
) -> None:
    """The value depends on strength, chit, or all ships that ever belonged to it, including sunk ones (OP-46)."""
    state = carrier(battle("6"), "1", level, chit, **fields)
    assert commitment_share(state, "1") == share
    assert commitment_index(state) == share


def test_13_13_surface_and_unknown_forces_add_no_commitment() -> None:
    """Only carriers are committed."""
    state = with_force(battle("6"), "A", "1520", level=1, chit="Large")
    assert commitment_index(state) == 0


def test_13_12_commitment_index_is_updated_at_each_level() -> None:
    """At level 1, unknown counts 4; at level 2 the chit counts."""
    run = running(with_force(battle("6"), "A", "1520"), 2, picks=["Carrier"])
    promote(run, "A", 2, "search")
    found = [fact.index for fact in facts(run, CommitmentSet) if isinstance(fact, CommitmentSet)]
    assert found == [4, 2]


def test_13_13_a_carrier_proving_to_be_a_surface_force_counts_0() -> None:
    """Note 1 applies on die 1."""
    run = running(replace(carrier(battle("6"), "A", 1, "Carrier"), commitment=4), 1)
    promote(run, "A", 2, "search")
    assert run.state.commitment == 0


@pytest.mark.parametrize(("ruling", "index"), [("on", 4), ("off", 0)])
def test_13_13_forces_out_of_play_count_by_the_ruling(ruling: str, index: int) -> None:
    """OP-46, both readings."""
    state = battle("6", departed_commitment=ruling)
    run = running(replace(carrier(state, "1", 3, "2 CV"), commitment=4))
    remove_force(run, "1", "exit")
    recompute_commitment(run)
    assert run.state.commitment == index


def test_13_0_scenarios_before_6_do_not_use_commitment() -> None:
    """Nothing is counted or tested."""
    run = running(carrier(battle("5"), "1", 3, "2 CV"))
    recompute_commitment(run)
    assert run.events == ()
    assert passes_commitment_test(run, "search")


# -- threshold and test: 13.21, 13.22


@pytest.mark.parametrize(
    ("scenario", "ships", "numbers"),
    [("6", "on", (8, 14)), ("6", "off", (8, 12)), ("9", "on", (12, 20))],
)
def test_13_21_threshold_and_limit_come_from_the_scenario(
    scenario: str, ships: str, numbers: tuple[int, int]
) -> None:
    """It depends on the ships that take part."""
    state = battle(scenario, additional_ships=ships)
    assert (commitment_threshold(state), commitment_limit(state)) == numbers


@pytest.mark.parametrize(
    ("ships", "index", "die", "is_real"),
    [("on", 8, 8, True), ("on", 8, 9, False), ("off", 11, 3, True), ("off", 11, 4, False)],
)
def test_13_22_the_test_uses_the_column_for_ships_and_index(
    ships: str, index: int, die: int, is_real: bool
) -> None:
    """Additional and Historical line."""
    run = running(replace(battle("6", additional_ships=ships), commitment=index), die)
    assert passes_commitment_test(run, "raid") is is_real
    (read,) = reads(run, "commitment_test")
    assert read.column.endswith(f", {index}")


@pytest.mark.parametrize("context", ["strike", "sub", "surface_combat", "exit"])
def test_13_22_encountered_forces_are_real_without_a_test(context: Context) -> None:
    """OP-47, and under the other ruling it is tested like all others."""
    run = running(replace(battle("6"), commitment=14))
    assert passes_commitment_test(run, context)
    run = running(replace(battle("6", commitment_tests="all"), commitment=14), 2)
    assert not passes_commitment_test(run, context)


def test_13_22_a_force_that_fails_the_test_is_a_false_contact() -> None:
    """This also applies from level 1. Its chit is set aside."""
    state = with_force(battle("6"), "A", "1520", level=1, chit="Large")
    run = running(replace(state, commitment=10), *(6, 8))
    assert name_after(promote, run, "A", 2, "search") == ""
    assert run.state.set_aside == {"Large": 1}


# -- the limit (13.23)


def crowd(*surface: str, **options: str) -> State:
    """Return a state whose index is at the limit, with the given number of level-1 Surface forces."""
    state = carrier(battle("6", **options), "1", 3, "4 CV 2 CVL")
    state = carrier(state, "2", 3, "2 CV")
    for name in surface:
        state = with_force(state, name, "1518", level=1, chit="Surface")
    return state


def removed(run_events: tuple[object, ...]) -> list[str]:
    return [fact.force for fact in run_events if isinstance(fact, ForceRemoved)]


def test_13_231_four_surface_forces_remove_all_unknown_forces() -> None:
    """This includes level 0 and level-1 Small, Medium and Large."""
    state = crowd("A", "B", "C", "D")
    state = with_force(state, "E", "1520")
    state = with_force(state, "F", "1520", level=1, chit="Small")
    state = carrier(state, "G", 1, "Carrier")
    run = running(state)
    recompute_commitment(run)
    assert run.state.limit_reached
    assert removed(run.events) == ["E", "F"]
    assert "G" in run.state.forces, "13.24: level-1 Carriers stay"


def test_13_23_the_limit_is_reached_once() -> None:
    """Later changes of the index have no effect."""
    run = running(crowd("A", "B", "C", "D"))
    recompute_commitment(run)
    recompute_commitment(run)
    assert facts(run, LimitReached) == (LimitReached(),)


def test_13_232_remaining_forces_are_resolved_from_the_invasion_zone_outward() -> None:
    """The nearest is first: Surface stays, Carrier goes, Medium proves a surface force, the rest goes at four."""
    state = crowd("A", "B")
    for name, hex in {"H": "0806", "I": "0808", "J": "0810", "K": "0812"}.items():
        state = with_force(state, name, hex)
    run = running(state, 2, picks=["Surface", "Carrier", "Medium"])
    recompute_commitment(run)
    assert removed(run.events) == ["I", "K"]
    assert (run.state.forces["H"].level, run.state.forces["H"].chit) == (1, "Surface")
    assert (run.state.forces["J"].level, run.state.forces["J"].chit) == (2, "Medium Surface")


def test_13_232_a_force_that_proves_to_have_carriers_is_removed() -> None:
    """Large with die 8 has carriers. Notes are ignored."""
    state = with_force(crowd(), "H", "0806", level=1, chit="Large")
    run = running(state, 8)
    recompute_commitment(run)
    assert removed(run.events) == ["H"]


@pytest.mark.parametrize("chit", ["False Contact", "Double Force"])
def test_13_232_false_contacts_and_double_forces_are_removed(chit: str) -> None:
    """Anything that is not a force is removed."""
    run = running(with_force(crowd(), "H", "0806"), picks=[chit])
    recompute_commitment(run)
    assert removed(run.events) == ["H"]


def test_13_232_ties_are_broken_at_random() -> None:
    """H and I are equally near."""
    state = crowd("A", "B", "C")
    state = with_force(state, "H", "0806", level=1, chit="Small")
    state = with_force(state, "I", "0806", level=1, chit="Small")
    run = running(state, 1, picks=["I"])
    recompute_commitment(run)
    assert removed(run.events) == ["H"]
    assert run.state.forces["I"].level == 2
