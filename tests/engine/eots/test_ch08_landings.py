"""Landings, shipping points, organic transport, barges, strategic ground transport (8.44-8.49)."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from engine.eots.board import BOTH, SEA, board
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch08_movement.amphibious import ASSAULT
from engine.eots.ch08_movement.asp import asp_cost, asp_left
from engine.eots.ch08_movement.fleet import probe_frame
from engine.eots.commands import (
    Assault,
    AssaultVia,
    BargeAssault,
    OrganicAssault,
    Sail,
    Transport,
)
from engine.eots.events.offensive import AspSpent, LentAspSpent
from engine.eots.frames import Purpose
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode, Moved, State
from tests.engine.eots.moving import Mover, assault, moving, pick, sail
from tests.engine.eots.positions import Place, in_offensive, position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
WING = {"us-air-marine-211": "4612", "us-hq-central-pacific": "5808"}


def organic(to: str) -> OrganicAssault:
    return OrganicAssault(to=HexId(to))


def transport(to: str) -> Transport:
    return Transport(to=HexId(to))


def _moved(game: Mover, unit: str) -> Moved:
    record = game.state.offensive
    assert record is not None
    return record.moved[UnitId(unit)]


# -- shipping points


@pytest.mark.parametrize(
    ("unit", "steps", "cost"),
    [
        pytest.param("jp-army-14", 2, 2, id="8.45A-EX-8-9-full-army"),
        pytest.param("jp-army-19", 1, 1, id="8.45A-EX-8-9-reduced-army"),
        pytest.param("jp-sn-1", 2, 1, id="8.45A-EX-8-9-brigade"),
        pytest.param("jp-army-korean", 2, 4, id="8.45A-EX-8-9-korean-army"),
        pytest.param("jp-army-korean", 1, 2, id="8.45A-EX-8-9-reduced-korean-army"),
        pytest.param("us-marine-1-division", 2, 1, id="8.45A-division"),
        pytest.param("us-corps-x", 2, 2, id="8.45A-corps"),
        pytest.param("cw-corps-1-ind", 2, None, id="8.45A-indian-none"),
        pytest.param("dutch-division-j", 2, None, id="8.45A-dutch-none"),
        pytest.param("china-army-5", 2, None, id="8.45A-chinese-none"),
        pytest.param("cw-brigade-7-armor", 2, None, id="8.49-armour-none"),
    ],
)
def test_costs(unit: str, steps: int, cost: int | None) -> None:
    state = position({unit: ("4017", steps)})
    assert asp_cost(state, (UnitId(unit),)) == cost


@pytest.mark.parametrize(
    ("level", "used", "rivalry", "left"),
    [
        pytest.param(7, 0, False, 7, id="10.3-all"),
        pytest.param(7, 3, False, 4, id="10.3-used"),
        pytest.param(7, 0, True, 4, id="14.2B-EX14-1-half-rounded-up"),
        pytest.param(7, 3, True, 1, id="14.2B-EX14-1-three-used"),
        pytest.param(1, 0, True, 1, id="14.2B-EX14-1-level-1"),
        pytest.param(4, 3, True, 0, id="14.2B-never-negative"),
    ],
)
def test_pool(level: int, used: int, rivalry: bool, left: int) -> None:
    state = position(japan_asp=level, japan_asp_used=used, japan_rivalry=rivalry)
    assert asp_left(in_offensive(state, JAPAN), JAPAN) == left


def test_14_2b_allied_rivalry_halves_nothing() -> None:
    state = position(allied_asp=5, us_rivalry=True)
    assert asp_left(in_offensive(state, ALLIED), ALLIED) == 5


def test_8_45a_reaction_spends_one_point_at_most() -> None:
    state = in_offensive(position(allied_asp=5), JAPAN)
    assert asp_left(state, ALLIED) == 1
    assert state.offensive is not None
    reaction = replace(state.offensive.reaction, asp_spent=1)
    spent = replace(state, offensive=replace(state.offensive, reaction=reaction))
    assert asp_left(spent, ALLIED) == 0


def test_cp_21_temporary_points_go_first() -> None:
    """J-44 lends two points, added after halving and spent before any of the turn's points."""
    state = position({"jp-army-14": "4017", "jp-sn-1": "4017"}, japan_asp=3, japan_rivalry=True)
    game = moving(state, JAPAN, ["jp-army-14", "jp-sn-1"], ov=2, card="J-44")
    assert asp_left(game.state, JAPAN) == 4
    game(*pick("jp-army-14"), assault("4021"))
    assert [e.points for e in game.events if isinstance(e, LentAspSpent)] == [2]
    assert not any(isinstance(e, AspSpent) for e in game.events)
    assert game.state.tracks.japan_asp_used == 0
    assert asp_left(game.state, JAPAN) == 2
    game(*pick("jp-sn-1"), assault("4021"))
    assert game.state.tracks.japan_asp_used == 1
    assert asp_left(game.state, JAPAN) == 1


def test_8_45a_not_enough_points() -> None:
    units: dict[str, Place] = {"jp-army-14": "4017", "jp-hq-south-seas": "4017"}
    state = position(units, japan_asp=1, japan_rivalry=False)
    game = moving(state, JAPAN, ["jp-army-14"], ov=2)(*pick("jp-army-14"))
    assert not game.ends(Assault)
    assert "8.45A" in game.refusals(assault("4021"))


def test_8_45a_points_are_spent() -> None:
    state = position({"jp-army-14": "4017"}, japan_asp=2, japan_rivalry=False)
    game = moving(state, JAPAN, ["jp-army-14"], ov=2)(*pick("jp-army-14"), assault("4021"))
    assert game.state.tracks.japan_asp_used == 2
    assert _moved(game, "jp-army-14").mode is Mode.ASP
    assert _moved(game, "jp-army-14").path[-1] == "4021"


def test_a_5_forbids_shipping_points_in_reaction() -> None:
    state = in_offensive(position(allied_asp=5), JAPAN)
    assert state.offensive is not None
    reaction = replace(state.offensive.reaction, counter_card="A-5")
    countered = replace(state, offensive=replace(state.offensive, reaction=reaction))
    assert asp_left(countered, ALLIED) == 0


# -- where to land


def _land(
    units: dict[str, Place],
    mover: list[str],
    *,
    ov: int = 3,
    japan: Iterable[str] = (),
    allied: Iterable[str] = (),
) -> Mover:
    """Pick up a stack, with enough points for both sides."""
    state = position(
        units, japan=japan, allied=allied, japan_asp=7, allied_asp=7, japan_rivalry=False
    )
    side = JAPAN if mover[0].startswith("jp") else ALLIED
    return moving(state, side, mover, ov=ov)(*pick(*mover))


def test_8_45_any_coast_but_mountains() -> None:
    game = _land({"us-corps-x": "3727"}, ["us-corps-x"], japan=["3823", "3722", "3822"])
    ends = game.ends(Assault)
    assert {"3823", "3822"} <= set(ends)
    assert not {"3722", "3622"} & set(ends)


@pytest.mark.parametrize(
    ("unit", "lands"),
    [
        pytest.param("us-corps-x", True, id="1.3-us-army"),
        pytest.param("us-marine-1-division", True, id="1.3-marines"),
        pytest.param("cw-corps-1-aus", True, id="1.3-australian"),
        pytest.param("cw-corps-15", True, id="1.3-british"),
        pytest.param("cw-division-3-nz", True, id="1.3-new-zealand"),
        pytest.param("cw-corps-1-ind", False, id="1.3-indian"),
        pytest.param("dutch-division-j", False, id="1.3-dutch"),
        pytest.param("china-army-5", False, id="1.3-chinese"),
        pytest.param("cw-brigade-7-armor", False, id="8.49-armour"),
    ],
)
def test_who_lands(unit: str, lands: bool) -> None:
    state = position({unit: "3727", "jp-army-18": "3822"}, allied_asp=7)
    frame = probe_frame(ALLIED, Purpose.OFFENSIVE, (UnitId(unit),), "3727")
    begun = in_offensive(state, ALLIED, event=True, activated=[unit])
    assert bool(ASSAULT.named_hexes(begun, frame)) is lands


def test_8_45_starts_on_a_friendly_coast() -> None:
    units: dict[str, Place] = {"us-corps-x": "3727", "us-ca-northampton": "3727"}
    inland = _land(units, ["us-corps-x"], japan=["3727"])
    assert not inland.ends(Assault)
    assert inland.refusals(assault("3823")) == ["8.45"]


def test_8_45_never_doubled() -> None:
    game = _land({"us-corps-x": "5808"}, ["us-corps-x"], ov=1)
    row = board().sea_distances(board().index[HexId("5808")])
    assert max(row[board().index[HexId(end)]] for end in game.ends(Assault)) <= 5


@pytest.mark.parametrize(
    ("to", "lands"),
    [
        pytest.param("1805", False, id="8.41B-continental-india"),
        pytest.param("2006", True, id="8.45-burma"),
        pytest.param("1307", True, id="8.41B-ceylon"),
    ],
)
def test_closed_shores(to: str, lands: bool) -> None:
    game = _land({"jp-army-14": "2008"}, ["jp-army-14"], allied=["2006"])
    assert (to in game.ends(Assault)) is lands


# -- zones and ships on the path

FLEET: dict[str, Place] = {"jp-sn-4": "4715", "jp-cl-tenryu": "4715", **WING}


def test_unneutralised_zone_bars_the_landing() -> None:
    """EX-8-11, 8.45B."""
    game = _land(FLEET, ["jp-cl-tenryu", "jp-sn-4"], ov=2, allied=["4612"])
    assert "4612" not in game.ends(Assault)
    assert "4612" not in game.ends(OrganicAssault)
    assert "8.45B" in game.refusals(organic("4612"))


def test_carrier_in_the_stack_neutralises() -> None:
    """EX-8-11, 6.4."""
    units: dict[str, Place] = {**FLEET, "jp-cvl-zuiho": "4715"}
    game = _land(units, ["jp-cl-tenryu", "jp-sn-4", "jp-cvl-zuiho"], ov=2, allied=["4612"])
    assert "4612" in game.ends(OrganicAssault)


def test_carrier_sent_ahead_neutralises() -> None:
    """EX-8-11: every hex entered is neutralised."""
    units: dict[str, Place] = {**FLEET, "jp-cvl-zuiho": "4715"}
    state = position(units, allied=["4612"], japan_asp=7)
    movers = ["jp-cvl-zuiho", "jp-cl-tenryu", "jp-sn-4"]
    game = moving(state, JAPAN, movers, ov=2)(*pick("jp-cvl-zuiho"), sail("4612"))
    game(*pick("jp-cl-tenryu", "jp-sn-4"))
    assert "4612" in game.ends(OrganicAssault)


def test_8_45b_leaving_an_unneutralised_zone() -> None:
    units: dict[str, Place] = {"us-cv-essex": "4414", "us-hq-central-pacific": "5808"}
    outside = _land({"jp-sn-4": "4017", **units}, ["jp-sn-4"])
    assert outside.ends(Assault)
    inside = _land({"jp-sn-4": "4415", "jp-ca-aoba": "4415", **units}, ["jp-ca-aoba", "jp-sn-4"])
    assert not inside.ends(Assault)
    assert "8.45B" in inside.refusals(assault("4017"))


def test_8_45b_enemy_ships_demand_an_escort() -> None:
    """8.45B, OP-25: ships must accompany them for the whole move, and they arrive together (OP-30)."""
    units: dict[str, Place] = {
        "jp-army-14": "4017",
        "jp-ca-aoba": "4017",
        "us-ca-northampton": "4423",
    }
    alone = _land(units, ["jp-army-14"], allied=["4423"])
    assert "4423" not in alone.ends(Assault)
    assert "8.45B" in alone.refusals(assault("4423"))
    escorted = _land(units, ["jp-army-14", "jp-ca-aoba"], allied=["4423"])
    escorted(assault("4423"))
    assert escorted.at("jp-ca-aoba") == "4423"
    assert _moved(escorted, "jp-ca-aoba").mode is Mode.NAVAL


def test_8_21_escorts_do_not_end_on_a_friendly_beach() -> None:
    units: dict[str, Place] = {"jp-army-14": "4017", "jp-ca-aoba": "4017"}
    alone = _land(units, ["jp-army-14"])
    escorted = _land(units, ["jp-army-14", "jp-ca-aoba"])
    beaches = set(alone.ends(Assault)) - set(escorted.ends(Assault))
    assert beaches
    assert all(not board().hexes[HexId(at)].port for at in beaches)


def test_8_21_5_organic_transport_ends_on_any_free_coast() -> None:
    units: dict[str, Place] = {"jp-sn-1": "4017", "jp-ca-aoba": "4017"}
    game = _land(units, ["jp-sn-1", "jp-ca-aoba"])
    assert set(game.ends(Assault)) < set(game.ends(OrganicAssault))


def test_way_points_of_a_landing() -> None:
    """8.45: the player may steer the stack, and it can land where it is."""
    game = _land({"jp-army-14": "4017"}, ["jp-army-14"], ov=2)
    via = next(at for at in game.ends(AssaultVia) if at in game.ends(Assault))
    game(AssaultVia(to=HexId(via)))
    assert game.at("jp-army-14") == via
    game(assault(via))
    assert _moved(game, "jp-army-14").path[-1] == via


def test_8_45_a_way_past_enemies_keeps_every_landing_in_reach() -> None:
    """8.11, 7.24: troops at sea pass an enemy-occupied hex; they end in the only battle of an OC."""
    units: dict[str, Place] = {
        "jp-army-14": "4017",
        "us-hq-central-pacific": "4021",
        "us-corps-x": "4423",
    }
    state = position(units, allied=["4021", "4423"], japan_asp=7)
    game = moving(state, JAPAN, ["jp-army-14"], ov=2, event=False)(*pick("jp-army-14"))
    assert {"4021", "4423"} <= set(game.ends(Assault))
    game(AssaultVia(to=HexId("4021")))
    assert {"4021", "4423"} <= set(game.ends(Assault))


def test_8_45_a_way_point_among_enemies_where_nobody_may_land() -> None:
    """8.41B, 7.24: Calcutta is closed to Japanese troops, but their ships can sail past it."""
    units: dict[str, Place] = {
        "jp-army-25": "1916",
        "cw-corps-15": "1805",
        "cw-division-1-burma": "1905",
        "cw-corps-33": "2006",
    }
    state = position(units, japan=["1916"], japan_asp=7)
    game = moving(state, JAPAN, ["jp-army-25"], ov=3, event=False)(*pick("jp-army-25"))
    assert "1805" not in game.ends(Assault)
    game(AssaultVia(to=HexId("1805")))
    assert game.ends(Assault) == ["1905", "2006"]


# -- US Army and Marines (8.45D)

TARAWA: dict[str, Place] = {
    "us-corps-x": "4825",
    "us-marine-2-division": "4825",
    "jp-sn-4": "5018",
}


def test_army_needs_marines_on_an_occupied_island() -> None:
    """EX-8-13, 8.45D."""
    alone = _land(TARAWA, ["us-corps-x"])
    assert "5018" not in alone.ends(Assault)
    assert "8.45D" in alone.refusals(assault("5018"))
    together = _land(TARAWA, ["us-corps-x", "us-marine-2-division"])
    assert "5018" in together.ends(Assault)
    later = moving(position(TARAWA, allied_asp=7), ALLIED, ["us-corps-x", "us-marine-2-division"])
    later(*pick("us-marine-2-division"), assault("5018"), *pick("us-corps-x"))
    assert "5018" in later.ends(Assault)


@pytest.mark.parametrize(
    ("to", "japan"),
    [
        pytest.param("5018", ["5018"], id="8.45D-EX-8-13-empty-island"),
        pytest.param("3822", ["3822"], id="8.45D-EX-8-13-new-guinea"),
    ],
)
def test_army_lands_alone(to: str, japan: list[str]) -> None:
    start = "4825" if to == "5018" else "3727"
    game = _land({"us-corps-x": start, "jp-army-18": "3822"}, ["us-corps-x"], japan=japan)
    assert to in game.ends(Assault)


def test_a_62_waives_marines() -> None:
    state = position(TARAWA, allied_asp=7)
    game = moving(state, ALLIED, ["us-corps-x"], card="A-62")(*pick("us-corps-x"))
    assert "5018" in game.ends(Assault)


# -- organic transport (8.46)


def test_ship_carries_the_brigade() -> None:
    """EX-8-14, 8.46: four hexes, no ASP."""
    units: dict[str, Place] = {"jp-ss-brigade": "4017", "jp-ca-aoba": ("4017", 1)}
    state = position(units, japan_asp=0)
    game = moving(state, JAPAN, ["jp-ss-brigade", "jp-ca-aoba"], ov=1)
    game(*pick("jp-ca-aoba", "jp-ss-brigade"))
    assert not game.ends(Assault)
    game(organic("4021"))
    assert _moved(game, "jp-ss-brigade").mode is Mode.ORGANIC
    assert _moved(game, "jp-ss-brigade").ship == "jp-ca-aoba"
    assert len(_moved(game, "jp-ss-brigade").path) == 4
    assert game.state.tracks.japan_asp_used == 0


def test_8_46_one_brigade_per_ship() -> None:
    units: dict[str, Place] = {"jp-sn-1": "4017", "jp-sn-2": "4017", "jp-cl-tenryu": "4017"}
    movers = ["jp-cl-tenryu", "jp-sn-1", "jp-sn-2"]
    none = moving(position(units, japan_asp=0), JAPAN, movers)(*pick(*movers))
    assert not none.ends(OrganicAssault)
    one = moving(position(units, japan_asp=1), JAPAN, movers)(*pick(*movers), organic("4021"))
    assert _moved(one, "jp-sn-1").mode is Mode.ORGANIC
    assert _moved(one, "jp-sn-2").mode is Mode.ASP
    assert one.state.tracks.japan_asp_used == 1


@pytest.mark.parametrize(
    ("ship", "unit"),
    [
        pytest.param("jp-bb-kongo", "jp-sn-1", id="8.46-no-battleship"),
        pytest.param("jp-ca-aoba", "jp-army-14", id="8.46-no-army"),
    ],
)
def test_no_organic_transport(ship: str, unit: str) -> None:
    game = _land({ship: "4017", unit: "4017"}, [ship, unit])
    assert not game.ends(OrganicAssault)
    assert "8.46" in game.refusals(organic("4021"))


# -- barges


def _barge(*, ov: int = 3, barges: bool = True) -> Mover:
    units: dict[str, Place] = {"jp-army-14": "4021", "jp-hq-south-seas": "4017"}
    state = position(units, barges=barges, japan_asp=0)
    return moving(state, JAPAN, ["jp-army-14"], ov=ov)


def test_8_47_across_one_sea_hexside() -> None:
    game = _barge()(*pick("jp-army-14"))
    ends = game.ends(BargeAssault)
    of = board()
    beside = {of.ids[i] for i, code in of.neighbours[of.index[HexId("4021")]] if code == SEA}
    assert ends
    assert set(ends) <= beside
    game(BargeAssault(to=HexId(ends[0])))
    assert _moved(game, "jp-army-14").mode is Mode.BARGE
    assert game.state.offensive is not None
    assert game.state.offensive.barge_used


def test_8_47_only_by_cards_of_value_3() -> None:
    game = _barge(ov=2)(*pick("jp-army-14"))
    assert not game.ends(BargeAssault)


def test_8_47_only_with_barges() -> None:
    game = _barge(barges=False)(*pick("jp-army-14"))
    assert not game.ends(BargeAssault)
    assert "8.47" in game.refusals(BargeAssault(to=HexId("4121")))


def test_8_47_one_unit_per_offensive() -> None:
    units: dict[str, Place] = {"jp-army-14": "4021", "jp-army-17": "4021"}
    state = position(units, barges=True, japan_asp=0)
    game = moving(state, JAPAN, list(units))(*pick("jp-army-14"))
    game(BargeAssault(to=HexId(game.ends(BargeAssault)[0])), *pick("jp-army-17"))
    assert not game.ends(BargeAssault)


@pytest.mark.parametrize(
    ("value", "more"),
    [
        pytest.param("all-water", False, id="OP-15-all-water-side"),
        pytest.param("any-sea", True, id="OP-15-other-reading"),
    ],
)
def test_barge_side(value: str, more: bool) -> None:
    of = board()
    start = HexId("1814")
    units: dict[str, Place] = {"jp-army-14": start, "jp-hq-south": "2212"}
    state = position(units, japan=[start], barges=True, options={"barge-side": value})
    game = moving(state, JAPAN, ["jp-army-14"])(*pick("jp-army-14"))
    mixed = {of.ids[j] for j, code in of.neighbours[of.index[start]] if code == BOTH}
    assert bool(mixed & set(game.ends(BargeAssault))) is more


# -- strategic ground transport


def _far(start: str, ov: int) -> tuple[Mover, State]:
    units: dict[str, Place] = {
        "us-corps-x": start,
        "us-hq-southwest-pacific": "3727",
        "us-hq-central-pacific": "5808",
    }
    state = position(units, allied_asp=0)
    return moving(state, ALLIED, ["us-corps-x"], ov=ov)(*pick("us-corps-x")), state


def test_twice_as_far_from_a_port() -> None:
    """EX-8-15, 8.44."""

    def farthest(start: str) -> int:
        game, _ = _far(start, 2)
        row = board().sea_distances(board().index[HexId(start)])
        return max((row[board().index[HexId(end)]] for end in game.ends(Transport)), default=0)

    assert 10 < farthest("5808") <= 20
    assert farthest("5708") <= 10


def test_8_44_mode_and_no_points() -> None:
    game, _ = _far("5808", 3)
    to = game.ends(Transport)[0]
    game(transport(to))
    assert _moved(game, "us-corps-x").mode is Mode.GROUND_STRATEGIC
    assert game.state.tracks.allied_asp_used == 0


def test_8_44_ports_are_supply_eligible_and_free() -> None:
    """OP-26: ports are friendly and supply eligible."""
    game, state = _far("5808", 3)
    ports = {board().ids[i] for i in supply(state).eligible_ports(ALLIED)}
    assert {HexId(at) for at in game.ends(Transport)} <= ports


def test_8_49_armour_is_transported() -> None:
    """8.49, OP-29: transport but no landing."""
    units: dict[str, Place] = {"cw-brigade-7-armor": "3727", "us-hq-southwest-pacific": "3727"}
    game = moving(position(units), ALLIED, ["cw-brigade-7-armor"])(*pick("cw-brigade-7-armor"))
    assert "3023" in game.ends(Transport)
    assert not game.ends(Assault)


def test_8_44_unneutralised_zones_bar_transport() -> None:
    units: dict[str, Place] = {"us-corps-x": "3727", "us-hq-southwest-pacific": "3727"}
    free = moving(position(units), ALLIED, ["us-corps-x"])(*pick("us-corps-x"))
    assert "3823" in free.ends(Transport)
    zone: dict[str, Place] = {**units, "jp-air-flotilla-25": "3922", "jp-hq-south-seas": "4017"}
    state = position(zone, japan=["3922"])
    barred = moving(state, ALLIED, ["us-corps-x"])(*pick("us-corps-x"))
    assert "3823" not in barred.ends(Transport)
    assert barred.refusals(transport("3823")) == ["8.44"]


def test_8_44_escorts_go_strategically_when_far() -> None:
    units: dict[str, Place] = {
        "us-corps-x": "5808",
        "us-ca-northampton": "5808",
        "us-hq-central-pacific": "5808",
        "us-hq-southwest-pacific": "3727",
    }
    state = position(units, allied_asp=0)
    row = board().sea_distances(board().index[HexId("5808")])
    game = moving(state, ALLIED, ["us-corps-x", "us-ca-northampton"], ov=3)
    game(*pick("us-corps-x", "us-ca-northampton"))
    far = next(to for to in game.ends(Transport) if row[board().index[HexId(to)]] > 15)
    game(transport(far))
    assert _moved(game, "us-ca-northampton").mode is Mode.NAVAL_STRATEGIC


def test_sailing_troops_need_ships_in_company_only() -> None:
    """8.4: a mixed stack has no plain naval move."""
    game = _land({"jp-army-14": "4017", "jp-ca-aoba": "4017"}, ["jp-army-14", "jp-ca-aoba"])
    assert not game.ends(Sail)
    assert game.refusals(Sail(to=HexId("4021"))) == ["8.4"]


# -- J-2


def test_17_11_landings_near_ports_and_guns() -> None:
    units: dict[str, Place] = {"jp-army-14": "2311", "jp-ca-mogami": "2311", "us-corps-nl": "2813"}
    state = position(units, allied=["2813", "2015"], japan_asp=7)
    free = moving(state, JAPAN, ["jp-army-14"], ov=3, event=False)(*pick("jp-army-14"))
    assert "2813" in free.ends(Assault)
    alone = moving(state, JAPAN, ["jp-army-14"], ov=3, card="J-2")(*pick("jp-army-14"))
    assert "2813" not in alone.ends(Assault)
    assert len(alone.ends(Assault)) < len(free.ends(Assault))
    both = ["jp-army-14", "jp-ca-mogami"]
    escorted = moving(state, JAPAN, both, ov=3, card="J-2")(*pick(*both))
    assert "2813" in escorted.ends(Assault) or "2015" in escorted.ends(Assault)
