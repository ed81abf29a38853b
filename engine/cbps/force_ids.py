"""Ids of Japanese forces in the state, and their counters, which are used everywhere else (2.31, 9.11, 9.13).

A force keeps its id for the whole game. Its counter can be replaced, and the old counter can return as another force.
Only the state and the rules use ids. Commands, events, positions and views name forces by counter, like the players.
"""

from collections.abc import Callable, Mapping
from functools import cache
from operator import is_
from typing import Final, TypeVar, get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from engine.cbps.ids import ForceId
from engine.cbps.state import State

P = TypeVar("P", bound=msgspec.Struct)

_NUMBER_SIGN: Final = "#"
"""Separates counter and number in a force's id. The number is added if an earlier force has the counter as its id."""


def is_force_counter(state: State, name: str) -> bool:
    """Return whether a name is a valid force counter: a letter or a Butai number (2.3, OP-32)."""
    return name in state.game_data.letters or (name.isdecimal() and name[0] != "0")


def counter_of(state: State, force: str) -> str:
    """Return the counter of a force, or its last counter if it has left play. Other names are returned unchanged.

    A force that is about to arrive already has an id, for the rolls that determine its hex (7.12).
    """
    known_counter = state.counters.get(force)
    if known_counter is not None:
        return known_counter
    counter, sign, _ = force.partition(_NUMBER_SIGN)
    return counter if sign and is_force_counter(state, counter) else force


def force_with_counter(state: State, counter: str) -> str:
    """Return the id of the force with a counter. Other names, such as ships, are returned unchanged.

    If no force in play has the counter, return the last force that had it. If the name is only the id of a force in
    play with a different counter, return an empty string.
    """
    if not state.counters:
        return counter
    for force in state.forces:
        if counter_of(state, force) == counter:
            return force
    missing_forces = [
        force for force, last_counter in state.counters.items() if last_counter == counter
    ]
    if missing_forces:
        return missing_forces[-1]
    return "" if counter in state.forces else counter


def arriving_force(state: State, counter: str) -> str:
    """Return the id for a force that arrives with a counter: the counter, numbered if that id has been used before."""
    force, number = counter, 1
    while force in state.forces or force in state.counters:
        number += 1
        force = f"{counter}{_NUMBER_SIGN}{number}"
    return force


def counters_in_play(state: State) -> tuple[str, ...]:
    """Return the counters of the forces in play, in the order of the forces."""
    return tuple(counter_of(state, force) for force in state.forces)


def used_counters(state: State) -> tuple[str, ...]:
    """Return the counters that are not free: in play, gone for good, in the cup, or with a raid in the air."""
    raid_origins = (counter_of(state, raid.origin) for raid in state.raids.values())
    return (*counters_in_play(state), *state.gone_letters, *state.cup, *raid_origins)


# -- translation


def with_counters(state: State) -> State:
    """Return a state that uses each force's counter as its id, as positions and views do."""
    if all(counter_of(state, force) == force for force in (*state.forces, *state.counters)):
        return state
    return replace(with_renamed_forces(state, lambda name: counter_of(state, name)), counters={})


def with_renamed_forces(part: P, rename: Callable[[str], str]) -> P:
    """Return a state, frame or event with renamed force ids, or the same object if none of them changes.

    Force ids are found by the type of their field, :data:`engine.cbps.ids.ForceId`.
    """
    changes = {}
    for field, hint in _force_fields(type(part)):
        value = getattr(part, field)
        renamed_value = _rename_in_value(value, hint, rename)
        if renamed_value is not value:
            changes[field] = renamed_value
    return replace(part, **changes) if changes else part


@cache
def _force_fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, object], ...]:
    """Return the fields of a struct that contain force ids, directly or in structs, with their types."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        (field, hints[field]) for field in kind.__struct_fields__ if _has_forces(hints[field])
    )


def _has_forces(hint: object) -> bool:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return bool(_force_fields(hint))
    return hint == ForceId or any(map(_has_forces, get_args(hint)))


def _rename_in_value(value: object, hint: object, rename: Callable[[str], str]) -> object:
    """Rename the force ids in a value of a given type; return the same object if none of them changes."""
    match value:
        case str():
            return rename(value) if hint == ForceId else value
        case msgspec.Struct():
            return with_renamed_forces(value, rename)
        case tuple():
            (item_hint, *_) = get_args(hint)
            items = tuple(_rename_in_value(item, item_hint, rename) for item in value)
            return value if all(map(is_, items, value)) else items
        case Mapping():
            key_hint, value_hint = get_args(hint)
            pairs = {
                _rename_in_value(key, key_hint, rename): _rename_in_value(entry, value_hint, rename)
                for key, entry in value.items()
            }
            is_same = all(map(is_, (*pairs, *pairs.values()), (*value, *value.values())))
            return value if is_same else pairs
        case _:
            return value
