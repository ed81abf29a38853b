"""`flagplot export`: write records as tables for data analysis."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tools.click_commands import CheckedCommand
from tools.option_conflicts import refuse_given
from tools.record_path import RecordPath

if TYPE_CHECKING:
    from play.replay_session import ReplaySession
    from saves.export.encoding import Format

_TABLES = ("games", "results", "commands", "events", "dice", "decisions")
_SKIPPED = 3
_MAX_SENTENCE_CELLS = 4000
_SMALLEST = (80, 24)
_LARGEST = 500


def _parse_size(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    """Parse a number of columns and rows."""
    del context, parameter
    columns, _, rows = value.partition("x")
    if not (columns.isdecimal() and rows.isdecimal() and value.isascii()):
        raise click.BadParameter(f"'{value}' is not of the form 120x40.")
    size = int(columns), int(rows)
    if size[0] < _SMALLEST[0] or size[1] < _SMALLEST[1] or max(size) > _LARGEST:
        raise click.BadParameter(f"'{value}' is not between 80x24 and {_LARGEST}x{_LARGEST}.")
    return size


@click.command(cls=CheckedCommand)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=RecordPath(dir_okay=True),
)
@click.option("--csv", "form", flag_value="csv", default=True, help="Write CSV; the default.")
@click.option("--jsonl", "form", flag_value="jsonl", help="Write one JSON object per row.")
@click.option("--parquet", "form", flag_value="parquet", help="Write Parquet; needs pyarrow.")
@click.option("--svg", "form", flag_value="svg", help="Draw the screen as a picture instead.")
@click.option(
    "--cast", "form", flag_value="cast", help="Record the replay as an asciicast instead."
)
@click.option(
    "--out",
    metavar="FOLDER",
    default="tables",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the tables, pictures or casts.",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    type=click.Choice(_TABLES),
    help="Table to write; repeatable. Default: all.",
)
@click.option("--seat", metavar="ROLE", help="Only what this role may see; '-' for a spectator.")
@click.option(
    "--at",
    "seq",
    metavar="SEQ",
    type=click.IntRange(0),
    help="With --svg, draw the position after this record. With --cast, begin there.",
)
@click.option(
    "--size",
    metavar="COLUMNSxROWS",
    default="120x40",
    show_default=True,
    callback=_parse_size,
    help="With --svg or --cast: size of the screen.",
)
@click.option(
    "--jobs",
    metavar="N",
    default=0,
    type=click.IntRange(0, 64),
    help="Number of processes. Default: one per processor.",
)
def export(  # one parameter per option
    files: tuple[Path, ...],
    form: "Literal['csv', 'jsonl', 'parquet', 'svg', 'cast']",
    out: Path,
    tables: tuple[str, ...],
    *,
    seat: str | None,
    seq: int | None,
    size: tuple[int, int],
    jobs: int,
) -> int:
    """Write records as tables of games, results, commands, events, dice and decisions.

    FILE is a record (.fplog), the name of a saved game, or a folder with records. Each table becomes one file in the
    output folder, such as events.csv. Unless you give --seat, a full record's tables reveal all hidden information.

    With --svg, each record becomes a picture of the replay screen instead, such as game.svg. With --cast, it becomes a
    recording of the replay for asciinema, one command per second, such as game.cast.

    Damaged files are left out and reported. The exit code is then 3.
    """
    from tools.cmd_verify import record_paths

    paths = tuple(record_paths(files))
    if not paths:
        raise click.UsageError("These folders contain no record (*.fplog).")
    match form:
        case "svg" | "cast":
            refuse_given({"tables", "jobs"}, f"has no effect with --{form}")
            return _draw_all(paths, form, out, seat, seq, size)
        case "csv" | "jsonl" | "parquet":
            refuse_given({"seq", "size"}, "needs --svg or --cast")
            return _export_tables(paths, form, out, tables, seat, jobs)


def _export_tables(  # one parameter per option
    paths: Sequence[Path],
    form: "Format",
    out: Path,
    tables: Collection[str],
    seat: str | None,
    jobs: int,
) -> int:
    from saves.export.exporter import ALL_TABLES, export_files
    from saves.workers import available_cpu_count
    from tools.progress_bar import ProgressBar

    chosen = tuple(table for table in ALL_TABLES if not tables or table in tables)
    counts: Counter[str] = Counter()
    skipped = 0
    workers = min(jobs or available_cpu_count(), len(paths))
    with ProgressBar(len(paths), "exporting") as progress:
        for result in export_files(paths, out, form, tables=chosen, seat=seat, jobs=workers):
            counts.update(result.rows)
            progress.advance(1)
            if result.problem:
                skipped += 1
                progress.clear()
                _report_left_out(result.problem)
    for table in chosen:
        click.echo(f"{out / f'{table}.{form}'}: {counts[table]} rows")
    return _SKIPPED if skipped else 0


def _draw_all(
    paths: Sequence[Path],
    form: "Literal['svg', 'cast']",
    out: Path,
    seat: str | None,
    seq: int | None,
    size: tuple[int, int],
) -> int:
    """Draw a position of each record, or record its replay, and return the exit code."""
    from engine.kernel.errors import FlagplotError
    from saves.errors import StorageError
    from saves.files import make_folder
    from tui.app.cast import replay_cast
    from tui.app.still import position_svg

    make_folder(out)
    skipped = 0
    for path in paths:
        target = out / f"{path.stem}.{form}"
        if target.exists():
            raise StorageError(f"{target} already exists; it was not replaced")
        try:
            first = 0 if form == "cast" else None
            session = _session(path, seat, first if seq is None else seq)
        except FlagplotError as error:
            skipped += 1
            _report_left_out(f"{path}: {error}")
            continue
        text = position_svg(session, size) if form == "svg" else replay_cast(session, size)
        target.write_text(text, encoding="utf-8")
        click.echo(target)
    return _SKIPPED if skipped else 0


def _session(path: Path, seat: str | None, seq: int | None) -> "ReplaySession":
    """Open a record at a position, which is the last one if ``seq`` is None."""
    from play.replay_session import ReplaySession
    from saves.errors import MatchError
    from saves.record_views import parse_seat

    session = ReplaySession.open(path)
    if seq is not None and seq > session.last_seq:
        raise MatchError(f"there is no record {seq}; the last one is {session.last_seq}")
    if seat is not None:
        session.switch_role(parse_seat(session.log_file, seat, session.roles()))
    session.go_to_record(session.last_seq if seq is None else seq)
    return session


def _report_left_out(problem: str) -> None:
    from netplay.wire.sanitising import sanitise

    click.echo(sanitise(f"left out: {problem}", _MAX_SENTENCE_CELLS), err=True)
