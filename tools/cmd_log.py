"""`flagplot log`: export, import, salvage and complete records."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tools.click_commands import CheckedGroup
from tools.completion import complete_record_seats
from tools.record_path import RecordPath

if TYPE_CHECKING:
    from saves.headers import Header
    from saves.logfile import Log
    from saves.records import Record

_INPUT_PATH = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
_RECORD_PATH = RecordPath()
_OUTPUT_PATH = click.Path(dir_okay=False, path_type=Path)
_MAX_TEXT = 1 << 30
_HIDDEN = "?"
"""Character that replaces control characters in records from other programs."""


@click.group(cls=CheckedGroup)
def log() -> None:
    """Export, import, salvage and complete records.

    FILE may be the name of a saved game.
    """


@log.command("export")
@click.argument("file", type=_RECORD_PATH)
@click.option("--text", "form", flag_value="text", default=True, help="One line per command.")
@click.option("--jsonl", "form", flag_value="jsonl", help="One JSON object per record.")
@click.option(
    "--seat",
    metavar="ROLE",
    help="Only what this role may see; '-' for a spectator.",
    shell_complete=complete_record_seats,
)
def export(file: Path, form: str, seat: str | None) -> None:
    """Print a record as text or as JSON lines.

    Both can be imported again, but text only if it was exported from a full record. Unless you give --seat, exporting a
    full record reveals all hidden information, including the match secret.
    """
    from netplay.wire.sanitising import visible
    from saves.jsonlines import json_lines
    from saves.record_views import records_seen_by, ruleset_of
    from saves.replay_check import locating_errors
    from saves.textlog import text_lines

    record_log = _read_record(file)
    game = ruleset_of(record_log)
    with locating_errors(file.name, record_log.record_offsets):
        header, records = records_seen_by(game, record_log, seat)
        is_json = form == "jsonl"
        lines = json_lines(header, records) if is_json else text_lines(game, header, records)
        for line in lines:
            click.echo(visible(line, _HIDDEN))  # this has no effect on records written by flagplot


@log.command("import")
@click.argument("text", type=_INPUT_PATH)
@click.argument("out", type=_OUTPUT_PATH)
def import_(text: Path, out: Path) -> None:
    """Write the record OUT from an export; '-' reads standard input.

    Text is replayed through the rules, and JSON lines are imported unchanged. Both are checked against their chain
    values. The result is identical to the exported record.
    """
    from saves.logfile import write_log

    header, records = _parse_export(list(_decoded_lines(text)))
    write_log(out, header, records)
    click.echo(f"{out}: {len(records)} records")


@log.command("salvage")
@click.argument("file", type=_RECORD_PATH)
@click.argument("out", type=_OUTPUT_PATH)
def salvage_(file: Path, out: Path) -> None:
    """Copy the valid records of a damaged FILE to the new record OUT.

    A record is valid if it is complete and the rules can decode it; 'flagplot verify' checks whether it is correct.
    """
    from engine.kernel.errors import DataError
    from saves.logfile import salvage
    from saves.record_views import ruleset_of
    from saves.replay_check import count_replayable

    def count_usable(log: "Log") -> int:
        try:
            return count_replayable(ruleset_of(log), log)
        except DataError:  # an unknown game
            return len(log.records)

    salvaged = salvage(file, out, count_usable=count_usable)
    click.echo(f"{out}: {len(salvaged.records)} records, {salvaged.intact_bytes} bytes")


@log.command("complete")
@click.argument("file", type=_RECORD_PATH)
@click.argument("out", type=_OUTPUT_PATH)
def complete(file: Path, out: Path) -> None:
    """Write the full record OUT of a finished match whose players dealt the cards.

    The card seeds in the last record of FILE reveal everything hidden. For protocol 7 any copy of the match will do;
    older fair matches need the host's copy. OUT can be replayed from every seat; 'flagplot verify' checks whether it is
    correct.
    """
    from saves.logfile import write_log
    from saves.record_views import full_record

    header, records = full_record(_read_record(file))
    write_log(out, header, records)
    click.echo(f"{out}: {len(records)} records, nothing hidden")


def _read_record(file: Path) -> "Log":
    from saves.logfile import read_log

    record_log = read_log(file)
    if record_log.torn is not None:
        click.echo(f"Note: {record_log.torn}", err=True)
    return record_log


def _decoded_lines(text: Path) -> Iterator[str]:
    from engine.kernel.text_bytes import EncodingError, strip_bom
    from saves.errors import StorageError

    try:
        with click.open_file(str(text), "rb") as source:
            yield from strip_bom(source.read(_MAX_TEXT)).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError, EncodingError) as error:
        raise StorageError(f"cannot read {text}: {error}") from error


def _parse_export(lines: Sequence[str]) -> "tuple[Header, Sequence[Record]]":
    from saves.jsonlines import read_json_lines
    from saves.textlog import read_text

    is_json = bool(lines) and lines[0].startswith("{")
    return read_json_lines(lines) if is_json else read_text(lines)
