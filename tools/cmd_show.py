"""`flagplot show`: print a record's position or log."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tools.click_commands import CheckedCommand
from tools.completion import complete_record_seats
from tools.record_path import RecordPath

if TYPE_CHECKING:
    from engine.kernel.ids import Role
    from saves.codec import AnyGame
    from saves.logfile import Log
    from saves.records import Record

_MAX_LINE_CELLS = 2000
_INDENT = "  "
_MAX_SHORT_LENGTH = 76


@click.command(cls=CheckedCommand)
@click.argument("file", type=RecordPath())
@click.option(
    "--at",
    "seq",
    metavar="SEQ",
    type=click.IntRange(0),
    help="Stop after this record. Default: the last.",
)
@click.option(
    "--seat",
    metavar="ROLE",
    help="Show this role's view; '-' for a spectator.",
    shell_complete=complete_record_seats,
)
@click.option("--log", "as_log", is_flag=True, help="Print the log instead of the position.")
@click.option("--summary", is_flag=True, help="Print how a finished game ended, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the log as one object per line.")
def show(  # one parameter per option
    file: Path,
    seq: int | None,
    seat: str | None,
    *,
    as_log: bool,
    summary: bool,
    as_json: bool,
) -> None:
    """Print the position, the log or the summary of the record FILE, which may be the name of a saved game.

    Without --seat you see a spectator's view or, in a player's copy, that player's view.
    """
    from saves.errors import MatchError
    from saves.logfile import read_log
    from saves.record_views import parse_seat, record_roles, ruleset_of
    from saves.replay_check import locating_errors

    record_log = read_log(file)
    if record_log.torn is not None:
        click.echo(f"Note: {record_log.torn}", err=True)
    game = ruleset_of(record_log)
    with locating_errors(file.name, record_log.record_offsets):
        role = parse_seat(record_log, seat, record_roles(game, record_log))
    last_seq = len(record_log.records) - 1 if seq is None else seq
    if last_seq >= len(record_log.records):
        raise MatchError(
            f"there is no record {last_seq}; the last one is {len(record_log.records) - 1}"
        )
    if summary:
        with locating_errors(file.name, record_log.record_offsets):
            _show_summary(file, record_log, role, last_seq, as_json=as_json)
        return
    if as_log:
        with locating_errors(file.name, record_log.record_offsets):
            for line in _entries(game, record_log, role, last_seq):
                click.echo(json.dumps(line) if as_json else _format_line(line))
        return
    with locating_errors(file.name, record_log.record_offsets):
        position = _position(game, record_log, role, last_seq)
    click.echo(json.dumps(position, indent=2) if as_json else "\n".join(_outline(position, "")))


def _show_summary(file: Path, log: "Log", role: "Role | None", seq: int, *, as_json: bool) -> None:
    import msgspec

    from play.replay_session import ReplaySession
    from saves.errors import MatchError
    from saves.record_views import ruleset_of
    from tui.presenter.end_lines import session_summary, summary_lines
    from tui.presenter.presenter import load_presenter

    rules = ruleset_of(log)
    session = ReplaySession(
        msgspec.structs.replace(log, records=log.records[: seq + 1]), rules, file.name
    )
    if role in session.seats():
        session.switch_role(role)
    summary = session_summary(session, load_presenter(rules))
    if summary is None:
        raise MatchError(f"the game is not over after record {seq}, so it has no summary")
    if as_json:
        data = {"sentence": summary.sentence, **msgspec.to_builtins(summary)}
        click.echo(json.dumps(data, indent=2))
    else:
        for line in summary_lines(summary):
            click.echo(line)


def _position(game: "AnyGame", log: "Log", role: "Role | None", seq: int) -> dict[str, object]:
    """Return a role's view after a record, as plain data."""
    import msgspec

    from saves.record_views import own_data
    from saves.terms import current_terms
    from saves.timeline import Timeline, attribute_errors

    timeline = Timeline(game)
    timeline.load(log.records[: seq + 1])
    state = timeline.state
    terms = current_terms(game, log.header, log.records[: seq + 1])
    with attribute_errors(seq):
        return {
            "game": log.header.game,
            "match": log.header.match_id,
            **own_data(log.header),
            "seq": seq,
            "chain": log.records[seq].chain.hex(),
            "seen_by": role or "spectator",
            "heading": game.heading(state),
            "asked": list(terms.asked(state)),
            **({"adjourned": True} if terms.adjourned else {}),
            "outcome": msgspec.to_builtins(terms.outcome(state)),
            "view": msgspec.to_builtins(game.project(state, role), order="deterministic"),
        }


def _entries(
    game: "AnyGame", log: "Log", role: "Role | None", last_seq: int
) -> Iterator[dict[str, object]]:
    from saves.record_views import seen_record
    from saves.timeline import attribute_errors

    for record in log.records[: last_seq + 1]:
        redacted = seen_record(game, log, record, role)
        with attribute_errors(record.seq):
            entry = _entry(game, redacted)
        yield entry


def _entry(game: "AnyGame", record: "Record") -> dict[str, object]:
    """Describe one record in words. If its command is hidden, the command is None."""
    from saves.entries import decode_command, remark_text, visible_events
    from saves.terms import statement_text

    command_entry = record.command if record.kind == "command" else None
    command = None if command_entry is None else decode_command(game, command_entry)
    return {
        "seq": record.seq,
        "kind": record.kind,
        "role": record.role,
        "command": None if command is None else game.notation.line(command),
        "takeback_to": record.takeback_to,
        "remark": remark_text(record),
        "agreed": statement_text(game, record),
        "events": list(game.log_sentences(visible_events(game, record))),
        "chain": record.chain.hex(),
    }


def _format_line(line: Mapping[str, object]) -> str:
    from netplay.wire.sanitising import sanitise

    words = [str(line["seq"]), str(line["role"])]
    if line["kind"] == "command":
        words.append(str(line["command"] or "(hidden)"))
    elif line["kind"] == "takeback":
        words.append(f"takes the game back to record {line['takeback_to']}")
    elif line["kind"] == "remark":
        words.append(str(line["remark"]))
    elif line["agreed"]:
        words.append(f"{line['kind']}: {line['agreed']}")
    else:
        words.append(str(line["kind"]))
    events = line["events"]
    assert isinstance(events, list)
    return "\n".join(
        [
            sanitise(" ".join(words), _MAX_LINE_CELLS),
            *(f"    {sanitise(event, _MAX_LINE_CELLS)}" for event in events),
        ]
    )


def _outline(value: object, indent: str) -> Iterator[str]:
    """Yield nested plain data as indented lines."""
    from netplay.wire.sanitising import sanitise

    pairs: Sequence[tuple[str, object]]
    if isinstance(value, dict):
        pairs = [(f"{key}:", item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        pairs = [("-", item) for item in value]
    else:
        pairs = [("", value)]
    for name, item in pairs:
        short = _short_value(item)
        if short is None:
            yield f"{indent}{sanitise(name, _MAX_LINE_CELLS)}"
            yield from _outline(item, indent + _INDENT)
        else:
            yield f"{indent}{sanitise(f'{name} {short}', _MAX_LINE_CELLS)}"


def _short_value(value: object) -> str | None:
    """Return a value as text for the same line as its name; None if the value needs lines of its own."""
    if isinstance(value, dict | list | tuple):
        parts = (
            [f"{key} {_short_value(item)}" for key, item in value.items()]
            if isinstance(value, dict)
            else [_short_value(item) or "" for item in value]
        )
        nested = value.values() if isinstance(value, dict) else value
        line = ", ".join(parts) or "none"
        is_nested = any(isinstance(item, dict | list | tuple) for item in nested)
        return None if is_nested or len(line) > _MAX_SHORT_LENGTH else line
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
