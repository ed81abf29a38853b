from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest

from engine.eots.counters import counters
from engine.eots.data.reading import content
from engine.eots.deck import FILE, Filter, card_ids, cards, read_cards, selects_hq
from engine.eots.deck_campaign import Special, WarInEurope
from engine.eots.deck_offensive import ActivateStep, NavalMove
from engine.eots.deck_terms import HqSelector
from engine.eots.ids import CardId, Side, UnitId
from engine.kernel.errors import DataError

ALL: Final = cards()


def test_170_cards_are_in_order() -> None:
    assert list(ALL) == [f"J-{n}" for n in range(1, 87)] + [f"A-{n}" for n in range(1, 85)]
    assert len(card_ids(Side.JAPAN)) == 86
    assert len(card_ids(Side.ALLIED)) == 84


def test_event_steps_of_operation_z() -> None:
    steps = ALL[CardId("J-1")].effects
    assert isinstance(steps[0], ActivateStep)
    assert steps[0].at_hex == "3705"
    assert [step.hexes for step in steps if isinstance(step, NavalMove)] == [18]
    assert len([step for step in steps if isinstance(step, Special)]) == 2
    assert steps[0].op == "activate"


def test_war_in_europe_steps_by_year() -> None:
    steps = [
        step for card in ALL.values() for step in card.effects if isinstance(step, WarInEurope)
    ]
    assert len(steps) == 14
    assert {step.by_year.of(1945) for step in steps} == {0, 3}


@pytest.mark.parametrize(
    ("fields", "unit", "fits"),
    [
        pytest.param({"types": ["B29"]}, "us-b29-20bc", True, id="4.4-b29"),
        pytest.param({"types": ["LRB"]}, "us-b29-20bc", False, id="4.4-lrb-type-is-not-b29"),
        pytest.param({"lrb": True}, "us-b29-20bc", True, id="4.4-b29-is-lrb"),
        pytest.param({"lrb": False, "class": ["air"]}, "us-air-5af", True, id="4.4-no-lrb"),
        pytest.param({"nat": ["commonwealth"]}, "cw-corps-1-aus", True, id="4.4-commonwealth"),
        pytest.param(
            {"nat": ["indian"], "size": ["corps"]}, "cw-corps-3-ind", True, id="4.4-indian-corps"
        ),
        pytest.param(
            {"nat": ["indian"]}, "cw-corps-1-aus", False, id="4.4-australian-is-not-indian"
        ),
        pytest.param({"nat": ["new_zealand"]}, "cw-division-3-nz", True, id="4.4-new-zealand"),
        pytest.param({"nat": ["chinese"]}, "china-army-5", True, id="4.4-chinese"),
        pytest.param({"nat": ["any"]}, "dutch-air", True, id="4.4-any"),
        pytest.param({"nat": ["us"]}, "joint-hq-abda", False, id="4.4-joint-is-not-us"),
        pytest.param({"side": "japan", "types": ["CV"]}, "us-cv-essex", False, id="4.4-side"),
        pytest.param({"types": ["CV"]}, "us-cvl-san-jacinto", False, id="1.3-cv-only"),
        pytest.param({"service": ["navy"], "nat": ["us"]}, "us-cv-essex", True, id="4.4-service"),
        pytest.param({"unit": ["us-air-avg", "us-air-14af"]}, "us-air-14af", True, id="4.4-unit"),
        pytest.param({"size": ["brigade"]}, "us-cv-essex", False, id="4.4-size-of-ships"),
    ],
)
def test_unit_filter_matches(fields: dict[str, object], unit: str, fits: bool) -> None:
    assert msgspec.convert(fields, Filter).matches(counters()[UnitId(unit)]) is fits


@pytest.mark.parametrize(
    ("selector", "unit", "named"),
    [
        pytest.param("any", "jp-hq-south", True, id="any"),
        pytest.param("any", "us-cv-essex", False, id="no-headquarters"),
        pytest.param("us", "us-hq-southwest-pacific", True, id="us"),
        pytest.param("us", "joint-hq-anzac", False, id="joint-is-not-us"),
        pytest.param("joint", "joint-hq-anzac", True, id="joint"),
        pytest.param("commonwealth", "cw-hq-seac", True, id="commonwealth"),
        pytest.param("jp-hq-combined-fleet", "jp-hq-combined-fleet-ozawa", True, id="both-fleets"),
        pytest.param("jp-hq-south", "jp-hq-south-seas", False, id="south-is-not-south-seas"),
    ],
)
def test_hq_selector_matches(selector: str, unit: str, named: bool) -> None:
    assert selects_hq(HqSelector(selector), counters()[UnitId(unit)]) is named


Row = dict[str, Any]


def broken(change: Callable[[Row], None]) -> bytes:
    """Return the cards file with a change to its first card."""
    file = msgspec.json.decode(content(FILE), type=dict[str, Any])
    change(file["cards"][0])
    return msgspec.json.encode(file)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        pytest.param(lambda row: row.update(id="J-2"), "appears twice", id="id-twice"),
        pytest.param(
            lambda row: row.update(id="J-99"), "does not match the side and number", id="id"
        ),
        pytest.param(
            lambda row: row["effects"][0].update(op="dance"), "Invalid value 'dance'", id="op"
        ),
        pytest.param(
            lambda row: row["effects"][0].update(at_hex="9999"),
            "no hex '9999'",
            id="hex",
        ),
        pytest.param(
            lambda row: row["effects"][0].update(units=["jp-cv-x"]),
            "no unit 'jp-cv-x'",
            id="unit",
        ),
        pytest.param(
            lambda row: row.update(hq=["jp-hq-moon"]),
            "no headquarters 'jp-hq-moon'",
            id="headquarters",
        ),
        pytest.param(
            lambda row: row["effects"][0].update(
                {"if": {"is": "occupied", "region": "mars", "side": "japan"}}
            ),
            "no area 'mars'",
            id="region-of-a-condition",
        ),
        pytest.param(
            lambda row: row["effects"][0].update({"if": {"is": "event_played", "card": "A-99"}}),
            "no card 'A-99'",
            id="card-of-a-condition",
        ),
        pytest.param(
            lambda row: row["effects"][0].update(when="step99"), "Invalid enum value", id="window"
        ),
        pytest.param(
            lambda row: row.update(logistic={"add": 1}),
            "exactly one of base and formula",
            id="logistic",
        ),
    ],
)
def test_bad_card_is_refused(change: Callable[[Row], None], problem: str) -> None:
    with pytest.raises(DataError, match=problem) as caught:
        read_cards(broken(change))
    assert caught.value.file == "cards.json"
