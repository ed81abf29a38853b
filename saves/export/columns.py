"""Describes the columns of the exported tables."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, get_args, get_type_hints

import msgspec

from saves.export.tables import TABLES, TableName


class ExportColumn(msgspec.Struct, frozen=True):
    """A column of a table."""

    name: str
    kind: Literal["integer", "text", "yes or no", "JSON"]
    is_optional: bool
    """True if a row may have no value in this column."""
    description: str


@cache
def columns(table: TableName) -> tuple[ExportColumn, ...]:
    """Return a table's columns, in order."""
    hints = get_type_hints(TABLES[table], include_extras=True)
    return tuple(_column(name, hints[name]) for name in TABLES[table].__struct_fields__)


_KINDS: Final[Mapping[object, Literal["integer", "text", "yes or no", "JSON"]]] = {
    int: "integer",
    str: "text",
    bool: "yes or no",
    msgspec.Raw: "JSON",
}


def _column(name: str, hint: Any) -> ExportColumn:  # noqa: ANN401  # an annotated type
    value_type, meta = get_args(hint)
    types = get_args(value_type) or (value_type,)
    return ExportColumn(name, _KINDS[types[0]], len(types) > 1, meta.description)
