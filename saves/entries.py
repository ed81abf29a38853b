"""Commands, events and statements as entries of a record, and back."""

from collections.abc import Sequence

import msgspec

from engine.kernel.ruleset import Command, Event
from saves.chain import chain_of
from saves.codec import AnyGame, codec
from saves.commitments import SIGNATURE_PLACE, commitment_of, salt_for
from saves.errors import BrokenChainError, UnreadableError
from saves.protocol6.signing import TAG as SIGNATURE_TAG
from saves.records import Entry, Record
from saves.remarks import Remark
from saves.statements import TAGS, Statement, read_statement


def command_of(game: AnyGame, entry: Entry) -> Command | None:
    """Return the command or statement as far as this copy knows it; None when even its kind is hidden.

    Raises:
        UnreadableError: The body is not a command of this game.
    """
    if entry.body is None:
        return None
    return codec(game).command(entry.tag, entry.v, entry.body)


def event_of(game: AnyGame, entry: Entry) -> Event | None:
    """Return the event as far as this copy knows it; None when even its kind is hidden.

    Raises:
        UnreadableError: The body is not an event of this game.
    """
    if entry.body is None:
        return None
    return codec(game).event(entry.tag, entry.v, entry.body)


def told(record: Record) -> tuple[Entry, ...]:
    """Return the entries of the events of which this copy knows at least the kind."""
    return tuple([entry for entry in record.events if entry.body is not None])


def events_of(game: AnyGame, record: Record) -> tuple[Event, ...]:
    """Return the events of a record as far as this copy knows them, without those whose kind is hidden.

    Raises:
        UnreadableError: A body is not an event of this game.
    """
    read = codec(game).event
    return tuple(
        [read(entry.tag, entry.v, entry.body) for entry in record.events if entry.body is not None]
    )


def checked_events(game: AnyGame, record: Record) -> tuple[tuple[int, Event], ...]:
    """Return the known events of a record from outside, each with its number from 0.

    Raises:
        BrokenChainError: An event cannot be read, for example one of another game.
    """
    found = []
    for number, entry in enumerate(record.events):
        try:
            event = event_of(game, entry)
        except UnreadableError as error:
            problem = f"event {number} is unreadable: {error}"
            raise BrokenChainError(record.seq, problem, number) from error
        if event is not None:
            found.append((number, event))
    return tuple(found)


def statement_of(record: Record) -> Statement | None:
    """Return what a record states, None when it states nothing; its shape is checked already."""
    entry = record.command
    if record.kind not in TAGS or entry is None or entry.body is None:
        return None
    return read_statement(entry.tag, entry.body)


def remark_of(record: Record) -> str:
    """Return what a record remarks, empty for all others; its shape is checked already."""
    said = statement_of(record)
    return said.text if isinstance(said, Remark) else ""


def complete_entry(game: AnyGame, item: Command | Event, salt: bytes) -> Entry:
    """Return the complete entry of a command or event."""
    tag, v, body = codec(game).pack(item)
    return Entry(tag=tag, v=v, body=body, commitment=commitment_of(salt, tag, v, body), salt=salt)


def signature_entry(secret: bytes, seq: int, signature: bytes) -> Entry:
    """Return the complete entry of the signature of a record's command."""
    salt = salt_for(secret, seq, SIGNATURE_PLACE)
    commitment = commitment_of(salt, SIGNATURE_TAG, 1, signature)
    return Entry(tag=SIGNATURE_TAG, v=1, body=signature, commitment=commitment, salt=salt)


def build_record(
    game: AnyGame,
    secret: bytes,
    draft: Record,
    command: Command | None,
    events: Sequence[Event],
    signature: bytes = b"",
) -> Record:
    """Return the complete record of a command and its events.

    Args:
        game: The rules.
        secret: The match secret, from which the salts follow.
        draft: All other fields; its entries and its chain value are replaced.
        command: None when the record is not about one.
        events: What it caused.
        signature: The giver's signature of the command; empty in a match without parties.
    """
    seq = draft.seq
    given = None if command is None else complete_entry(game, command, salt_for(secret, seq, 0))
    caused = tuple(
        [
            complete_entry(game, event, salt_for(secret, seq, index))
            for index, event in enumerate(events, start=1)
        ]
    )
    signed = signature_entry(secret, seq, signature) if signature else msgspec.UNSET
    record = msgspec.structs.replace(draft, command=given, events=caused, signature=signed)
    return msgspec.structs.replace(record, chain=chain_of(record))
