"""Every name and number inside a position: units, hexes, cards and nations must exist."""

import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, Union

import msgspec

from engine.eots.board import board
from engine.eots.ch13_nations.penalties import PENALTIES
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.frames import BattleFrame, StackFrame
from engine.eots.ids import CHINA_BOX, CardId, HexId, NationId, UnitId
from engine.eots.position import UnitSetup
from engine.eots.state import HIDDEN, OFF_MAP, Moved, Offensive, Piece

LOWEST: Final = -99
HIGHEST: Final = 999
"""No number of a position is outside; exact bounds are checked elsewhere."""
_PLACES: Final = frozenset(
    {
        (UnitSetup, "at"),
        (Piece, "at"),
        (StackFrame, "origin"),
        (StackFrame, "at"),
        (StackFrame, "path"),
        (Moved, "origin"),
        (Moved, "entered_from"),
        (Moved, "path"),
        (Offensive, "origins"),
        (BattleFrame, "places"),
    }
)
"""Fields of text that hold a hex, the China box or an off-map place."""

Problem = tuple[str, str]
"""Path to a field and what is wrong there."""


@cache
def _hints(kind: type[msgspec.Struct]) -> Mapping[str, object]:
    return typing.get_type_hints(kind)


@cache
def _places() -> frozenset[str]:
    return frozenset({*board().hexes, CHINA_BOX, *OFF_MAP})


def problems(value: msgspec.Struct, path: str) -> Iterator[Problem]:
    """Yield every unknown name and absurd number of a struct, in the order of its fields.

    Args:
        value: The position or a part of it.
        path: Where the part stands, empty for the whole.
    """
    kind = type(value)
    hints = _hints(kind)
    for field in value.__struct_fields__:
        inner = f"{path}.{field}" if path else field
        is_place = (kind, field) in _PLACES
        yield from _of(getattr(value, field), hints[field], inner, is_place=is_place)


def _of(value: object, hint: object, path: str, *, is_place: bool) -> Iterator[Problem]:
    """Yield what is wrong with a value of some annotation."""
    if isinstance(value, msgspec.Struct):
        yield from problems(value, path)
    elif isinstance(value, (tuple, list)):
        yield from _of_sequence(value, hint, path, is_place=is_place)
    elif isinstance(value, Mapping):
        yield from _of_mapping(value, hint, path, is_place=is_place)
    elif isinstance(value, str):
        yield from _of_name(value, _leaf(hint), path, is_place=is_place)
    elif isinstance(value, int) and not LOWEST <= value <= HIGHEST:
        yield path, f"{value} is no number of this game"


def _of_sequence(
    value: tuple[object, ...] | list[object], hint: object, path: str, *, is_place: bool
) -> Iterator[Problem]:
    inner = _parameters(hint)
    for n, item in enumerate(value):
        yield from _of(item, (inner or (object,))[0], f"{path}[{n}]", is_place=is_place)


def _of_mapping(
    value: Mapping[object, object], hint: object, path: str, *, is_place: bool
) -> Iterator[Problem]:
    inner = _parameters(hint)
    key_hint, item_hint = inner or (object, object)
    for key, item in value.items():
        yield from _of(key, key_hint, f"{path}.{key}", is_place=False)
        yield from _of(item, item_hint, f"{path}.{key}", is_place=is_place)


def _options(hint: object) -> tuple[object, ...]:
    """Return the parts of a union, or the annotation alone."""
    if typing.get_origin(hint) in (Union, types.UnionType):
        return typing.get_args(hint)
    return (hint,)


def _parameters(hint: object) -> tuple[object, ...]:
    """Return what a container holds; None and other parts of a union are passed over."""
    for part in _options(hint):
        found = tuple(arg for arg in typing.get_args(part) if arg is not Ellipsis)
        if found:
            return found
    return ()


def _leaf(hint: object) -> object:
    """Return the annotation of a text without None."""
    return next((part for part in _options(hint) if part is not type(None)), hint)


def _of_name(value: str, hint: object, path: str, *, is_place: bool) -> Iterator[Problem]:
    if is_place:
        if value not in _places():
            yield path, f"there is no place '{value}'"
    elif hint is UnitId and value not in counters():
        yield path, f"there is no unit '{value}'"
    elif hint is HexId and value not in board().hexes:
        yield path, f"there is no playable hex '{value}'"
    elif hint is CardId and value == HIDDEN:
        yield path, "a hidden card cannot be played on; use a position that shows all cards"
    elif hint is CardId and value not in cards():
        yield path, f"there is no card '{value}'"
    elif hint is NationId and value not in PENALTIES:
        yield path, f"there is no nation '{value}' that can surrender"
