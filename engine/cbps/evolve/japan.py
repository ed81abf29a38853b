"""Folds for events about Japanese forces, ships and displays."""

from collections.abc import Mapping
from typing import Final, cast

from msgspec.structs import replace

from engine.cbps.events import japan as ev
from engine.cbps.evolve.base import with_value, without_key
from engine.cbps.ids import GUAM, JapaneseBox
from engine.cbps.state import Force, Hits, Hull, State

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
"""Boxes whose points are lost or cannot land anywhere once their force has left play (10.33)."""

Boxes = Mapping[JapaneseBox, int]


def move_points(boxes: Boxes, source: str, to: str, points: int) -> dict[JapaneseBox, int]:
    """Return the boxes after points have moved from one to another, leaving out empty boxes."""
    boxes_after = dict(boxes)
    for name, change in ((source, -points), (to, points)):
        if name:
            box = cast("JapaneseBox", name)
            boxes_after[box] = boxes_after.get(box, 0) + change
            if not boxes_after[box]:
                del boxes_after[box]
    return boxes_after


def _with_force(state: State, force: str, changed: Force) -> State:
    return replace(state, forces=with_value(state.forces, force, changed))


def _arrived(state: State, event: ev.ForceArrived) -> State:
    new = Force(
        hex=event.hex,
        level=event.level,
        chit=event.chit,
        partner=event.partner,
        historical=event.historical,
    )
    return _with_force(state, event.force, new)


def _force_moved(state: State, event: ev.ForceMoved) -> State:
    old = state.forces[event.force]
    if event.why == "relocate":
        return _with_force(state, event.force, replace(old, hex=event.hex))
    new = replace(old, hex=event.hex, heading=event.heading, entered=event.entered)
    if event.why != "retreat":  # a retreat is not an activation (14.131)
        new = replace(new, has_stayed=event.heading is None)
    return _with_force(state, event.force, new)


def _removed(state: State, event: ev.ForceRemoved) -> State:
    old = state.forces[event.force]
    lost = sum(old.boxes.get(box, 0) for box in _HOMELESS) - old.free_lost
    lost += old.cap or 0  # its CAP has no flight deck left to land on (12.29)
    forces = without_key(state.forces, event.force)
    partner = old.partner
    if partner in forces:
        forces[partner] = replace(forces[partner], partner="")
    gone = (*state.gone_letters, event.force) if event.is_gone else state.gone_letters
    hulls = {
        name: replace(hull, force="") if hull.force == event.force else hull
        for name, hull in state.hulls.items()
    }
    boats = {
        name: replace(boat, shadowing="") if boat.shadowing == event.force else boat
        for name, boat in state.boats.items()
    }
    searches = {
        name: replace(search, shadowing="", has_shadowed=True, hex=old.hex)
        if search.shadowing == event.force
        else search
        for name, search in state.searches.items()
    }
    return replace(
        state,
        forces=forces,
        hulls=hulls,
        gone_letters=gone,
        boats=boats,
        searches=searches,
        destroyed_naval=state.destroyed_naval + lost,
    )


def _renamed(state: State, event: ev.ForceRenamed) -> State:
    old, new = event.force, event.name
    forces = {
        (new if name == old else name): (
            replace(force, partner=new) if force.partner == old else force
        )
        for name, force in state.forces.items()
    }
    return replace(
        state,
        forces=forces,
        boats={
            name: replace(boat, shadowing=new) if boat.shadowing == old else boat
            for name, boat in state.boats.items()
        },
        searches={
            name: replace(
                search,
                shadowing=new if search.shadowing == old else search.shadowing,
                tried=tuple(
                    new if name_tried == old else name_tried for name_tried in search.tried
                ),
            )
            for name, search in state.searches.items()
        },
        missions={
            name: replace(
                mission,
                toward=tuple(
                    new if name_tried == old else name_tried for name_tried in mission.toward
                ),
            )
            for name, mission in state.missions.items()
        },
        raids={
            name: replace(raid, origin=new) if raid.origin == old else raid
            for name, raid in state.raids.items()
        },
        hulls={
            name: replace(hull, force=new) if hull.force == old else hull
            for name, hull in state.hulls.items()
        },
    )


def _level(state: State, event: ev.LevelChanged) -> State:
    old = state.forces[event.force]
    new = replace(
        old,
        level=event.level,
        chit=event.chit,
        is_carrier=event.is_carrier,
        is_kido_butai=event.is_kido_butai or old.is_kido_butai,
    )
    return _with_force(state, event.force, new)


def _taken(state: State, event: ev.ChitTaken) -> State:
    cup = dict(state.level_1_cup)
    cup[event.chit] -= 1
    return replace(state, level_1_cup=cup)


def _returned(state: State, event: ev.ChitsReturned) -> State:
    cup, aside = dict(state.level_1_cup), dict(state.set_aside)
    for chit in event.chits:
        if event.is_to_cup:
            cup[chit] = cup.get(chit, 0) + 1
            aside[chit] -= 1
        else:
            aside[chit] = aside.get(chit, 0) + 1
    return replace(state, level_1_cup=cup, set_aside=aside)


def _double(state: State, event: ev.DoubleFormed) -> State:
    forces = dict(state.forces)
    old = forces[event.force]
    if old.partner and old.partner != event.partner and old.partner in forces:
        forces[old.partner] = replace(forces[old.partner], partner="")
    forces[event.force] = replace(old, partner=event.partner)
    if event.partner:
        forces[event.partner] = replace(forces[event.partner], partner=event.force)
    return replace(state, forces=forces, double_chits=event.chits)


def _drawn(state: State, event: ev.ShipsDrawn) -> State:
    hulls = {**state.hulls, **{ship: Hull(force=event.force) for ship in event.ships}}
    old = state.forces[event.force]
    carriers = tuple(
        ship for ship in event.ships if state.game_data.japanese_ships[ship].is_carrier
    )
    new = replace(old, first_carriers=(*old.first_carriers, *carriers))
    return replace(state, hulls=hulls, forces=with_value(state.forces, event.force, new))


def _detected(state: State, event: ev.Detected) -> State:
    return _with_force(
        state, event.force, replace(state.forces[event.force], detection=event.detection)
    )


def _advantage(state: State, event: ev.AdvantageChanged) -> State:
    old = state.forces[event.force]
    return _with_force(state, event.force, replace(old, has_advantage=event.has_advantage))


def _activated(state: State, event: ev.ForceActivated) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], has_acted=True))


def _retires(state: State, event: ev.ForceRetires) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], is_retiring=True))


def _fuel(state: State, event: ev.ForceFuel) -> State:
    old = state.forces[event.force]
    new = replace(old, fuel=event.fuel, oiler=event.oiler, queue=event.queue)
    tried = (*state.oilers_tried, event.oiler) if event.is_try else state.oilers_tried
    return replace(_with_force(state, event.force, new), oilers_tried=tried)


def _oilers(state: State, event: ev.OilersPlaced) -> State:
    return replace(state, oilers=dict(zip("ABC", event.hexes, strict=False)))


def _butai(state: State, event: ev.ButaiOpened) -> State:
    return _with_force(
        state, event.force, replace(state.forces[event.force], is_butai=event.is_open)
    )


_SLOTS: Final[Mapping[str, str]] = {"raid-a": "a", "raid-b": "b"}
_TRACK: Final = ("r12", "r8", "r4", "r0")


def _with_boxes(state: State, owner: str, boxes: Boxes, free: int = 0) -> State:
    if owner == GUAM:
        return replace(state, guam=replace(state.guam, boxes=boxes))
    old = state.forces[owner]
    return _with_force(state, owner, replace(old, boxes=boxes, free_lost=old.free_lost + free))


def _points(state: State, event: ev.PointsMoved) -> State:
    holder = state.guam if event.owner == GUAM else state.forces[event.owner]
    boxes = move_points(holder.boxes, event.source, event.to, event.points)
    boxes_after = _with_boxes(state, event.owner, boxes, event.points if event.is_free else 0)
    if event.source in _SLOTS and event.to in _TRACK:
        force = boxes_after.forces[event.owner]
        returning = with_value(force.returning, _SLOTS[event.source], cast("JapaneseBox", event.to))
        return _with_force(boxes_after, event.owner, replace(force, returning=returning))
    if event.source in _TRACK and event.source not in boxes:
        force = boxes_after.forces[event.owner]
        left = {slot: box for slot, box in force.returning.items() if box != event.source}
        return _with_force(boxes_after, event.owner, replace(force, returning=left))
    return boxes_after


def _shifted(state: State, event: ev.BoxesShifted) -> State:
    holder = state.guam if event.owner == GUAM else state.forces[event.owner]
    boxes = dict(holder.boxes)
    for source, to in _TURNAROUND_SHIFTS:
        boxes = move_points(boxes, source, to, boxes.get(source, 0))
    landing: JapaneseBox = "landed" if event.owner == GUAM else "r0"
    goal = "s1" if event.is_deck_operable else "lost"
    boxes = move_points(boxes, landing, goal, boxes.get(landing, 0))
    if event.owner == GUAM:
        return _with_boxes(state, event.owner, boxes)
    for source, to in _RETURN_SHIFTS:
        boxes = move_points(boxes, source, to, boxes.get(source, 0))
    nearer = dict(_RETURN_SHIFTS)
    force = state.forces[event.owner]
    returning = {slot: nearer[box] for slot, box in force.returning.items() if box in nearer}
    return _with_force(state, event.owner, replace(force, boxes=boxes, returning=returning))


def _cap(state: State, event: ev.CapGenerated) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], cap=event.points))


def _cap_lost(state: State, event: ev.CapLost) -> State:
    old = state.forces[event.force]
    boxes = move_points(old.boxes, "", "lost", event.points)
    return _with_force(
        state, event.force, replace(old, cap=(old.cap or 0) - event.points, boxes=boxes)
    )


def _raids(state: State, event: ev.RaidsCounted) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], raids=event.raids))


def _force_hit(state: State, event: ev.ForceHit) -> State:
    old = state.forces[event.force]
    hits = replace(old.hits, current=old.hits.current + event.hits)
    return _with_force(state, event.force, replace(old, hits=hits))


def _hits_void(state: State, event: ev.ForceHitsVoid) -> State:
    return _with_force(state, event.force, replace(state.forces[event.force], hits=Hits()))


def _with_hull(state: State, ship: str, changed: Hull) -> State:
    return replace(state, hulls=with_value(state.hulls, ship, changed))


def _hull_hit(state: State, event: ev.HullHit) -> State:
    old = state.hulls[event.ship]
    permanent = event.hits if event.is_permanent else 0
    hits = Hits(
        current=old.hits.current + event.hits - permanent,
        previous=old.hits.previous + event.previous,
        permanent=old.hits.permanent + permanent,
    )
    return _with_hull(state, event.ship, replace(old, hits=hits))


def _age(hits: Hits, *, is_end: bool) -> Hits:
    if is_end:
        return Hits(permanent=hits.total)
    return Hits(previous=hits.current, permanent=hits.permanent + hits.previous)


def _aged(state: State, event: ev.HitsAged) -> State:
    def older(part: Hull | Force) -> Hits:
        return _age(part.hits, is_end=event.is_end)

    return replace(
        state,
        hulls={name: replace(hull, hits=older(hull)) for name, hull in state.hulls.items()},
        forces={name: replace(force, hits=older(force)) for name, force in state.forces.items()},
    )


def _hull_sunk(state: State, event: ev.HullSunk) -> State:
    old = state.hulls[event.ship]
    return _with_hull(state, event.ship, replace(old, fate="sunk", hex=""))


def _hull_left(state: State, event: ev.HullLeft) -> State:
    return _with_hull(state, event.ship, replace(state.hulls[event.ship], hex=event.hex))


def _hull_exited(state: State, event: ev.HullExited) -> State:
    old = state.hulls[event.ship]
    new = replace(old, fate="exited", hex="", is_vp_exit=event.is_vp_exit)
    return _with_hull(state, event.ship, new)


def _commitment(state: State, event: ev.CommitmentSet) -> State:
    return replace(state, commitment=event.index, departed_commitment=event.departed)


def _limit(state: State, _event: ev.LimitReached) -> State:
    return replace(state, limit_reached=True)


def _guam(state: State, event: ev.GuamChanged) -> State:
    old = state.guam
    reinforced = (*old.reinforced, event.base) if event.base else old.reinforced
    new = replace(old, air_value=event.air_value, reinforced=reinforced)
    return replace(state, guam=new)


def _found(state: State, event: ev.ForceFound) -> State:
    return replace(state, found=with_value(state.found, event.name, event.points))


FOLDS: Final[Mapping[type, object]] = {
    ev.ForceArrived: _arrived,
    ev.ForceMoved: _force_moved,
    ev.ForceRemoved: _removed,
    ev.ForceRenamed: _renamed,
    ev.LevelChanged: _level,
    ev.ChitTaken: _taken,
    ev.ChitsReturned: _returned,
    ev.DoubleFormed: _double,
    ev.ShipsDrawn: _drawn,
    ev.Detected: _detected,
    ev.AdvantageChanged: _advantage,
    ev.ForceActivated: _activated,
    ev.ForceRetires: _retires,
    ev.ForceFuel: _fuel,
    ev.OilersPlaced: _oilers,
    ev.ButaiOpened: _butai,
    ev.PointsMoved: _points,
    ev.BoxesShifted: _shifted,
    ev.CapGenerated: _cap,
    ev.CapLost: _cap_lost,
    ev.RaidsCounted: _raids,
    ev.ForceHit: _force_hit,
    ev.ForceHitsVoid: _hits_void,
    ev.HullHit: _hull_hit,
    ev.HitsAged: _aged,
    ev.HullSunk: _hull_sunk,
    ev.HullLeft: _hull_left,
    ev.HullExited: _hull_exited,
    ev.CommitmentSet: _commitment,
    ev.LimitReached: _limit,
    ev.GuamChanged: _guam,
    ev.ForceFound: _found,
}
"""One fold for each event of :mod:`engine.cbps.events.japan`."""
