"""Empire of the Sun map overlays: zones, supply, ranges, reach, threats and the last offensive."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from engine.eots import commands as c
from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.frames import StackFrame
from engine.eots.geography import UNREACHABLE
from engine.eots.ids import AreaId, HexId, ScenarioId, Side, UnitId
from engine.eots.scenarios import scenario, scenario_ids
from engine.eots.view import EotsView, OffensiveView, UnitView
from tui.drawing.colour_roles import OverlayRole
from tui.eots.index import Index
from tui.eots.texts import ADJECTIVES, short_name
from tui.hexmap.elements import Swatch
from tui.presenter import NO_OVERLAY, Selection

OVERLAYS: Final = (
    ("s", "supply", "Supply"),
    ("O", "zoi", "Zones of influence"),
    ("a", "range", "Ranges of headquarters"),
    ("i", "air", "Ranges of own aircraft"),
    ("E", "threat", "Ranges of enemy aircraft"),
    ("v", "last", "Last offensive"),
)
"""The overlays, each with key, id and name, as in `Presenter.overlays`."""
REACH: Final = "reach"
NEW_HEBRIDES: Final = AreaId("new-hebrides-sp")
_ZONES: Final = {Side.ALLIED: OverlayRole.OURS, Side.JAPAN: OverlayRole.THEIRS}
_FAR: Final = {Side.ALLIED: OverlayRole.OURS_FAR, Side.JAPAN: OverlayRole.THEIRS_FAR}
_AT_SEA: Final = (
    c.Sail,
    c.SailVia,
    c.Assault,
    c.AssaultVia,
    c.OrganicAssault,
    c.BargeAssault,
)
_IN_THE_AIR: Final = (c.Fly, c.FlyVia)


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """Tints for hexes, with their legend."""

    tints: Mapping[str, OverlayRole] = {}
    tags: Mapping[str, str] = {}
    """Cost of moving to each hex."""
    swatches: tuple[Swatch, ...] = ()


NOTHING: Final = Overlay()


def chosen_overlay(view: EotsView, selection: Selection) -> str:
    """Return the overlay that the player chose or, if there is none, the one that suits the decision."""
    if selection.overlay:
        return "" if selection.overlay == NO_OVERLAY else selection.overlay
    if view.frames and isinstance(view.frames[-1], StackFrame):
        return REACH
    if any(isinstance(one, c.ChooseHq | c.Activate) for one in selection.options):
        return "range"
    return ""


def select_overlay(
    index: Index, selection: Selection, last_offensive: OffensiveView | None
) -> Overlay:
    """Return the overlay to show.

    Args:
        index: Lookups in the view.
        selection: The chosen overlay, the cursor and the available commands.
        last_offensive: The last offensive seen; None if there was none.
    """
    match chosen_overlay(index.view, selection):
        case "zoi":
            return zones_overlay(index.view)
        case "supply":
            return supply_overlay(index)
        case "range":
            return command_range_overlay(index, selection)
        case "air":
            return air_range_overlay(index, selection.cursor, is_enemy=False)
        case "threat":
            return air_range_overlay(index, selection.cursor, is_enemy=True)
        case "last":
            return NOTHING if last_offensive is None else offensive_overlay(last_offensive)
        case "reach":
            return reach_overlay(index.view, selection.options)
        case _:
            return NOTHING


def zones_overlay(view: EotsView) -> Overlay:
    """Show the zones of influence that have not been neutralised (6.4)."""
    tints = dict.fromkeys(view.zones.allied, OverlayRole.OURS)
    tints |= dict.fromkeys(view.zones.japan, OverlayRole.THEIRS)
    tints |= dict.fromkeys(view.zones.contested, OverlayRole.BOTH)
    return Overlay(
        tints={str(at): tint for at, tint in tints.items()},
        swatches=(
            Swatch(OverlayRole.OURS, "Allied zone of influence"),
            Swatch(OverlayRole.THEIRS, "Japanese"),
            Swatch(OverlayRole.BOTH, "both"),
        ),
    )


def supply_overlay(index: Index) -> Overlay:
    """Show the hexes with units in supply and those with units out of supply (6.2)."""
    tints = {
        at: OverlayRole.SUPPLIED
        if all(unit.supplied for stack in stacks for unit in stack.units)
        else OverlayRole.CUT
        for at, stacks in index.stacks.items()
    }
    return Overlay(
        tints=tints,
        swatches=(
            Swatch(OverlayRole.SUPPLIED, "in supply"),
            Swatch(OverlayRole.CUT, "units without supply"),
        ),
    )


# -- headquarters


def is_south_pacific(name: str) -> bool:
    """Return whether a scenario uses the South Pacific map (17.10)."""
    return name in scenario_ids() and scenario(ScenarioId(name)).map == "south-pacific"


def hq_hexes(scenario_id: str, unit_at: str, hexes: int) -> tuple[str, ...]:
    """Return the hexes within command range of a headquarters (6.1); from Oahu, only the New Hebrides (17.10.5K)."""
    of = board()
    centre = of.index.get(HexId(unit_at))
    if is_south_pacific(scenario_id) and unit_at in of.south_pacific.off_map_hexes:
        return of.areas[NEW_HEBRIDES].hexes
    return () if centre is None else tuple(of.ids[i] for i in of.within(centre, hexes))


def command_range_overlay(index: Index, selection: Selection) -> Overlay:
    """Show the command range of the selected headquarters, or of all friendly headquarters if none is selected (6.1).

    The headquarters is selected by the highlighted option, the offensive or the cursor.
    """
    found = tuple(_headquarters(index, selection))
    tints: dict[str, OverlayRole] = {}
    names = []
    for unit in found:
        row = counters()[unit.id]
        if row.hq is not None:
            reached = hq_hexes(index.view.scenario, unit.at, row.hq.command_range)
            tints |= dict.fromkeys(map(str, reached), _ZONES[row.side])
            names.append(f"{short_name(unit.id)} {row.hq.command_range}")
    side = counters()[found[0].id].side if found else Side.ALLIED
    words = f"range of {', '.join(names)}" if len(names) == 1 else "ranges of headquarters"
    return Overlay(tints=tints, swatches=(Swatch(_ZONES[side], words),))


def _headquarters(index: Index, selection: Selection) -> Iterator[UnitView]:
    view, offensive = index.view, index.view.offensive
    highlighted = selection.highlighted
    if isinstance(highlighted, c.ChooseHq) and highlighted.hq in index.units:
        yield index.units[highlighted.hq]
        return
    found = [unit for unit in view.units if counters()[unit.id].is_hq and unit.at in board().index]
    here = [unit for unit in found if unit.at == selection.cursor]
    asked = any(isinstance(one, c.Activate) for one in selection.options)
    if asked and offensive is not None and not selection.overlay:
        chosen = offensive.hq if view.side is offensive.side else offensive.reaction_hq
        here = [unit for unit in found if unit.id == chosen] or here
    own = [unit for unit in found if view.side is None or counters()[unit.id].side is view.side]
    yield from here or own


# -- aircraft


def _aircraft(index: Index, side: Side, cursor: str) -> tuple[UnitView, ...]:
    """Return a side's air units and carriers on the map. If any are under the cursor, return only those (1.3)."""
    found = [
        unit
        for unit in index.view.units
        if unit.steps > 0
        and unit.at in board().index
        and counters()[unit.id].side is side
        and counters()[unit.id].is_air_capable
    ]
    return tuple([unit for unit in found if unit.at == cursor] or found)


def air_range_overlay(index: Index, cursor: str, *, is_enemy: bool) -> Overlay:
    """Show the hexes within normal and extended range of aircraft (1.3).

    Args:
        index: Lookups in the view.
        cursor: The aircraft's hex. If it contains none, all of the side's aircraft are used.
        is_enemy: Use the other side's aircraft.
    """
    own = index.view.side or Side.ALLIED
    side = own.enemy if is_enemy else own
    of = board()
    near: set[int] = set()
    far: set[int] = set()
    for unit in _aircraft(index, side, cursor):
        face = counters()[unit.id].strength(unit.steps)
        centre = of.index[HexId(unit.at)]
        near.update(of.within(centre, face.range or 0))
        far.update(of.within(centre, face.extended_range or 0))
    tints = {str(of.ids[i]): _FAR[side] for i in far}
    tints |= {str(of.ids[i]): _ZONES[side] for i in near}
    name = ADJECTIVES[side]
    return Overlay(
        tints=tints,
        swatches=(Swatch(_ZONES[side], f"{name} air range"), Swatch(_FAR[side], "extended")),
    )


# -- the offensive


def offensive_overlay(offensive: OffensiveView) -> Overlay:
    """Show the paths and battle hexes of an offensive."""
    tints = {str(at): OverlayRole.PATH for path in offensive.paths.values() for at in path}
    tints |= dict.fromkeys(map(str, offensive.battles), OverlayRole.TARGET)
    return Overlay(
        tints=tints,
        swatches=(
            Swatch(OverlayRole.PATH, "ways of the last offensive"),
            Swatch(OverlayRole.TARGET, "its battles"),
        ),
    )


_WAY_POINTS: Final = (c.SailVia, c.FlyVia, c.AssaultVia)


def reach_overlay(view: EotsView, options: Iterable[Any]) -> Overlay:
    """Show the hexes that the moving stack may pass through or end in, with their distances (8.2, 8.3)."""
    frame = view.frames[-1] if view.frames else None
    if not isinstance(frame, StackFrame):
        return NOTHING
    costs: dict[str, int | None] = {}
    tints: dict[str, OverlayRole] = {}
    for option in options:
        to = getattr(option, "to", None)
        if to is None or HexId(to) not in board().index:
            continue
        at, cost = str(to), _cost(frame, option, HexId(to))
        known = costs.get(at)
        costs[at] = cost if known is None else min(known, cost or known)
        if not isinstance(option, _WAY_POINTS):
            tints[at] = OverlayRole.NEAR
        else:
            tints.setdefault(at, OverlayRole.FAR)
    leader = short_name(UnitId(frame.units[0]))
    words = {OverlayRole.NEAR: f"{leader} may end there", OverlayRole.FAR: "may pass"}
    used = set(tints.values())
    return Overlay(
        tints=tints,
        tags={at: str(cost) for at, cost in costs.items() if cost is not None},
        swatches=tuple(Swatch(tint, name) for tint, name in words.items() if tint in used),
    )


def _cost(frame: StackFrame, option: object, to: HexId) -> int | None:
    """Return the distance in hexes for ships or aircraft, including hexes already moved; None for ground units."""
    of = board()
    start = of.index.get(HexId(frame.at))
    if start is None:
        return None
    if isinstance(option, _IN_THE_AIR):
        return frame.flown + of.distance_index(start, of.index[to])
    if isinstance(option, _AT_SEA):
        hexes = of.sea_distances(start)[of.index[to]]
        return None if hexes == UNREACHABLE else len(frame.path) + hexes
    return None
