"""Exports record files to one file per table. Only the rows of a few record files are in memory at the same time."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import starmap
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from engine import registry
from engine.kernel.errors import DataError, FlagplotError
from saves.errors import StorageError
from saves.export.encoding import Format, check_format, encode_rows, open_sink
from saves.export.rows import RecordRows, Rows
from saves.export.tables import TABLES, TableName
from saves.files import FILES, create_partial, make_folder
from saves.logfile import read_log
from saves.record_views import records_seen_by
from saves.replay_check import locating_errors
from saves.workers import map_in_workers

ALL_TABLES: Final[tuple[TableName, ...]] = tuple(TABLES)


class ExportedFile(msgspec.Struct, frozen=True, kw_only=True):
    """The result for one record file."""

    file: str
    rows: Mapping[TableName, int]
    """Number of rows in each table; empty if the file was left out."""
    problem: str = ""
    """The reason why the file was left out; empty if it was exported."""


class ExportTask(NamedTuple):
    """What to export from one record file."""

    number: int
    """The file's ``game_no``."""
    path: Path
    form: Format
    tables: tuple[TableName, ...]
    seat: str | None


class _EncodedFile(NamedTuple):
    """The encoded rows of one record file."""

    result: ExportedFile
    parts: Mapping[TableName, bytes]


class TableFile:
    """One table's file. Until it is complete, its name ends with ``.part``."""

    def __init__(self, folder: Path, table: TableName, form: Format) -> None:
        """Create the file.

        Raises:
            StorageError: The file exists or cannot be created.
        """
        self._path = folder / f"{table}.{form}"
        self._partial = self._path.with_name(f"{self._path.name}.part")
        if self._path.exists():
            raise StorageError(f"{self._path} already exists; nothing was written")
        with _storage_errors(self._path):
            # Other users may have prepared a link with this name.
            self._file: BinaryIO = os.fdopen(create_partial(FILES, self._partial), "wb")
            self._sink = open_sink(self._file, table, form)

    def add(self, part: bytes) -> None:
        """Append encoded rows.

        Raises:
            StorageError: The write failed.
        """
        with _storage_errors(self._path):
            self._sink.write(part)

    def finish(self) -> None:
        """Complete the file under its own name.

        Raises:
            StorageError: The write failed.
        """
        with _storage_errors(self._path):
            self._sink.close()
            self._file.close()
            self._partial.replace(self._path)

    def discard(self) -> None:
        """Close and delete the file, unless it is complete."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._partial.unlink(missing_ok=True)


@contextlib.contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def export_files(
    paths: Iterable[Path],
    folder: Path,
    form: Format,
    *,
    tables: Sequence[TableName] = ALL_TABLES,
    seat: str | None = None,
    jobs: int = 1,
) -> Iterator[ExportedFile]:
    """Export record files to tables, and yield the result for each file, in order.

    The tables are complete only when the iterator is exhausted. If it is closed earlier, nothing is left behind. The
    number of processes does not affect the tables.

    Args:
        paths: Record files.
        folder: Folder for the tables' files, such as ``games.csv``; created if necessary.
        form: File format.
        tables: The tables to write.
        seat: Export only what this role may see; ``-`` for a spectator. None exports everything in each file.
        jobs: Number of processes.

    Raises:
        DataError: There is no such format or table.
        MissingLibraryError: Parquet needs pyarrow, which is not installed.
        StorageError: A table's file exists or cannot be written.
        WorkerDiedError: A worker process exited before it returned a result.
    """
    check_format(form)
    if unknown := sorted(set(tables) - set(ALL_TABLES)):
        problem = f"there is no table '{unknown[0]}'; known: {', '.join(ALL_TABLES)}"
        raise DataError("export", "", problem)
    make_folder(folder)
    chosen = tuple(table for table in ALL_TABLES if table in tables)
    tasks = ((ExportTask(number, path, form, chosen, seat),) for number, path in enumerate(paths))
    with ExitStack() as stack:
        files: dict[TableName, TableFile] = {}
        for table in chosen:
            files[table] = TableFile(folder, table, form)
            stack.callback(files[table].discard)
        encoded_files: Iterator[_EncodedFile] = (
            starmap(_encode_file, tasks)
            if jobs == 1
            else stack.enter_context(closing(map_in_workers(jobs, _encode_file, tasks)))
        )
        for encoded in encoded_files:
            for table, part in encoded.parts.items():
                files[table].add(part)
            yield encoded.result
        for file in files.values():
            file.finish()


def _encode_file(task: ExportTask) -> _EncodedFile:
    """Encode one record file's rows. A damaged file has no rows."""
    try:
        rows = _read_rows(task)
        parts = {table: encode_rows(table, part, task.form) for table, part in rows.items() if part}
    except FlagplotError as error:
        return _EncodedFile(ExportedFile(file=str(task.path), rows={}, problem=str(error)), {})
    except OverflowError:
        # The columns of Parquet have 64 bits.
        problem = f"{task.path.name} contains a number that is too large for {task.form}"
        return _EncodedFile(ExportedFile(file=str(task.path), rows={}, problem=problem), {})
    counts = {table: len(table_rows) for table, table_rows in rows.items()}
    return _EncodedFile(ExportedFile(file=str(task.path), rows=counts), parts)


def _read_rows(task: ExportTask) -> Rows:
    """Read one record file's rows.

    Raises:
        CorruptLogError: The file is damaged, or the rules cannot process it.
        DataError: The game is unknown.
        SeatError: The seat does not exist, or the file does not contain its view.
        StorageError: The file cannot be read.
    """
    log = read_log(task.path)
    rules = registry.ruleset(log.header.game)
    with locating_errors(task.path.name, log.record_offsets):
        if task.seat is not None:
            header, records = records_seen_by(rules, log, task.seat)
            log = msgspec.structs.replace(log, header=header, records=records)
        return RecordRows(task.number, str(task.path), log, rules, task.tables).compute()
