"""Double forces (7.5)."""

import pytest
from msgspec.structs import replace

from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.state import State
from tests.engine.cbps.battle import battle, name_after, reads, running, with_force

HEX = "1520"


def unproved(**options: str) -> State:
    """Return a state with Force A at level 0, spotted."""
    return with_force(battle("6", **options), "A", HEX, detection="S")


def test_7_52_the_first_double_force_draws_two_chits_set_aside() -> None:
    """Each half gets one at random. A free counter in the same hex is the second half."""
    run = running(unproved(), picks=["Double Force", "Large", "Carrier"])
    assert name_after(promote, run, "A", 1, "search") == "A"
    first, second = run.state.forces["A"], run.state.forces["B"]
    assert (first.chit, second.chit) == ("Large", "Carrier")
    assert (first.level, second.level) == (1, 1)
    assert (first.partner, second.partner) == ("B", "A")
    assert second.hex == HEX
    assert not first.is_carrier
    assert second.is_carrier
    assert run.state.double_chits == ("Carrier",)
    assert run.state.commitment == 4, "OP-70: the index once, afterwards"


def test_7_54_the_second_half_is_undetected() -> None:
    """OP-3d."""
    run = running(unproved(), picks=["Double Force"])
    promote(run, "A", 1, "search")
    assert (run.state.forces["A"].detection, run.state.forces["B"].detection) == ("S", "")


def test_7_54_other_ruling_detects_the_second_half() -> None:
    """OP-3d, the alternative."""
    run = running(unproved(second_half="on"), picks=["Double Force"])
    promote(run, "A", 1, "search")
    assert run.state.forces["B"].detection == "S"


def test_7_52_the_second_double_force_uses_the_last_chit_and_a_carrier_from_the_cup() -> None:
    """No chit is left after that."""
    state = replace(unproved(), double_chits=("Large",))
    run = running(state, picks=["Double Force", "Large"])
    promote(run, "A", 1, "search")
    assert {run.state.forces[name].chit for name in "AB"} == {"Large", "Carrier"}
    assert run.state.double_chits == ()
    assert run.state.level_1_cup["Carrier"] == state.level_1_cup["Carrier"] - 1


def test_7_56_a_third_double_force_is_ignored() -> None:
    """Another chit is drawn."""
    run = running(replace(unproved(), double_chits=()), picks=["Double Force", "Medium"])
    promote(run, "A", 1, "search")
    assert run.state.forces["A"].chit == "Medium"
    assert "B" not in run.state.forces


def test_7_55_beyond_the_limit_a_double_force_is_a_false_contact() -> None:
    """The limit takes precedence over the threshold (OP-47)."""
    state = replace(unproved(), limit_reached=True, commitment=14)
    run = running(state, picks=["Double Force"])
    assert name_after(promote, run, "A", 1, "search") == ""
    assert "A" not in run.state.forces
    assert run.state.set_aside == {}, "the Double Force chit is out of play"


@pytest.mark.parametrize(("die", "is_real"), [(8, True), (9, False)])
def test_13_221_beyond_the_threshold_a_double_force_is_a_carrier_with_a_commitment_test(
    die: int, is_real: bool
) -> None:
    """Index 9, threshold 8, Additional ships: real up to 8."""
    run = running(replace(unproved(), commitment=9), die, picks=["Double Force"])
    assert (name_after(promote, run, "A", 1, "search") == "A") is is_real
    assert "B" not in run.state.forces
    assert len(reads(run, "commitment_test")) == 1


def test_13_221_at_the_threshold_a_double_force_needs_no_commitment_test() -> None:
    """The threshold must be exceeded, not just reached; OP-70: no test for the halves."""
    run = running(replace(unproved(), commitment=8), picks=["Double Force"])
    promote(run, "A", 1, "search")
    assert run.state.forces["B"].partner == "A"
    assert not reads(run, "commitment_test")


def test_13_221_other_ruling_tests_the_commitment_of_halves() -> None:
    """OP-70, the alternative: the first half is a false contact."""
    state = replace(unproved(commitment_of_halves="on"), commitment=8)
    run = running(state, 10, picks=["Double Force", "Carrier", "Large"])
    assert name_after(promote, run, "A", 1, "search") == ""
    assert run.state.forces["B"].partner == ""


def test_7_52_without_a_free_counter_a_double_force_is_a_carrier() -> None:
    """All eighteen letters are in play."""
    state = unproved()
    for letter in state.game_data.letters[1:]:
        state = with_force(state, letter, "0320")
    run = running(state, picks=["Double Force"])
    assert name_after(promote, run, "A", 1, "search") == "A"
    assert run.state.forces["A"].chit == "Carrier"
    assert run.state.forces["A"].partner == ""


def test_7_52_a_counter_whose_chit_is_in_the_cup_is_not_reused() -> None:
    """B was removed this turn, and its chit must have no effect."""
    run = running(replace(unproved(), cup=("A", "B")), picks=["Double Force"])
    promote(run, "A", 1, "search")
    assert run.state.forces["A"].partner == "C"
