from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.data import units_file
from engine.eots.data.reading import content
from engine.eots.data.scenarios_file import Scenario
from engine.eots.data.units_file import MasterListRow, UnitsFile
from engine.eots.deck import cards
from engine.eots.ids import (
    CHINA_BOX,
    AreaId,
    Category,
    Face,
    HexId,
    ScenarioId,
    Side,
    UnitId,
    UnitType,
)
from engine.eots.scenarios import card_id, initial_control, scenario, scenario_ids, schedules
from engine.eots.victory_terms import ControlEach, SouthPacificVictory, VpVictory
from engine.kernel.data_files import decode

ROWS = {row.id: row for row in decode(units_file.FILE, content(units_file.FILE), UnitsFile).units}
ALL = [pytest.param(scenario(name), id=name) for name in scenario_ids()]
BASE = [
    pytest.param(scenario(ScenarioId(name)), id=name)
    for name in ("campaign-1941", "1942", "1943", "1944", "south-pacific")
]


@pytest.mark.parametrize("of", ALL)
def test_no_hex_is_overstacked(of: Scenario) -> None:
    land: dict[tuple[str, Side], set[str]] = defaultdict(set)
    naval: Counter[tuple[str, Side]] = Counter()
    hqs: Counter[tuple[str, Side]] = Counter()
    for placed in of.setup:
        counter = counters()[placed.unit]
        where = (placed.at, counter.side)
        if counter.is_naval:
            naval[where] += 1
        elif counter.is_hq:
            hqs[where] += 1
        else:
            land[where].add(counter.air_stack_group or counter.id)
    assert [where for where, units in land.items() if len(units) > 3] == []
    assert [where for where, units in naval.items() if units > 6] == []
    assert [where for where, units in hqs.items() if units > 1] == []


@pytest.mark.parametrize("of", ALL)
def test_units_start_on_their_own_bases(of: Scenario) -> None:
    own, hexes = initial_control(of), board().hexes
    for placed in of.setup:
        counter = counters()[placed.unit]
        if placed.at == CHINA_BOX or (
            placed.at in {"5410", "5609"} and counter.type is UnitType.CV
        ):
            continue
        place = hexes[HexId(placed.at)]
        base = (
            place.airfield
            if counter.is_air
            else place.port
            if not counter.is_ground
            else place.is_land
        )
        assert base, placed
        assert own[place.id] is counter.side, placed


@pytest.mark.parametrize("of", ALL)
def test_only_delayable_units_are_delayed(of: Scenario) -> None:
    assert [e.unit for e in of.delay_box if not counters()[e.unit].delayable] == []


@pytest.mark.parametrize("of", ALL)
def test_event_units_wait_for_their_card(of: Scenario) -> None:
    for waiting in of.event_units:
        entry = counters()[waiting.unit].entry
        assert entry.event_card is not None
        assert entry.event_card.id == waiting.card.id


@pytest.mark.parametrize("of", ALL)
def test_reinforcement_turns_ascend(of: Scenario) -> None:
    turns = [entry.turn for entry in of.reinforcements]
    assert turns == sorted(set(turns))
    assert all(of.start_turn < turn <= 12 for turn in turns)


def _listed(of: Scenario) -> Iterator[tuple[UnitId, str]]:
    """Yield each unit of a scenario in the format of the master list."""
    for placed in of.setup:
        text = "China Box" if placed.at == CHINA_BOX else placed.at
        yield placed.unit, f"[{text}]" if placed.face is Face.REDUCED else text
    for entering in of.delay_box:
        yield entering.unit, "[Delay]" if entering.face is Face.REDUCED else "Delay"
    for turn in of.reinforcements:
        for entering in turn.units:
            yield (
                entering.unit,
                f"[{turn.turn}]" if entering.face is Face.REDUCED else str(turn.turn),
            )
    for waiting in of.event_units:
        yield waiting.unit, "Event"
    for unit in of.eliminated:
        yield unit, "Elim"


def _column(row: MasterListRow, of: Scenario) -> str:
    columns = {"campaign-1941": row.y1941, "1942": row.y1942, "1943": row.y1943, "1944": row.y1944}
    return columns[of.inherits or of.id]


@pytest.mark.parametrize("of", [p for p in ALL if p.id != "south-pacific"])
def test_set_up_agrees_with_the_master_list(of: Scenario) -> None:
    printed = {unit: _column(row.master_list, of) for unit, row in ROWS.items() if row.master_list}
    found = dict(_listed(of))
    assert {unit: text for unit, text in found.items() if printed.get(unit) != text} == {}
    assert sorted(found) == sorted(printed)


def test_south_pacific_agrees_with_its_list() -> None:
    of = scenario(ScenarioId("south-pacific"))
    found = dict(_listed(of))
    printed = {unit: row.south_pacific for unit, row in ROWS.items() if row.south_pacific}
    images = {fixed.unit for fixed in of.fixed_units}
    assert {u: t for u, t in found.items() if printed.get(u) != t} == {}
    assert {*printed} - {*found} == images


@pytest.mark.parametrize("of", ALL)
def test_resource_marker_agrees_with_control(of: Scenario) -> None:
    own = initial_control(of)
    hexes = board().resource_hexes
    if of.map == "south-pacific":
        hexes = tuple(h for h in hexes if h in board().south_pacific.hexes)
    assert sum(own[h] is Side.JAPAN for h in hexes) == of.markers.japan_resources


@pytest.mark.parametrize("name", ["2112", "2709", "3814", "2110", "2813", "2015", "4021"])
def test_campaign_hexes_start_under_allied_control(name: str) -> None:
    assert initial_control(scenario(ScenarioId("campaign-1941")))[HexId(name)] is Side.ALLIED


@pytest.mark.parametrize("of", [p for p in ALL if p.id != "south-pacific"])
def test_kunming_is_always_allied(of: Scenario) -> None:
    own = initial_control(of)
    assert {own[h] for h in board().areas[AreaId("kunming-area")].hexes} == {Side.ALLIED}


@pytest.mark.parametrize("of", ALL)
def test_every_land_hex_has_a_controller(of: Scenario) -> None:
    sheet = board().south_pacific
    inside = {*sheet.hexes, *sheet.off_map_hexes} if of.map == "south-pacific" else board().hexes
    land = [h for h, x in board().hexes.items() if x.is_land and h in inside]
    assert list(initial_control(of)) == land


@pytest.mark.parametrize("of", ALL)
def test_removed_cards_are_removable(of: Scenario) -> None:
    removed = [card_id(Side.ALLIED, n) for n in of.cards.removed.allied]
    removed += [card_id(Side.JAPAN, n) for n in of.cards.removed.japan]
    assert [name for name in removed if not cards()[name].remove_after_event] == []


@pytest.mark.parametrize("of", BASE)
def test_turn_one_cards_are_removed_in_later_scenarios(of: Scenario) -> None:
    out = {1, 2} <= {*of.cards.removed.japan} or of.cards.decks is not None
    assert out == (of.id != "campaign-1941")


@pytest.mark.parametrize("of", [p for p in ALL if p.id != "south-pacific"])
def test_event_units_wait_only_while_their_card_is_in_the_game(of: Scenario) -> None:
    removed = {card_id(Side.ALLIED, n) for n in of.cards.removed.allied}
    removed |= {card_id(Side.JAPAN, n) for n in of.cards.removed.japan}
    waiting = {entry.unit for entry in of.event_units}
    for counter in counters().values():
        if counter.entry.event_card is not None:
            assert (counter.id in waiting) == (counter.entry.event_card.id not in removed), (
                counter.id
            )


@pytest.mark.parametrize("side", list(Side))
def test_south_pacific_decks_contain_24_cards(side: Side) -> None:
    decks = scenario(ScenarioId("south-pacific")).cards.decks
    assert decks is not None
    numbers = decks.japan if side is Side.JAPAN else decks.allied
    assert len(set(numbers)) == len(numbers) == 24


@pytest.mark.parametrize("of", ALL)
def test_victory_letters_are_consecutive(of: Scenario) -> None:
    victory = of.victory
    terms = (
        victory.conditions
        if isinstance(victory, VpVictory)
        else victory.vp_schedule.conditions
        if isinstance(victory, SouthPacificVictory)
        else ()
    )
    assert [term.id for term in terms] == [chr(65 + n) for n in range(len(terms))]


@pytest.mark.parametrize("of", ALL)
def test_victory_levels_cover_every_total_once(of: Scenario) -> None:
    victory = of.victory
    if isinstance(victory, VpVictory):
        levels = victory.levels
        assert victory.scoring_turn == of.end_turn
    elif isinstance(victory, SouthPacificVictory):
        levels = victory.vp_schedule.levels
    else:
        assert of.end_turn == victory.final.turn
        return
    for total in range(-30, 60):
        fits = [
            level.result
            for level in levels
            if (level.minimum is None or total >= level.minimum)
            and (level.maximum is None or total <= level.maximum)
        ]
        assert len(fits) == 1, total


def test_start_value_of_1943_follows_from_its_markers() -> None:
    of = scenario(ScenarioId("1943"))
    assert isinstance(of.victory, VpVictory)
    will = of.markers.political_will
    points = (of.markers.burma_road != "open") + 3 * of.politics.japan_holds_mandates
    points += 6 - will if will <= 5 else -(will - 5)
    assert points == of.victory.start_value == 3


def test_start_value_of_the_south_pacific_follows_from_control() -> None:
    of = scenario(ScenarioId("south-pacific"))
    sheet = board().areas[AreaId("south-pacific-ports")]
    assert isinstance(of.victory, SouthPacificVictory)
    assert (len(sheet.allied_ports), len(sheet.japan_ports), len(sheet.japan_resources)) == (
        9,
        11,
        1,
    )
    own = initial_control(of)
    terms = {term.id: term for term in of.victory.vp_schedule.conditions}
    each = terms["F"]
    assert isinstance(each, ControlEach)
    mandates = board().areas[AreaId("mandates")].ports
    points = sum(h in sheet.japan_ports for h in each.hexes)
    points += 3 * ({*mandates} <= {*sheet.japan_ports})
    assert points == of.victory.vp_schedule.start_value == 12
    assert all(own[h] is Side.ALLIED for h in sheet.allied_ports)
    assert all(own[h] is Side.JAPAN for h in (*sheet.japan_ports, *sheet.japan_resources))


def test_replacement_chart_is_complete() -> None:
    chart = schedules().replacements.per_turn
    assert [row.turn for row in chart] == list(range(1, 13))
    assert all((row.allied.ground, row.allied.air) == (2, 5) for row in chart[1:])
    assert all(row.allied.us_naval + row.allied.china == 1 for row in chart[1:])
    assert sum(row.japan.naval for row in chart) == 3
    bases = [
        c.controls_one_of for c in schedules().replacements.conditional if c.pool == "cw-naval"
    ]
    assert sorted(bases[0]) == list(board().areas[AreaId("cw-naval-bases")].hexes)


def test_war_in_europe_levels_cover_the_track() -> None:
    track = schedules().tracks.war_in_europe
    boxes = sorted(box for level in track.levels.values() for box in level)
    assert boxes == list(range(track.lowest, track.highest + 1)) == list(range(-7, 4))


@pytest.mark.parametrize("of", ALL)
def test_route_markers_are_in_their_locations(of: Scenario) -> None:
    places = board().areas[AreaId("no-transport-route")].hexes
    assert [h for h in of.markers.no_transport_route if h not in places] == []


def test_the_fourth_marine_division_is_never_placed() -> None:
    for name in scenario_ids():
        assert "us-marine-4-division" in scenario(name).unused
    assert counters()[UnitId("us-marine-4-division")].category is Category.GROUND
