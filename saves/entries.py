"""Converts commands, events and statements to record entries and back."""

from collections.abc import Sequence

import msgspec

from engine.kernel.ruleset import Command, Event
from saves.chain import record_chain
from saves.codec import AnyGame, codec
from saves.commitments import SIGNATURE_INDEX, compute_commitment, derive_salt
from saves.errors import BrokenChainError, UnreadableError
from saves.protocol6.signing import TAG as SIGNATURE_TAG
from saves.records import Entry, Record
from saves.remarks import Remark
from saves.statements import TAGS, Statement, read_statement


def decode_command(game: AnyGame, entry: Entry) -> Command | None:
    """Decode a command or statement, which may be redacted. Return None if even its kind is hidden.

    Raises:
        UnreadableError: The body does not encode one of this game's commands.
    """
    if entry.body is None:
        return None
    return codec(game).command(entry.tag, entry.v, entry.body)


def decode_event(game: AnyGame, entry: Entry) -> Event | None:
    """Decode an event, which may be redacted. Return None if even its kind is hidden.

    Raises:
        UnreadableError: The body does not encode one of this game's events.
    """
    if entry.body is None:
        return None
    return codec(game).event(entry.tag, entry.v, entry.body)


def visible_entries(record: Record) -> tuple[Entry, ...]:
    """Return the event entries whose kind is visible in this copy, even if their content is hidden."""
    return tuple([entry for entry in record.events if entry.body is not None])


def visible_events(game: AnyGame, record: Record) -> tuple[Event, ...]:
    """Decode a record's visible events, skipping those whose kind is hidden.

    Raises:
        UnreadableError: A body does not encode one of this game's events.
    """
    decode = codec(game).event
    return tuple(
        [
            decode(entry.tag, entry.v, entry.body)
            for entry in record.events
            if entry.body is not None
        ]
    )


def decode_events(game: AnyGame, record: Record) -> tuple[tuple[int, Event], ...]:
    """Decode an untrusted record's visible events, each with its index from 0.

    Raises:
        BrokenChainError: An event cannot be decoded, for example because it belongs to another game.
    """
    events = []
    for number, entry in enumerate(record.events):
        try:
            event = decode_event(game, entry)
        except UnreadableError as error:
            problem = f"event {number} is unreadable: {error}"
            raise BrokenChainError(record.seq, problem, number) from error
        if event is not None:
            events.append((number, event))
    return tuple(events)


def record_statement(record: Record) -> Statement | None:
    """Return a record's statement, or None if the record has none.

    The caller has already checked the record's shape.
    """
    entry = record.command
    if record.kind not in TAGS or entry is None or entry.body is None:
        return None
    return read_statement(entry.tag, entry.body)


def remark_text(record: Record) -> str:
    """Return a remark's text; empty if the record is not a remark.

    The caller has already checked the record's shape.
    """
    statement = record_statement(record)
    return statement.text if isinstance(statement, Remark) else ""


def complete_entry(game: AnyGame, item: Command | Event, salt: bytes) -> Entry:
    """Build the complete entry for a command or event, with its salt and commitment."""
    tag, v, body = codec(game).pack(item)
    return Entry(
        tag=tag, v=v, body=body, commitment=compute_commitment(salt, tag, v, body), salt=salt
    )


def signature_entry(secret: bytes, seq: int, signature: bytes) -> Entry:
    """Build the complete entry for a command's signature."""
    salt = derive_salt(secret, seq, SIGNATURE_INDEX)
    commitment = compute_commitment(salt, SIGNATURE_TAG, 1, signature)
    return Entry(tag=SIGNATURE_TAG, v=1, body=signature, commitment=commitment, salt=salt)


def build_record(
    game: AnyGame,
    secret: bytes,
    draft: Record,
    command: Command | None,
    events: Sequence[Event],
    signature: bytes = b"",
) -> Record:
    """Build the complete record for a command and its events.

    Args:
        game: The rules.
        secret: The match secret, from which the salts are derived.
        draft: A record whose entries and chain value are replaced; it supplies all other fields.
        command: None if the record has no command.
        events: The events that the command caused.
        signature: The player's signature over the command; empty in a match without parties.
    """
    seq = draft.seq
    command_entry = (
        None if command is None else complete_entry(game, command, derive_salt(secret, seq, 0))
    )
    event_entries = tuple(
        [
            complete_entry(game, event, derive_salt(secret, seq, index))
            for index, event in enumerate(events, start=1)
        ]
    )
    signature_field = signature_entry(secret, seq, signature) if signature else msgspec.UNSET
    record = msgspec.structs.replace(
        draft, command=command_entry, events=event_entries, signature=signature_field
    )
    return msgspec.structs.replace(record, chain=record_chain(record))
