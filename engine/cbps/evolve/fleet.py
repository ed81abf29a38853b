"""Folds for events about US task groups and ships."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from engine.cbps.events import fleet as ev
from engine.cbps.evolve.base import with_value
from engine.cbps.locations import is_lit
from engine.cbps.state import Group, State, UsShip

_FIRE_CAUSES: Final = ("raid", "gunfire")
"""Causes of hits that can start a fire at the end of the segment (12.31, 12.311)."""


def _with_group(state: State, group: str, new_group: Group) -> State:
    return replace(state, groups=with_value(state.groups, group, new_group))


def _with_ship(state: State, ship: str, new_ship: UsShip) -> State:
    return replace(state, ships=with_value(state.ships, ship, new_ship))


def _apply_group_moved(state: State, event: ev.GroupMoved) -> State:
    old_group = state.groups[event.group]
    return _with_group(state, event.group, replace(old_group, hex=event.hex, heading=event.heading))


def _apply_group_formed(state: State, event: ev.GroupFormed) -> State:
    new_group = Group(
        hex=event.hex,
        is_detached=True,
        is_lit=is_lit(state, event.hex),  # 6.431
        commander=event.commander,
    )
    return _with_group(state, event.group, new_group)


def _apply_group_detached(state: State, event: ev.GroupDetached) -> State:
    old_group = state.groups[event.group]
    return _with_group(state, event.group, replace(old_group, is_detached=event.is_detached))


def _apply_group_marked(state: State, event: ev.GroupMarked) -> State:
    return _with_group(state, event.group, replace(state.groups[event.group], marker=event.marker))


def _apply_group_operates(state: State, event: ev.GroupOperates) -> State:
    return _with_group(
        state, event.group, replace(state.groups[event.group], operates=event.carrier)
    )


def _apply_lights_switched(state: State, event: ev.LightsSwitched) -> State:
    return _with_group(state, event.group, replace(state.groups[event.group], is_lit=event.is_lit))


def _apply_ship_detached(state: State, event: ev.ShipDetached) -> State:
    old_ship = state.ships[event.ship]
    new_ship = replace(old_ship, group=event.group, escorts=event.escorts, hex=event.hex)
    return _with_ship(state, event.ship, new_ship)


def _apply_ship_hit(state: State, event: ev.ShipHit) -> State:
    old_ship = state.ships[event.ship]
    new_ship = replace(
        old_ship,
        hits=old_ship.hits + event.hits,
        is_hit_now=True,
        segment_hits=old_ship.segment_hits + (event.hits if event.why in _FIRE_CAUSES else 0),
        was_armed=old_ship.was_armed or event.is_armed,
    )
    return _with_ship(state, event.ship, new_ship)


def _apply_ship_sunk(state: State, event: ev.ShipSunk) -> State:
    old_ship = state.ships[event.ship]
    return _with_ship(state, event.ship, UsShip(hits=old_ship.hits, is_sunk=True))


def _apply_ship_crippled(state: State, event: ev.ShipCrippled) -> State:
    ships = with_value(
        state.ships, event.ship, replace(state.ships[event.ship], group="", hex=event.hex)
    )
    for name, ship in state.ships.items():
        if ship.escorts == event.ship:
            ships[name] = replace(ship, hex=event.hex)
    return replace(state, ships=ships)


def _apply_deck_inoperative(state: State, event: ev.DeckInoperative) -> State:
    old_ship = state.ships[event.ship]
    return _with_ship(state, event.ship, replace(old_ship, is_inoperative=event.is_inoperative))


def _apply_deck_crashed(state: State, event: ev.DeckCrashed) -> State:
    return _with_ship(
        state, event.ship, replace(state.ships[event.ship], is_crashed=event.is_crashed)
    )


def _apply_fires_changed(state: State, event: ev.FiresChanged) -> State:
    old_ship = state.ships[event.ship]
    return _with_ship(state, event.ship, replace(old_ship, fires=event.levels))


def _apply_ships_fired(state: State, event: ev.ShipsFired) -> State:
    ships = dict(state.ships)
    for ship in event.ships:
        ships[ship] = replace(ships[ship], has_fired=True)
    return replace(state, ships=ships)


FOLDS: Final[Mapping[type, object]] = {
    ev.GroupMoved: _apply_group_moved,
    ev.GroupFormed: _apply_group_formed,
    ev.GroupDetached: _apply_group_detached,
    ev.GroupMarked: _apply_group_marked,
    ev.GroupOperates: _apply_group_operates,
    ev.LightsSwitched: _apply_lights_switched,
    ev.ShipDetached: _apply_ship_detached,
    ev.ShipHit: _apply_ship_hit,
    ev.ShipSunk: _apply_ship_sunk,
    ev.ShipCrippled: _apply_ship_crippled,
    ev.DeckInoperative: _apply_deck_inoperative,
    ev.DeckCrashed: _apply_deck_crashed,
    ev.FiresChanged: _apply_fires_changed,
    ev.ShipsFired: _apply_ships_fired,
}
"""One fold for each event of :mod:`engine.cbps.events.fleet`."""
