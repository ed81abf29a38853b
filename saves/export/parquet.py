"""Writes Parquet files. Only this module needs pyarrow, which is an optional library."""

from collections.abc import Sequence
from typing import Any, BinaryIO, Final

import msgspec
import pyarrow as pa
from pyarrow import ipc, parquet

from saves.export.columns import columns
from saves.export.tables import Row, TableName

ROWS_PER_GROUP: Final = 100_000
"""Maximum number of rows in a row group. Small row groups are slow to read."""
_TYPES: Final = {
    "integer": pa.int64(),
    "text": pa.string(),
    "yes or no": pa.bool_(),
    "JSON": pa.string(),
}


def schema(table: TableName) -> Any:  # noqa: ANN401  # pyarrow has no type information
    """Return a table's schema, with the descriptions of its columns."""
    return pa.schema(
        [
            pa.field(
                column.name,
                _TYPES[column.kind],
                nullable=column.is_optional,
                metadata={"description": column.description},
            )
            for column in columns(table)
        ]
    )


def encode_stream(table: TableName, rows: Sequence[Row]) -> bytes:
    """Return rows as an Arrow stream."""
    layout = schema(table)
    values = zip(*map(msgspec.structs.astuple, rows), strict=True)
    arrays = [
        pa.array(
            [bytes(one).decode() for one in cells] if column.kind == "JSON" else cells,
            type=_TYPES[column.kind],
        )
        for cells, column in zip(values, columns(table), strict=True)
    ]
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, layout) as stream:
        stream.write_batch(pa.record_batch(arrays, schema=layout))
    content: bytes = sink.getvalue().to_pybytes()
    return content


class ParquetSink:
    """Writes one table to an open file."""

    def __init__(self, file: BinaryIO, table: TableName) -> None:
        """Start writing a Parquet file."""
        self._schema = schema(table)
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._batches: list[Any] = []
        self._row_count = 0

    def write(self, part: bytes) -> None:
        """Add rows from :func:`encode_stream`."""
        with ipc.open_stream(part) as stream:
            batches = list(stream)
        self._batches += batches
        self._row_count += sum(batch.num_rows for batch in batches)
        if self._row_count >= ROWS_PER_GROUP:
            self._write_group()

    def close(self) -> None:
        """Write the remaining rows and the file's footer."""
        self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        if self._batches:
            table = pa.Table.from_batches(self._batches, self._schema).combine_chunks()
            self._writer.write_table(table, row_group_size=self._row_count)
            self._batches, self._row_count = [], 0
