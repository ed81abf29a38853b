"""What an order under the bar of the list means on the map: its way, its aim, and how far it reaches."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from engine.cbps import commands as c
from engine.cbps.ch04_missions import kind_of
from engine.cbps.planner.contact import target_hex
from engine.cbps.planner.strikes import strike_targets_of
from tui.cbps.index import Index, first
from tui.cbps.places import aboard, places
from tui.cbps.plan_strikes import target_at
from tui.cbps.words import group_hex
from tui.hexmap.elements import Outline, Ring, Track
from tui.tones import Tone

_WAY: Final = "way of this order"
_HOME: Final = "way home"


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn of one order."""

    way: tuple[str, ...] = ()
    """Hexes from the start to the aim, straight from each to the next."""
    home: tuple[str, ...] = ()
    """The way back to the carriers."""
    centre: str = ""
    """Around which a ring shows how far strikes reach; empty for none."""

    @property
    def aim(self) -> str:
        """Return the hex that is aimed at, empty for none."""
        return self.way[-1] if self.way else ""

    def tracks(self) -> tuple[Track, ...]:
        """Return the lines on the map."""
        lines = (self.way, "*", Tone.PATH, _WAY), (self.home, ".", Tone.PATH, _HOME)
        return tuple(
            Track(hexes=hexes, mark=mark, tone=tone, name=name)
            for hexes, mark, tone, name in lines
            if len(set(hexes)) > 1
        )

    def ring(self, inside: Iterable[str], hexes: int) -> Ring:
        """Return the ring around a reach."""
        return Ring(
            hexes=frozenset(inside),
            outline=Outline.DASHED,
            tone=Tone.PATH,
            name=f"strike radius {hexes}",
        )


NO_LOOK: Final = Look()


def look(index: Index, order: Any, aim: str = "") -> Look:  # noqa: ANN401  (any command)
    """Return what is drawn of an order; nothing for orders that go nowhere.

    Args:
        index: The view.
        order: The order on which the bar stands, None for none.
        aim: Hex under the cursor: a detected force there is the target of a strike to be launched.
    """
    match order:
        case c.Launch(unit=unit, mission=mission) if kind_of(mission) == "strike":
            start = aboard(index, unit)
            target = target_at(index.view, aim) or first(strike_targets_of(index.table))
            end = target_hex(index.table, target) if target else ""
            return Look(way=_way(start, end), centre=start)
        case c.Fly(mission=mission, hex=end):
            home = index.home_of(end)
            back = group_hex(index, home[0]) if home is not None else ""
            return Look(way=_way(_at(index, mission), end), home=_way(end, back))
        case c.Attack(mission=mission) | c.Intercept(mission=mission) | c.Commit(mission=mission):
            return Look(way=_way(_at(index, mission), first(places(index, order))))
        case c.Sail(group=group, hex=end):
            return Look(way=_way(group_hex(index, group), end), centre=end)
        case _:
            return NO_LOOK


def _at(index: Index, mission: str) -> str:
    """Return where a mission is, on the map or as CAP."""
    one = index.view.missions.get(mission)
    if one is None:
        return ""
    return group_hex(index, one.cap) if one.cap else one.hex


def _way(start: str, end: str) -> tuple[str, ...]:
    return (start, end) if start and end and start != end else ()
