"""Merges changes into plain data: objects by field, lists of named items by name, and dice by face.

Replaced values are marked as printed wherever a record stores the origin of its values.
"""

import re
from collections.abc import Mapping
from typing import Final

PRINTED_KEY: Final = "printed"
NAME_FIELDS: Final = (
    "id",
    "key",
    "chit",
    "turn",
    "label",
    "name",
    "line",
    "target",
    "force",
    "type",
    "level",
)
"""Fields that can name the items of a list. The first of these fields that all items have is used."""
MAX_LISTED: Final = 12
"""Maximum number of names to list in a message."""
_ORIGIN_FIELDS: Final = ("prov", "src")
_REMARK_FIELDS: Final = (*_ORIGIN_FIELDS, "note", "reason", "notes")
"""Fields that do not contain game values."""
_FACE_RANGE: Final = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?")


class OverlayMerge:
    """A single merge. `faults` collects the paths that match nothing, each with a message."""

    def __init__(self) -> None:
        """Start with no faults."""
        self.faults: list[tuple[str, str]] = []

    def merge(self, base: object, change: object, path: str) -> object:
        """Return data with a change merged in, without modifying the arguments."""
        return self._merge(base, change, path)[0]

    def _merge(self, base: object, change: object, path: str) -> tuple[object, bool]:
        """Return the merged data, and whether the enclosing record must still be marked as printed."""
        if isinstance(change, dict):
            if isinstance(base, dict):
                return self._merge_object(base, change, path)
            if isinstance(base, list):
                return self._merge_list(base, change, path), False
        if isinstance(base, list) and isinstance(change, list):
            return mark_printed(change, base), True
        return change, True

    def _merge_object(
        self, base: Mapping[str, object], change: Mapping[str, object], path: str
    ) -> tuple[dict[str, object], bool]:
        result = dict(base)
        fields: list[str] = []
        for key, value in change.items():
            if key == "cells" and _is_die_column(base.get(key)) and isinstance(value, dict):
                result[key] = self._merge_faces(base[key], value, f"{path}.{key}")
                continue
            result[key], is_open = self._merge(base.get(key), value, f"{path}.{key}")
            # A change to a remark replaces no value, so it does not mark the record as printed.
            if is_open and key not in _REMARK_FIELDS:
                fields.append(key)
        origin = next((name for name in _ORIGIN_FIELDS if name in base), None)
        if origin is None:
            return result, bool(fields)
        if origin not in change and fields:
            old_value = base[origin]
            by_field = (
                {**old_value, **dict.fromkeys(fields, PRINTED_KEY)}
                if isinstance(old_value, dict)
                else None
            )
            result[origin] = by_field or PRINTED_KEY
        return result, False

    def _merge_list(
        self, base: list[object], change: Mapping[str, object], path: str
    ) -> list[object]:
        """Apply the changes to a list of named items."""
        name = name_field(base)
        if name is None:
            self.faults.append((path, "this list can only be replaced as a whole; give a list"))
            return base
        result = list(base)
        places = {
            str(item[name]): index for index, item in enumerate(base) if isinstance(item, dict)
        }
        for key, value in change.items():
            if key not in places:
                known_names = (
                    ", ".join(places) if len(places) <= MAX_LISTED else f"{len(places)} others"
                )
                self.faults.append(
                    (f"{path}.{key}", f"there is no '{key}' here, but {known_names}")
                )
            else:
                result[places[key]] = self.merge(result[places[key]], value, f"{path}.{key}")
        return result

    def _merge_faces(self, base: object, change: Mapping[str, object], path: str) -> list[object]:
        """Return the cells of a die column after changing the results for some faces."""
        assert isinstance(base, list)
        faces: dict[int, dict[str, object]] = {
            face: {**cell, "lo": face, "hi": face}
            for cell in base
            if isinstance(cell, dict)
            for face in range(cell["lo"], cell["hi"] + 1)
        }
        for key, result in change.items():
            range_match = _FACE_RANGE.fullmatch(key)
            first_face = int(range_match[1]) if range_match else -1
            last = int(range_match[2] or first_face) if range_match else -1
            if first_face not in faces or last not in faces or last < first_face:
                problem = f"'{key}' is not a face or range of {min(faces)} to {max(faces)}"
                self.faults.append((f"{path}.{key}", problem))
                continue
            for face in range(first_face, last + 1):
                faces[face] = {"lo": face, "hi": face, "result": result, "prov": PRINTED_KEY}
        return _merge_equal_faces(faces)


def name_field(items: list[object]) -> str | None:
    """Return the field that contains the names of the items in a list, or None if there is none."""
    rows = [item for item in items if isinstance(item, dict)]
    if not rows or len(rows) != len(items):
        return None
    return next((name for name in NAME_FIELDS if all(name in row for row in rows)), None)


def mark_printed(change: object, base: object) -> object:
    """Return a replacement list whose records are marked as printed unless they state an origin."""
    if not isinstance(change, list) or not isinstance(base, list):
        return change
    model = next((item for item in base if isinstance(item, dict)), None)
    if model is None:
        return change
    return [
        _mark_record_printed(item, model) if isinstance(item, dict) else item for item in change
    ]


def _mark_record_printed(
    record: Mapping[str, object], model: Mapping[str, object]
) -> dict[str, object]:
    origins = {name: PRINTED_KEY for name in _ORIGIN_FIELDS if name in model}
    inner_record = {key: mark_printed(value, model.get(key)) for key, value in record.items()}
    return {**origins, **inner_record}


def _is_die_column(cells: object) -> bool:
    return (
        isinstance(cells, list)
        and bool(cells)
        and all(isinstance(cell, dict) and "lo" in cell and "hi" in cell for cell in cells)
    )


def _merge_equal_faces(faces: Mapping[int, dict[str, object]]) -> list[object]:
    """Return a column's cells, one for each run of adjacent faces with the same result."""
    cells: list[dict[str, object]] = []
    for face, cell in faces.items():
        if cells and all(cells[-1].get(key) == cell.get(key) for key in ("result", "prov", "note")):
            cells[-1] = {**cells[-1], "hi": face}
        else:
            cells.append(cell)
    return [*cells]
