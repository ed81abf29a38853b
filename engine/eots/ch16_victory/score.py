"""Japanese victory points, condition by condition (17.27, 17.38, 17.48, 17.10.7)."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final, assert_never

import msgspec

from engine.eots.board import area_of, board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC, bitsets_in_play
from engine.eots.ch06_supply.control import controls, units_at
from engine.eots.ch06_supply.supply import BurmaRoad, burma_road, has_sea_supply_line
from engine.eots.ch16_victory.counting import (
    counted_parts,
    counts_for,
    is_held_in_supply,
    ports_near,
    region_holder,
)
from engine.eots.ch16_victory.editions import older_term
from engine.eots.counters import counters
from engine.eots.ids import AreaId, HexId, NationId, ScenarioId, Side
from engine.eots.rulings import (
    BIDDING_VP,
    MANDATE_HEXES,
    PHILIPPINE_PORTS,
    SOUTH_PACIFIC_VICTORY,
    VICTORY_VALUES,
    bid,
)
from engine.eots.scenarios import scenario
from engine.eots.state import ChinaFront, State
from engine.eots.victory_terms import (
    AllPortsOfRegion,
    BurmaRoadClosed,
    CampaignVictory,
    ChinaFrontDistance,
    ChinaSurrendered,
    Control,
    ControlAll,
    ControlCount,
    ControlEach,
    IndiaInBox,
    Level,
    NoSupplyLine,
    NotHeldInSupply,
    Occupation,
    OccupiedAtAnyTurnEnd,
    PoliticalWillHigh,
    PoliticalWillLow,
    PortInRange,
    PortInRangeNone,
    RegionControl,
    RegionControlNot,
    VpCondition,
    VpTerm,
    VpVictory,
)
from engine.kernel.memo import Memo
from engine.kernel.sentences import SentenceFormatter

CHINA: Final = NationId("china")
INDIA: Final = NationId("india")
MANDATES: Final = AreaId("mandates")
SOUTH_PACIFIC_PORTS: Final = AreaId("south-pacific-ports")
_MEMO: Final = Memo[tuple["ScoreLine", ...]](16)


class ScoreLine(msgspec.Struct, frozen=True, kw_only=True):
    """One of a scenario's scoring conditions, with its current value."""

    id: str
    """The condition's letter."""
    text: str
    points: int
    """Japanese victory points; negative values favour the Allies."""


def conditions(name: str) -> tuple[VpCondition, ...]:
    """Return a scenario's scoring conditions; empty for campaigns (17.5-17.9)."""
    victory = scenario(ScenarioId(name)).victory
    if isinstance(victory, CampaignVictory):
        return ()
    return victory.conditions if isinstance(victory, VpVictory) else victory.vp_schedule.conditions


def levels(name: str) -> tuple[Level, ...]:
    """Return a scenario's degrees of victory by points, lowest first; empty for campaigns."""
    victory = scenario(ScenarioId(name)).victory
    if isinstance(victory, CampaignVictory):
        return ()
    return victory.levels if isinstance(victory, VpVictory) else victory.vp_schedule.levels


def score(state: State) -> tuple[ScoreLine, ...]:
    """Return every condition in rulebook order, with its points as if the game ended now. The result is cached.

    A bid is the last line (16.48A). Campaigns have no points, so the result is empty. In a South Pacific game decided
    by ports, the result contains the ports of both sides (17.10.7).
    """
    return _MEMO.get(state, counted_parts(state), lambda: _compute_score(state))


def total_points(state: State) -> int:
    """Return the total Japanese victory points as if the game ended now."""
    return sum(line.points for line in score(state))


@cache
def _parsed_terms(name: str, is_older_edition: bool) -> tuple[VpCondition, ...]:  # noqa: FBT001  # key of the cache
    """Return the conditions, with points from the edition in play."""
    terms = conditions(name)
    rule = scenario(ScenarioId(name)).victory.rule
    return tuple(older_term(rule, term) for term in terms) if is_older_edition else terms


def is_port_control(state: State) -> bool:
    """Return whether ports decide the game. This is possible only in the South Pacific (17.10.7)."""
    return state.scenario == SOUTH_PACIFIC and not SOUTH_PACIFIC_VICTORY.uses_alternative(
        state.options
    )


def port_count(state: State, side: Side) -> int:
    """Return how many South Pacific ports and resource hexes count for a side (17.10.7)."""
    return sum(
        counts_for(state, side, hex_id) for hex_id in board().areas[SOUTH_PACIFIC_PORTS].hexes
    )


def _port_lines(state: State) -> Iterator[ScoreLine]:
    for side, sign in ((Side.JAPAN, 1), (Side.ALLIED, -1)):
        number = port_count(state, side)
        text = f"each port and resource hex that {_SIDES[side]} in supply"
        yield ScoreLine(id="P", text=text, points=sign * number)


def _compute_score(state: State) -> tuple[ScoreLine, ...]:
    if is_port_control(state):
        return tuple(_port_lines(state))
    points: dict[str, int] = {}
    lines = []
    for term in _parsed_terms(state.scenario, VICTORY_VALUES.uses_alternative(state.options)):
        # `unless` names an earlier condition, so the points for that one are known by now.
        is_barred = (
            isinstance(term, ControlCount) and term.unless is not None and points[term.unless]
        )
        points[term.id] = 0 if is_barred else condition_points(state, term)
        lines.append(ScoreLine(id=term.id, text=_term_text(term), points=points[term.id]))
    bid_points = bid(state.options, BIDDING_VP)
    if lines and bid_points:
        lines.append(ScoreLine(id="bid", text="bid for the sides (16.48A)", points=bid_points))
    return tuple(lines)


def condition_points(state: State, term: VpCondition) -> int:  # noqa: C901, PLR0911, PLR0912  # one case per kind of condition
    """Return a condition's current value (17.27, 17.38, 17.48)."""
    tracks = state.tracks
    match term:
        case ChinaFrontDistance():
            return _china_distance(state, term)
        case ChinaSurrendered(vp=vp):
            return vp * (CHINA in tracks.surrendered)
        case BurmaRoadClosed(vp=vp):
            return vp * (burma_road(state) is not BurmaRoad.OPEN)
        case NoSupplyLine(vp=vp, start=start, end=end):
            return vp * (not _is_joined(state, start, end))
        case ControlEach(vp_each=vp, side=side):
            hexes = term.hexes or (
                () if term.area is None else area_of(state.options, term.area).hexes
            )
            return vp * sum(counts_for(state, side, hex_id) for hex_id in hexes)
        case Control(vp=vp, side=side, hexes=hexes) | ControlAll(vp=vp, side=side, hexes=hexes):
            return vp * all(counts_for(state, side, hex_id) for hex_id in hexes)
        case ControlCount(vp=vp):
            return vp * _is_in_bounds(state, term)
        case RegionControl(vp=vp, side=side, area=name):
            return vp * (region_holder(state, name) is side)
        case RegionControlNot(vp=vp, side=side, area=name):
            return vp * (region_holder(state, name) is not side)
        case AllPortsOfRegion():
            return _all_ports(state, term)
        case IndiaInBox(vp=vp, boxes=boxes):
            box = "surrendered" if INDIA in tracks.surrendered else tracks.india.name.lower()
            return vp * (box in boxes)
        case PoliticalWillLow(threshold=threshold, vp_per_box=vp):
            return vp * max(threshold + 1 - tracks.political_will, 0)
        case PoliticalWillHigh(threshold=threshold, vp_per_box=vp):
            return vp * max(tracks.political_will - threshold + 1, 0)
        case OccupiedAtAnyTurnEnd(vp_each=vp, hexes=hexes):
            return vp * sum(hex_id in tracks.once_occupied for hex_id in hexes)
        case Occupation(vp_each=vp, side=side, hexes=hexes):
            return vp * sum(is_occupied(state, side, hex_id) for hex_id in hexes)
        case NotHeldInSupply(vp=vp, side=side, hexes=hexes):
            return vp * (not all(is_held_in_supply(state, side, hex_id) for hex_id in hexes))
        case PortInRange(vp=vp, side=side):
            return vp * _has_port(state, side, term)
        case PortInRangeNone(vp=vp, side=side):
            return vp * (not _has_port(state, side, term))
        case _:
            assert_never(term)


def is_occupied(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a hex counts for a side and contains one of its units other than an HQ (17.27 K to M)."""
    return counts_for(state, side, hex_id) and any(
        counters()[unit].side is side and not counters()[unit].is_hq
        for unit in units_at(state).get(hex_id, ())
    )


def _china_distance(state: State, term: ChinaFrontDistance) -> int:
    """Return the points for the China marker. The Government Collapsed box adds no points (17.27A, OPS-14)."""
    base = ChinaFront[term.from_box.replace("-", "_").upper()]
    boxes = base - max(state.tracks.china_front, ChinaFront.CHUNGKING_FALLS)
    if term.direction == "left":
        boxes = max(boxes, 0)
    if term.maximum is not None:
        boxes = min(boxes, term.maximum)
    bonus = term.surrendered_bonus if CHINA in state.tracks.surrendered else 0
    return term.vp_per_box * boxes + bonus


def _is_joined(state: State, start_hex: HexId, end_hex: HexId | None) -> bool:
    """Return whether an Allied supply line connects a hex to another hex or to the east edge (17.38C).

    The line can have any length. A port that the enemy controls counts as cut off, because no unit there could be
    supplied.
    """
    if not all(
        controls(state, Side.ALLIED, hex_id)
        for hex_id in (start_hex, end_hex)
        if hex_id is not None
    ):
        return False
    end_hexes = (
        bitsets_in_play(state).board.south_pacific.east_edge if end_hex is None else (end_hex,)
    )
    return any(has_sea_supply_line(state, Side.ALLIED, start_hex, hex_id) for hex_id in end_hexes)


def _is_in_bounds(state: State, term: ControlCount) -> bool:
    area_hexes = area_of(state.options, term.area)
    hexes = area_hexes.ports if term.subset == "ports" else area_hexes.hexes
    if (
        term.area == MANDATES
        and term.subset == "all-hexes"
        and MANDATE_HEXES.uses_alternative(state.options)
    ):
        hexes = tuple(hex_id for hex_id in hexes if board().hexes[hex_id].is_named_location)
    in_supply = term.qualifier == "in-supply"
    if term.maximum == 0 and PHILIPPINE_PORTS.uses_alternative(state.options):
        count = sum(
            controls(state, term.side, hex_id) for hex_id in hexes
        )  # OPS-7, the literal reading of N
    elif in_supply:
        count = sum(is_held_in_supply(state, term.side, hex_id) for hex_id in hexes)
    else:
        count = sum(counts_for(state, term.side, hex_id) for hex_id in hexes)
    if term.exactly is not None:
        return count == term.exactly
    min_count = 0 if term.minimum is None else term.minimum
    return min_count <= count and (term.maximum is None or count <= term.maximum)


def _all_ports(state: State, term: AllPortsOfRegion) -> int:
    """Return the points if Japan controls every port of an area, the negative points if the Allies do, otherwise 0.

    See 17.10.7 D and E.
    """
    hexes = (*area_of(state.options, term.area).ports, *term.include)
    if all(counts_for(state, Side.JAPAN, hex_id) for hex_id in hexes):
        return term.vp
    if term.swing and all(counts_for(state, Side.ALLIED, hex_id) for hex_id in hexes):
        return -term.vp
    return 0


def _has_port(state: State, side: Side, term: PortInRange | PortInRangeNone) -> bool:
    return any(counts_for(state, side, hex_id) for hex_id in ports_near(term.of, term.range))


# -- words


def _name(hex_id: HexId) -> str:
    name = board().hexes[hex_id].name
    return hex_id if name is None else f"{name} {hex_id}"


def _join_names(hexes: tuple[HexId, ...]) -> str:
    return ", ".join(map(_name, hexes))


def _area_name(name: AreaId) -> str:
    return board().areas[name].name


_SIDES: Final = {Side.JAPAN: "Japan controls", Side.ALLIED: "the Allies control"}
_FORMATTER: Final = SentenceFormatter(
    {
        "area": _area_name,
        "boxes": " or ".join,
        "end": lambda end: "the east edge" if end is None else _name(end),
        "from_box": lambda box: box.replace("-", " "),
        "hexes": _join_names,
        "of": _name,
        "side": lambda side: _SIDES[side],
        "start": _name,
    }
).fill


def _control_each_text(term: ControlEach) -> str:
    hexes_text = _join_names(term.hexes) if term.area is None else _area_name(term.area)
    return f"each hex that {_SIDES[term.side]}: {hexes_text}"


def _count_text(term: ControlCount) -> str:
    noun = "ports" if term.subset == "ports" else "hexes"
    supplied_text = "supplied " if term.qualifier == "in-supply" else ""
    if term.exactly is not None:
        number = f"exactly {term.exactly}"
    elif term.maximum is not None:
        number = "no" if term.maximum == 0 else f"at most {term.maximum}"
    else:
        number = f"{term.minimum} or more"
    return f"{_SIDES[term.side]} {number} {supplied_text}{noun} of {_area_name(term.area)}"


_WORDS: Final[Mapping[type[VpTerm], str | Callable[[Any], str]]] = {
    ChinaFrontDistance: "Chinese front left of {from_box}, or China has surrendered",
    ChinaSurrendered: "China has surrendered",
    BurmaRoadClosed: "the Burma Road is closed",
    NoSupplyLine: "no supply line from {start} to {end}",
    ControlEach: _control_each_text,
    Control: "{side} {hexes}",
    ControlAll: "{side} {hexes}",
    ControlCount: _count_text,
    RegionControl: "{side} {area}",
    RegionControlNot: "unless {side} {area}",
    AllPortsOfRegion: "one side controls every port of {area}",
    IndiaInBox: "India: {boxes}",
    PoliticalWillLow: "each box of Political Will at or below {threshold}",
    PoliticalWillHigh: "each box of Political Will at or above {threshold}",
    OccupiedAtAnyTurnEnd: "occupied at the end of any turn: {hexes}",
    Occupation: "occupied: {hexes}",
    NotHeldInSupply: "unless {side} {hexes} in supply",
    PortInRange: "{side} a port within {range} hexes of {of}",
    PortInRangeNone: "unless {side} a port within {range} hexes of {of}",
}
"""For each type of condition, its text for players: a template, or a function that returns the text."""


@cache
def _term_text(term: VpCondition) -> str:
    words = _WORDS[type(term)]
    return _FORMATTER(words, term) if isinstance(words, str) else words(term)
