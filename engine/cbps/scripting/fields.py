"""Fields and values in script lines.

Case is ignored, ``-`` and ``_`` are equivalent, and a space is written as ``_``.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, get_args, get_origin

import msgspec

from engine.cbps.game_data import standard_game_data
from engine.cbps.ids import ABOARD, ACTIVATION_CHITS, LEVEL_1_CHITS, SURFACE, TASK_FORCE, Direction
from engine.kernel.lexicon import Lexicon, normalise_word
from engine.kernel.numerals import is_whole_number, whole_number

_YES: Final = ("yes", "true", "1", "on")
_NO: Final = ("no", "false", "0", "off")
_FIELD_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "slot": ("a", "b"),
    "returning": ("a", "b"),
    "fate": ("sunk", "exited"),
    "fuel": ("wants", "refuelled", "given-up"),
    "marker": ("leeward", "station"),
}
"""Field values that are words of the script language, not names in the game."""
_SURFACE_SHIPS: Final = 3
"""The level at which surface forces have the chit ``surface`` instead of ``Surface``."""


@cache
def lexicon() -> Lexicon:
    """Return all names that can appear in script lines, by kind."""
    game_data = standard_game_data()
    counters = (*game_data.letters, *map(str, game_data.butai))
    return Lexicon(
        {
            "unit": tuple(game_data.air_units),
            "ship": tuple(game_data.us_ships),
            "Japanese ship": tuple(game_data.japanese_ships),
            "group": (*game_data.task_groups, TASK_FORCE, "surface-1", "surface-2", "surface-3"),
            "submarine": tuple(game_data.submarines),
            "force": counters,
            "hex": tuple(game_data.map.hexes),
            "box": ABOARD,
            "mission": tuple(
                f"{kind}-{number}" for kind in ("strike", "intercept") for number in range(1, 9)
            ),
            "search": tuple(f"search-{number}" for number in range(1, 33)),
            "raid": tuple(f"{origin}-{slot}" for origin in counters for slot in "ab"),
            "chit": ACTIVATION_CHITS,
            "level-1 chit": LEVEL_1_CHITS,
            "level-2 chit": tuple(game_data.level_two),
            "level-3 chit": tuple(game_data.level_three),
            "direction": get_args(Direction),
        }
    )


def with_spaces(word: str) -> str:
    """Return a word with each ``_`` replaced by a space."""
    return word.replace("_", " ")


def resolve_name(word: str, known_names: Iterable[str] = ()) -> str:
    """Return the name that a word represents: one of the given names or, if none matches, any name in the game."""
    names = tuple(known_names)
    if with_spaces(word) in names or word in names:
        return word if word in names else with_spaces(word)
    for name in names:
        if normalise_word(name) == normalise_word(word):
            return name
    readings = lexicon().find_any(word)
    return readings[0] if readings else with_spaces(word)


def parse_whole(word: str) -> int:
    """Parse a whole number.

    Raises:
        ValueError: The word is not a whole number.
    """
    return whole_number(word)


def parse_fields(kind: type[msgspec.Struct], words: Sequence[str]) -> dict[str, object]:
    """Parse a component's fields and values. The field type determines how a value is parsed.

    Raises:
        ValueError: A value is missing or invalid, or the component has no such field.
    """
    values = {field: read_field(kind, field, word) for field, word in field_pairs(kind, words)}
    level = values.get("level")
    if values.get("chit") in (SURFACE, SURFACE.lower()) and level is not None:
        values["chit"] = SURFACE.lower() if level == _SURFACE_SHIPS else SURFACE
    return values


def read_field(kind: type[msgspec.Struct], field: str, word: str) -> object:
    """Parse the value of one field of a component.

    Raises:
        ValueError: The word is not a valid value for the field.
    """
    return _parse_value(field_types(kind)[field], word, _FIELD_WORDS.get(field, ()))


def field_pairs(kind: type[msgspec.Struct], words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the fields that a line names, each with its value as text.

    Raises:
        ValueError: A value is missing, or the component has no such field.
    """
    if len(words) % 2:
        raise ValueError(f"'{words[-1]}' has no value")
    field_names = kind.__struct_fields__
    pairs = []
    for name, word in zip(words[::2], words[1::2], strict=True):
        field = normalise_word(name).replace("-", "_")
        if field not in field_names:
            raise ValueError(f"there is no field '{name}'; known fields: {', '.join(field_names)}")
        pairs.append((field, word))
    return pairs


@cache
def field_types(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """Return the type of each field in a component."""
    return {field.name: field.type for field in msgspec.structs.fields(kind)}


def _parse_value(field_type: Any, word: str, known_names: Iterable[str] = ()) -> object:  # noqa: ANN401  # any type
    """Parse a value for a field of the given type."""
    kind = str(field_type)
    if word in {".", "none"}:
        return _zero_value(kind)
    if "Mapping" in kind:
        return dict(
            _parse_pair(pair, known_names, _literal_words(field_type)) for pair in word.split("+")
        )
    if "Hits" in kind:
        return _parse_hits(word)
    if "tuple" in kind:
        return [
            parse_whole(part) if "int" in kind else resolve_name(part) for part in word.split("+")
        ]
    if "bool" in kind:
        if word.casefold() not in (*_YES, *_NO):
            raise ValueError(f"'{word}' is not yes or no")
        return word.casefold() in _YES
    if "int" in kind and "Literal" not in kind:
        return parse_whole(word)
    words = _literal_words(field_type)
    name = resolve_name(word, (*known_names, *words))
    if words and name not in words:
        raise ValueError(f"'{word}' is not one of {', '.join(filter(None, words))}")
    return name


def _literal_words(field_type: Any) -> tuple[str, ...]:  # noqa: ANN401  # any type
    """Return the words allowed by a type's literals, including nested types."""
    if "Literal" in str(get_origin(field_type)):
        return tuple(str(literal_value) for literal_value in get_args(field_type))
    return tuple(word for annotation in get_args(field_type) for word in _literal_words(annotation))


def _zero_value(kind: str) -> object:
    if any(type_name in kind for type_name in ("int", "bool", "Hits")) and not any(
        type_name in kind for type_name in ("Mapping", "tuple", "Literal", "None")
    ):
        raise ValueError("this field always has a value")
    if "Mapping" in kind:
        return {}
    return () if "tuple" in kind else None if "None" in kind else ""


def _parse_hits(word: str) -> dict[str, int]:
    """Parse the hits taken this turn, last turn and earlier. A single number means hits taken this turn (12.21)."""
    parts = word.split("/")
    if len(parts) > len(("current", "previous", "permanent")) or not all(
        is_whole_number(part) for part in parts
    ):
        text = f"'{word}' is not a number of hits; write those of this turn, of the last turn, and permanent ones"
        raise ValueError(f"{text} as 5/0/2")
    hits_now, previous_hits, permanent = (*map(int, parts), 0, 0)[:3]
    return {"current": hits_now, "previous": previous_hits, "permanent": permanent}


def _parse_pair(text: str, keys: Iterable[str], words: Sequence[str]) -> tuple[str, int | str]:
    """Parse a name with its number or word, such as ``aall:5`` or ``a:r4``."""
    name, colon, value = text.partition(":")
    if not (name and colon and value):
        raise ValueError(f"'{text}' is not a pair such as aall:5")
    number = parse_whole(value) if is_whole_number(value) else resolve_name(value, words)
    return resolve_name(name, (*keys, *words)), number
