"""Ids of Japanese forces in the state, and the counters by which everything else names them (2.31, 9.11, 9.13).

A force keeps its id for the whole game. Its counter can be replaced, and the old counter can return as another force.
Only the state and the rules use ids. Commands, events, positions and views name forces by counter, like the players.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from engine.cbps.frames import Frame, FrameBase
from engine.cbps.state import State

P = TypeVar("P", bound=msgspec.Struct)

_NUMBER_SIGN: Final = "#"
"""Separates counter and number in a force's id. The number is added if an earlier force has the counter as its id."""
_FRAME_FIELDS: Final = frozenset({"contact", "force", "origin", "target", "targets", "tried"})
"""Frame fields that can contain forces."""


def is_force_counter(state: State, name: str) -> bool:
    """Return whether a name is a valid force counter: a letter or a Butai number (2.3, OP-32)."""
    return name in state.game_data.letters or (name.isdecimal() and name[0] != "0")


def counter_of(state: State, force: str) -> str:
    """Return the counter of a force, or its last counter if it has left play. Other names are returned unchanged.

    A force that is about to arrive already has an id, for the rolls that determine its hex (7.12).
    """
    known = state.counters.get(force)
    if known is not None:
        return known
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
    gone = [force for force, last in state.counters.items() if last == counter]
    if gone:
        return gone[-1]
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


def with_renamed_forces(state: State, rename: Callable[[str], str]) -> State:
    """Return a state with renamed force ids. The counters do not change."""
    return replace(
        state,
        forces={
            rename(name): with_renamed_fields(force, ("partner",), rename)
            for name, force in state.forces.items()
        },
        hulls=_renamed_parts(state.hulls, ("force",), rename),
        boats=_renamed_parts(state.boats, ("shadowing",), rename),
        searches=_renamed_parts(state.searches, ("shadowing",), rename),
        missions=_renamed_parts(state.missions, ("toward",), rename),
        raids=_renamed_parts(state.raids, ("origin",), rename),
        frames=with_renamed_frames(state.frames, rename),
        counters={rename(force): counter for force, counter in state.counters.items()},
    )


def _renamed_parts(
    parts: Mapping[str, P], fields: tuple[str, ...], rename: Callable[[str], str]
) -> dict[str, P]:
    return {name: with_renamed_fields(part, fields, rename) for name, part in parts.items()}


def with_renamed_frames(
    frames: tuple[Frame, ...], rename: Callable[[str], str]
) -> tuple[Frame, ...]:
    """Return frames with renamed force ids."""
    return tuple(with_renamed_fields(frame, _frame_fields(type(frame)), rename) for frame in frames)


@cache
def _frame_fields(kind: type[FrameBase]) -> tuple[str, ...]:
    return tuple(sorted(_FRAME_FIELDS.intersection(kind.__struct_fields__)))


def with_renamed_fields(part: P, fields: tuple[str, ...], rename: Callable[[str], str]) -> P:
    """Return a struct with renamed force ids in these fields, or the same object if none of them changes."""
    changes = {}
    for field in fields:
        value = getattr(part, field)
        renamed = _renamed(value, rename)
        if renamed != value:
            changes[field] = renamed
    return replace(part, **changes) if changes else part


def _renamed(value: object, rename: Callable[[str], str]) -> object:
    """Rename a single name, all names in a tuple, or all keys of a mapping."""
    match value:
        case str():
            return rename(value)
        case tuple():
            return tuple(rename(name) for name in value)
        case Mapping():
            return {rename(name): entry for name, entry in value.items()}
        case _:
            return value
