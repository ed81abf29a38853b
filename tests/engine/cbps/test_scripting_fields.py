"""Words of script lines: upper and lower case are equivalent, and meaningless words get one clear sentence."""

import pytest

from engine.cbps.ruleset import CBPS
from engine.cbps.scripting.words import apply_setup, check_expectation
from engine.cbps.state import Hits, Hull
from tests.engine.cbps.battle import battle, with_parts


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hull zuikaku force A hits current:11", "'current:11' is not a number of hits"),
        ("hull zuikaku force A hits 1/2/3/4", "'1/2/3/4' is not a number of hits"),
        ("phase abc", "'abc' is not a whole number"),
        ("level-1-cup Carrier x", "'x' is not a whole number"),
        ("force A hex 1112 raids two", "'two' is not a whole number"),
        ("force A hex 1112 has_stayed perhaps", "'perhaps' is not yes or no"),
        ("wind X", "'X' is not one of"),
        ("force A hex 1112 detection Q", "'Q' is not one of"),
        ("force A hex 1112 colour red", "there is no field 'colour'"),
        ("force A hex", "'hex' has no value"),
        ("force A hex 1112 boxes aall", "'aall' is not a pair"),
    ],
)
def test_an_invalid_word_is_refused_with_a_clear_message(line: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        apply_setup(CBPS.to_position(battle("6")), line.split())


def test_12_21_hits_are_compared_including_zeros() -> None:
    state = with_parts(battle("6"), hulls={"zuikaku": Hull(force="A", hits=Hits(permanent=2))})
    assert check_expectation(state, ["hull", "zuikaku", "hits", "0/0/2"]) == ""
    assert check_expectation(state, ["hull", "Zuikaku", "hits", "2/0/0"]) == "hits is 0/0/2"


@pytest.mark.parametrize(
    ("words", "is_carrier"),
    [
        ("level 1 chit carrier", True),
        ("level 1 chit large", False),
        ("level 2 chit 2-3_carriers", True),
        ("level 3 chit SURFACE", False),
        ("level 4", True),
    ],
)
def test_7_33_chit_determines_whether_a_force_has_carriers(words: str, *, is_carrier: bool) -> None:
    position = apply_setup(CBPS.to_position(battle("6")), f"force a hex 1112 {words}".split())
    assert position.forces["A"].is_carrier is is_carrier
    CBPS.check_position(position)
