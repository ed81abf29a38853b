"""Commands that name nothing that exists are refused with a sentence (1.2)."""

from functools import cache

import pytest

from engine.eots.names import name_refusals
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role


@cache
def _dealt() -> State:
    """Return the 1943 scenario with hands, and the Allies to play."""
    opening = EOTS.open_game(EOTS.position("1943", {}), DerivedDice(bytes(32), 0))
    return EOTS.fold(EOTS.initial_state(), opening)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        pytest.param("oc A-999", "1.2", id="1.2-card"),
        pytest.param("activate foo", "1.2", id="1.2-unit"),
        pytest.param("hq foo", "1.2", id="1.2-hq"),
        pytest.param("shift foo jp-cv-akagi", "1.2", id="1.2-loser"),
        pytest.param("bomb intrinsic", "1.2", id="13.76-no-counter"),
        pytest.param("battle-with us-cv-enterprise eliminated", "0.2", id="0.2-off-the-map"),
        pytest.param("battle-with us-cv-enterprise china-box", "0.2", id="0.2-box-is-no-hex"),
        pytest.param("sail 9999", "0.2", id="0.2-hex"),
        pytest.param("place us-cv-enterprise nowhere", "0.2", id="0.2-place"),
        pytest.param("return-hq A-999 foo 9999", "1.2", id="1.2-all"),
    ],
)
def test_nonexistent_names_are_refused(line: str, rule: str) -> None:
    command = EOTS.notation.parse(line)
    assert next(name_refusals(command)).rule == rule
    reasons = EOTS.why_not(_dealt(), Role("allied"), command)
    assert reasons[0].rule == rule
    assert not EOTS.is_legal(_dealt(), Role("allied"), command)


@pytest.mark.parametrize(
    "line", ["oc A-13", "activate us-cv-enterprise", "fly china-box", "done", "hit intrinsic"]
)
def test_existing_names_are_accepted(line: str) -> None:
    assert tuple(name_refusals(EOTS.notation.parse(line))) == ()
