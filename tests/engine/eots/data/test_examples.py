"""Ground movement costs of worked examples, in half movement points: the map must make them possible."""

from collections.abc import Collection

import pytest

from engine.eots.board import NO_ENTRY, board
from engine.eots.ids import AreaId, HexId, RouteEvent

BOARD = board()
MARKED = BOARD.areas[AreaId("no-transport-route")].hexes


def half_points(
    start: str,
    end: str,
    marked: Collection[str] = (),
    closed: Collection[str] = (),
    *,
    bridge: bool = False,
) -> int | None:
    """Return the least cost of a march; routes cost a half point, other hexes their terrain (8.1)."""
    todo, best = [(0, BOARD.index[HexId(start)])], dict[int, int]()
    while todo:
        todo.sort()
        spent, here = todo.pop(0)
        if here in best:
            continue
        best[here] = spent
        routes = dict(BOARD.route_adjacent[here])
        for other in BOARD.land_adjacent[here]:
            if BOARD.ids[other] in closed or BOARD.terrain_mp[other] == NO_ENTRY:
                continue
            ends = {BOARD.ids[here], BOARD.ids[other]}
            open_route = (
                other in routes
                and not ends & {*marked}
                and (bridge or routes[other] is not RouteEvent.KWAI_BRIDGE)
            )
            todo.append((spent + (1 if open_route else 2 * BOARD.terrain_mp[other]), other))
    return best.get(BOARD.index[HexId(end)])


@pytest.mark.parametrize(
    ("end", "cost"),
    [
        pytest.param("2106", 2, id="EX-6-4-mandalay"),
        pytest.param("2206", 3, id="EX-6-4-lashio"),
        pytest.param("2305", 4, id="EX-6-4-myitkyina"),
        pytest.param("2205", 7, id="EX-6-4-ledo"),
        pytest.param("2105", 6, id="EX-6-4-imphal"),
        pytest.param("2104", 8, id="EX-6-4-jarhat"),
    ],
)
def test_movement_costs_from_rangoon_with_markers(end: str, cost: int) -> None:
    assert half_points("2008", end, MARKED) == cost


def test_movement_cost_from_rangoon_around_imphal() -> None:
    assert half_points("2008", "2104", MARKED, ("2105",)) == 9  # EX-6-4


@pytest.mark.parametrize(
    ("start", "end", "bridge", "cost"),
    [
        pytest.param("2212", "2008", True, 6, id="EX-6-5-kwai-bridge"),
        pytest.param("2008", "2106", False, 2, id="EX-8-7-rangoon-mandalay"),
        pytest.param("2211", "1913", False, 5, id="EX-8-8-phnom-penh-kuala-lumpur"),
    ],
)
def test_march_costs_match_the_examples(start: str, end: str, bridge: bool, cost: int) -> None:
    assert half_points(start, end, bridge=bridge) == cost
