"""`flagplot export`: write records as tables for data analysis."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tools.click_commands import CheckedCommand

if TYPE_CHECKING:
    from saves.export.encoding import Format

_TABLES = ("games", "results", "commands", "events", "dice", "decisions")
_SKIPPED = 3
_MAX_SENTENCE_CELLS = 4000


@click.command(cls=CheckedCommand)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, path_type=Path),
)
@click.option("--csv", "form", flag_value="csv", default=True, help="Write CSV; the default.")
@click.option("--jsonl", "form", flag_value="jsonl", help="Write one JSON object per row.")
@click.option("--parquet", "form", flag_value="parquet", help="Write Parquet; needs pyarrow.")
@click.option(
    "--out",
    metavar="FOLDER",
    default="tables",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the tables.",
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
    "--jobs",
    metavar="N",
    default=0,
    type=click.IntRange(0, 64),
    help="Number of processes. Default: one per processor.",
)
def export(
    files: tuple[Path, ...],
    form: "Format",
    out: Path,
    tables: tuple[str, ...],
    *,
    seat: str | None,
    jobs: int,
) -> int:
    """Write records as tables of games, results, commands, events, dice and decisions.

    FILE is a record (.fplog) or a folder with records. Each table becomes one file in the output folder, such as
    events.csv. Unless you give --seat, a full record's tables reveal all hidden information.

    Damaged files are left out and reported. The exit code is then 3.
    """
    from netplay.wire.sanitising import sanitise
    from saves.export.exporter import ALL_TABLES, export_files
    from saves.workers import processors
    from tools.cmd_verify import record_paths
    from tools.progress_bar import ProgressBar

    paths = tuple(record_paths(files))
    if not paths:
        raise click.UsageError("These folders contain no record (*.fplog).")
    chosen = tuple(table for table in ALL_TABLES if not tables or table in tables)
    counts: Counter[str] = Counter()
    skipped = 0
    workers = min(jobs or processors(), len(paths))
    with ProgressBar(len(paths), "exporting") as progress:
        for result in export_files(paths, out, form, tables=chosen, seat=seat, jobs=workers):
            counts.update(result.rows)
            progress.advance(1)
            if result.problem:
                skipped += 1
                progress.clear()
                click.echo(sanitise(f"left out: {result.problem}", _MAX_SENTENCE_CELLS), err=True)
    for table in chosen:
        click.echo(f"{out / f'{table}.{form}'}: {counts[table]} rows")
    return _SKIPPED if skipped else 0
