"""Overlays, which replace parts of the standard data with values from a player's printed copy.

An overlay has the parts `tables`, `map`, `counters` and `scenarios`, each of which lists only the differences. The
format is described in docs/data-overlay.md. Overlays are untrusted: their names, types and consistency are checked like
those of the packaged files.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from engine.cbps.data.checks import problems
from engine.cbps.data.merging import OverlayMerge
from engine.cbps.data.names import removed_names
from engine.cbps.data.reading import PARTS, Sources, convert_part, convert_sources, read_plain
from engine.kernel.errors import DataError

FORMAT: Final = "cbps-overlay/1"
DEFAULT_OVERLAY_NAME: Final = "overlay"
"""The name used in messages for an overlay that was not read from a file."""
MAX_OVERLAY_BYTES: Final = 1_000_000
"""Maximum size in bytes, the same as for ``--data``."""
MAX_TEXT_LENGTH: Final = 2000
"""Maximum length of a text in characters."""
MAX_FAULTS: Final = 20
"""Maximum number of faults to report."""


class Overlay(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A decoded overlay. Its parts are checked only when they are merged."""

    format: str
    title: str = ""
    tables: dict[str, object] = msgspec.field(default_factory=dict)
    map: dict[str, object] = msgspec.field(default_factory=dict)
    counters: dict[str, object] = msgspec.field(default_factory=dict)
    scenarios: dict[str, object] = msgspec.field(default_factory=dict)

    def parts(self) -> dict[str, dict[str, object]]:
        """Return the parts that are not empty."""
        parts = {
            "tables": self.tables,
            "map": self.map,
            "counters": self.counters,
            "scenarios": self.scenarios,
        }
        return {part_name: change for part_name, change in parts.items() if change}


class Fault(msgspec.Struct, frozen=True):
    """One error in an overlay, with the path to the value."""

    path: str
    problem: str


def decode_overlay(text: bytes, file: str = DEFAULT_OVERLAY_NAME) -> Overlay:
    """Decode an overlay from JSON.

    Raises:
        DataError: The text is too large, not JSON, or not an overlay of this game.
    """
    if len(text) > MAX_OVERLAY_BYTES:
        raise DataError(
            file, "", f"it is too long; an overlay has at most {MAX_OVERLAY_BYTES} bytes"
        )
    try:
        overlay = msgspec.json.decode(text, type=Overlay)
    # An untrusted file may be nested so deeply that decoding exceeds the recursion limit.
    except RecursionError as cause:
        raise DataError(file, "", "it is nested too deeply") from cause
    except msgspec.ValidationError as cause:
        problem, _, path = str(cause).partition(" - at ")
        place = path.strip("`").removeprefix("$").lstrip(".")
        sentence = problem if place else f"this is not an overlay: {problem}"
        raise DataError(file, place, sentence) from cause
    except (msgspec.DecodeError, UnicodeDecodeError) as cause:
        raise DataError(file, "", f"this is not JSON: {cause}") from cause
    if overlay.format != FORMAT:
        raise DataError(file, "format", f"'{overlay.format[:40]}' is not '{FORMAT}'")
    for path, problem in _text_problems({"title": overlay.title, **overlay.parts()}, ""):
        raise DataError(file, path.lstrip("."), problem)
    return overlay


def canonical_text(overlay: Overlay) -> str:
    """Return the canonical text of an overlay, so that overlays with equal content have the same digest."""
    return msgspec.json.encode(overlay, order="deterministic").decode()


def replaced_items(overlay: Overlay) -> dict[str, int]:
    """Return the items that an overlay replaces, such as ``tables.surprise``, with the number of values in each."""
    counts: dict[str, int] = {}
    for part_name, change in overlay.parts().items():
        for name, inner_value in change.items():
            if part_name == "counters" and isinstance(inner_value, dict):
                counts |= {
                    f"{part_name}.{name}.{key}": _count_values(value)
                    for key, value in inner_value.items()
                }
            else:
                counts[f"{part_name}.{name}"] = _count_values(inner_value)
    return counts


def merge_sources(overlay: Overlay) -> Sources:
    """Return the standard data merged with an overlay.

    Raises:
        DataError: The overlay does not fit the data. Only the first fault is reported.
    """
    for fault in overlay_faults(overlay):
        raise DataError(DEFAULT_OVERLAY_NAME, fault.path, fault.problem)
    return _convert_sources(overlay)


def overlay_faults(overlay: Overlay) -> tuple[Fault, ...]:
    """Return an overlay's faults, at most :data:`MAX_FAULTS`.

    Wrong types are reported only if all names are known, and inconsistencies only if all types are correct.
    """
    merge = OverlayMerge()
    for part_name, change in overlay.parts().items():
        _merge_part(merge, part_name, change)
    if merge.faults:
        return tuple(Fault(path, problem) for path, problem in merge.faults[:MAX_FAULTS])
    faults: list[Fault] = []
    for part_name, change in overlay.parts().items():
        if _structure_problem(part_name, change) is not None:
            faults += _smallest_faults(part_name, change, ())
    if faults:
        return tuple(faults[:MAX_FAULTS])
    sources = _convert_sources(overlay)
    removed_items = tuple(removed_names(sources)) or tuple(
        (path, problem) for _, path, problem in problems(sources)
    )
    return tuple(Fault(path, problem) for path, problem in removed_items[:MAX_FAULTS])


def _convert_sources(overlay: Overlay) -> Sources:
    changes = overlay.parts()
    return convert_sources(
        {
            part_name: _merge_part(OverlayMerge(), part_name, changes.get(part_name, {}))
            for part_name in PARTS
        }
    )


def _merge_part(
    merge: OverlayMerge, component: str, change: Mapping[str, object]
) -> dict[str, object]:
    """Return a part of the standard data with a change merged in."""
    base = read_plain(component)
    if not change:
        return base
    if component == "tables":
        return {**base, "tables": merge.merge(base["tables"], dict(change), component)}
    if component == "scenarios":
        shared_values = {key: value for key, value in change.items() if key == "common"}
        numbered = {key: value for key, value in change.items() if key != "common"}
        common_part = merge.merge({"common": base["common"]}, shared_values, component)
        assert isinstance(common_part, dict)
        return {**base, **common_part, component: merge.merge(base[component], numbered, component)}
    merged_part = merge.merge(base, dict(change), component)
    assert isinstance(merged_part, dict)
    return merged_part


def _structure_problem(component: str, change: Mapping[str, object]) -> tuple[str, str] | None:
    """Return the path and problem if a change gives a part the wrong structure, or None if there is no problem."""
    try:
        convert_part(component, _merge_part(OverlayMerge(), component, change))
    except DataError as error:
        return error.path, error.problem
    except RecursionError:
        return "", "it is nested too deeply"
    return None


def _smallest_faults(
    component: str, change: Mapping[str, object], path: tuple[str, ...]
) -> Iterator[Fault]:
    """Yield the faults in a change, narrowed down to single values that are wrong even without the others."""
    inner_value: object = change
    for key in path:
        assert isinstance(inner_value, dict)
        inner_value = inner_value[key]
    if isinstance(inner_value, dict):
        single_paths = [(*path, key) for key in inner_value]
        faulty = [
            entry
            for entry in single_paths
            if _structure_problem(component, _keep_only(change, entry)) is not None
        ]
        if faulty:
            for entry in faulty[:MAX_FAULTS]:
                yield from _smallest_faults(component, change, entry)
            return
    refusal = _structure_problem(component, _keep_only(change, path) if path else change)
    assert refusal is not None
    place, problem = refusal
    tail = place.rpartition(f".{path[-1]}[")[2] if isinstance(inner_value, list) and path else ""
    name = ".".join((component, *path)) + (f"[{tail}" if tail and tail != place else "")
    yield Fault(name, problem)


def _keep_only(change: Mapping[str, object], path: tuple[str, ...]) -> dict[str, object]:
    """Return a change reduced to the value at one path."""
    inner_change = change[path[0]]
    if len(path) == 1:
        return {path[0]: inner_change}
    assert isinstance(inner_change, dict)
    return {path[0]: _keep_only(inner_change, path[1:])}


def _text_problems(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Yield a problem for each text or name that is too long or contains unprintable characters."""
    if isinstance(value, str):
        if len(value) > MAX_TEXT_LENGTH:
            yield path, f"a text has at most {MAX_TEXT_LENGTH} characters"
        elif not value.isprintable():
            yield path, "a text contains a character that cannot be printed"
    elif isinstance(value, dict):
        for key, inner_value in value.items():
            if len(key) > MAX_TEXT_LENGTH or not key.isprintable():
                yield path, "a name is too long or cannot be printed"
                return
            yield from _text_problems(inner_value, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner_value in enumerate(value):
            yield from _text_problems(inner_value, f"{path}[{index}]")


def _count_values(value: object) -> int:
    """Return the number of values in a change."""
    if isinstance(value, dict):
        return sum(_count_values(inner_value) for inner_value in value.values())
    if isinstance(value, list):
        return sum(_count_values(inner_value) for inner_value in value)
    return 1
