"""Intelligence: rolls, cards, weather, and special reaction in a complete game (5.32, 7.25, 7.27)."""

import pytest

from engine.eots.ids import Side
from engine.eots.state import Condition, State, current_offensive
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
def test_roll(use: str, seen: bool, face: int, succeeds: bool) -> None:
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


def test_one_roll_per_offensive() -> None:
    table = marched("oc J-23", allied="A-31 A-8", face=1)("roll")
    assert table.refusals("allied", "roll") != []


def test_declining_leaves_the_surprise() -> None:
    table = marched("oc J-23", face=5)("pass")
    assert table.state.offensive is None or table.offensive.condition is Condition.SURPRISE


def test_a_card_bars_the_roll_and_gives_the_condition() -> None:
    table = marched("oc J-23", units=AIR, allied="A-59 A-31")("react A-59")
    assert table.offensive.condition is Condition.INTERCEPT
    assert table.refusals("allied", "roll") == ["7.25C"]


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
def test_cards_set_the_condition(cards: list[str], condition: Condition) -> None:
    table = marched("oc J-23", allied=" ".join([*cards, "A-31"]))
    table(*(f"react {card}" for card in cards))
    assert table.offensive.condition is condition


@pytest.mark.parametrize(
    ("hand", "line", "rules"),
    [
        pytest.param("A-31", "react A-31", ["5.32"], id="5.32-no-reaction-card"),
        pytest.param("A-31", "react A-59", ["5.32"], id="5.32-not-held"),
        pytest.param("A-31 A-8", "react A-8", ["5.31"], id="5.31-its-condition"),
        pytest.param("A-31", "special-reaction 2014", ["7.25"], id="7.25-another-step"),
        pytest.param("A-31", "hq cw-hq-malaya", ["7.25"], id="7.25-before-reaction"),
    ],
)
def test_refusals(hand: str, line: str, rules: list[str]) -> None:
    assert marched("oc J-23", allied=hand).refusals("allied", line) == rules


def test_a_surprise_event_leaves_cards_only() -> None:
    table = marched("event J-3", allied="A-59 A-31")
    assert table.refusals("allied", "roll") == ["7.25C"]
    assert table.lines == ["react A-59", "pass"]


# -- Allied offensives: weather, the late card


def raid(card: str, japan: str, *faces: int) -> Table:
    """Return the question after an Allied air strike on Lae was declared."""
    state = position(
        {
            "us-hq-southwest-pacific": "3727",
            "us-air-5af": "3823",
            "jp-army-18": "3822",
            "jp-hq-south-seas": "4021",
        },
        japan=["3822", "4021"],
        us_rivalry=False,
    )
    table = Table(to_play(state, Side.ALLIED, allied=f"{card} A-2", japan=japan), faces)
    return table(f"oc {card}", "activate us-air-5af", "done", "done", "battle-with us-air-5af 3822")


def weathered(state: State) -> tuple[list[str], list[str]]:
    allied, japan = state.decks[Side.ALLIED], state.decks[Side.JAPAN]
    return list(allied.discard), list(japan.removed)


def test_weather_ends_the_offensive_and_excludes_other_cards() -> None:
    table = raid("A-31", "J-19 J-69 J-23")
    assert table.rule == "5.32D"
    assert table.offers("react") == ["react J-19"]
    assert table.refusals("japan", "react J-69") == ["5.32"]
    table("react J-19")
    assert table.state.offensive is None
    assert weathered(table.state) == (["A-31"], ["J-1", "J-2", "J-19"])
    assert table.asked == "japan"


def test_weather_is_asked_for_without_telling_the_hand() -> None:
    holding, lacking = raid("A-31", "J-19 J-23"), raid("A-31", "J-69 J-23")
    assert (holding.rule, lacking.rule) == ("5.32D", "5.32D")
    assert lacking.lines == ["pass"]


def test_the_late_code_change_follows_a_failed_roll() -> None:
    table = raid("A-31", "J-13 J-69 J-23", 9)("pass", "roll")
    assert table.rule == "7.25"
    assert table.lines == ["react J-13", "pass"]
    assert table.refusals("japan", "react J-69") == ["7.25C"]
    table("react J-13")
    assert current_offensive(table.state).condition is Condition.INTERCEPT


def test_no_late_card_after_a_successful_roll() -> None:
    table = raid("A-31", "J-13 J-23", 0)("pass", "roll")
    assert table.rule == "7.26"
    assert table.refusals("japan", "react J-13") == ["7.26"]


def test_carrier_raids_lock_the_condition() -> None:
    state = position(
        {
            "us-hq-central-pacific": "5808",
            "us-cv-essex": "5808",
            "jp-air-flotilla-25": "5511",
            "jp-hq-combined-fleet-yamamoto": "4715",
        },
        japan=["5511", "4715"],
        us_rivalry=False,
    )
    table = Table(to_play(state, Side.ALLIED, allied="A-84 A-2", japan="J-19 J-69 J-23"), [5] * 9)
    table("event A-84", "activate us-cv-essex", "done", "pick us-cv-essex", "sail 5510")
    table("battle-with us-cv-essex 5511")
    asked = {table.rule}
    if table.rule == "5.32D":
        assert table.refusals("japan", "react J-19") == ["5.31"]
        table("pass")
        asked.add(table.rule)
    assert "7.25" not in asked
