"""Shows the highlighted order on the map: its path, its target and its range."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from engine.cbps import commands as c
from engine.cbps.air.ch04_missions import mission_kind
from engine.cbps.planner.contact import target_hex
from engine.cbps.planner.strikes import targets_by_distance
from tui.cbps.index import Index, first_or_empty
from tui.cbps.orders.order_hexes import carrier_hex, order_hexes
from tui.cbps.planner.strike_lines import best_target
from tui.cbps.texts import group_hex
from tui.drawing.colour_roles import TextRole
from tui.maps.hexmap.elements import Outline, Ring, Track

_PATH_NAME: Final = "path of this order"
_HOME_PATH_NAME: Final = "way home"


class OrderPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The lines and hexes to draw on the map for one order."""

    path: tuple[str, ...] = ()
    """Hexes on the way from the start to the target, to be joined by straight lines."""
    home: tuple[str, ...] = ()
    """Hexes along the way back to the carriers."""
    centre: str = ""
    """Hex at the centre of the strike-range ring; empty for no ring."""

    @property
    def target_hex(self) -> str:
        """The target hex; empty if the order has no target."""
        return self.path[-1] if self.path else ""

    def tracks(self) -> tuple[Track, ...]:
        """Return the lines to draw on the map."""
        lines = (
            (self.path, "*", TextRole.PATH, _PATH_NAME),
            (self.home, ".", TextRole.PATH, _HOME_PATH_NAME),
        )
        return tuple(
            Track(hexes=hexes, mark=mark, tone=tone, name=name)
            for hexes, mark, tone, name in lines
            if len(set(hexes)) > 1
        )

    def ring(self, inner_hexes: Iterable[str], hexes: int) -> Ring:
        """Return a ring around the hexes in range."""
        return Ring(
            hexes=frozenset(inner_hexes),
            outline=Outline.DASHED,
            tone=TextRole.PATH,
            name=f"strike radius {hexes}",
        )


NO_PREVIEW: Final = OrderPreview()


def order_preview(index: Index, order: Any, target_place: str = "") -> OrderPreview:  # noqa: ANN401  (any command)
    """Return the preview of an order. For orders without movement or a target, the preview is empty.

    Args:
        index: Index of the player's view.
        order: The highlighted order; None if there is none.
        target_place: Hex under the map cursor. A strike about to be launched targets the detected force there.
    """
    match order:
        case c.Launch(unit=unit, mission=mission) if mission_kind(mission) == "strike":
            start_hex = carrier_hex(index, unit)
            target = best_target(index.view, target_place) or first_or_empty(
                targets_by_distance(index.table)
            )
            end = target_hex(index.table, target) if target else ""
            return OrderPreview(path=_path(start_hex, end), centre=start_hex)
        case c.Fly(mission=mission, hex=end):
            nearest_home = index.nearest_home(end)
            home_hex = group_hex(index, nearest_home[0]) if nearest_home is not None else ""
            return OrderPreview(
                path=_path(_mission_hex(index, mission), end), home=_path(end, home_hex)
            )
        case c.Attack(mission=mission) | c.Intercept(mission=mission) | c.Commit(mission=mission):
            return OrderPreview(
                path=_path(_mission_hex(index, mission), first_or_empty(order_hexes(index, order)))
            )
        case c.Sail(group=group, hex=end):
            return OrderPreview(path=_path(group_hex(index, group), end), centre=end)
        case _:
            return NO_PREVIEW


def _mission_hex(index: Index, mission: str) -> str:
    """Return a mission's hex, or for CAP its group's hex; empty if there is no such mission."""
    flight = index.view.missions.get(mission)
    if flight is None:
        return ""
    return group_hex(index, flight.cap) if flight.cap else flight.hex


def _path(start_hex: str, end_hex: str) -> tuple[str, ...]:
    return (start_hex, end_hex) if start_hex and end_hex and start_hex != end_hex else ()
