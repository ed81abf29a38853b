"""Intelligence: rolls, cards, weather, and special reaction in a complete game (5.32, 7.25, 7.27)."""

import pytest

from engine.eots.ids import Side
from engine.eots.state import Condition
from tests.engine.eots.positions import Place, position
from tests.engine.eots.table import Table, to_play

MALAYA: dict[str, Place] = {
    "jp-hq-south": "2212",
    "jp-army-38": "1913",
    "cw-corps-3-ind": "2014",
    "cw-hq-malaya": "2015",
}
AIR: dict[str, Place] = {"cw-air-ma": "2015"}
JAPANESE = ["1912", "1913", "2012", "2112", "2212"]


def marched(
    use: str,
    *,
    units: dict[str, Place] | None = None,
    allied: str = "A-31",
    face: int | None = None,
) -> Table:
    """Return step 7 of a march against Kuantan."""
    state = position({**MALAYA, **(units or {})}, japan=JAPANESE, scenario_id="1942")
    faces = () if face is None else (face, 5, 5, 5, 5)
    card = use.split()[1]
    ready = to_play(state, Side.JAPAN, japan=f"{card} J-69", allied=allied)
    table = Table(ready, faces)
    table(use, "activate jp-army-38", "done", "pick jp-army-38", "march 2014")
    return table.until("7.25")


@pytest.mark.parametrize(
    ("use", "seen", "face", "succeeds"),
    [
        pytest.param("event J-23", True, 8, True, id="EX-7-3-iv-6-seen-8"),
        pytest.param("event J-23", True, 9, False, id="EX-7-3-iv-6-seen-9"),
        pytest.param("oc J-23", True, 6, True, id="EX-7-3-iv-4-seen-6"),
        pytest.param("oc J-23", True, 7, False, id="EX-7-3-iv-4-seen-7"),
        pytest.param("oc J-23", False, 4, True, id="EX-7-3-iv-4-unseen-4"),
        pytest.param("oc J-23", False, 5, False, id="EX-7-3-iv-4-unseen-5"),
        pytest.param("event J-9", True, 9, False, id="7.25E-natural-9"),
    ],
)
def test_intelligence_roll_sets_the_condition(
    use: str, seen: bool, face: int, succeeds: bool
) -> None:
    table = marched(use, units=AIR if seen else {}, face=face)
    assert table.offensive.touched_zoi is seen
    table("roll")
    if succeeds:
        assert table.offensive.condition is Condition.INTERCEPT
        assert table.rule == "7.26"
    else:
        assert table.state.offensive is None or (
            table.offensive.condition is Condition.SURPRISE and table.rule not in {"7.25", "7.26"}
        )


@pytest.mark.parametrize(
    ("cards", "condition"),
    [
        pytest.param(["A-59"], Condition.INTERCEPT, id="7.25B-intercept"),
        pytest.param(["A-12"], Condition.AMBUSH, id="7.25B-ambush"),
        pytest.param(["A-59", "A-12"], Condition.AMBUSH, id="7.25B-both"),
        pytest.param(["A-12", "A-59"], Condition.AMBUSH, id="7.25B-both-other-order"),
        pytest.param(["A-5"], Condition.INTERCEPT, id="5.32C-counteroffensive"),
    ],
)
def test_reaction_cards_set_the_intelligence_condition(
    cards: list[str], condition: Condition
) -> None:
    table = marched("oc J-23", allied=" ".join([*cards, "A-31"]))
    table(*(f"react {card}" for card in cards))
    assert table.offensive.condition is condition
