"""Exports records as JSON lines, and imports them again without losing a byte.

The first line is the header, and every other line is one record. Hashes, salts and secrets are in base64. A command or
event is written as plain fields if they encode to exactly the same bytes; otherwise, it is written in base64.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from engine.kernel.errors import FlagplotError
from saves.decoding import convert, decode
from saves.errors import CorruptLogError, UnreadableError
from saves.framing import scan
from saves.headers import Header
from saves.logfile import log_bytes
from saves.records import MAX_RECORD_BYTES, Entry, Record

Plain: TypeAlias = dict[str, object]

_TITLE: Final = "flagplot"
_JSON_DECODER: Final = msgspec.json.Decoder(dict[str, object])
_BODY_DECODER: Final = msgspec.msgpack.Decoder()
_LINE_BYTES: Final = 4 * MAX_RECORD_BYTES


class ImportRefusedError(FlagplotError):
    """The text is not a complete export of a game."""

    exit_code = 3


def json_lines(header: Header, records: Iterable[Record]) -> Iterator[str]:
    """Yield a game's lines, without line endings: first the header, then each record."""
    yield json.dumps({_TITLE: "log", **msgspec.to_builtins(header)})
    for record in records:
        try:
            yield _record_line(record)
        except RecursionError:
            # Fields in a file may be nested more deeply than the JSON encoder allows.
            yield json.dumps(msgspec.to_builtins(record))


def _record_line(record: Record) -> str:
    plain = msgspec.to_builtins(record)
    plain["command"] = None if record.command is None else _plain_entry(record.command)
    plain["events"] = [_plain_entry(entry) for entry in record.events]
    if record.signature is not msgspec.UNSET:
        plain["signature"] = _plain_entry(record.signature)
    return json.dumps(plain)


def read_json_lines(lines: Sequence[str]) -> tuple[Header, Sequence[Record]]:
    """Read an export written by :func:`json_lines`.

    Raises:
        ImportRefusedError: A line is malformed, or the chain is broken.
    """
    if not lines:
        raise ImportRefusedError("there is nothing to import")
    line_number = 0
    try:
        header = _parse_header(_parse_line(lines[0]))
        records: list[Record] = []
        for line in lines[1:]:
            line_number += 1
            records.append(_parse_record(_parse_line(line)))
        # Encode the records as a file and scan it, so that all checks for record files apply,
        # including the chain.
        scanned = scan("the import", log_bytes(header, records))
    except UnreadableError as error:
        problem = f"line {line_number + 1} is not from an exported game: {error}"
        raise ImportRefusedError(problem) from error
    except CorruptLogError as error:
        raise ImportRefusedError(f"line 1 is wrong: {error.problem}") from error
    except OverflowError as error:
        raise ImportRefusedError("the game contains a number that is too large") from error
    if scanned.damage is not None:
        raise ImportRefusedError(
            f"line {scanned.damage.record + 2} is wrong: {scanned.damage.problem}"
        )
    # The scan has recomputed the chain values, because frames do not store their own.
    if list(scanned.records) != records:
        raise ImportRefusedError("the chain values do not match the records")
    return header, records


def _parse_header(plain: Plain) -> Header:
    if plain.pop(_TITLE, None) != "log":
        raise ImportRefusedError("line 1 does not begin an exported game")
    header: Header = convert(plain, Header)
    return header


def _plain_entry(entry: Entry) -> Plain:
    plain: Plain = msgspec.to_builtins(entry)
    body = plain.pop("body")
    if entry.body is None:
        return plain
    fields = _decode_fields(entry.body)
    return {**plain, "body": body} if fields is None else {**plain, "fields": fields}


def _decode_fields(body: bytes) -> Plain | None:
    """Decode a body to plain fields, or return None if JSON cannot represent the fields without loss."""
    try:
        fields = decode(_BODY_DECODER, body, MAX_RECORD_BYTES)
        encoded_again = json.loads(json.dumps(fields))
    except (UnreadableError, TypeError, ValueError):
        return None
    if not isinstance(fields, dict) or msgspec.msgpack.encode(encoded_again) != body:
        return None
    return fields


def _parse_line(line: str) -> Plain:
    # A lone surrogate must reach the decoder, which refuses it. By default, encode() would raise
    # another error here.
    return decode(_JSON_DECODER, line.encode("utf-8", "surrogatepass"), _LINE_BYTES)


def _parse_record(plain: Plain) -> Record:
    command, events = plain.get("command"), plain.get("events")
    entries = [_with_base64_body(entry) for entry in events] if isinstance(events, list) else events
    plain_command = None if command is None else _with_base64_body(command)
    if "signature" in plain:
        plain["signature"] = _with_base64_body(plain["signature"])
    record: Record = convert({**plain, "command": plain_command, "events": entries}, Record)
    return record


def _with_base64_body(entry: object) -> Plain:
    """Return an entry with its body in base64, as the decoder expects."""
    if not isinstance(entry, Mapping):
        raise UnreadableError("an entry is not an object")
    plain = dict(entry)
    if "fields" in plain:
        body = msgspec.msgpack.encode(plain.pop("fields"))
        plain["body"] = base64.b64encode(body).decode()
    # The export omits the body of a completely hidden entry, but the decoder requires the field.
    return {"body": None, **plain}
