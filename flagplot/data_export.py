"""Exports records as tables."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from pathlib import Path

import msgspec

from saves.export.encoding import Format
from saves.export.exporter import ALL_TABLES, ExportedFile, export_files
from saves.export.tables import TableName
from saves.record_views import SPECTATOR
from saves.workers import available_cpu_count


class ExportReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an export."""

    rows: Mapping[str, int]
    """Number of rows in each table."""
    left_out: tuple[ExportedFile, ...]
    """The files that were left out, each with the problem."""


def export(
    paths: Iterable[str | PathLike[str]],
    folder: str | PathLike[str],
    form: Format = "csv",
    *,
    tables: Collection[TableName] = ALL_TABLES,
    seat: str | None = None,
    spectator: bool = False,
    jobs: int = 0,
) -> ExportReport:
    """Export record files to tables, one file per table. Only the rows of a few records are in memory at a time.

    Args:
        paths: Record files.
        folder: Folder for the tables' files, such as ``games.csv``; created if necessary.
        form: File format.
        tables: The tables to write; see ``docs/export.md``.
        seat: Export only what this role may see; None for everything in each file.
        spectator: Export only what a spectator may see, instead of a seat's view.
        jobs: Number of processes; 0 for one per processor.

    Raises:
        DataError: There is no such format or table.
        MissingLibraryError: Parquet needs pyarrow, which is not installed.
        StorageError: A table's file exists or cannot be written.
        WorkerDiedError: A process exited before it returned a result.
    """
    viewer = SPECTATOR if spectator else seat
    counts = Counter[str](dict.fromkeys(tables, 0))
    left_out = []
    for result in export_files(
        map(Path, paths),
        Path(folder),
        form,
        tables=tuple(tables),
        seat=viewer,
        jobs=jobs or available_cpu_count(),
    ):
        counts.update(result.rows)
        if result.problem:
            left_out.append(result)
    return ExportReport(rows=dict(counts), left_out=tuple(left_out))
