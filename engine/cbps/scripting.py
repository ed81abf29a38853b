"""The script words of the game: positions by hand, expectations on everything that stands on the table."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, get_args

import msgspec
from msgspec.structs import replace

from engine.cbps.book import standard_book
from engine.cbps.ch15_victory import net_points
from engine.cbps.frames import PhaseFrame, TurnFrame
from engine.cbps.ids import (
    ABOARD,
    GUAM,
    IWO_JIMA,
    NO_OP,
    TASK_FORCE,
    US_MOVE,
    US_SUBS,
    YAP,
    Segment,
)
from engine.cbps.position import Position
from engine.cbps.scope import scope
from engine.cbps.scripting_verbs import ASKS, EXAMPLES
from engine.cbps.state import (
    AirUnit,
    Boat,
    Force,
    Group,
    Hull,
    Land,
    Mission,
    Raid,
    Search,
    State,
    UsShip,
)
from engine.kernel.lexicon import Lexicon, folded
from engine.scripts.words import WORDS as COMMON
from engine.scripts.words import ScriptWords, no_form, same

_PARTS: Final[Mapping[str, tuple[str, type[msgspec.Struct]]]] = {
    "unit": ("units", AirUnit),
    "ship": ("ships", UsShip),
    "group": ("groups", Group),
    "mission": ("missions", Mission),
    "search": ("searches", Search),
    "boat": ("boats", Boat),
    "force": ("forces", Force),
    "hull": ("hulls", Hull),
    "raid": ("raids", Raid),
}
"""What a script may put on the table, by its word: where it stands in the state, and its type."""
_PLAIN: Final = (
    *("turn", "phase", "commitment", "destroyed", "through", "mission_die", "wind"),
    *("has_searched", "limit_reached", "chits_per_phase"),
)
"""Fields of the battle itself that a script may set."""

WORDS: Final = (
    (
        "setup unit|ship|group|mission|search|boat|force|hull|raid NAME [FIELD VALUE ...]",
        (
            "puts it on the table, or changes it: the fields are those of the state, such as `setup force A hex 1419 "
            "level 1 chit Carrier`; several words are joined by `+`, points in boxes are `aall:5+a3:2`, raids that "
            "return `returning a:r4`, blanks in a value are `_`"
        ),
    ),
    ("setup no unit|force|... NAME", "takes it off the table"),
    (
        "setup turn|phase|commitment|wind|... VALUE",
        "the place of the turn in the scenario from 0, the phase, the Commitment Index",
    ),
    ("setup cup CHIT ...", "the activation chits left; blanks are `_`"),
    ("setup level-1-cup CHIT NUMBER ...", "the level-1 chits left, nothing else"),
    ("setup guam [FIELD VALUE ...]", "air_value, boxes"),
    (
        "setup at SEGMENT",
        "the game stands before this segment of the phase: us-air-movement, search, operations ...",
    ),
    (
        "expect unit|ship|...|guam NAME FIELD VALUE [FIELD VALUE ...]",
        "fields as in setup; `expect no force A` when it is not on the table",
    ),
    ("expect turn|phase|commitment|... VALUE", "a field of the battle"),
    ("expect cup CHIT NUMBER", "so many of these activation chits are left"),
    ("expect box OWNER BOX NUMBER", "air points in a box of a force or of Guam"),
    ("expect points NUMBER", "net victory points as things stand (15.1)"),
)
"""Every form with a short explanation."""


@cache
def _lexicon() -> Lexicon:
    book = standard_book()
    return Lexicon(
        {
            "unit": tuple(book.air_units),
            "ship": tuple(book.us_ships),
            "Japanese ship": tuple(book.japanese_ships),
            "group": (*book.task_groups, TASK_FORCE, "surface-1", "surface-2", "surface-3"),
            "submarine": tuple(book.submarines),
            "force": (*book.letters, *map(str, book.butai)),
            "hex": tuple(book.sea.hexes),
            "box": ABOARD,
            "mission": tuple(
                f"{kind}-{number}" for kind in ("strike", "intercept") for number in range(1, 9)
            ),
            "search": tuple(f"search-{number}" for number in range(1, 33)),
            "raid": tuple(
                f"{origin}-{slot}"
                for origin in (*book.letters, *map(str, book.butai))
                for slot in "ab"
            ),
            "chit": (US_MOVE, US_SUBS, GUAM, IWO_JIMA, YAP, NO_OP),
        }
    )


def _spaced(word: str) -> str:
    return word.replace("_", " ")


def _values(kind: type[msgspec.Struct], words: Sequence[str]) -> dict[str, object]:
    """Return fields and values of a part; the type of the field says how a word is read.

    Raises:
        ValueError: A word is missing, or the part has no such field.
    """
    if len(words) % 2:
        raise ValueError(f"'{words[-1]}' has no value")
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    found: dict[str, object] = {}
    for name, word in zip(words[::2], words[1::2], strict=True):
        field = name.replace("-", "_")
        if field not in fields:
            raise ValueError(f"there is no field '{name}'; known are {', '.join(fields)}")
        found[field] = _value(str(fields[field].type), word)
    return found


def _value(kind: str, word: str) -> object:
    if word in {".", "none"}:
        return _nothing(kind)
    if "Mapping" in kind:
        return dict(_pair(pair) for pair in word.split("+"))
    if "Hits" in kind:
        current, previous, permanent = (*word.split("/"), "0", "0")[:3]
        return {"current": int(current), "previous": int(previous), "permanent": int(permanent)}
    if "tuple" in kind:
        return [
            int(one) if one.lstrip("-").isdecimal() else _spaced(one) for one in word.split("+")
        ]
    if "bool" in kind:
        return word in {"yes", "true", "1"}
    if "int" in kind and word.lstrip("-").isdecimal():
        return int(word)
    return _spaced(word)


def _nothing(kind: str) -> object:
    if "Mapping" in kind:
        return {}
    return () if "tuple" in kind else None if "None" in kind else ""


def _pair(text: str) -> tuple[str, int | str]:
    """Return a name with its number or word: ``aall:5``, ``a:r4``."""
    name, colon, value = text.partition(":")
    if not (name and colon and value):
        raise ValueError(f"'{text}' is not a pair such as aall:5")
    return name, int(value) if value.lstrip("-").isdecimal() else _spaced(value)


def _part(
    kind: type[msgspec.Struct], old: msgspec.Struct | None, words: Sequence[str]
) -> msgspec.Struct:
    values = _values(kind, words)
    before: dict[str, object] = msgspec.to_builtins(old) if old is not None else {}
    try:
        return msgspec.convert({**before, **values}, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def setup(position: Position, words: Sequence[str]) -> Position:
    """Return the position changed by a setup line.

    Raises:
        ValueError: The words make no sense.
    """
    match words:
        case ["no", what, name] if what in _PARTS:
            field, _ = _PARTS[what]
            left = {key: one for key, one in getattr(position, field).items() if key != name}
            return replace(position, **{field: left})
        case [what, name, *rest] if what in _PARTS:
            field, kind = _PARTS[what]
            parts = getattr(position, field)
            changed = _part(kind, parts.get(name), rest)
            return replace(position, **{field: {**parts, name: changed}})
        case ["guam", *rest]:
            return replace(position, guam=_part(Land, position.guam, rest))
        case ["cup", *chits]:
            return replace(position, cup=tuple(sorted(map(_spaced, chits))))
        case ["level-1-cup", *pairs] if len(pairs) % 2 == 0:
            counts = dict(zip(map(_spaced, pairs[::2]), map(int, pairs[1::2]), strict=True))
            return replace(position, level_1_cup=counts)
        case ["at", segment] if segment in get_args(Segment):
            return _standing_at(position, segment)
        case [what, value] if what.replace("-", "_") in _PLAIN:
            plain = what.replace("-", "_")
            kinds = {field.name: str(field.type) for field in msgspec.structs.fields(Position)}
            return replace(position, **{plain: _value(kinds[plain], value)})
        case _:
            raise no_form("setup", words, WORDS)


def _standing_at(position: Position, segment: str) -> Position:
    """Return the position before a segment of its phase; set-up is over."""
    order: tuple[str, ...] = scope(position).segments
    if segment not in order:
        raise ValueError(f"this scenario has no segment '{segment}'; it has {', '.join(order)}")
    frames = (TurnFrame(step="phase"), PhaseFrame(segment=order.index(segment)))
    return replace(position, frames=frames)


def _shown(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "+".join(str(one).replace(" ", "_") for one in value) or "."
    if value in {None, ""}:
        return "none"
    return str(value).replace(" ", "_")


def _check_part(part: msgspec.Struct, words: Sequence[str]) -> str:
    """Return which field is not as expected, empty when all are."""
    if len(words) % 2:
        raise ValueError(f"'{words[-1]}' has no value")
    told = []
    for name, wanted in zip(words[::2], words[1::2], strict=True):
        field = name.replace("-", "_")
        if field not in part.__struct_fields__:
            known = ", ".join(part.__struct_fields__)
            raise ValueError(f"there is no field '{name}'; known are {known}")
        found = getattr(part, field)
        if isinstance(found, Mapping | msgspec.Struct):
            kind = next(one for one in msgspec.structs.fields(type(part)) if one.name == field)
            is_same = msgspec.to_builtins(found) == _value(str(kind.type), wanted)
            told.append("" if is_same else f"{name} is {msgspec.to_builtins(found)}")
        else:
            problem = same(wanted, _shown(found))
            told.append(f"{name}: {problem}" if problem else "")
    return "; ".join(filter(None, told))


def check(state: State, words: Sequence[str]) -> str:
    """Return why an expectation does not hold, empty when it does.

    Raises:
        ValueError: The words make no sense.
    """
    match words:
        case ["no", what, name] if folded(what) in _PARTS:
            parts = getattr(state, _PARTS[folded(what)][0])
            return "it is on the table" if name in parts else ""
        case ["guam", *rest]:
            return _check_part(state.guam, rest)
        case [what, name, *rest] if what in _PARTS:
            parts = getattr(state, _PARTS[what][0])
            return _check_part(parts[name], rest) if name in parts else "it is not on the table"
        case ["box", owner, box, number]:
            holder = state.guam if owner == GUAM else state.forces.get(owner)
            if holder is None:
                return "it is not on the table"
            held = {str(name): points for name, points in holder.boxes.items()}
            return same(number, held.get(box, 0))
        case ["cup", chit, number]:
            return same(number, state.cup.count(_spaced(chit)))
        case ["points", number]:
            return same(number, net_points(state))
        case [what, value] if what.replace("-", "_") in _PLAIN:
            return same(value, _shown(getattr(state, what.replace("-", "_"))))
        case _:
            raise no_form("expect", words, (*WORDS, *COMMON))


CBPS_WORDS: Final = ScriptWords[Position](
    lexicon=_lexicon,
    setup=setup,
    check=check,
    words=WORDS,
    examples=EXAMPLES,
    asks=ASKS,
    limits={"phase": lambda state: (state.turn, state.phase)},
)
"""Setup and expectations of Carrier Battle: Philippine Sea."""
