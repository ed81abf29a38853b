"""Folds for events about Japanese forces, ships and displays."""

from collections.abc import Mapping
from typing import Final, cast

from msgspec.structs import replace

from engine.cbps.events import japan as ev
from engine.cbps.evolve.base import map_values, with_value, without_key
from engine.cbps.force_ids import arriving_force, counter_of
from engine.cbps.ids import GUAM, JapaneseBox
from engine.cbps.state import Force, Hits, Hull, Search, State

_TURNAROUND_SHIFTS: Final[tuple[tuple[JapaneseBox, JapaneseBox], ...]] = (
    ("a11", "aall"),
    ("a7", "a11"),
    ("a3", "a7"),
    ("s2", "a3"),
    ("s1", "s2"),
)
"""Turnaround boxes in the order in which their points move up (9.12)."""
_RETURN_SHIFTS: Final[tuple[tuple[JapaneseBox, JapaneseBox], ...]] = (
    ("r4", "r0"),
    ("r8", "r4"),
    ("r12", "r8"),
)
_HOMELESS: Final[tuple[JapaneseBox, ...]] = ("lost", "r12", "r8", "r4", "r0")
"""Boxes whose points count as destroyed once their force has left play: they are lost or cannot land (10.33)."""

Boxes = Mapping[JapaneseBox, int]


def move_points(boxes: Boxes, source: str, destination: str, points: int) -> dict[JapaneseBox, int]:
    """Return the boxes after points have moved from one to another. Empty boxes are left out."""
    boxes_after = dict(boxes)
    for name, change in ((source, -points), (destination, points)):
        if name:
            box = cast("JapaneseBox", name)
            boxes_after[box] = boxes_after.get(box, 0) + change
            if not boxes_after[box]:
                del boxes_after[box]
    return boxes_after


def _with_force(state: State, force: str, new_force: Force) -> State:
    return replace(state, forces=with_value(state.forces, force, new_force))


def _apply_force_arrived(state: State, event: ev.ForceArrived) -> State:
    new_force = Force(
        hex=event.hex,
        level=event.level,
        chit=event.chit,
        partner=event.partner,
        historical=event.historical,
    )
    force = arriving_force(state, event.force)
    if force != event.force:
        state = replace(state, counters=with_value(state.counters, force, event.force))
    return _with_force(state, force, new_force)


def _apply_force_moved(state: State, event: ev.ForceMoved) -> State:
    old_force = state.forces[event.force]
    # A relocation corrects a report, so the force's last move does not change (18.3).
    if event.why == "relocate":
        return _with_force(state, event.force, replace(old_force, hex=event.hex))
    new_force = replace(old_force, hex=event.hex, heading=event.heading, entered=event.entered)
    if event.why != "retreat":  # a retreat is not an activation (14.131)
        new_force = replace(new_force, has_stayed=event.heading is None)
    return _with_force(state, event.force, new_force)


def _apply_force_removed(state: State, event: ev.ForceRemoved) -> State:
    old_force = state.forces[event.force]
    points_lost = sum(old_force.boxes.get(box, 0) for box in _HOMELESS) - old_force.free_lost
    points_lost += old_force.cap or 0  # its CAP has no flight deck left to land on (12.29)
    forces = without_key(state.forces, event.force)
    partner = old_force.partner
    if partner in forces:
        forces[partner] = replace(forces[partner], partner="")
    counter = counter_of(state, event.force)
    gone_letters = (*state.gone_letters, counter) if event.is_gone else state.gone_letters
    hulls = {
        name: replace(hull, force="") if hull.force == event.force else hull
        for name, hull in state.hulls.items()
    }
    boats = {
        name: replace(boat, shadowing="") if boat.shadowing == event.force else boat
        for name, boat in state.boats.items()
    }
    searches = {
        name: replace(search, shadowing="", has_shadowed=True, hex=old_force.hex)
        if search.shadowing == event.force
        else search
        for name, search in state.searches.items()
    }
    return replace(
        state,
        forces=forces,
        hulls=hulls,
        gone_letters=gone_letters,
        counters=with_value(state.counters, event.force, counter),
        boats=boats,
        searches=searches,
        destroyed_naval=state.destroyed_naval + points_lost,
    )


def _apply_force_renamed(state: State, event: ev.ForceRenamed) -> State:
    old_counter = counter_of(state, event.force)

    def rename_tried(search: Search) -> Search:
        if old_counter not in search.tried:
            return search
        tried_counters = (
            event.name if counter == old_counter else counter for counter in search.tried
        )
        return replace(search, tried=tuple(tried_counters))

    return replace(
        state,
        counters=with_value(state.counters, event.force, event.name),
        searches=map_values(state.searches, rename_tried),
    )


def _apply_level_changed(state: State, event: ev.LevelChanged) -> State:
    old_force = state.forces[event.force]
    new_force = replace(
        old_force,
        level=event.level,
        chit=event.chit,
        is_carrier=event.is_carrier,
        is_kido_butai=event.is_kido_butai or old_force.is_kido_butai,
    )
    return _with_force(state, event.force, new_force)


def _apply_chit_taken(state: State, event: ev.ChitTaken) -> State:
    cup = dict(state.level_1_cup)
    cup[event.chit] -= 1
    return replace(state, level_1_cup=cup)


def _apply_chits_returned(state: State, event: ev.ChitsReturned) -> State:
    cup, set_aside = dict(state.level_1_cup), dict(state.set_aside)
    for chit in event.chits:
        if event.is_to_cup:
            cup[chit] = cup.get(chit, 0) + 1
            set_aside[chit] -= 1
        else:
            set_aside[chit] = set_aside.get(chit, 0) + 1
    return replace(state, level_1_cup=cup, set_aside=set_aside)


def _apply_double_formed(state: State, event: ev.DoubleFormed) -> State:
    forces = dict(state.forces)
    old_force = forces[event.force]
    if old_force.partner and old_force.partner != event.partner and old_force.partner in forces:
        forces[old_force.partner] = replace(forces[old_force.partner], partner="")
    forces[event.force] = replace(old_force, partner=event.partner)
    if event.partner:
        forces[event.partner] = replace(forces[event.partner], partner=event.force)
    return replace(state, forces=forces, double_chits=event.chits)


def _apply_ships_drawn(state: State, event: ev.ShipsDrawn) -> State:
    hulls = {**state.hulls, **{ship: Hull(force=event.force) for ship in event.ships}}
    old_force = state.forces[event.force]
    carriers = tuple(
        ship for ship in event.ships if state.game_data.japanese_ships[ship].is_carrier
    )
    new_force = replace(old_force, first_carriers=(*old_force.first_carriers, *carriers))
    return replace(state, hulls=hulls, forces=with_value(state.forces, event.force, new_force))


def _apply_detected(state: State, event: ev.Detected) -> State:
    return _with_force(
        state, event.force, replace(state.forces[event.force], detection=event.detection)
    )


def _apply_advantage_changed(state: State, event: ev.AdvantageChanged) -> State:
    old_force = state.forces[event.force]
    return _with_force(state, event.force, replace(old_force, has_advantage=event.has_advantage))


def _apply_force_activated(state: State, event: ev.ForceActivated) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], has_acted=True))


def _apply_force_retires(state: State, event: ev.ForceRetires) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], is_retiring=True))


def _apply_force_fuel(state: State, event: ev.ForceFuel) -> State:
    old_force = state.forces[event.force]
    new_force = replace(old_force, fuel=event.fuel, oiler=event.oiler, queue=event.queue)
    tried_oilers = (*state.oilers_tried, event.oiler) if event.is_try else state.oilers_tried
    return replace(_with_force(state, event.force, new_force), oilers_tried=tried_oilers)


def _apply_oilers_placed(state: State, event: ev.OilersPlaced) -> State:
    return replace(state, oilers=dict(zip("ABC", event.hexes, strict=False)))


def _apply_butai_opened(state: State, event: ev.ButaiOpened) -> State:
    return _with_force(
        state, event.force, replace(state.forces[event.force], is_butai=event.is_open)
    )


_SLOTS: Final[Mapping[str, str]] = {"raid-a": "a", "raid-b": "b"}
_TRACK: Final = ("r12", "r8", "r4", "r0")


def _with_boxes(state: State, owner: str, boxes: Boxes, free_count: int = 0) -> State:
    if owner == GUAM:
        return replace(state, guam=replace(state.guam, boxes=boxes))
    old_force = state.forces[owner]
    return _with_force(
        state, owner, replace(old_force, boxes=boxes, free_lost=old_force.free_lost + free_count)
    )


def _apply_points_moved(state: State, event: ev.PointsMoved) -> State:
    holder = state.guam if event.owner == GUAM else state.forces[event.owner]
    boxes = move_points(holder.boxes, event.source, event.to, event.points)
    boxes_after = _with_boxes(state, event.owner, boxes, event.points if event.is_free else 0)
    # A returning raid still counts against the limit, so its slot remains in use (OP-35).
    if event.source in _SLOTS and event.to in _TRACK:
        force = boxes_after.forces[event.owner]
        returning_boxes = with_value(
            force.returning, _SLOTS[event.source], cast("JapaneseBox", event.to)
        )
        return _with_force(boxes_after, event.owner, replace(force, returning=returning_boxes))
    if event.source in _TRACK and event.source not in boxes:
        force = boxes_after.forces[event.owner]
        returning_after = {
            slot: box for slot, box in force.returning.items() if box != event.source
        }
        return _with_force(boxes_after, event.owner, replace(force, returning=returning_after))
    return boxes_after


def _apply_boxes_shifted(state: State, event: ev.BoxesShifted) -> State:
    holder = state.guam if event.owner == GUAM else state.forces[event.owner]
    boxes = dict(holder.boxes)
    # The boxes are emptied starting with the last one, so no point moves more than one box.
    for source, target_box in _TURNAROUND_SHIFTS:
        boxes = move_points(boxes, source, target_box, boxes.get(source, 0))
    landing: JapaneseBox = "landed" if event.owner == GUAM else "r0"
    goal = "s1" if event.is_deck_operable else "lost"
    boxes = move_points(boxes, landing, goal, boxes.get(landing, 0))
    if event.owner == GUAM:
        return _with_boxes(state, event.owner, boxes)
    for source, target_box in _RETURN_SHIFTS:
        boxes = move_points(boxes, source, target_box, boxes.get(source, 0))
    shifted_boxes = dict(_RETURN_SHIFTS)
    force = state.forces[event.owner]
    returning_boxes = {
        slot: shifted_boxes[box] for slot, box in force.returning.items() if box in shifted_boxes
    }
    return _with_force(state, event.owner, replace(force, boxes=boxes, returning=returning_boxes))


def _apply_cap_generated(state: State, event: ev.CapGenerated) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], cap=event.points))


def _apply_cap_lost(state: State, event: ev.CapLost) -> State:
    old_force = state.forces[event.force]
    boxes = move_points(old_force.boxes, "", "lost", event.points)
    return _with_force(
        state, event.force, replace(old_force, cap=(old_force.cap or 0) - event.points, boxes=boxes)
    )


def _apply_raids_counted(state: State, event: ev.RaidsCounted) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], raids=event.raids))


def _apply_force_hit(state: State, event: ev.ForceHit) -> State:
    old_force = state.forces[event.force]
    hits = replace(old_force.hits, current=old_force.hits.current + event.hits)
    return _with_force(state, event.force, replace(old_force, hits=hits))


def _apply_force_hits_void(state: State, event: ev.ForceHitsVoid) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], hits=Hits()))


def _with_hull(state: State, ship: str, new_hull: Hull) -> State:
    return replace(state, hulls=with_value(state.hulls, ship, new_hull))


def _apply_hull_hit(state: State, event: ev.HullHit) -> State:
    old_hull = state.hulls[event.ship]
    permanent = event.hits if event.is_permanent else 0
    hits = Hits(
        current=old_hull.hits.current + event.hits - permanent,
        previous=old_hull.hits.previous + event.previous,
        permanent=old_hull.hits.permanent + permanent,
    )
    return _with_hull(state, event.ship, replace(old_hull, hits=hits))


def _age_hits(hits: Hits, *, is_end: bool) -> Hits:
    if is_end:
        return Hits(permanent=hits.total)
    return Hits(previous=hits.current, permanent=hits.permanent + hits.previous)


def _apply_hits_aged(state: State, event: ev.HitsAged) -> State:
    def older(part: Hull | Force) -> Hits:
        return _age_hits(part.hits, is_end=event.is_end)

    return replace(
        state,
        hulls={name: replace(hull, hits=older(hull)) for name, hull in state.hulls.items()},
        forces={name: replace(force, hits=older(force)) for name, force in state.forces.items()},
    )


def _apply_hull_sunk(state: State, event: ev.HullSunk) -> State:
    old_hull = state.hulls[event.ship]
    return _with_hull(state, event.ship, replace(old_hull, fate="sunk", hex=""))


def _apply_hull_left(state: State, event: ev.HullLeft) -> State:
    return _with_hull(state, event.ship, replace(state.hulls[event.ship], hex=event.hex))


def _apply_hull_exited(state: State, event: ev.HullExited) -> State:
    old_hull = state.hulls[event.ship]
    new_hull = replace(old_hull, fate="exited", hex="", is_vp_exit=event.is_vp_exit)
    return _with_hull(state, event.ship, new_hull)


def _apply_commitment_set(state: State, event: ev.CommitmentSet) -> State:
    return replace(state, commitment=event.index, departed_commitment=event.departed)


def _apply_limit_reached(state: State, _event: ev.LimitReached) -> State:
    return replace(state, limit_reached=True)


def _apply_guam_changed(state: State, event: ev.GuamChanged) -> State:
    old_guam = state.guam
    reinforced = (*old_guam.reinforced, event.base) if event.base else old_guam.reinforced
    new_guam = replace(old_guam, air_value=event.air_value, reinforced=reinforced)
    return replace(state, guam=new_guam)


def _apply_force_found(state: State, event: ev.ForceFound) -> State:
    return replace(state, found=with_value(state.found, event.name, event.points))


FOLDS: Final[Mapping[type, object]] = {
    ev.ForceArrived: _apply_force_arrived,
    ev.ForceMoved: _apply_force_moved,
    ev.ForceRemoved: _apply_force_removed,
    ev.ForceRenamed: _apply_force_renamed,
    ev.LevelChanged: _apply_level_changed,
    ev.ChitTaken: _apply_chit_taken,
    ev.ChitsReturned: _apply_chits_returned,
    ev.DoubleFormed: _apply_double_formed,
    ev.ShipsDrawn: _apply_ships_drawn,
    ev.Detected: _apply_detected,
    ev.AdvantageChanged: _apply_advantage_changed,
    ev.ForceActivated: _apply_force_activated,
    ev.ForceRetires: _apply_force_retires,
    ev.ForceFuel: _apply_force_fuel,
    ev.OilersPlaced: _apply_oilers_placed,
    ev.ButaiOpened: _apply_butai_opened,
    ev.PointsMoved: _apply_points_moved,
    ev.BoxesShifted: _apply_boxes_shifted,
    ev.CapGenerated: _apply_cap_generated,
    ev.CapLost: _apply_cap_lost,
    ev.RaidsCounted: _apply_raids_counted,
    ev.ForceHit: _apply_force_hit,
    ev.ForceHitsVoid: _apply_force_hits_void,
    ev.HullHit: _apply_hull_hit,
    ev.HitsAged: _apply_hits_aged,
    ev.HullSunk: _apply_hull_sunk,
    ev.HullLeft: _apply_hull_left,
    ev.HullExited: _apply_hull_exited,
    ev.CommitmentSet: _apply_commitment_set,
    ev.LimitReached: _apply_limit_reached,
    ev.GuamChanged: _apply_guam_changed,
    ev.ForceFound: _apply_force_found,
}
"""The fold function of each event in :mod:`engine.cbps.events.japan`."""
