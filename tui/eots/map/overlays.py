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
from tui.maps.hexmap.elements import Swatch
from tui.presenter.presenter import NO_OVERLAY, Selection

OVERLAYS: Final = (
    ("s", "supply", "Supply"),
    ("O", "zoi", "Zones of influence (ZOI)"),
    ("a", "range", "Ranges of headquarters"),
    ("i", "air", "Ranges of own aircraft"),
    ("E", "threat", "Ranges of enemy aircraft"),
    ("v", "last", "Last offensive"),
)
"""The key, id and name of each overlay, as in `Presenter.overlays`."""
REACH: Final = "reach"
NEW_HEBRIDES: Final = AreaId("new-hebrides-sp")
_SIDE_TINTS: Final = {Side.ALLIED: OverlayRole.OURS, Side.JAPAN: OverlayRole.THEIRS}
_FAR_TINTS: Final = {Side.ALLIED: OverlayRole.OURS_FAR, Side.JAPAN: OverlayRole.THEIRS_FAR}
_SEA_MOVES: Final = (
    c.Sail,
    c.SailVia,
    c.Assault,
    c.AssaultVia,
    c.OrganicAssault,
    c.BargeAssault,
)
_AIR_MOVES: Final = (c.Fly, c.FlyVia)


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """Hex tints with their legend."""

    tints: Mapping[str, OverlayRole] = {}
    tags: Mapping[str, str] = {}
    """Movement distance to each hex, as text."""
    swatches: tuple[Swatch, ...] = ()


EMPTY_OVERLAY: Final = Overlay()


def chosen_overlay(view: EotsView, selection: Selection) -> str:
    """Return the overlay that the player chose, by default the one that suits the decision; empty for no overlay."""
    if selection.overlay:
        return "" if selection.overlay == NO_OVERLAY else selection.overlay
    if view.frames and isinstance(view.frames[-1], StackFrame):
        return REACH
    if any(isinstance(option, c.ChooseHq | c.Activate) for option in selection.options):
        return "range"
    return ""


def select_overlay(
    index: Index, selection: Selection, last_offensive: OffensiveView | None
) -> Overlay:
    """Return the overlay to show.

    Args:
        index: Index of the player's view.
        selection: The chosen overlay, the cursor and the available commands.
        last_offensive: The most recent offensive; None if no offensive has been seen.
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
            return EMPTY_OVERLAY if last_offensive is None else offensive_overlay(last_offensive)
        case "reach":
            return reach_overlay(index.view, selection.options)
        case _:
            return EMPTY_OVERLAY


def zones_overlay(view: EotsView) -> Overlay:
    """Show the zones of influence that have not been neutralised (6.4)."""
    tints = dict.fromkeys(view.zones.allied, OverlayRole.OURS)
    tints |= dict.fromkeys(view.zones.japan, OverlayRole.THEIRS)
    tints |= dict.fromkeys(view.zones.contested, OverlayRole.BOTH)
    return Overlay(
        tints={str(hex_id): tint for hex_id, tint in tints.items()},
        swatches=(
            Swatch(OverlayRole.OURS, "Allied zone of influence"),
            Swatch(OverlayRole.THEIRS, "Japanese"),
            Swatch(OverlayRole.BOTH, "both"),
        ),
    )


def supply_overlay(index: Index) -> Overlay:
    """Show which hexes contain only units in supply, and which contain units out of supply (6.2)."""
    tints = {
        hex_id: OverlayRole.SUPPLIED
        if all(unit.supplied for stack in stacks for unit in stack.units)
        else OverlayRole.CUT
        for hex_id, stacks in index.stacks.items()
    }
    return Overlay(
        tints=tints,
        swatches=(
            Swatch(OverlayRole.SUPPLIED, "in supply"),
            Swatch(OverlayRole.CUT, "units out of supply"),
        ),
    )


# -- headquarters


def is_south_pacific(name: str) -> bool:
    """Return whether a scenario uses the South Pacific map (17.10)."""
    return name in scenario_ids() and scenario(ScenarioId(name)).map == "south-pacific"


def hq_hexes(scenario_id: str, unit_at: str, range_hexes: int) -> tuple[str, ...]:
    """Return the hexes in an HQ's command range (6.1).

    On the South Pacific map, Oahu commands the New Hebrides (17.10.5K).
    """
    game_board = board()
    centre = game_board.index.get(HexId(unit_at))
    if is_south_pacific(scenario_id) and unit_at in game_board.south_pacific.off_map_hexes:
        return game_board.areas[NEW_HEBRIDES].hexes
    return (
        ()
        if centre is None
        else tuple(game_board.ids[index] for index in game_board.within(centre, range_hexes))
    )


def command_range_overlay(index: Index, selection: Selection) -> Overlay:
    """Show the command range of the selected headquarters, or of all friendly headquarters if none is selected (6.1).

    The highlighted option, the offensive or the cursor selects the headquarters.
    """
    headquarters = tuple(_headquarters(index, selection))
    tints: dict[str, OverlayRole] = {}
    names = []
    for unit in headquarters:
        row = counters()[unit.id]
        if row.hq is not None:
            hexes = hq_hexes(index.view.scenario, unit.at, row.hq.command_range)
            tints |= dict.fromkeys(map(str, hexes), _SIDE_TINTS[row.side])
            names.append(f"{short_name(unit.id)} {row.hq.command_range}")
    side = counters()[headquarters[0].id].side if headquarters else Side.ALLIED
    range_text = f"range of {', '.join(names)}" if len(names) == 1 else "ranges of headquarters"
    return Overlay(tints=tints, swatches=(Swatch(_SIDE_TINTS[side], range_text),))


def _headquarters(index: Index, selection: Selection) -> Iterator[UnitView]:
    view, offensive = index.view, index.view.offensive
    highlighted = selection.highlighted
    if isinstance(highlighted, c.ChooseHq) and highlighted.hq in index.units:
        yield index.units[highlighted.hq]
        return
    headquarters = [
        unit for unit in view.units if counters()[unit.id].is_hq and unit.at in board().index
    ]
    selected_units = [unit for unit in headquarters if unit.at == selection.cursor]
    is_activating = any(isinstance(option, c.Activate) for option in selection.options)
    if is_activating and offensive is not None and not selection.overlay:
        chosen_hq = offensive.hq if view.side is offensive.side else offensive.reaction_hq
        selected_units = [unit for unit in headquarters if unit.id == chosen_hq] or selected_units
    own_headquarters = [
        unit for unit in headquarters if view.side is None or counters()[unit.id].side is view.side
    ]
    yield from selected_units or own_headquarters


# -- aircraft


def _aircraft(index: Index, side: Side, cursor: str) -> tuple[UnitView, ...]:
    """Return a side's air units and carriers under the cursor or, if there are none, all of them on the map (1.3)."""
    aircraft = [
        unit
        for unit in index.view.units
        if unit.steps > 0
        and unit.at in board().index
        and counters()[unit.id].side is side
        and counters()[unit.id].is_air_capable
    ]
    return tuple([unit for unit in aircraft if unit.at == cursor] or aircraft)


def air_range_overlay(index: Index, cursor: str, *, is_enemy: bool) -> Overlay:
    """Show the hexes within normal and extended range of aircraft (1.3).

    Args:
        index: Index of the player's view.
        cursor: Hex of the aircraft. If the hex contains no aircraft, all of the side's aircraft are used.
        is_enemy: True to use the enemy's aircraft.
    """
    own_side = index.view.side or Side.ALLIED
    side = own_side.enemy if is_enemy else own_side
    game_board = board()
    near_hexes: set[int] = set()
    far_hexes: set[int] = set()
    for unit in _aircraft(index, side, cursor):
        face = counters()[unit.id].strength(unit.steps)
        centre = game_board.index[HexId(unit.at)]
        near_hexes.update(game_board.within(centre, face.range or 0))
        far_hexes.update(game_board.within(centre, face.extended_range or 0))
    tints = {str(game_board.ids[index]): _FAR_TINTS[side] for index in far_hexes}
    tints |= {str(game_board.ids[index]): _SIDE_TINTS[side] for index in near_hexes}
    name = ADJECTIVES[side]
    return Overlay(
        tints=tints,
        swatches=(
            Swatch(_SIDE_TINTS[side], f"{name} air range"),
            Swatch(_FAR_TINTS[side], "extended"),
        ),
    )


# -- the offensive


def offensive_overlay(offensive: OffensiveView) -> Overlay:
    """Show the paths and battle hexes of an offensive."""
    tints = {str(hex_id): OverlayRole.PATH for path in offensive.paths.values() for hex_id in path}
    tints |= dict.fromkeys(map(str, offensive.battles), OverlayRole.TARGET)
    return Overlay(
        tints=tints,
        swatches=(
            Swatch(OverlayRole.PATH, "paths of the last offensive"),
            Swatch(OverlayRole.TARGET, "its battles"),
        ),
    )


_WAY_POINT_MOVES: Final = (c.SailVia, c.FlyVia, c.AssaultVia)


def reach_overlay(view: EotsView, options: Iterable[Any]) -> Overlay:
    """Show the hexes that the moving stack may pass through or end in, with their distances (8.2, 8.3)."""
    frame = view.frames[-1] if view.frames else None
    if not isinstance(frame, StackFrame):
        return EMPTY_OVERLAY
    costs: dict[str, int | None] = {}
    tints: dict[str, OverlayRole] = {}
    for option in options:
        destination = getattr(option, "to", None)
        if destination is None or HexId(destination) not in board().index:
            continue
        hex, cost = str(destination), _move_distance(frame, option, HexId(destination))
        known_cost = costs.get(hex)
        costs[hex] = cost if known_cost is None else min(known_cost, cost or known_cost)
        if not isinstance(option, _WAY_POINT_MOVES):
            tints[hex] = OverlayRole.NEAR
        else:
            tints.setdefault(hex, OverlayRole.FAR)
    leader = short_name(UnitId(frame.units[0]))
    tint_names = {OverlayRole.NEAR: f"{leader} may end there", OverlayRole.FAR: "may pass"}
    used_tints = set(tints.values())
    return Overlay(
        tints=tints,
        tags={hex: str(cost) for hex, cost in costs.items() if cost is not None},
        swatches=tuple(
            Swatch(tint, name) for tint, name in tint_names.items() if tint in used_tints
        ),
    )


def _move_distance(frame: StackFrame, option: object, destination: HexId) -> int | None:
    """Return a move's distance in hexes, including hexes already moved; None for ground moves or unreachable hexes."""
    game_board = board()
    start_index = game_board.index.get(HexId(frame.at))
    if start_index is None:
        return None
    if isinstance(option, _AIR_MOVES):
        return frame.flown + game_board.distance_index(start_index, game_board.index[destination])
    if isinstance(option, _SEA_MOVES):
        hexes = game_board.sea_distances(start_index)[game_board.index[destination]]
        return None if hexes == UNREACHABLE else len(frame.path) + hexes
    return None
