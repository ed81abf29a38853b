"""What the cards say about HQs, units, movement and battle hexes (5.31A, strategy cards 4.2): one row per statement."""

import pytest
from msgspec.structs import replace

from engine.eots.cards.activation_limits import (
    activation_base,
    battle_hex_places,
    ineffective_reaction_classes,
    is_asp_forbidden,
    is_marine_requirement_waived,
    required_battles,
    required_landings,
    temporary_asp,
)
from engine.eots.ids import CardId, Side, UnitId
from engine.eots.state import State, current_offensive
from tests.engine.eots.positions import Place, in_offensive, position
from tests.engine.eots.table import Table, to_play

JAPAN: dict[str, Place] = {
    "jp-hq-south-seas": "4017",
    "jp-hq-combined-fleet-yamamoto": "4021",
    "jp-army-17": "4017",
    "jp-army-18": "4017",
    "jp-air-flotilla-25": "4017",
    "jp-cv-shokaku": "4017",
    "jp-ca-aoba": "4017",
    "us-hq-central-pacific": "5808",
}
ALLIED: dict[str, Place] = {
    "us-hq-southwest-pacific": "3727",
    "joint-hq-anzac": "3626",
    "us-hq-central-pacific": "5808",
    "cw-hq-seac": "1805",
    "us-corps-x": "3727",
    "us-marine-1-division": "3727",
    "cw-corps-1-aus": "3626",
    "cw-division-3-nz": "3626",
    "us-air-5af": "3626",
    "cw-air-aus": "3624",
    "us-cv-essex": "3727",
    "us-ca-northampton": "3727",
    "cw-ca-kent": "3727",
    "cw-corps-15": "1805",
    "china-army-5": "2205",
    "us-air-14af": "1905",
    "us-corps-xi": "1905",
    "us-ca-baltimore": "1805",
    "us-cv-bunker-hill": "5808",
    "us-bb-washington": "5808",
    "jp-hq-combined-fleet-yamamoto": "3706",
}


def event(side: Side, card: str, hq: str = "", **tracks: object) -> Table:
    """Return step 1 of an event offensive with its HQ named."""
    units = JAPAN if side is Side.JAPAN else ALLIED
    japan = ["4017", "4021"] if side is Side.JAPAN else []
    base = position(units, japan=japan, us_rivalry=False, japan_rivalry=False)
    state = replace(base, tracks=replace(base.tracks, **tracks))
    hands = {"allied": "A-2", "japan": "J-23"}
    hands[side] = f"{card} {'J-69' if side is Side.JAPAN else 'A-2'}"
    table = Table(to_play(state, side, **hands))
    table(f"event {card}")
    if hq and current_offensive(table.state).hq is None:
        table(f"hq {hq}")
    return table


@pytest.mark.parametrize(
    ("card", "hq", "unit", "rules"),
    [
        pytest.param("J-3", "", "jp-army-17", [], id="J-3-ground"),
        pytest.param("J-3", "", "jp-air-flotilla-25", ["5.31"], id="J-3-no-air"),
        pytest.param("J-3", "", "jp-ca-aoba", ["5.31"], id="J-3-no-ships"),
        pytest.param("J-8", "", "jp-cv-shokaku", [], id="J-8-ships"),
        pytest.param("J-8", "", "jp-army-17", ["5.31"], id="J-8-no-ground"),
        pytest.param("J-16", "", "jp-air-flotilla-25", [], id="J-16-air"),
        pytest.param("J-16", "", "jp-ca-aoba", ["5.31"], id="J-16-no-ships"),
        pytest.param("J-29", "", "jp-ca-aoba", [], id="J-29-ships"),
        pytest.param("J-29", "", "jp-army-17", ["5.31"], id="J-29-no-ground"),
        pytest.param("J-32", "", "jp-air-flotilla-25", [], id="J-32-air"),
        pytest.param("J-32", "", "jp-cv-shokaku", ["5.31"], id="J-32-no-carriers"),
        pytest.param("J-40", "", "jp-army-17", [], id="J-40-ground"),
        pytest.param("J-40", "", "jp-ca-aoba", ["5.31"], id="J-40-no-ships"),
        pytest.param("J-48", "", "jp-air-flotilla-25", [], id="J-48-air"),
        pytest.param("J-50", "", "jp-cv-shokaku", ["5.31"], id="J-50-no-ships"),
    ],
)
def test_unit_types_that_a_japanese_event_activates(
    card: str, hq: str, unit: str, rules: list[str]
) -> None:
    table = event(Side.JAPAN, card, hq or "jp-hq-south-seas")
    assert table.refusals("japan", f"activate {unit}") == rules
    assert (f"activate {unit}" in table.lines) == (not rules)


@pytest.mark.parametrize(
    ("card", "hq", "unit", "rules"),
    [
        pytest.param("A-7", "cw-hq-seac", "cw-corps-15", [], id="A-7-ground"),
        pytest.param(
            "A-7", "cw-hq-seac", "us-ca-baltimore", ["6.12", "6.21", "5.31"], id="A-7-no-ships"
        ),
        pytest.param("A-19", "cw-hq-seac", "us-air-14af", [], id="A-19-air"),
        pytest.param("A-25", "us-hq-southwest-pacific", "us-corps-x", [], id="A-25-us-ground"),
        pytest.param("A-25", "us-hq-southwest-pacific", "us-air-5af", [], id="A-25-us-air"),
        pytest.param("A-25", "us-hq-southwest-pacific", "cw-corps-1-aus", [], id="A-25-lifts-6.12"),
        pytest.param(
            "A-25", "us-hq-southwest-pacific", "cw-division-3-nz", ["6.12", "5.31"], id="A-25-no-nz"
        ),
        pytest.param(
            "A-25", "us-hq-southwest-pacific", "cw-air-aus", ["6.12", "5.31"], id="A-25-air-is-us"
        ),
        pytest.param("A-25", "us-hq-southwest-pacific", "us-cv-essex", ["5.31"], id="A-25-ships"),
        pytest.param("A-31", "us-hq-southwest-pacific", "us-air-5af", [], id="A-31-air"),
        pytest.param("A-31", "us-hq-southwest-pacific", "us-corps-x", ["5.31"], id="A-31-ground"),
        pytest.param("A-34", "joint-hq-anzac", "cw-corps-1-aus", [], id="A-34-commonwealth"),
        pytest.param("A-34", "joint-hq-anzac", "us-corps-x", ["5.31"], id="A-34-no-us"),
        pytest.param("A-35", "joint-hq-anzac", "cw-division-3-nz", [], id="A-35-3-nz"),
        pytest.param("A-35", "joint-hq-anzac", "cw-corps-1-aus", ["5.31"], id="A-35-no-others"),
        pytest.param("A-35", "joint-hq-anzac", "us-ca-northampton", [], id="A-35-ships"),
        pytest.param("A-44", "joint-hq-anzac", "us-corps-x", ["5.31"], id="A-44-no-us-ground"),
        pytest.param("A-57", "cw-hq-seac", "us-air-14af", [], id="A-57-us-air"),
        pytest.param(
            "A-57", "cw-hq-seac", "us-corps-xi", ["6.12", "6.21", "5.31"], id="A-57-no-us-ground"
        ),
        pytest.param("A-58", "cw-hq-seac", "china-army-5", [], id="A-58-chinese"),
        pytest.param(
            "A-76", "us-hq-southwest-pacific", "cw-corps-1-aus", [], id="CP-10-australians"
        ),
        pytest.param("A-76", "us-hq-southwest-pacific", "cw-ca-kent", [], id="CP-10-ships"),
        pytest.param(
            "A-76",
            "us-hq-southwest-pacific",
            "cw-division-3-nz",
            ["6.12", "5.31"],
            id="CP-10-no-nz",
        ),
        pytest.param("A-76", "us-hq-southwest-pacific", "us-corps-x", ["5.31"], id="CP-10-no-us"),
        pytest.param("A-84", "us-hq-central-pacific", "us-cv-bunker-hill", [], id="A-84-carriers"),
        pytest.param("A-84", "us-hq-central-pacific", "us-bb-washington", ["5.31"], id="A-84-only"),
    ],
)
def test_unit_types_that_an_allied_event_activates(
    card: str, hq: str, unit: str, rules: list[str]
) -> None:
    table = event(Side.ALLIED, card, hq)
    assert table.refusals("allied", f"activate {unit}") == rules
    assert (f"activate {unit}" in table.lines) == (not rules)


@pytest.mark.parametrize(
    ("card", "side", "hq", "first", "second"),
    [
        pytest.param("J-9", Side.JAPAN, "jp-hq-south-seas", "jp-army-17", "jp-army-18", id="J-9"),
        pytest.param("J-14", Side.JAPAN, "jp-hq-south-seas", "jp-army-17", "jp-army-18", id="J-14"),
        pytest.param(
            "A-13",
            Side.ALLIED,
            "us-hq-southwest-pacific",
            "us-corps-x",
            "us-marine-1-division",
            id="A-13",
        ),
        pytest.param(
            "A-37",
            Side.ALLIED,
            "us-hq-southwest-pacific",
            "us-corps-x",
            "us-marine-1-division",
            id="A-37",
        ),
    ],
)
def test_event_activates_only_one_ground_unit(
    card: str, side: Side, hq: str, first: str, second: str
) -> None:
    table = event(side, card, hq)
    assert f"activate {second}" in table.lines
    table(f"activate {first}")
    assert table.refusals(side, f"activate {second}") == ["5.31"]
    assert f"activate {second}" not in table.lines


@pytest.mark.parametrize(
    ("card", "hq"),
    [
        pytest.param("A-7", "cw-hq-seac", id="A-7-seac"),
        pytest.param("A-25", "us-hq-southwest-pacific", id="A-25-sw-pac"),
        pytest.param("A-84", "us-hq-central-pacific", id="A-84-c-pac"),
    ],
)
def test_a_card_with_one_hq_selects_it_automatically(card: str, hq: str) -> None:
    assert current_offensive(event(Side.ALLIED, card).state).hq == hq


@pytest.mark.parametrize(
    ("card", "hq", "rules"),
    [
        pytest.param("A-34", "us-hq-central-pacific", ["5.31"], id="A-34-no-us-hq"),
        pytest.param("A-34", "joint-hq-anzac", [], id="A-34-joint"),
        pytest.param("A-34", "cw-hq-seac", [], id="A-34-commonwealth"),
        pytest.param("A-9", "joint-hq-anzac", ["5.31"], id="A-9-no-joint-hq"),
    ],
)
def test_hqs_allowed_by_a_card(card: str, hq: str, rules: list[str]) -> None:
    table = event(Side.ALLIED, card)
    assert table.refusals("allied", f"hq {hq}") == rules


@pytest.mark.parametrize(
    ("card", "hq", "base"),
    [
        pytest.param("A-21", "us-hq-southwest-pacific", 6, id="A-21-sw-pac-6"),
        pytest.param("A-21", "us-hq-central-pacific", 4, id="A-21-others-4"),
        pytest.param("A-45", "us-hq-central-pacific", 8, id="A-45-c-pac-8"),
        pytest.param("A-9", "us-hq-central-pacific", 12, id="A-9-12"),
        pytest.param("A-84", "us-hq-central-pacific", 0, id="A-84-0"),
    ],
)
def test_logistics_value_depends_on_the_hq(card: str, hq: str, base: int) -> None:
    table = event(Side.ALLIED, card, hq)
    assert activation_base(table.state, Side.ALLIED, UnitId(hq)) == base


def test_an_operations_card_ignores_its_event_text() -> None:
    state = position(JAPAN, japan=["4017", "4021"], japan_rivalry=False)
    table = Table(to_play(state, Side.JAPAN, japan="J-3 J-69"))("oc J-3", "hq jp-hq-south-seas")
    assert table.refusals("japan", "activate jp-ca-aoba") == []
    assert activation_base(table.state, Side.JAPAN, UnitId("jp-hq-south-seas")) == 2


@pytest.mark.parametrize(
    ("card", "hexes"),
    [pytest.param("J-9", 21, id="J-9-21"), pytest.param("J-8", 15, id="8.1-ov-3")],
)
def test_naval_allowance_of_a_card(card: str, hexes: int) -> None:
    assert current_offensive(event(Side.JAPAN, card).state).naval_move == hexes


# -- under rivalry


def rivals(card: str, *units: str) -> Table:
    table = event(Side.ALLIED, card, "us-hq-southwest-pacific", us_rivalry=True)
    return table(*(f"activate {unit}" for unit in units))


@pytest.mark.parametrize(
    ("card", "first", "second", "rules"),
    [
        pytest.param("A-50", "us-corps-x", "us-ca-northampton", [], id="A-50-army-and-a-ship"),
        pytest.param("A-50", "us-corps-x", "us-cv-essex", ["14.1"], id="A-50-no-carrier"),
        pytest.param(
            "A-50", "us-corps-x", "us-marine-1-division", ["14.1"], id="A-50-army-no-marines"
        ),
        pytest.param("A-50", "us-cv-essex", "us-marine-1-division", [], id="A-50-navy"),
        pytest.param("A-46", "us-corps-x", "us-ca-northampton", [], id="A-46-army-and-a-ship"),
        pytest.param("A-21", "us-corps-x", "us-ca-northampton", ["14.1C"], id="14.1C-others"),
        pytest.param("A-76", "us-cv-essex", "cw-corps-1-aus", [], id="14.1C-other-allies"),
    ],
)
def test_services_that_can_be_combined_under_rivalry(
    card: str, first: str, second: str, rules: list[str]
) -> None:
    assert rivals(card, first).refusals("allied", f"activate {second}") == rules


# -- limits for the whole offensive


def playing(side: Side, card: str, *, step: int = 3) -> State:
    return in_offensive(position({}), side, event=True, card=card, lv=4, step=step)


@pytest.mark.parametrize(
    ("card", "demands"),
    [
        pytest.param("A-9", 1, id="A-9-japan"),
        pytest.param("A-30", 1, id="A-30-aleutians"),
        pytest.param("A-62", 1, id="A-62-philippines"),
        pytest.param("A-65", 1, id="A-65-philippines"),
        pytest.param("A-21", 0, id="A-21-none"),
    ],
)
def test_battles_required_by_an_event(card: str, demands: int) -> None:
    assert len(required_battles(playing(Side.ALLIED, card))) == demands


def test_landings_required_by_an_event() -> None:
    for card in ("A-74", "A-75"):
        (demand,) = required_landings(playing(Side.ALLIED, card))
        assert (demand.within, demand.of, demand.minimum) == (10, "3706", 1)
    assert required_landings(playing(Side.ALLIED, "A-21")) == ()


def test_midway_requires_one_hex_islands() -> None:
    (place,) = battle_hex_places(playing(Side.JAPAN, "J-12"))
    assert place.region == ("one-hex-island",)
    assert battle_hex_places(playing(Side.JAPAN, "J-9")) == ()


def test_king_ii_waives_the_marine_requirement() -> None:
    assert is_marine_requirement_waived(playing(Side.ALLIED, "A-62"))
    assert not is_marine_requirement_waived(playing(Side.ALLIED, "A-45"))


def test_carrier_raids_are_immune_to_reaction_classes() -> None:
    wanted = {"weather", "intelligence", "counter_offensive"}
    assert ineffective_reaction_classes(playing(Side.ALLIED, "A-84")) == wanted
    assert ineffective_reaction_classes(playing(Side.ALLIED, "A-21")) == frozenset()


def test_temporary_points_belong_to_the_playing_side() -> None:
    assert temporary_asp(playing(Side.ALLIED, "A-9"), Side.ALLIED) == 4
    assert temporary_asp(playing(Side.ALLIED, "A-9"), Side.JAPAN) == 0


def test_matador_forbids_shipping_points_in_its_reaction() -> None:
    state = playing(Side.JAPAN, "J-9", step=8)
    offensive = current_offensive(state)
    reaction = replace(offensive.reaction, counter_card=CardId("A-5"), events=(CardId("A-5"),))
    played = replace(state, offensive=replace(offensive, reaction=reaction))
    assert is_asp_forbidden(played, Side.ALLIED)
    assert not is_asp_forbidden(played, Side.JAPAN)
    assert not is_asp_forbidden(state, Side.ALLIED)
    assert activation_base(played, Side.ALLIED, UnitId("cw-hq-malaya")) == 3
