"""Offensives from the card to its disposal: activation, declaration, special reaction, intelligence (7.2)."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from engine.eots.events.battle import BattleBegan
from engine.eots.events.offensive import BattleSwitched
from engine.eots.events.tracks import DieRolled
from engine.eots.ids import Side, UnitId
from engine.eots.state import Condition, Mode, State
from tests.engine.eots.positions import Place, position
from tests.engine.eots.table import Table, to_play

KAUAI: Mapping[str, Place] = {
    "us-hq-central-pacific": "5808",
    "us-air-7af": "5808",
    "us-corps-xi": "5808",
    "us-cv-essex": "5808",
    "us-ca-northampton": "5808",
    "jp-hq-south-seas": "4017",
    "jp-army-14": "4715",
    "jp-cv-shokaku": "4715",
    "jp-ca-aoba": "4715",
}


def quiet(units: Mapping[str, Place], *, japan: tuple[str, ...] = (), **tracks: object) -> State:
    """Return a position without rivalry."""
    free = {"japan_rivalry": False, "us_rivalry": False, **tracks}
    return position(units, japan=japan, **free)  # type: ignore[arg-type]  # all of them are tracks


def landed(
    card: str = "event J-9",
    *,
    allied: str = "A-13 A-31",
    japan: str = "J-9 J-23",
    faces: tuple[int, ...] = (),
    ships: tuple[str, ...] = ("jp-cv-shokaku",),
    cover: str = "cover jp-cv-shokaku 5708",
) -> Table:
    """Return the answers to a landing on vacant Kauai with J-9."""
    state = to_play(quiet(KAUAI, japan=("4715", "4017")), Side.JAPAN, japan=japan, allied=allied)
    table = Table(state, faces)(card)
    for unit in ("jp-army-14", *ships):
        table(f"activate {unit}")
    table("done", "pick jp-army-14", *(f"with {ship}" for ship in ships), "assault 5708")
    return table(cover) if cover else table


def rolls(table: Table) -> list[tuple[str, int, int]]:
    """Return rule, face and modifier of each intelligence roll."""
    return [
        (str(event.rule), event.face, event.modifier)
        for event in table.facts(DieRolled)
        if event.rule in {"7.25", "7.27"}
    ]


# -- 7.21, 6.3, 5.31


def test_an_event_that_waives_supply_can_use_an_hq_out_of_supply() -> None:
    """5.31, J-48: no other condition prevents it."""
    units: dict[str, Place] = {"jp-hq-south": "2212", "jp-air-flotilla-22": "2212"}
    cut = quiet({**units, "us-corps-xi": "2812"}, japan=("2212",))
    none = replace(cut, control=dict.fromkeys(cut.control, Side.ALLIED) | {"2212": Side.JAPAN})
    table = Table(to_play(none, Side.JAPAN, japan="J-48 J-3"))
    assert table.offers("oc") == []
    assert "event J-48" in table.lines
    table("event J-48")
    assert "activate jp-air-flotilla-22" in table.lines


def test_activations_are_reserved_for_units_the_card_requires() -> None:
    """5.31, A-38: the units include one Chinese unit, if one can be activated."""
    units: dict[str, Place] = {
        "cw-hq-seac": "1905",
        "china-army-5": "2205",
        "cw-corps-15": "1905",
        "cw-corps-33": "1905",
        "cw-corps-3-ind": "2104",
        "cw-corps-4-ind": "2104",
        "cw-air-seac": "2104",
        "us-air-avg": "1905",
    }
    state = to_play(quiet(units), Side.ALLIED, allied="A-38 A-13")
    table = Table(state)("event A-38")
    assert table.refusals("allied", "done") == ["5.31"]
    others = [line for line in table.offers("activate") if "china" not in line]
    assert len(others) == 6
    table(*others[:4])
    assert table.offers("activate") == ["activate china-army-5"]
    assert table.refusals("allied", others[4]) == ["5.31"]
    assert table.default == "activate china-army-5"
    table("activate china-army-5")
    assert "done" in table.lines


# -- 7.24


def test_intrinsic_units_can_be_attacked_by_carriers() -> None:
    """7.24, 0.4: a city with only intrinsic units is a hex with reaction units."""
    units: dict[str, Place] = {
        "us-hq-southwest-pacific": "2813",
        "us-cv-essex": "2813",
        "jp-hq-south-seas": "4017",
    }
    state = position(units, allied=("2813",), us_rivalry=False)
    table = Table(to_play(state, Side.ALLIED, allied="A-31 A-13"))("oc A-31")
    table("activate us-cv-essex", "done", "pick us-cv-essex", "sail 2811")
    assert table.lines == ["battle-with us-cv-essex 2709", "battle-with us-cv-essex 2809"]
    table("battle-with us-cv-essex 2809").until("4.22")
    assert table.at("us-cv-essex") == "2813"


# -- 7.27


@pytest.mark.parametrize(
    ("face", "succeeds"),
    [
        pytest.param(9, False, id="7.27-natural-9-fails"),
        pytest.param(8, False, id="7.27-8-minus-2-is-6"),
        pytest.param(7, True, id="7.27-EX-7-5-7-minus-2-is-5"),
    ],
)
def test_special_reaction_roll_decides_whether_a_battle_follows(face: int, succeeds: bool) -> None:
    table = landed(card="oc J-9", faces=(face,), japan="J-9 J-23")
    assert (table.asked, table.rule, table.default) == ("allied", "7.27", "special-reaction 5708")
    assert table.offensive.special_iv == 5
    table("special-reaction 5708")
    assert rolls(table) == [("7.27", face, -2)]
    assert ("5708" in table.offensive.battles) is succeeds
    if succeeds:
        assert table.offensive.condition is Condition.SURPRISE
        assert table.rule == "7.25"
        assert table.offensive.joined[UnitId("jp-cv-shokaku")] == "5708"
    else:
        assert table.rule == "5.32B"  # 7.2: there is no battle hex, so attack cards may be played
        table("pass")
        assert table.rule == "9.6"  # step 13 follows


def test_declining_special_reaction_leaves_the_landing_unopposed() -> None:
    """7.27: he may roll; without a roll the landing stands and the offensive continues."""
    table = landed()("pass").until("4.22")
    assert table.controller("5708") is Side.JAPAN


# -- 7.25, 5.32


def struck(
    *, allied: str = "A-8 A-12 A-13 A-26 A-59", faces: tuple[int, ...] = (), japan: str = "J-9 J-3"
) -> Table:
    """Return the answers to an air strike by a unit that does not move (EX-7-4)."""
    units: dict[str, Place] = {
        "jp-hq-south-seas": "4017",
        "jp-air-flotilla-24": "4222",
        "us-hq-central-pacific": "5808",
        "us-corps-xi": "4423",
        "us-air-13af": "4825",
        "us-cv-essex": "4825",
        "us-ca-northampton": "4825",
    }
    state = quiet(units, japan=("4017", "4222"))
    table = Table(to_play(state, Side.JAPAN, japan=japan, allied=allied), faces)
    table(f"event {japan.split(maxsplit=1)[0]}", "activate jp-air-flotilla-24", "done", "done")
    return table("battle-with jp-air-flotilla-24 4423").until("7.25")


@pytest.mark.parametrize(
    ("face", "condition"),
    [
        pytest.param(7, Condition.INTERCEPT, id="7.25D-at-the-value"),
        pytest.param(8, Condition.SURPRISE, id="7.25D-above-it"),
        pytest.param(9, Condition.SURPRISE, id="7.25E-natural-9"),
    ],
)
def test_intelligence_roll_without_contact_has_no_modifier(face: int, condition: Condition) -> None:
    """EX-7-4: there is no modifier if the unit attacks without moving."""
    table = struck(faces=(face,), allied="A-13 A-31")
    assert table.default == "roll"
    table("roll")
    assert rolls(table) == [("7.25", face, 0)]
    assert table.offensive.condition is condition


def moresby(japan: str, faces: tuple[int, ...] = ()) -> Table:
    """Return Japan's answers to a strike of 5AF from Port Moresby on Buna."""
    units: dict[str, Place] = {
        "us-hq-southwest-pacific": "3727",
        "us-air-5af": "3823",
        "jp-hq-south-seas": "4017",
        "jp-army-18": "3922",
    }
    state = quiet(units, japan=("4017", "3922"))
    table = Table(to_play(state, Side.ALLIED, allied="A-31 A-13", japan=japan), faces)
    table("event A-31", "activate us-air-5af", "done", "done", "battle-with us-air-5af 3922")
    return table.until("7.25")


def test_the_code_change_cannot_follow_another_intelligence_card() -> None:
    """J-13, 5.32A: several cards may be played, but not this one after another."""
    table = moresby("J-4 J-13 J-69 J-3")("react J-4")
    assert table.offers("react") == ["react J-69"]
    assert table.refusals("japan", "react J-13") == ["5.32A"]
    first = moresby("J-4 J-13 J-3")("react J-13")
    assert first.offers("react") == ["react J-4"]


# -- 7.26


def reacting_to_strike(*activated: str) -> Table:
    table = struck(allied="A-13 A-31", faces=(0,))("roll", "hq us-hq-central-pacific")
    for unit in activated:
        table(f"activate {unit}")
    return table


def test_ships_without_aircraft_may_stay_with_a_carrier_outside_the_battle_hex() -> None:
    """7.26, 8.21-2, 9.12: a cruiser may end with a participating carrier outside the battle hex."""
    table = reacting_to_strike("us-cv-essex", "us-ca-northampton")
    table("done", "pick us-cv-essex", "with us-ca-northampton")
    assert "sail 4424" in table.lines
    assert "sail 4526" not in table.lines  # neither in a battle hex nor in range
    table("sail 4424").until("9.6")
    begun = {event.at: event.units for event in table.facts(BattleBegan)}
    assert {"us-cv-essex", "us-ca-northampton"} <= set(begun["4423"])


# -- 7.27, effects on participants


def two_battles() -> Table:
    """Return the reaction against a landing on Kauai whose carrier is there but strikes Oahu."""
    units = {**KAUAI, "us-ca-northampton": "5108"}
    state = to_play(quiet(units, japan=("4715", "4017")), Side.JAPAN, japan="J-9 J-3")
    table = Table(state, (0, 0))("event J-9")
    table("activate jp-army-14", "activate jp-cv-shokaku", "done")
    table("pick jp-army-14", "with jp-cv-shokaku", "assault 5708")
    table("battle-with jp-cv-shokaku 5808", "special-reaction 5708", "roll")
    return table("hq us-hq-central-pacific")


def test_a_strike_from_outside_does_not_switch_units_between_battles() -> None:
    """7.27: air units of the declared battle hex stay with its battle."""
    table = two_battles()("activate us-air-7af", "done")
    assert table.facts(BattleSwitched) == []
    begun = {event.at: event.units for event in table.until("9.6").facts(BattleBegan)}
    assert "jp-cv-shokaku" in begun["5808"]
    assert "jp-cv-shokaku" not in begun["5708"]


# -- the record of moves


def test_a_landing_gains_control_before_post_battle_movement() -> None:
    """6.5, EX-6-10: the escort may stay in a port that has just been captured."""
    table = landed()
    assert table.offensive.moved[UnitId("jp-army-14")].mode is Mode.ASP
    assert table.controller("5708") is Side.ALLIED
    table("pass").until("9.6")
    assert table.controller("5708") is Side.JAPAN


# -- refusals


def test_illegal_cover_and_battle_orders_are_refused() -> None:
    """7.24: inactive units, units with a task or in a battle hex, and hexes without a landing are refused."""
    table = landed(ships=("jp-cv-shokaku", "jp-ca-aoba"), cover="")
    assert table.refusals("japan", "cover jp-ca-aoba 5708") == ["9.11"]
    assert "7.24" in table.refusals("japan", "cover jp-cv-shokaku 5808")
    assert table.refusals("japan", "cover us-cv-essex 5708") == ["7.24"]
    assert table.refusals("japan", "battle-with us-cv-essex 5808") == ["7.24"]
    both: dict[str, Place] = {**KAUAI, "us-corps-x": "5708"}
    state = to_play(quiet(both, japan=("4715", "4017")), Side.JAPAN, japan="J-9 J-3")
    fought = Table(state)("event J-9", "activate jp-army-14", "activate jp-cv-shokaku")
    fought("activate jp-ca-aoba", "done", "pick jp-army-14", "with jp-cv-shokaku")
    fought("assault 5708")
    assert fought.rule != "7.24"  # every unit fights in its own hex


def test_sailing_to_the_starting_hex_is_refused() -> None:
    """8.21."""
    state = to_play(quiet(KAUAI, japan=("4715", "4017")), Side.JAPAN, japan="J-9 J-3")
    table = Table(state)("event J-9", "activate jp-ca-aoba", "done", "pick jp-ca-aoba")
    assert table.refusals("japan", "sail 4715") == ["8.21"]


# -- 8.2, 8.3 inside an offensive


def ashore(*ships: str) -> Table:
    """Return step 2 after an army with a carrier has landed on vacant Kauai, with these ships still in port."""
    state = to_play(quiet(KAUAI, japan=("4715", "4017")), Side.JAPAN, japan="J-9 J-3")
    table = Table(state)("event J-9", "activate jp-army-14", "activate jp-cv-shokaku")
    for ship in ships:
        table(f"activate {ship}")
    return table("done", "pick jp-army-14", "with jp-cv-shokaku", "assault 5708")


def test_legal_end_hexes_of_naval_movement() -> None:
    """8.21-1, 8.21-3, 8.21-4: with enemies, in a port or with a landing, but not on the open sea without a carrier."""
    table = ashore("jp-ca-aoba")("pick jp-ca-aoba")
    ends = {line.split()[1] for line in table.offers("sail ")}
    assert {"5808", "4017", "5708"} <= ends
    assert not {"5608", "5607"} & ends


def test_strategic_movement_prevents_battle_cover_and_return() -> None:
    """8.23, 8.33, 7.28: a carrier that sailed strategically neither strikes nor moves after battle."""
    units = {**KAUAI, "us-corps-x": "4423", "jp-cv-shokaku": "4017"}
    state = to_play(quiet(units, japan=("4715", "4017", "4222")), Side.JAPAN, japan="J-9 J-3")
    table = Table(state)("event J-9", "activate jp-cv-shokaku", "done", "pick jp-cv-shokaku")
    table("sail-strategic 4222", "pass")
    assert table.rule == "4.22"  # there is nothing to declare and no unit to move back
    normal = Table(state)("event J-9", "activate jp-cv-shokaku", "done", "pick jp-cv-shokaku")
    normal("sail 4222")
    assert normal.offers("battle-with") == ["battle-with jp-cv-shokaku 4423"]
