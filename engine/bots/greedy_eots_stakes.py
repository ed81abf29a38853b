"""Values the control of each hex in a scenario for bases, resources and victory conditions (13, 16, 17)."""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.ch16_victory.counting import ports_near
from engine.eots.ch16_victory.judgement import TOKYO
from engine.eots.ch16_victory.score import SOUTH_PACIFIC_PORTS, conditions
from engine.eots.ids import AreaId, HexId, NationId, ScenarioId, Side
from engine.eots.scenarios import initial_control, scenario
from engine.eots.victory_terms import (
    AllPortsOfRegion,
    AreaCount,
    Control,
    ControlAll,
    ControlCount,
    ControlEach,
    NoSupplyLine,
    NotHeldInSupply,
    Occupation,
    OccupiedAtAnyTurnEnd,
    PortInRange,
    PortInRangeNone,
    RegionControl,
    RegionControlNot,
    VpCondition,
)

RESOURCE_VALUE: Final = 14
PORT_VALUE: Final = 5
AIRFIELD_VALUE: Final = 4
CITY_VALUE: Final = 3
KEY_VALUE: Final = 10
"""Bonus for hexes that decide the control of nations and island groups (13.3-13.5, 13.84, 13.85, 13.92)."""
POINT_VALUE: Final = 30
"""Value of a victory point, divided among the hexes needed for it."""
PROGRESS_VALUE: Final = 14
"""Bonus for a hex that can still count for the progress of the war this turn (16.47)."""
KEY_AREAS: Final = tuple(
    map(
        AreaId,
        (
            "burma",
            "dutch-east-indies",
            "malaya",
            "mandates",
            "marshall-islands",
            "new-guinea",
            "philippines",
        ),
    )
)
NATIONS: Final = tuple(map(AreaId, ("burma", "dutch-east-indies", "malaya", "philippines")))
"""Nations that surrender if certain hexes are lost. Each surrender costs Allied Political Will (13.2-13.5, 16.41)."""
SURRENDER_VALUE: Final = 40
"""Value of a surrender, divided among the hexes whose loss causes it."""
HONSHU: Final = AreaId("honshu")
HONSHU_VALUE: Final = 40
"""Value of a Honshu hex in a campaign. Japan surrenders if it loses all Honshu hexes (13.93)."""
B29_HEXES: Final = 8
BOMBER_BASE_VALUE: Final = 15
"""Value of an airfield within B29 range of Japan, in a campaign (12.3, 16.2)."""
CLOSED_AREAS: Final = tuple(map(AreaId, ("china-interior", "manchukuo", "soviet-territory")))
"""Areas without goals, because neither side can move there (8.41, 13.71, 13.91)."""
ANY_OF_DIVISOR: Final = 2
"""Divisor for each hex's points if any one of several hexes is enough to meet a condition."""


@lru_cache(maxsize=64)
def hex_values(name: str, surrendered_nations: tuple[NationId, ...]) -> Mapping[HexId, int]:
    """Return each valuable hex in a scenario, in ascending order, with its value to its controller.

    Args:
        name: Id of the scenario.
        surrendered_nations: Nations that have already surrendered.
    """
    closed_hexes = {at for area in CLOSED_AREAS for at in board().areas[area].hexes}
    is_cut = name == SOUTH_PACIFIC
    map_hexes = set(board().south_pacific.hexes) if is_cut else set(board().hexes)
    deciding_shares = _victory_point_shares(name)
    for area in NATIONS:
        hexes = board().areas[area].control_hexes
        for hex_id in (
            hexes if NationId(area) not in surrendered_nations and hexes[0] in map_hexes else ()
        ):
            deciding_shares[hex_id] = deciding_shares.get(hex_id, 0) + SURRENDER_VALUE // len(hexes)
    values = {
        at: base_value(at) + deciding_shares.get(at, 0) for at in sorted(map_hexes - closed_hexes)
    }
    return {at: value for at, value in values.items() if value > 0}


@cache
def unit_hexes(name: str, side: Side) -> frozenset[HexId]:
    """Return the hexes that count for a side only if it has a unit there (17.10.7).

    Only hexes that the enemy controls at the start are included.
    """
    if name != SOUTH_PACIFIC:
        return frozenset()
    control = initial_control(scenario(ScenarioId(name)))
    ports = board().areas[SOUTH_PACIFIC_PORTS].hexes
    return frozenset(hex_id for hex_id in ports if control.get(hex_id, side) is not side)


@cache
def decisive_area(hex_id: HexId) -> str:
    """Return the name of the island group or nation that is controlled through a hex; empty if there is none."""
    for area in KEY_AREAS:
        row = board().areas[area]
        if hex_id in row.control_hexes or hex_id in row.ports:
            return row.name
    return ""


def base_value(hex_id: HexId) -> int:
    """Return the part of a hex's value that is the same in every scenario."""
    row = board().hexes[hex_id]
    if not row.is_named_location:
        return 0
    value = (
        1
        + RESOURCE_VALUE * row.resource
        + PORT_VALUE * row.port
        + AIRFIELD_VALUE * row.airfield
        + CITY_VALUE * (row.city is not None)
    )
    return value + KEY_VALUE * bool(decisive_area(hex_id))


def _victory_point_shares(name: str) -> dict[HexId, int]:
    """Return each hex's share of the value of the scenario's victory points."""
    shares: dict[HexId, int] = {}
    if name == SOUTH_PACIFIC:
        for hex_id in board().areas[SOUTH_PACIFIC_PORTS].hexes:
            shares[hex_id] = POINT_VALUE
    if not conditions(name):
        home = board().areas[HONSHU].hexes
        shares.update(dict.fromkeys(home, HONSHU_VALUE))
        for index in board().within(board().index[TOKYO], B29_HEXES):
            if board().is_airfield[index] and board().ids[index] not in home:
                shares[board().ids[index]] = BOMBER_BASE_VALUE
    for case in scenario(ScenarioId(name)).victory.automatic:
        if isinstance(case.condition, AreaCount):  # 17.27: Japan loses if it has too few resources
            for hex_id in board().areas[case.condition.area].hexes:
                shares[hex_id] = shares.get(hex_id, 0) + POINT_VALUE
    for term in conditions(name):
        for hex_id, share in _condition_shares(term):
            shares[hex_id] = shares.get(hex_id, 0) + share
    return shares


def _condition_shares(term: VpCondition) -> Iterator[tuple[HexId, int]]:
    """Yield a condition's hexes with their shares.

    For a condition without hexes, yield nothing (17.27, 17.38, 17.48).
    """
    areas = board().areas
    match term:
        case ControlEach(vp_each=points, area=area, hexes=hexes):
            places = hexes or (() if area is None else areas[area].hexes)
            yield from ((hex_id, abs(points) * POINT_VALUE) for hex_id in places)
        case (
            OccupiedAtAnyTurnEnd(vp_each=points, hexes=hexes)
            | Occupation(vp_each=points, hexes=hexes)
        ):
            yield from ((hex_id, abs(points) * POINT_VALUE) for hex_id in hexes)
        case (
            Control(vp=points, hexes=hexes)
            | ControlAll(vp=points, hexes=hexes)
            | NotHeldInSupply(vp=points, hexes=hexes)
        ):
            yield from _divide_points(points, hexes)
        case RegionControl(vp=points, area=area) | RegionControlNot(vp=points, area=area):
            yield from _divide_points(points, areas[area].control_hexes)
        case ControlCount(vp=points, area=area, subset=subset):
            row = areas[area]
            yield from _divide_points(points, row.ports if subset == "ports" else row.hexes)
        case AllPortsOfRegion(vp=points, area=area, include=included_hexes):
            yield from _divide_points(points, (*areas[area].ports, *included_hexes))
        case (
            PortInRange(vp=points, of=centre, range=hexes)
            | PortInRangeNone(vp=points, of=centre, range=hexes)
        ):
            share = abs(points) * POINT_VALUE // ANY_OF_DIVISOR
            yield from ((hex_id, share) for hex_id in ports_near(centre, hexes))
        case NoSupplyLine(vp=points, start=start):
            yield start, abs(points) * POINT_VALUE
        case _:
            return


def _divide_points(points: int, hexes: tuple[HexId, ...]) -> Iterator[tuple[HexId, int]]:
    for hex_id in hexes:
        if board().hexes[hex_id].is_named_location:
            yield hex_id, abs(points) * POINT_VALUE // len(hexes)
