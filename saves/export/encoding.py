"""Encodes rows as CSV or JSON lines."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args, get_type_hints

import msgspec

from saves.export.tables import TABLES, Row, TableName

Format: TypeAlias = Literal["csv", "jsonl"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
_encode_lines: Final = msgspec.json.Encoder().encode_lines


class ExportColumn(msgspec.Struct, frozen=True):
    """A column of a table."""

    name: str
    kind: Literal["integer", "text", "yes or no", "JSON"]
    is_optional: bool
    """True if a row may have no value in this column."""
    description: str


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
    kind, meta = get_args(hint)
    types = get_args(kind) or (kind,)
    return ExportColumn(name, _KINDS[types[0]], len(types) > 1, meta.description)


def heading(table: TableName, form: Format) -> bytes:
    """Return what a table's file begins with: the names of the columns in CSV, otherwise nothing."""
    if form != "csv":
        return b""
    return ",".join(TABLES[table].__struct_fields__).encode() + b"\n"


def encode_rows(table: TableName, rows: Sequence[Row], form: Format) -> bytes:
    """Encode rows of one table. Parts of a table can be joined."""
    if form == "jsonl":
        return _encode_lines(rows)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_plain_rows(table, rows))
    return text.getvalue().encode()


def _plain_rows(table: TableName, rows: Sequence[Row]) -> Sequence[Sequence[object]]:
    """Return rows of plain values, which the writer of CSV formats. Yes and no are written as in JSON."""
    tuples = [msgspec.structs.astuple(row) for row in rows]
    converters = [
        (index, _CONVERTERS[column.kind])
        for index, column in enumerate(columns(table))
        if column.kind in _CONVERTERS
    ]
    if not converters:
        return tuples
    lists = [[*values] for values in tuples]
    for index, convert in converters:
        for values in lists:
            values[index] = convert(values[index])
    return lists


def _raw_text(value: object) -> str:
    assert isinstance(value, msgspec.Raw)
    return bytes(value).decode()


def _json_bool(value: object) -> str:
    return "true" if value else "false"


_CONVERTERS: Final[Mapping[str, Callable[[object], str]]] = {
    "JSON": _raw_text,
    "yes or no": _json_bool,
}
