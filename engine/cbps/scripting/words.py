"""The script words that set up positions and state expectations about anything on the table."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import msgspec
from msgspec.structs import replace

from engine.cbps.damage.ch15_victory import net_points
from engine.cbps.frames import PhaseFrame, TurnFrame
from engine.cbps.ids import GUAM, LEVEL_1_CHITS, Segment
from engine.cbps.position import Position, position_from_state
from engine.cbps.position_checks.japan import is_known_carrier
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.scripting.fields import (
    field_pairs,
    field_types,
    lexicon,
    parse_fields,
    parse_whole,
    read_field,
    resolve_name,
)
from engine.cbps.scripting.verbs import DECISION_RULES, EXAMPLES
from engine.cbps.state import (
    AirUnit,
    Boat,
    Force,
    Group,
    Hits,
    Hull,
    LandBase,
    Mission,
    Raid,
    Search,
    State,
    UsShip,
)
from engine.kernel.lexicon import normalise_word
from engine.kernel.schema_errors import value_problem
from engine.scripts.words import COMMON_FORMS, ScriptWords, check_equal, unknown_form

_COMPONENTS: Final[Mapping[str, tuple[str, type[msgspec.Struct]]]] = {
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
"""Components that a script may set up. Each word maps to the state field and the component type."""
_BATTLE_FIELDS: Final = (
    *("turn", "phase", "commitment", "destroyed", "through", "mission_die", "wind"),
    *("has_searched", "limit_reached", "chits_per_phase"),
)
"""The battle fields that a script may set directly."""

FORMS: Final = (
    (
        "setup unit|ship|group|mission|search|boat|force|hull|raid NAME [FIELD VALUE ...]",
        (
            "Places or changes a piece. The fields are those of the state: `setup force A hex 1419 level 1 chit "
            "Carrier` makes A a carrier force. Hits such as `5/0/2` are those of this turn, of the last turn, and"
            " permanent ones. Join several words with `+`, and write `_` for a blank. Points in boxes look like "
            "`aall:5+a3:2`, and returning raids like `returning a:r4`."
        ),
    ),
    ("setup no unit|force|... NAME", "Removes the piece."),
    (
        "setup turn|phase|commitment|wind|... VALUE",
        (
            "Sets a field of the battle: the turn's index in the scenario (from 0), the phase, the Commitment "
            "Index and so on."
        ),
    ),
    ("setup cup CHIT ...", "Sets the activation chits left in the cup. Blanks are `_`."),
    ("setup level-1-cup CHIT NUMBER ...", "Sets the remaining level-1 chits. No others remain."),
    ("setup guam [FIELD VALUE ...]", "Sets the fields `air_value` and `boxes` of Guam."),
    (
        "setup at SEGMENT",
        (
            "Starts the game at this segment of the phase, such as `us-air-movement`, `search` or `operations`."
        ),
    ),
    (
        "expect unit|ship|...|guam NAME FIELD VALUE [FIELD VALUE ...]",
        (
            "The piece has these values, written as in `setup`. `expect no force A` checks that it is not in "
            "play."
        ),
    ),
    ("expect turn|phase|commitment|... VALUE", "The battle field has this value."),
    ("expect cup CHIT NUMBER", "This many of these activation chits are left."),
    ("expect box OWNER BOX NUMBER", "The box of a force or of Guam contains this many air points."),
    ("expect points NUMBER", "The players have this many net victory points now (15.1)."),
)
"""Every form of setup and expectation line, with a short explanation."""


def _change_component(
    kind: type[msgspec.Struct], old_value: msgspec.Struct | None, words: Sequence[str]
) -> msgspec.Struct:
    changes = parse_fields(kind, words)
    old_values: dict[str, object] = msgspec.to_builtins(old_value) if old_value is not None else {}
    new_values = {**old_values, **changes}
    # The level and the chit determine ``is_carrier``, so a script need not set it.
    if kind is Force and {"level", "chit"} & changes.keys() and "is_carrier" not in changes:
        level, chit = new_values.get("level", 0), new_values.get("chit", "")
        assert isinstance(level, int)
        new_values["is_carrier"] = is_known_carrier(level, str(chit))
    if kind is UsShip and changes.get("is_sunk") and not {"group", "hex"} & changes.keys():
        new_values |= {"group": "", "hex": ""}  # 2.26
    part: msgspec.Struct = _convert(new_values, kind)
    return part


def _convert(value: object, kind: Any) -> Any:  # noqa: ANN401  # any type
    """Convert a value to the type of a field.

    Raises:
        ValueError: The value has a different type. The message names the field.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        path, problem = value_problem(value, kind, error)
        raise ValueError(
            f"{path.removeprefix('$').removeprefix('.')}: {problem}".removeprefix(": ")
        ) from error


def apply_setup(position: Position, words: Sequence[str]) -> Position:
    """Return a position changed by a setup line.

    Raises:
        ValueError: The line cannot be understood.
    """
    component, *other_words = map(normalise_word, words) if words else ("",)
    if component in _COMPONENTS and len(words) > 1:
        field, kind = _COMPONENTS[component]
        parts = getattr(position, field)
        name = resolve_name(words[1], parts)
        new_component = _change_component(kind, parts.get(name), words[2:])
        return replace(position, **{field: {**parts, name: new_component}})
    match component, words[1:]:
        case "no", [_, part] if other_words[0] in _COMPONENTS:
            field, _ = _COMPONENTS[other_words[0]]
            removed_name = resolve_name(part, getattr(position, field))
            remaining_items = {
                key: entry for key, entry in getattr(position, field).items() if key != removed_name
            }
            return replace(position, **{field: remaining_items})
        case "guam", [*fields]:
            return replace(position, guam=_change_component(LandBase, position.guam, fields))
        case "cup", [*chits]:
            return replace(position, cup=tuple(sorted(map(resolve_name, chits))))
        case "level-1-cup", [*pairs] if len(pairs) % 2 == 0:
            names = (resolve_name(chit, LEVEL_1_CHITS) for chit in pairs[::2])
            counts = dict(zip(names, map(parse_whole, pairs[1::2]), strict=True))
            return replace(position, level_1_cup=counts)
        case "at", [_] if other_words[0] in get_args(Segment):
            return _with_segment_started(position, other_words[0])
        case _, [value] if component.replace("-", "_") in _BATTLE_FIELDS:
            field_name = component.replace("-", "_")
            converted_value = _convert(
                read_field(Position, field_name, value), field_types(Position)[field_name]
            )
            return replace(position, **{field_name: converted_value})
        case _:
            raise unknown_form("setup", words, FORMS)


def _with_segment_started(position: Position, segment: str) -> Position:
    """Return the position at the start of a segment in its phase, with set-up finished."""
    order: tuple[str, ...] = scenario_rules(position).segments
    if segment not in order:
        raise ValueError(f"this scenario has no segment '{segment}'; it has {', '.join(order)}")
    frames = (TurnFrame(step="phase"), PhaseFrame(segment=order.index(segment)))
    return replace(position, frames=frames)


def _shown_value(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "+".join(str(item).replace(" ", "_") for item in value) or "."
    if value in {None, ""}:
        return "none"
    return str(value).replace(" ", "_")


def _check_component(part: msgspec.Struct, words: Sequence[str]) -> str:
    """Return a description of all fields that differ from the expectation, or an empty string if none does."""
    differences = []
    for field, expected_value in field_pairs(type(part), words):
        actual_value = getattr(part, field)
        if isinstance(actual_value, Mapping | msgspec.Struct):
            kind = field_types(type(part))[field]
            is_same = actual_value == _convert(read_field(type(part), field, expected_value), kind)
            differences.append("" if is_same else f"{field} is {_script_notation(actual_value)}")
        else:
            problem = check_equal(expected_value, _shown_value(actual_value))
            differences.append(f"{field}: {problem}" if problem else "")
    return "; ".join(filter(None, differences))


def _script_notation(points: Mapping[str, object] | msgspec.Struct) -> str:
    """Return hits or boxes in script notation."""
    if isinstance(points, Hits):
        return f"{points.current}/{points.previous}/{points.permanent}"
    assert isinstance(points, Mapping)
    return "+".join(f"{name}:{value}" for name, value in points.items()) or "none"


def check_expectation(state: State, words: Sequence[str]) -> str:
    """Return the reason why an expectation does not hold, or an empty string if it does.

    Raises:
        ValueError: The line cannot be understood.
    """
    component = normalise_word(words[0]) if words else ""
    position = position_from_state(state)  # a position names forces by counter, as scripts do
    if component in _COMPONENTS and len(words) > 1:
        parts = getattr(position, _COMPONENTS[component][0])
        name = resolve_name(words[1], parts)
        return (
            _check_component(parts[name], words[2:]) if name in parts else "it is not on the table"
        )
    match component, words[1:]:
        case "no", [kind, part] if normalise_word(kind) in _COMPONENTS:
            parts = getattr(position, _COMPONENTS[normalise_word(kind)][0])
            return "it is on the table" if resolve_name(part, parts) in parts else ""
        case "guam", [*other_words]:
            return _check_component(state.guam, other_words)
        case "box", [owner, box, number]:
            name = resolve_name(owner, position.forces)
            holder = state.guam if name == GUAM else position.forces.get(name)
            if holder is None:
                return "it is not on the table"
            actual_value = {str(name): points for name, points in holder.boxes.items()}
            return check_equal(number, actual_value.get(normalise_word(box), 0))
        case "cup", [chit, number]:
            return check_equal(number, state.cup.count(resolve_name(chit)))
        case "points", [number]:
            return check_equal(number, net_points(state))
        case _, [value] if component.replace("-", "_") in _BATTLE_FIELDS:
            return check_equal(value, _shown_value(getattr(state, component.replace("-", "_"))))
        case _:
            raise unknown_form("expect", words, (*FORMS, *COMMON_FORMS))


CBPS_WORDS: Final = ScriptWords[Position](
    lexicon=lexicon,
    setup=apply_setup,
    check=check_expectation,
    forms=FORMS,
    examples=EXAMPLES,
    decision_rules=DECISION_RULES,
    limits={"phase": lambda state: (state.turn, state.phase)},
)
"""Setup and expectation lines for Carrier Battle: Philippine Sea."""
