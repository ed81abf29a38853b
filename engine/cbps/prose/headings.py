"""Report headings: one sentence about a force, raid, strike or search."""

from collections.abc import Container, Sequence
from typing import Final

from engine.cbps.events import air, chance, fleet, japan, raids
from engine.cbps.events.base import CbpsEvent
from engine.cbps.game_data import load_game_data
from engine.cbps.ids import GUAM
from engine.cbps.prose.names import display_name, display_names
from engine.cbps.view import CbpsView
from engine.kernel.sentences import count_noun, pluralise

DETECTION_NAMES: Final = {"": "undetected", "?": "approximate", "L": "Located", "S": "Spotted"}
"""Detection markers in words (8.11)."""
_AFTER_CONTACT: Final = frozenset(
    {"surprise", "anti_aircraft_fire", "air_attack_die_rolls", "air_attack_damage"}
)
"""Charts that are read only after a strike makes contact (5.1)."""
_IN_CONTACT: Final = _AFTER_CONTACT | {"japanese_cap_strength"}
"""Charts whose results concern the force that a strike has contacted."""
_DETECTION_TEXTS: Final = {"?": "sighted approximately", "L": "located", "S": "spotted"}


def force_label(force: str, view: CbpsView) -> str:
    """Return a label such as ``Force C (Large, Located)``. For any other name, return the name as printed."""
    force_view = view.forces.get(force)
    if force_view is None:
        return display_name(force)
    chit = f"{force_view.chit}, " if force_view.chit else ""
    return f"{display_name(force)} ({chit}{DETECTION_NAMES[force_view.detection]})"


def force_heading(
    force: str, events: Sequence[CbpsEvent], view_before: CbpsView, view_after: CbpsView
) -> tuple[str, tuple[CbpsEvent, ...]]:
    """Return the heading for a force's activation, and the events that it covers.

    Both are empty if the force did nothing, such as the second half of a double force (7.53).
    """
    raids_placed = [event for event in events if isinstance(event, raids.RaidPlaced)]
    if raids_placed:
        origin = _original_counter(raids_placed[0].origin, events)
        view = (
            view_before
            if origin in view_before.forces or origin not in view_after.forces
            else view_after
        )
        start_hex = _starting_hex(origin, events, view_before, view_after)
        return (
            f"{force_label(origin, view)} raided {_raid_text(raids_placed, start_hex, view_before)}",
            tuple(raids_placed),
        )
    words, start_hex = (
        force_label(force, view_before),
        _starting_hex(force, events, view_before, view_after),
    )
    moves = [event for event in events if isinstance(event, japan.ForceMoved)]
    own_moves = [event for event in moves if event.force == force] or moves
    if not own_moves:
        has_acted = any(isinstance(event, japan.ForceActivated) for event in events)
        return (f"{words} in {start_hex}" if start_hex else words) if has_acted else "", ()
    move = own_moves[-1]
    move_events = (move,)
    if move.heading is None:
        return f"{words} stayed in {move.hex}", move_events
    route = f"from {start_hex} " if start_hex else ""
    return f"{words} moved {move.heading} {route}to {move.hex}", move_events


def _original_counter(force: str, events: Sequence[CbpsEvent]) -> str:
    """Return a force's counter as it was before another counter replaced it (9.11)."""
    for event in events:
        if isinstance(event, japan.ForceRenamed) and event.name == force:
            return event.force
    return force


def base_heading(
    base: str, events: Sequence[CbpsEvent], view_before: CbpsView
) -> tuple[str, tuple[CbpsEvent, ...]]:
    """Return the heading for a base, such as Guam, and the events it covers. Both are empty if no die was rolled."""
    raids_placed = [event for event in events if isinstance(event, raids.RaidPlaced)]
    if raids_placed and base == GUAM:
        return f"{base} raided {_raid_text(raids_placed, '', view_before)}", tuple(raids_placed)
    if raids_placed or any(isinstance(event, japan.GuamChanged) for event in events):
        return f"{base} sent reinforcements to Guam", ()
    is_tried = any(isinstance(event, chance.ChartRead) for event in events)
    return f"{base} sent nothing" if is_tried else "", ()


def _starting_hex(
    force: str, events: Sequence[CbpsEvent], view_before: CbpsView, view_after: CbpsView
) -> str:
    """Return the hex in which a force was activated, or an empty string if the views do not show it."""
    old_force = view_before.forces.get(force)
    return old_force.hex if old_force is not None else _arrival_hex(events, view_after, force)


def _arrival_hex(events: Sequence[CbpsEvent], view_after: CbpsView, force: str) -> str:
    """Return the starting hex of a force that was not on the map before the command. Empty if unknown."""
    arriving_force = view_after.forces.get(force)
    has_moved = any(isinstance(event, japan.ForceMoved) for event in events)
    return arriving_force.hex if arriving_force is not None and not has_moved else ""


def _raid_text(placed: list[raids.RaidPlaced], start_hex: str, view: CbpsView) -> str:
    first_raid = placed[0]
    points = " and ".join(str(raid.points) for raid in placed)
    noun = "point" if points == "1" else "points"
    origin_text = f" from {start_hex}" if start_hex else ""
    text = f"{display_name(first_raid.target)} with {points} {noun}{origin_text}: seen in"
    group = view.groups.get(first_raid.target)
    seen_texts = []
    for raid in placed:
        direction_text = ""
        if group is not None:
            hexes = load_game_data(view.overlay).map.grid.distance(raid.hex, group.hex)
            direction_text = f", {pluralise(hexes, 'hex', 'hexes')} away"
        seen_texts.append(f"{raid.hex}{direction_text}")
    return f"{text} {' and '.join(seen_texts)}"


# -- raids and strikes


_ESCORTS: Final = "japanese_escort_fighters"
"""The chart that splits a raid before it fights (10.13)."""


def raid_heading(raid: str, events: Sequence[CbpsEvent], view_before: CbpsView) -> str:
    """Return a heading with the result of a raid's attack, or of a fight against the raid."""
    raid_before = view_before.raids.get(raid)
    target = (
        f" on {display_name(raid_before.target)}"
        if raid_before is not None and raid_before.target
        else ""
    )
    reasons = [event.why for event in events if isinstance(event, raids.RaidEnded)]
    if reasons == ["landed"]:
        return f"{display_name(raid)} landed on Guam"
    destroyed_count = sum(
        event.fighters + event.attackers for event in events if isinstance(event, raids.RaidReduced)
    )
    charts_read = {event.chart for event in events if isinstance(event, chance.ChartRead)} - {
        _ESCORTS
    }
    if not charts_read and any(isinstance(event, raids.RaidSplit) for event in events):
        return f"{display_name(raid)}{target} divides into escorts and attackers"
    parts = [f"{count_noun(destroyed_count, 'point')} destroyed"] if destroyed_count else []
    parts += _us_loss_texts(events)
    return f"{display_name(raid)}{target}: {', '.join(parts) or 'no losses on either side'}"


def _us_loss_texts(events: Sequence[CbpsEvent]) -> list[str]:
    hits: dict[str, int] = {}
    for event in events:
        if isinstance(event, fleet.ShipHit):
            hits[event.ship] = hits.get(event.ship, 0) + event.hits
    parts = [
        f"{count_noun(number, 'hit')} on {display_name(ship)}" for ship, number in hits.items()
    ]
    parts += [
        f"{display_name(loss.ship)} sunk" for loss in events if isinstance(loss, fleet.ShipSunk)
    ]
    units_lost = sum(isinstance(loss, air.UnitLost) for loss in events)
    if units_lost:
        parts.append(f"{count_noun(units_lost, 'US unit')} lost")
    return parts


def contacted_force(event: CbpsEvent, forces: Container[str]) -> str:
    """Return the force that a strike has contacted, or an empty string if the event shows no contact (5.21, 5.24).

    Args:
        event: An event of the strike.
        forces: The forces to consider.
    """
    match event:
        case japan.Detected(force=force, why="strike"):
            return force
        case chance.ChartRead(chart=chart, about=subject):
            return subject if chart in _IN_CONTACT and subject in forces else ""
        case _:
            return ""


def strike_heading(
    mission: str, target: str, events: Sequence[CbpsEvent], view_before: CbpsView
) -> str:
    """Return a heading with the result of a strike.

    If it found the wrong force, the heading names that force (5.24).
    """
    contacted = next(
        (force for event in events if (force := contacted_force(event, view_before.forces))), target
    )
    title = f"{display_name(mission)} on {force_label(target, view_before)}"
    if contacted != target:
        target_name = display_name(target)
        found_name = force_label(contacted, view_before)
        title = f"Wrong force! {display_name(mission)} has found {found_name}, not {target_name}"
    charts_read = {force.chart for force in events if isinstance(force, chance.ChartRead)}
    is_found = bool(charts_read & _AFTER_CONTACT) or any(
        isinstance(force, japan.Detected) and force.why == "strike" for force in events
    )
    hits: dict[str, int] = {}
    for event in events:
        if isinstance(event, japan.HullHit):
            hits[event.ship] = hits.get(event.ship, 0) + event.hits
    parts = ["contact" if is_found or hits else "no contact"]
    shot_count = sum(
        force.points
        for force in events
        if isinstance(force, japan.CapLost) and not force.is_deckless
    )
    if shot_count:
        parts.append(f"{count_noun(shot_count, 'CAP point')} shot down")
    parts += [
        f"{count_noun(number, 'hit')} on {display_name(ship)}" for ship, number in hits.items()
    ]
    if "air_attack_damage" in charts_read and not hits:
        parts.append("no hits")
    sunk_ships = tuple(force.ship for force in events if isinstance(force, japan.HullSunk))
    if sunk_ships:
        parts.append(f"{display_names(sunk_ships)} sunk")
    units_lost = sum(isinstance(force, air.UnitLost) for force in events)
    if units_lost:
        parts.append(f"{count_noun(units_lost, 'US unit')} lost")
    return f"{title}: {', '.join(parts)}"


# -- searches


def search_heading(
    search: str, force: str, events: Sequence[CbpsEvent], view_before: CbpsView
) -> str:
    """Return a heading with the result of a search for a force."""
    old_force = view_before.forces.get(force)
    place_text = f" in {old_force.hex}" if old_force is not None else ""
    seen_forces = [
        event for event in events if isinstance(event, japan.Detected) and event.why == "search"
    ]
    title = f"{display_name(search)} looked for {force_label(force, view_before)}{place_text}"
    if seen_forces:
        return f"{title}: {_DETECTION_TEXTS[seen_forces[-1].detection]}"
    is_raised = any(isinstance(event, japan.LevelChanged | japan.ForceRemoved) for event in events)
    return f"{title}: {'more is known' if is_raised else 'nothing new'}"
