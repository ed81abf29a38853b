"""Looks up the names in script lines. An unknown name raises a ValueError that states what is wrong."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cache
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.ch09_battle.participants import INTRINSIC
from engine.eots.ch13_nations.penalties import PENALTIES
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.frames import Phase
from engine.eots.ids import CHINA_BOX, AreaId, CardId, HexId, Pool, Side, UnitId
from engine.eots.state import OFF_MAP, ChinaFront, Condition, IndiaStatus, Tracks
from engine.kernel.lexicon import Lexicon, normalise_word
from engine.kernel.numerals import is_whole_number, whole_number

_PAIR: Final = 2


@cache
def lexicon() -> Lexicon:
    """Return all names that script lines can use, by kind."""
    return Lexicon(
        {
            "unit": counters(),
            "hex": board().hexes,
            "card": cards(),
            "side": tuple(Side),
            "pool": tuple(Pool),
            "place": (*sorted(OFF_MAP), CHINA_BOX),
            "target": (INTRINSIC,),
            "nation": PENALTIES,
            "area": board().areas,
            "track": [field.replace("_", "-") for field in Tracks.__struct_fields__],
            "segment": tuple(Phase),
            "condition": tuple(Condition),
        }
    )


def find_unit(name: str) -> UnitId:
    """Return a unit id, or raise ValueError if there is no such counter."""
    return UnitId(lexicon().find_one("unit", name))


def find_hex(name: str) -> HexId:
    """Return a hex id, or raise ValueError if the map has no such playable hex."""
    return HexId(lexicon().find_one("hex", name))


def find_place(name: str) -> str:
    """Return a hex or a place off the map, or raise ValueError if there is no such place."""
    return lexicon().find_one("hex" if name.isdecimal() else "place", name)


def find_land(name: str) -> HexId:
    """Return a hex id, or raise ValueError if the hex is not a land hex."""
    land_name = find_hex(name)
    if not board().hexes[land_name].is_land:
        raise ValueError(f"hex {name} is ocean, so it has no land and no controller")
    return land_name


def find_card(name: str) -> CardId:
    """Return a card id, or raise ValueError if there is no such card."""
    return CardId(lexicon().find_one("card", name))


def find_own_card(side: Side, name: str) -> CardId:
    """Return the id of a card in a side's deck, or raise ValueError if the card is not in that deck."""
    card = find_card(name)
    if cards()[card].side is not side:
        raise ValueError(f"{name} is not a card of the side '{side}'")
    return card


def is_side(name: str) -> bool:
    """Return whether a word names a side."""
    return normalise_word(name) in set(Side)


def find_side(name: str) -> Side:
    """Return the side that a word names, or raise ValueError if it does not name a side."""
    if not is_side(name):
        raise ValueError(f"'{name}' is not a side; write {' or '.join(Side)}")
    return Side(normalise_word(name))


def parse_number(word: str) -> int:
    """Return a word as a whole number, or raise ValueError if it is not one."""
    return whole_number(word)


def area_hexes(name: str) -> tuple[HexId, ...]:
    """Return a rule area's hexes, or raise ValueError if there is no such area."""
    return board().areas[AreaId(lexicon().find_one("area", name))].hexes


def full_steps(unit: UnitId) -> int:
    """Return a unit's number of steps at full strength, which is 1 for an HQ."""
    counter = counters()[unit]
    return 1 if counter.is_hq else counter.max_steps


def parse_steps(unit: UnitId, words: Sequence[str]) -> int:
    """Return how many steps the words mean: ``full``, ``reduced`` or a number. No word means full strength."""
    match [normalise_word(word) for word in words]:
        case [] | ["full"]:
            return full_steps(unit)
        case ["reduced"]:
            return 1
        case [number]:
            return parse_number(number)
        case _:
            raise ValueError(f"'{' '.join(words)}' is not a number of steps")


def names_in(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a list of words. The single word ``none`` stands for an empty list."""
    return () if list(values) == ["none"] else tuple(values)


# tracks:


def track(tracks: Tracks, name: str) -> object:
    """Return a track's value, or raise ValueError if there is no such track."""
    value: object = getattr(tracks, lexicon().find_one("track", name).replace("-", "_"))
    return value


def with_track(tracks: Tracks, name: str, words: Sequence[str]) -> Tracks:
    """Return the tracks after setting one value, which is parsed from the words.

    The value can be a number, true or false, a name, a list, pairs that form a mapping, or ``none``.
    """
    if not words:
        raise ValueError(f"write the value of '{name}'")
    current_value = track(tracks, name)
    if len(words) > 1 and not isinstance(current_value, tuple | Mapping):
        raise ValueError(f"track '{name}' has one value, not '{' '.join(words)}'")
    track_values = msgspec.to_builtins(tracks)
    field = lexicon().find_one("track", name).replace("-", "_")
    track_values[field] = _read(current_value, name, words)
    try:
        return msgspec.convert(track_values, Tracks)
    except msgspec.ValidationError as error:
        raise ValueError(f"track '{name}' cannot be '{' '.join(words)}'") from error


def _read(value: object, name: str, words: Sequence[str]) -> object:
    match value:
        case bool():
            if [*map(normalise_word, words)] not in (["true"], ["false"]):
                raise ValueError(f"track '{name}' is true or false")
            return normalise_word(words[0]) == "true"
        case Mapping():
            pairs = names_in(words)
            if len(pairs) % _PAIR:
                raise ValueError(f"track '{name}' takes pairs of words, or 'none'")
            return {
                pairs[index]: parse_number(pairs[index + 1])
                for index in range(0, len(pairs), _PAIR)
            }
        case tuple():
            # The track bombing-turns contains numbers. All other lists contain names or ids.
            return tuple(
                parse_number(word) if name == "bombing-turns" else word for word in names_in(words)
            )
        case IntEnum():
            return _parse_box(value, words[0])
        case int():
            return parse_number(words[0])
        case _:
            return None if words[0] == "none" else words[0]


def _parse_box(current_box: IntEnum, word: str) -> int:
    """Return a track box's number. The word is the number itself or a name such as ``unstable-front``."""
    kind: type[IntEnum] = ChinaFront if isinstance(current_box, ChinaFront) else IndiaStatus
    if is_whole_number(word):
        return int(word)
    field = word.replace("-", "_").upper()
    if field not in kind.__members__:
        boxes = ", ".join(name.lower().replace("_", "-") for name in kind.__members__)
        raise ValueError(f"there is no box '{word}'; known: {boxes}")
    return int(kind[field])


def spelling(value: object) -> str:
    """Return a track's value as written in scripts."""
    match value:
        case bool():
            return "true" if value else "false"
        case IntEnum():
            return value.name.lower().replace("_", "-")
        case Mapping():
            return " ".join(f"{key} {value[key]}" for key in sorted(value)) or "none"
        case tuple():
            return " ".join(map(str, value)) or "none"
        case None:
            return "none"
        case _:
            return str(value)
