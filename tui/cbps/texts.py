"""Formats orders as text. Below a heading that names the subject or verb, the text is shorter."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.cbps import commands as c
from engine.cbps.air.ch04_missions import mission_kind
from engine.cbps.frames import (
    AimFrame,
    BoatsFrame,
    ContactFrame,
    FrameBase,
    InterceptionFrame,
    LightsFrame,
    OverflightFrame,
    SailFrame,
    SearchAttemptFrame,
    SearchChoiceFrame,
    SearchLaunchFrame,
    SetupFrame,
    SurfaceCombatFrame,
)
from engine.cbps.ids import TASK_FORCE
from engine.cbps.prose.names import display_name
from engine.cbps.prose.turns import segment_name
from engine.cbps.sequence.ch03_sequence import PHASES
from engine.kernel.sentences import count_noun
from tui.cbps.index import Index, first_or_empty

DAMAGE_LEVELS: Final = {
    "": "undamaged",
    "light": "light damage",
    "heavy": "heavy damage",
    "crippled": "crippled",
    "sunk": "sunk",
}
DETECTION_NAMES: Final = {"": "unseen", "?": "roughly sighted", "L": "located", "S": "spotted"}
BOX_NAMES: Final = {
    "hangar": "hangar",
    "servicing": "servicing",
    "ready": "ready on deck",
    "landed": "landed",
}
_COMPASS_POINTS: Final = ("N", "NE", "ENE", "E", "ESE", "SE", "S", "SW", "WSW", "W", "WNW", "NW")
"""Compass points for the bearings of searches, every 30 degrees from north (8.25)."""


# -- units and places


def unit_text(index: Index, unit: str) -> str:
    """Return the name and type of an air unit, such as ``Hornet F1 (F6F)``."""
    return f"{display_name(unit)} ({index.air_type(unit)})"


def short_unit(index: Index, unit: str) -> str:
    """Return an air unit's name, without its carrier if it is aboard that carrier. Night fighters end in ``n``."""
    row = index.game_data.air_units[unit]
    is_guest = index.view.units[unit].at != row.carrier
    short_text = row.name if is_guest else row.name.removeprefix(f"{display_name(row.carrier)} ")
    return short_text + ("n" if index.game_data.air_types[row.type].night else "")


def type_counts(index: Index, units: tuple[str, ...]) -> str:
    """Return the number of units of each type, such as ``2 SB2C, 1 F6F``."""
    numbers: dict[str, int] = {}
    for unit in units:
        air_type = index.air_type(unit)
        numbers[air_type] = numbers.get(air_type, 0) + 1
    return ", ".join(f"{number} {air_type}" for air_type, number in numbers.items())


def target_text(index: Index, target: str) -> str:
    """Describe the target of a strike, submarine or raid, with everything known about it."""
    force = index.view.forces.get(target)
    if force is not None:
        return f"{display_name(target)} ({force_text(index, target)})"
    if target in index.view.hulls:
        return f"{display_name(target)} (crippled, alone)"
    return display_name(target)


def force_text(index: Index, force: str) -> str:
    """Describe a force's level, chit and detection, as in ``level 2, 2-3 Carriers, located``."""
    known_force = index.view.forces[force]
    parts = [f"level {known_force.level}"]
    if known_force.chit:
        parts.append("surface force" if known_force.chit == "surface" else known_force.chit)
    parts.append(DETECTION_NAMES[known_force.detection])
    return ", ".join(parts)


def hex_text(index: Index, hex: str) -> str:
    """Return a hex number. If the hex contains an island, the island's name is added."""
    island = index.game_data.map.islands.get(hex, "")
    return f"{hex} {island}" if island else hex


def bearing_text(bearing: int) -> str:
    """Return a bearing with its compass point, such as ``270 (W)``."""
    return f"{bearing:03} ({_COMPASS_POINTS[bearing // 30 % 12]})"


def _move_text(index: Index, start_hex: str, end_hex: str) -> str:
    """Describe a move, such as ``to 1114``, or ``W to 1114`` between adjacent hexes."""
    grid = index.game_data.map.grid
    destination = hex_text(index, end_hex)
    if start_hex in grid and end_hex in grid and grid.is_adjacent(start_hex, end_hex):
        return f"{grid.direction_between(start_hex, end_hex)} to {destination}"
    return f"to {destination}"


def group_hex(index: Index, group: str) -> str:
    """Return the hex of a task group or TF 58; empty if it is not in play."""
    groups = index.view.groups
    if group != TASK_FORCE:
        return groups[group].hex if group in groups else ""
    return first_or_empty(
        task_group.hex for task_group in groups.values() if not task_group.is_detached
    )


# -- orders


def mission_text(index: Index, mission: str) -> str:
    """Describe a mission. A mission that does not exist yet is described as ``a new strike, Strike 3``."""
    if mission in index.view.missions:
        fuel = index.view.missions[mission].fuel
        unit_counts = type_counts(index, index.mission_units(mission))
        fuel_text = "CAP" if index.view.missions[mission].cap else f"fuel {fuel}"
        return f"{display_name(mission)} ({unit_counts}; {fuel_text})"
    return f"a new {mission_kind(mission)}, {display_name(mission)}"


def _launch_text(index: Index, order: c.Launch) -> str:
    return f"Launch {unit_text(index, order.unit)} into {mission_text(index, order.mission)}"


def _cap_text(index: Index, order: c.Cap) -> str:
    mission = order.mission
    destination = (
        f"with {mission_text(index, mission)}"
        if mission in index.view.missions
        else display_name(mission)
    )
    return f"Launch {unit_text(index, order.unit)} as CAP, {destination}"


def _lower_text(index: Index, order: c.Lower) -> str:
    destination = "the hangar" if index.view.units[order.unit].place == "landed" else "servicing"
    return f"Lower {unit_text(index, order.unit)} to {destination}"


def _landing_text(index: Index, order: c.Land) -> str:
    return f"Land {unit_text(index, order.unit)} on {display_name(order.carrier)}"


def _flight_text(index: Index, order: c.Fly) -> str:
    return f"Fly {display_name(order.mission)} {_flight_detail(index, order)}"


def _flight_detail(index: Index, order: c.Fly) -> str:
    mission = index.view.missions.get(order.mission)
    if mission is None:
        return f"to {order.hex}"
    return _move_text(index, mission.hex, order.hex)


def _deployment_text(index: Index, order: c.Deploy) -> str:
    mission = index.view.missions.get(order.mission)
    name = display_name(order.mission)
    if mission is None or not mission.cap:
        return f"Send out {name}"
    return f"Send out CAP {mission.cap}, {name}"


def _sailing_text(index: Index, order: c.Sail) -> str:
    return f"Sail {display_name(order.group)} {_move_text(index, group_hex(index, order.group), order.hex)}"


def _stop_text(index: Index, _order: c.Stop) -> str:
    is_strike = bool(index.view.frames) and isinstance(index.view.frames[-1], ContactFrame)
    return "Go home without attacking" if is_strike else "Stop here"


def _submarine_move_text(index: Index, order: c.Hunt) -> str:
    return f"{display_name(order.boat)} {_move_text(index, index.view.boats[order.boat].hex, order.hex)}"


def _towing_text(index: Index, order: c.Tow) -> str:
    return (
        f"Tow {display_name(order.ship)} {_move_text(index, index.ship_hex(order.ship), order.hex)}"
    )


_DONE_TEXTS: Final[Mapping[type[FrameBase], str]] = {
    SetupFrame: "begin the first turn",
    SearchChoiceFrame: "search later in this turn",
    SearchLaunchFrame: "the searches fly",
    SearchAttemptFrame: "try the rest, nearest first",
    AimFrame: "leave the rest to the pilots: one ship, a carrier first",
    OverflightFrame: "all others fire",
    SailFrame: "the rest stays",
    BoatsFrame: "the other submarines do nothing",
    SurfaceCombatFrame: "the rest fire as they can",
    LightsFrame: "the other lights stay on",
}
"""The effect of Done, for some types of decision. In all other decisions, Done ends the segment."""


def _done_text(index: Index, order: c.Done) -> str:
    del order
    frames = index.view.frames
    step_text = _DONE_TEXTS.get(type(frames[-1])) if frames else None
    # The last phase is the last chance to hold the turn's Search Segment (8.22).
    if frames and isinstance(frames[-1], SearchChoiceFrame) and index.view.phase == PHASES:
        step_text = "no search in this turn"
    segment = segment_name(index.view.segment)
    if step_text is None and segment:
        step_text = f"end {segment}"
    return f"Done: {step_text}" if step_text else "Done"


def _attempt_text(index: Index, order: c.Attempt) -> str:
    return f"{display_name(order.search)} looks for {target_text(index, order.force)}"


def _shadow_text(index: Index, order: c.Shadow) -> str:
    del index
    return f"Shadow with {display_name(order.name)}"


def _intercept_text(index: Index, order: c.Intercept) -> str:
    return f"{display_name(order.mission)} fights {raid_text(index, order.raid)}"


def _division_text(index: Index, order: c.Divide) -> str:
    frame = index.view.frames[-1] if index.view.frames else None
    if isinstance(frame, InterceptionFrame):
        units = len(index.mission_units(frame.mission))
        if order.escorts >= units:
            return f"Send {count_noun(units, 'unit')} against escorts"
        unit_count = units - order.escorts
        if not order.escorts:
            return f"Send {count_noun(units, 'unit')} against attackers"
        return f"Send {count_noun(order.escorts, 'unit')} against escorts, {unit_count} against attackers"
    return f"Send {count_noun(order.escorts, 'unit')} against escorts, the rest against attackers"


def raid_text(index: Index, raid: str) -> str:
    """Describe a raid by its points and target."""
    raid_piece = index.view.raids.get(raid)
    if raid_piece is None:
        return display_name(raid)
    target = f" against {display_name(raid_piece.target)}" if raid_piece.target else ""
    return f"{display_name(raid)} ({raid_points(index, raid)}{target})"


def raid_points(index: Index, raid: str) -> str:
    """Return a raid's points or, after the raid has been divided, its escorts and attackers (10.13)."""
    raid_piece = index.view.raids[raid]
    if not raid_piece.is_split:
        return count_noun(raid_piece.points, "point")
    return f"{count_noun(raid_piece.fighters, 'escort')}, {count_noun(raid_piece.attackers, 'attacker')}"


def _lights_text(index: Index, order: c.LightUp | c.Darken) -> str:
    """Name the groups that turn their lights on or off: all groups in the same hex (6.431)."""
    group = index.view.groups.get(order.group)
    if group is None or index.groups_at(group.hex) == (order.group,):
        return f"the lights of {display_name(order.group)}"
    return (
        f"the lights of {display_name(order.group)} and all others in {hex_text(index, group.hex)}"
    )


def _placement_text(index: Index, order: c.Place) -> str:
    return f"{unit_text(index, order.unit)}: {BOX_NAMES[order.box]}"


def _station_text(index: Index, order: c.Station) -> str:
    return f"{display_name(order.name)} {_station_detail(index, order)}"


def _station_detail(index: Index, order: c.Station) -> str:
    """Describe a starting position by its hex. For a strike, also name the force in the hex and its present target."""
    destination, mission = hex_text(index, order.hex), index.view.missions.get(order.name)
    target = _force_in(index, order.hex)
    if mission is None or not target:
        return f"to {destination}"
    present = _force_in(index, mission.hex)
    instead = f", not {present}" if present not in ("", target) else ""
    return f"against {target} ({destination}){instead}"


def _force_in(index: Index, hex: str) -> str:
    """Return the name of the first force in a hex; empty if there is none."""
    forces = (force for force, known_force in index.view.forces.items() if known_force.hex == hex)
    return next(map(display_name, forces), "")


_LABELS: Final[Mapping[type[c.CbpsCommand], Callable[[Index, Any], str]]] = {
    c.Done: _done_text,
    c.Place: _placement_text,
    c.Station: _station_text,
    c.Launch: _launch_text,
    c.Cap: _cap_text,
    c.Raise: lambda index, order: f"Raise {unit_text(index, order.unit)} to the flight deck",
    c.Service: lambda index, order: f"Service {unit_text(index, order.unit)}",
    c.Store: lambda index, order: f"Put {unit_text(index, order.unit)} back into the hangar",
    c.Lower: _lower_text,
    c.Land: _landing_text,
    c.Wait: lambda index, order: f"Keep {unit_text(index, order.unit)} in the air",
    c.Overboard: lambda index, order: f"Push {unit_text(index, order.unit)} overboard",
    c.LightUp: lambda index, order: f"Switch on {_lights_text(index, order)}",
    c.Darken: lambda index, order: f"Switch off {_lights_text(index, order)}",
    c.Operate: lambda _, order: f"Let {display_name(order.carrier)} operate in this phase",
    c.Fly: _flight_text,
    c.Hold: lambda _, order: f"Let {display_name(order.mission)} stay where it is",
    c.Deploy: _deployment_text,
    c.Split: lambda index, order: (
        f"Split {unit_text(index, order.unit)} off as {display_name(order.mission)}"
    ),
    c.HoldSearch: lambda *_: "Search now, once in this turn",
    c.SearchOut: lambda index, order: (
        f"Search with {unit_text(index, order.unit)} on bearing {bearing_text(order.bearing)}"
    ),
    c.SearchLong: lambda index, order: (
        f"Search to 12 hexes with {unit_text(index, order.unit)} on bearing {bearing_text(order.bearing)}"
    ),
    c.SearchNarrow: lambda index, order: (
        f"Narrow search with {unit_text(index, order.unit)} to {hex_text(index, order.hex)}"
    ),
    c.JoinSearch: lambda index, order: (
        f"Let {unit_text(index, order.unit)} fly with {display_name(order.search)}"
    ),
    c.Pass: lambda index, order: f"Pass through {hex_text(index, order.hex)}",
    c.Attempt: _attempt_text,
    c.Shadow: _shadow_text,
    c.GoOn: lambda *_: "Continue searching without shadowing",
    c.Commit: lambda index, order: f"{_commitment_text(index, order.mission)} fights here",
    c.Intercept: _intercept_text,
    c.Divide: _division_text,
    c.HoldFire: lambda _, order: f"{display_name(order.ship)} holds its fire",
    c.Attack: lambda index, order: (
        f"{display_name(order.mission)} attacks {target_text(index, order.target)}"
    ),
    c.Retry: lambda index, order: f"Try again, for 1 fuel: {target_text(index, order.target)}",
    c.Stop: _stop_text,
    c.Aim: lambda index, order: f"Aim at {_hull_text(index, order.ship)}",
    c.Sail: _sailing_text,
    c.Detach: lambda _, order: f"Detach {display_name(order.group)} from TF 58",
    c.Rejoin: lambda _, order: f"Bring {display_name(order.group)} back under TF 58",
    c.DetachShip: lambda _, order: (
        f"Detach {display_name(order.ship)} into {display_name(order.group)}"
    ),
    c.Escort: lambda _, order: (
        f"Leave {display_name(order.ship)} with {display_name(order.cripple)}"
    ),
    c.Tow: _towing_text,
    c.Hunt: _submarine_move_text,
    c.Contact: lambda index, order: (
        f"{display_name(order.boat)} attempts contact with {target_text(index, order.target)}"
    ),
    c.Torpedo: lambda _, order: f"{display_name(order.boat)} attacks",
    c.BreakOff: lambda _, order: f"{display_name(order.boat)} breaks off",
    c.Accept: lambda *_: "Accept the surface combat",
    c.Avoid: lambda *_: "Try to avoid the surface combat",
    c.FireAt: lambda _, order: f"{display_name(order.ship)} fires at {display_name(order.target)}",
}
"""For each kind of order, the function that returns its text."""


def _commitment_text(index: Index, mission: str) -> str:
    return f"{display_name(mission)} ({type_counts(index, index.mission_units(mission))})"


def _hull_text(index: Index, ship: str) -> str:
    hull = index.view.hulls.get(ship)
    if hull is None:
        return display_name(ship)
    row = index.game_data.japanese_ships[ship]
    return f"{row.name} ({row.type}, hits {hull.hits.total} of {row.damage_capacity})"


def label(index: Index, order: c.CbpsCommand) -> str:
    """Describe an order."""
    return _LABELS[type(order)](index, order)


_DETAILS: Final[Mapping[type[c.CbpsCommand], Callable[[Index, Any], str]]] = {
    c.Place: lambda _, order: BOX_NAMES[order.box].capitalize(),
    c.Station: _station_detail,
    c.Launch: lambda index, order: f"Into {mission_text(index, order.mission)}",
    c.Cap: lambda index, order: f"As CAP, {mission_text(index, order.mission)}",
    c.Land: lambda _, order: f"On {display_name(order.carrier)}",
    c.Fly: _flight_detail,
    c.Split: lambda _, order: f"As {display_name(order.mission)}",
    c.SearchOut: lambda _, order: f"Bearing {bearing_text(order.bearing)}",
    c.SearchLong: lambda _, order: f"Bearing {bearing_text(order.bearing)}",
    c.SearchNarrow: lambda index, order: f"To {hex_text(index, order.hex)}",
    c.JoinSearch: lambda _, order: f"With {display_name(order.search)}",
    c.Attempt: lambda index, order: target_text(index, order.force),
    c.Intercept: lambda index, order: raid_text(index, order.raid),
    c.Attack: lambda index, order: target_text(index, order.target),
    c.Sail: lambda index, order: _move_text(index, group_hex(index, order.group), order.hex),
    c.Tow: lambda index, order: _move_text(index, index.ship_hex(order.ship), order.hex),
    c.Hunt: lambda index, order: _move_text(index, index.view.boats[order.boat].hex, order.hex),
    c.Contact: lambda index, order: target_text(index, order.target),
    c.FireAt: lambda _, order: f"At {display_name(order.target)}",
    c.DetachShip: lambda _, order: f"Detach into {display_name(order.group)}",
    c.Escort: lambda _, order: f"With {display_name(order.cripple)}",
}


def detail(index: Index, order: c.CbpsCommand) -> str:
    """Describe an order below a heading that names the order's subject."""
    text = _DETAILS.get(type(order), _LABELS[type(order)])(index, order)
    return text[:1].upper() + text[1:]


_UNIT_ONLY_COMMANDS: Final = (c.Raise, c.Service, c.Store, c.Lower, c.Overboard, c.Wait)
"""Orders listed below a heading that names everything except the unit."""


def short_label(index: Index, order: c.CbpsCommand) -> str:
    """Describe an order below a heading that names its verb."""
    if not isinstance(order, _UNIT_ONLY_COMMANDS):
        return label(index, order)
    unit = index.view.units[order.unit]
    return f"{unit_text(index, order.unit)}, {BOX_NAMES.get(unit.place, unit.place)}"


_VERB_HEADINGS: Final = {
    "launch": "Launch",
    "cap": "CAP",
    "raise": "Raise a unit to the flight deck",
    "service": "Service a unit",
    "store": "Put a unit back into the hangar",
    "lower": "Lower a unit",
    "land": "Land a unit",
    "overboard": "Push a landed unit overboard",
    "fly": "Fly a mission",
    "split": "Split a fighter off its mission",
    "place": "Place an air unit aboard",
    "station": "Place a submarine or a group",
    "search": "Search with a unit to 10 hexes",
    "search-narrow": "Narrow search with a unit to 14 hexes",
    "search-long": "Search with a fighter to 12 hexes",
    "join-search": "Add a second unit to a search",
    "sail": "Sail a group",
    "hunt": "Move a submarine",
    "detach-ship": "Detach a ship of the Battle Line",
}


def verb_heading(verb: str, summary: str) -> str:
    """Return the heading of a verb."""
    return _VERB_HEADINGS.get(verb, summary)


_SUBJECTS: Final = ("unit", "mission", "search", "boat", "ship", "group", "name", "carrier")


def subject(index: Index, order: c.CbpsCommand) -> tuple[str, str] | None:
    """Return the id and text of an order's subject, such as a unit, mission or group; None without a subject."""
    for field in _SUBJECTS:
        value = getattr(order, field, "")
        if value:
            return value, unit_text(index, value) if value in index.view.units else display_name(
                value
            )
    return None
