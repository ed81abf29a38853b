"""Encodes rows as CSV, JSON lines or Parquet, and joins the encoded parts of a table in one file."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import BinaryIO, Final, Literal, Protocol, TypeAlias, get_args

import msgspec

from engine.kernel.errors import DataError, FlagplotError
from saves.export.columns import columns
from saves.export.tables import TABLES, Row, TableName

Format: TypeAlias = Literal["csv", "jsonl", "parquet"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
_encode_lines: Final = msgspec.json.Encoder().encode_lines


class MissingLibraryError(FlagplotError):
    """An optional library is not installed."""

    exit_code = 3


class TableSink(Protocol):
    """Writes the parts of one table to an open file."""

    def write(self, part: bytes, /) -> object:
        """Write rows from :func:`encode_rows`."""
        ...

    def close(self) -> None:
        """Complete the file."""
        ...


def check_format(form: Format) -> None:
    """Check that a format exists, and that its library is installed.

    Raises:
        DataError: There is no such format.
        MissingLibraryError: Parquet needs pyarrow, which is not installed.
    """
    if form not in FORMATS:
        raise DataError("export", "", f"there is no format '{form}'; known: {', '.join(FORMATS)}")
    if form == "parquet" and find_spec("pyarrow") is None:
        raise MissingLibraryError(
            "Parquet needs the library pyarrow; install it with: pip install 'flagplot[data]'"
        )


def open_sink(file: BinaryIO, table: TableName, form: Format) -> TableSink:
    """Begin a table in an open file. In CSV, write the names of the columns."""
    if form == "parquet":
        from saves.export.parquet import ParquetSink  # noqa: PLC0415  # pyarrow is optional

        return ParquetSink(file, table)
    if form == "csv":
        file.write(",".join(TABLES[table].__struct_fields__).encode() + b"\n")
    return file


def encode_rows(table: TableName, rows: Sequence[Row], form: Format) -> bytes:
    """Encode rows of one table as a part for its :class:`TableSink`."""
    if form == "parquet":
        from saves.export.parquet import encode_stream  # noqa: PLC0415  # pyarrow is optional

        return encode_stream(table, rows)
    if form == "jsonl":
        return _encode_lines(rows)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_plain_rows(table, rows))
    return text.getvalue().encode()


def _plain_rows(table: TableName, rows: Sequence[Row]) -> Sequence[Sequence[object]]:
    """Convert rows to plain values for the CSV writer. Booleans are written as in JSON."""
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
