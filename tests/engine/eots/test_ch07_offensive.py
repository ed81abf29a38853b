"""Offensives from the card to its disposal: activation, declaration, special reaction, intelligence (7.2)."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from engine.eots.ch07_offensive.activation import activatable_units, check_activate, reachable_units
from engine.eots.events.battle import BattleBegan, BattleCancelled
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


def test_activation_is_refused_with_the_rule() -> None:
    """7.21, 6.12, 6.3: an HQ in supply, its class, a path within its range."""
    units = {
        "us-hq-central-pacific": "5808",
        "cw-hq-seac": "1805",
        "us-air-7af": "5808",
        "cw-corps-15": "1905",
        "us-air-10af": "1905",
        "cw-air-seac": "1805",
        "jp-hq-south": "2212",
    }
    state = to_play(quiet({k: v for k, v in units.items() if k != "us-air-10af"}), Side.ALLIED)
    table = Table(state)("oc A-31")
    assert table.offers("hq") == ["hq cw-hq-seac", "hq us-hq-central-pacific"]
    assert table.refusals("allied", "hq jp-hq-south") == ["7.21"]
    assert table.refusals("allied", "hq us-hq-southwest-pacific") == ["7.21"]
    assert table.refusals("allied", "activate us-air-7af") == ["7.21"]
    table("hq us-hq-central-pacific")
    assert "6.12" in table.refusals("allied", "activate cw-corps-15")
    assert "6.3" in table.refusals("allied", "activate cw-corps-15")
    assert table.offers("activate") == ["activate us-air-7af"]


def test_the_number_of_units_is_limited() -> None:
    """7.21: efficiency plus OV; EX-5-1."""
    ships = {f"jp-ca-{name}": "2212" for name in ("aoba", "mogami", "nachi", "takao")}
    state = quiet({"jp-hq-south": "2212", **ships}, japan=("2212",))
    table = Table(to_play(state, Side.JAPAN, japan="J-23 J-3"))("oc J-23")
    for ship in list(ships)[:3]:
        table(f"activate {ship}")
    assert table.rule == "7.23"  # the only option left is to end
    found = check_activate(table.state, Side.JAPAN, UnitId("jp-ca-takao"))
    assert [refusal.rule for refusal in found] == ["7.21"]


def test_a_carrier_activated_without_supply_opens_paths() -> None:
    """J-48, 6.0: supply is waived, and an active unit projects a zone from then on."""
    units: dict[str, Place] = {
        "jp-hq-south": "2212",
        "jp-air-flotilla-22": "2212",
        "jp-ca-aoba": "2311",
    }
    table = Table(to_play(quiet(units, japan=("2212", "2311")), Side.JAPAN, japan="J-48 J-3"))(
        "event J-48", "activate jp-air-flotilla-22"
    )
    again = reachable_units(table.state, Side.JAPAN, UnitId("jp-hq-south"))
    assert UnitId("jp-ca-aoba") in again


def test_an_event_that_waives_supply_is_playable_with_an_hq_out_of_supply() -> None:
    """5.31, J-48: no other condition prevents it."""
    units: dict[str, Place] = {"jp-hq-south": "2212", "jp-air-flotilla-22": "2212"}
    cut = quiet({**units, "us-corps-xi": "2812"}, japan=("2212",))
    none = replace(cut, control=dict.fromkeys(cut.control, Side.ALLIED) | {"2212": Side.JAPAN})
    table = Table(to_play(none, Side.JAPAN, japan="J-48 J-3"))
    assert table.offers("oc") == []
    assert "event J-48" in table.lines
    table("event J-48")
    assert "activate jp-air-flotilla-22" in table.lines


def test_room_is_kept_for_the_units_that_a_card_demands() -> None:
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


# -- 8.33


def test_an_air_unit_goes_to_the_turn_track_when_it_is_activated() -> None:
    """8.33: it returns in the next reinforcement segment, without delay; the default is no."""
    state = quiet({"us-hq-central-pacific": "5808", "us-air-7af": "5808", "us-lrb-7af": "5808"})
    table = Table(to_play(state, Side.ALLIED, allied="A-31 A-13"))("oc A-31")
    assert table.offers("ferry") == []
    table("activate us-air-7af")
    assert table.offers("ferry") == ["ferry us-air-7af"]
    assert table.default == "done"
    table("ferry us-air-7af")
    arrival = table.state.arrivals[UnitId("us-air-7af")]
    assert (arrival.turn, arrival.steps, arrival.delayable) == (6, 2, False)
    assert table.offers("ferry") == []
    table("done")
    assert table.refusals("japan" if table.asked == "japan" else "allied", "pick us-air-7af")


def test_pre_war_air_units_leave_for_good_by_the_turn_track() -> None:
    """8.33, 11.1."""
    state = quiet({"us-hq-central-pacific": "5808", "us-air-feaf": "5808"})
    table = Table(to_play(state, Side.ALLIED, allied="A-31 A-13"))("oc A-31")
    table("activate us-air-feaf", "ferry us-air-feaf")
    assert table.at("us-air-feaf") == "removed"


def test_units_of_the_china_box_can_go_to_the_turn_track() -> None:
    """8.33, 13.74-3."""
    units: dict[str, Place] = {"cw-hq-seac": "1905", "us-air-14af": "china-box"}
    state = to_play(quiet(units, hump=True), Side.ALLIED, allied="A-31 A-13")
    table = Table(state)("oc A-31", "activate us-air-14af")
    assert table.offers("ferry") == ["ferry us-air-14af"]


# -- 7.24


def test_an_operations_card_declares_one_battle_hex() -> None:
    """7.24: the second target is refused once one is declared."""
    units: dict[str, Place] = {
        "jp-hq-south-seas": "4017",
        "jp-air-flotilla-24": "4020",
        "jp-air-flotilla-25": "4020",
        "us-hq-central-pacific": "5808",
        "us-corps-xi": "3922",
        "us-corps-x": "4222",
    }
    state = quiet(units, japan=("4017", "4020"))
    table = Table(to_play(state, Side.JAPAN, japan="J-23 J-9"))
    oc = Table(table.state)("oc J-23", "activate jp-air-flotilla-24", "activate jp-air-flotilla-25")
    oc("done", "done")
    assert oc.offers("battle-with jp-air-flotilla-24") == [
        "battle-with jp-air-flotilla-24 3922",
        "battle-with jp-air-flotilla-24 4222",
    ]
    oc("battle-with jp-air-flotilla-24 3922")
    assert oc.offers("battle-with") == ["battle-with jp-air-flotilla-25 3922"]
    assert "7.24" in oc.refusals("japan", "battle-with jp-air-flotilla-25 4222")
    event = Table(table.state)("event J-9", "activate jp-air-flotilla-24")
    event("activate jp-air-flotilla-25", "done", "done", "battle-with jp-air-flotilla-24 3922")
    assert "battle-with jp-air-flotilla-25 4222" in event.lines


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


def test_who_must_fight_goes_to_the_nearest_target_by_default() -> None:
    """Decision 7.24: only forced hexes, and every carrier at sea goes to the nearest legal target."""
    units: dict[str, Place] = {
        "jp-hq-south-seas": "4017",
        "jp-cv-shokaku": "4017",
        "us-hq-central-pacific": "5808",
        "us-corps-xi": "4423",
        "us-corps-x": "4424",
    }
    state = quiet(units, japan=("4017",))
    table = Table(to_play(state, Side.JAPAN, japan="J-9 J-3"))("event J-9")
    table("activate jp-cv-shokaku", "done", "pick jp-cv-shokaku", "sail 4426")
    assert table.lines == ["battle-with jp-cv-shokaku 4423", "battle-with jp-cv-shokaku 4424"]
    assert table.default == "battle-with jp-cv-shokaku 4424"
    assert table.refusals("japan", "done") == ["7.24"]


def test_a_carrier_in_port_need_not_fight() -> None:
    """7.24: it may be assigned, but need not be."""
    table = landed(ships=("jp-cv-shokaku",), cover="")
    assert "done" not in table.lines  # at sea
    units = {**KAUAI, "jp-army-14": "4715"}
    state = to_play(quiet(units, japan=("4715", "4017")), Side.JAPAN, japan="J-9 J-3")
    port = Table(state)("event J-9", "activate jp-army-14", "activate jp-cv-shokaku", "done")
    port("done")
    assert port.rule == "5.32B"  # 7.2 step 6: attack cards without a battle hex
    port("pass")
    assert (port.rule, dict(port.offensive.joined)) == ("9.6", {})


# -- 7.27


@pytest.mark.parametrize(
    ("face", "succeeds"),
    [
        pytest.param(9, False, id="7.27-natural-9-fails"),
        pytest.param(8, False, id="7.27-8-minus-2-is-6"),
        pytest.param(7, True, id="7.27-EX-7-5-7-minus-2-is-5"),
    ],
)
def test_special_reaction_roll(face: int, succeeds: bool) -> None:
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


def test_only_special_reaction_succeeds() -> None:
    """EX-7-5: no reaction movement, the landing stands."""
    table = landed(card="oc J-9", faces=(0, 9))("special-reaction 5708", "roll")
    table.until("4.22")
    assert rolls(table) == [("7.27", 0, -2), ("7.25", 9, -2)]
    assert table.controller("5708") is Side.JAPAN


def test_both_rolls_succeed() -> None:
    """EX-7-5: the Allies may react into the hex."""
    table = landed(card="oc J-9", faces=(0, 0))("special-reaction 5708", "roll")
    assert table.offensive.condition is Condition.INTERCEPT
    assert (table.rule, table.default) == ("7.26", "pass")
    table("hq us-hq-central-pacific")
    assert "activate us-air-7af" in table.lines


def test_declining_special_reaction() -> None:
    """7.27: he may roll; without a roll the landing stands and the offensive continues."""
    table = landed()("pass").until("4.22")
    assert table.controller("5708") is Side.JAPAN


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"us-air-7af": "removed", "us-cv-essex": "removed"}, id="7.27-no-zone"),
        pytest.param({"us-hq-central-pacific": "removed"}, id="7.27-no-hq"),
    ],
)
def test_no_special_reaction(changes: Mapping[str, Place]) -> None:
    units = {**KAUAI, **changes}
    state = to_play(quiet(units, japan=("4715", "4017")), Side.JAPAN, japan="J-9 J-3")
    table = Table(state)("event J-9", "activate jp-army-14", "activate jp-cv-shokaku", "done")
    table("pick jp-army-14", "with jp-cv-shokaku", "assault 5708", "cover jp-cv-shokaku 5708")
    assert table.until("9.6").offensive.specials_tried == ()


def test_a_surprise_event_leaves_special_reaction_against_the_oc_value() -> None:
    """EX-7-6, 5.31B, 7.27: step 7 then allows cards only."""
    units: dict[str, Place] = {
        "joint-hq-anzac": "3727",
        "us-hq-central-pacific": "5808",
        "us-corps-xi": "4825",
        "us-cv-essex": "4825",
        "us-hq-south-pacific-halsey": "4825",
        "jp-hq-south-seas": "4017",
        "jp-air-flotilla-24": "4222",
    }
    state = position(units, japan=("4017", "4222", "4423"), us_rivalry=False)
    table = Table(to_play(state, Side.ALLIED, allied="A-13 A-3", japan="J-4 J-13"), (5, 0))
    table("event A-13", "hq us-hq-south-pacific-halsey")
    table("activate us-corps-xi", "activate us-cv-essex", "done")
    table("pick us-corps-xi", "with us-cv-essex", "assault 4423", "cover us-cv-essex 4423")
    table.until("7.27")
    assert table.offensive.special_iv == 3
    table("special-reaction 4423")  # 5 - 2 = 3
    assert table.rule == "7.25"
    assert table.lines == ["react J-4", "react J-13", "pass"]
    assert table.refusals("japan", "roll") == ["7.25C"]


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
def test_intelligence_roll_without_contact(face: int, condition: Condition) -> None:
    """EX-7-4: there is no modifier if the unit attacks without moving."""
    table = struck(faces=(face,), allied="A-13 A-31")
    assert table.default == "roll"
    table("roll")
    assert rolls(table) == [("7.25", face, 0)]
    assert table.offensive.condition is condition


def test_a_card_instead_of_the_roll() -> None:
    """7.25B, 7.25C: no roll after a card, and no card after the roll."""
    table = struck(allied="A-8 A-59 A-13")
    table("react A-59")
    assert table.offensive.condition is Condition.INTERCEPT
    assert table.refusals("allied", "roll") == ["7.25C"]
    rolled = struck(allied="A-59 A-13", faces=(9,))("roll")
    assert rolled.rule != "7.25"
    assert rolled.offensive.condition is Condition.SURPRISE


def test_intercept_and_ambush_give_ambush() -> None:
    """EX-5-2: two of three reaction events are used."""
    for cards in (("react A-59", "react A-12"), ("react A-12", "react A-59")):
        table = struck(allied="A-12 A-59 A-13")(*cards)
        assert table.offensive.condition is Condition.AMBUSH
        assert len(table.offensive.reaction.events) == 2


def test_three_reaction_events_at_most() -> None:
    """5.32: per offensive."""
    table = struck(allied="A-8 A-12 A-26 A-59 A-13")
    table("react A-8", "react A-12", "react A-26")
    assert table.rule == "7.26"
    assert table.offensive.reaction.events == ("A-8", "A-12", "A-26")


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


def test_one_counteroffensive_at_most() -> None:
    """5.32C, 7.26: it names Intercept and its LV replaces the OV."""
    table = moresby("J-17 J-46 J-3")
    table("react J-46")
    assert table.offensive.condition is Condition.INTERCEPT
    assert table.rule == "7.25"
    assert table.offers("react") == []
    assert "5.32C" in table.refusals("japan", "react J-17")
    table("pass", "hq jp-hq-south-seas")
    assert table.offensive.reaction.limit == 4 + 2


def test_counter_measures_after_a_failed_roll() -> None:
    """7.25C: only J-13 may follow it."""
    table = moresby("J-4 J-13 J-3", (9,))("roll")
    assert table.lines == ["react J-13", "pass"]
    assert table.refusals("japan", "react J-4") == ["7.25C"]
    table("react J-13")
    assert table.offensive.condition is Condition.INTERCEPT


def test_the_code_change_follows_no_other_intelligence_card() -> None:
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


def test_reaction_is_limited_by_efficiency_and_the_offensive_cards_value() -> None:
    """7.26: C Pac 3 + OV 3."""
    assert reacting_to_strike().offensive.reaction.limit == 6


def test_the_reaction_hq_has_a_battle_hex_in_range() -> None:
    """7.26: the distance is straight and nothing blocks it; there is one HQ, named once."""
    table = struck(allied="A-13 A-31", faces=(0,))("roll")
    assert table.lines == ["hq us-hq-central-pacific", "pass"]
    assert table.default == "pass"
    far = replace(
        table.state,
        units={
            **table.state.units,
            UnitId("cw-hq-seac"): replace(table.state.units[UnitId("us-corps-xi")], at="1805"),
        },
    )
    again = Table(far)
    assert again.offers("hq") == ["hq us-hq-central-pacific"]
    assert "7.26" in again.refusals("allied", "hq cw-hq-seac")


def test_ships_without_aircraft_stand_with_a_carrier() -> None:
    """7.26, 8.21-2, 9.12: a cruiser may end with a participating carrier outside the battle hex."""
    table = reacting_to_strike("us-cv-essex", "us-ca-northampton")
    table("done", "pick us-cv-essex", "with us-ca-northampton")
    assert "sail 4424" in table.lines
    assert "sail 4526" not in table.lines  # neither in a battle hex nor in range
    table("sail 4424").until("9.6")
    begun = {event.at: event.units for event in table.facts(BattleBegan)}
    assert {"us-cv-essex", "us-ca-northampton"} <= set(begun["4423"])


def test_strategic_movement_is_not_for_reaction() -> None:
    """7.26, 8.23, 8.33, 8.44."""
    table = reacting_to_strike("us-cv-essex", "us-air-13af")("done", "pick us-cv-essex")
    assert table.offers("sail-strategic") == []
    assert table.refusals("allied", "sail-strategic 4828") == ["8.23"]


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


def test_a_carrier_switches_when_a_reaction_unit_enters() -> None:
    """7.27, OP-8: the new battle comes first; the old hex stays a battle hex, but without a fight."""
    table = two_battles()("activate us-ca-northampton", "done")
    assert table.offensive.joined[UnitId("jp-cv-shokaku")] == "5808"
    table("pick us-ca-northampton", "sail 5708")
    assert [event.at for event in table.facts(BattleSwitched)] == ["5708"]
    table.until("9.6")
    begun = {event.at: event.units for event in table.facts(BattleBegan)}
    assert {"jp-cv-shokaku", "us-ca-northampton"} <= set(begun["5708"])
    assert [event.at for event in table.facts(BattleCancelled)] == ["5808"]


def test_a_strike_from_outside_switches_nobody() -> None:
    """7.27: air units of the declared battle hex stay with its battle."""
    table = two_battles()("activate us-air-7af", "done")
    assert table.facts(BattleSwitched) == []
    begun = {event.at: event.units for event in table.until("9.6").facts(BattleBegan)}
    assert "jp-cv-shokaku" in begun["5808"]
    assert "jp-cv-shokaku" not in begun["5708"]


# -- the record of moves


def test_landing_is_recorded_and_gains_control_before_post_battle_movement() -> None:
    """6.5, EX-6-10: the escort may stay in a port that has just been captured."""
    table = landed()
    assert table.offensive.moved[UnitId("jp-army-14")].mode is Mode.ASP
    assert table.controller("5708") is Side.ALLIED
    table("pass").until("9.6")
    assert table.controller("5708") is Side.JAPAN


def test_activatable_units_stop_at_the_limit() -> None:
    """7.21."""
    state = to_play(quiet(KAUAI, japan=("4715", "4017")), Side.JAPAN, japan="J-9 J-3")
    table = Table(state)("event J-9", "activate jp-army-14")
    assert set(activatable_units(table.state, Side.JAPAN)) == {
        UnitId("jp-ca-aoba"),
        UnitId("jp-cv-shokaku"),
    }


# -- refusals


def test_refused_tasks() -> None:
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


def test_enemy_units_are_nobodys_to_activate() -> None:
    """7.21: this holds even if a card lifts the national limits (A-76)."""
    units: dict[str, Place] = {"us-hq-southwest-pacific": "3727", "jp-cvl-ryujo": "3727"}
    state = position(units, allied=("3727",), us_rivalry=False)
    table = Table(to_play(state, Side.ALLIED, allied="A-76 A-31"))("event A-76")
    assert table.refusals("allied", "activate jp-cvl-ryujo") == ["7.21"]


def test_sailing_nowhere() -> None:
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


def test_where_ships_end() -> None:
    """8.21-1, 8.21-3, 8.21-4: with enemies, in a port or with a landing, but not on the open sea without a carrier."""
    table = ashore("jp-ca-aoba")("pick jp-ca-aoba")
    ends = {line.split()[1] for line in table.offers("sail ")}
    assert {"5808", "4017", "5708"} <= ends
    assert not {"5608", "5607"} & ends


def test_a_ship_does_not_go_ahead_of_the_landing() -> None:
    """8.21-4: the ground unit must be there when the ship finishes."""
    state = to_play(quiet(KAUAI, japan=("4715", "4017")), Side.JAPAN, japan="J-9 J-3")
    table = Table(state)("event J-9", "activate jp-army-14", "activate jp-ca-aoba", "done")
    table("pick jp-ca-aoba")
    assert "sail 5708" not in table.lines
    assert table.refusals("japan", "sail 5708") == ["8.21"]


def test_strategic_movement_bars_battle_cover_and_return() -> None:
    """8.23, 8.33, 7.28: a carrier that sailed strategically neither strikes nor moves after battle."""
    units = {**KAUAI, "us-corps-x": "4423", "jp-cv-shokaku": "4017"}
    state = to_play(quiet(units, japan=("4715", "4017", "4222")), Side.JAPAN, japan="J-9 J-3")
    table = Table(state)("event J-9", "activate jp-cv-shokaku", "done", "pick jp-cv-shokaku")
    table("sail-strategic 4222", "pass")
    assert table.rule == "4.22"  # there is nothing to declare and no unit to move back
    normal = Table(state)("event J-9", "activate jp-cv-shokaku", "done", "pick jp-cv-shokaku")
    normal("sail 4222")
    assert normal.offers("battle-with") == ["battle-with jp-cv-shokaku 4423"]


def test_air_units_may_cover_a_landing() -> None:
    """7.24: activated air units without another task, in range."""
    units: dict[str, Place] = {
        "jp-hq-south-seas": "4017",
        "jp-army-14": "4715",
        "jp-air-flotilla-24": "4715",
        "us-hq-central-pacific": "5808",
    }
    state = position(units, japan=("4715", "4017"), allied=("4612",), japan_rivalry=False)
    table = Table(to_play(state, Side.JAPAN, japan="J-9 J-3"))("event J-9")
    table("activate jp-army-14", "activate jp-air-flotilla-24", "done")
    table("pick jp-army-14", "assault 4612", "done")
    assert table.lines == ["cover jp-air-flotilla-24 4612", "done"]
    assert table.default == "done"
    table("cover jp-air-flotilla-24 4612")
    assert dict(table.offensive.covers) == {"jp-air-flotilla-24": "4612"}
