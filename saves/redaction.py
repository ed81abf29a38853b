"""Copies for the seats: a header, a record and its entries as a role may have them."""

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from saves.codec import AnyGame, codec
from saves.entries import command_of, event_of
from saves.headers import SPECTATOR, Header
from saves.records import Entry, Record


def redact_header(header: Header, audience: Role | None) -> Header:
    """Return the header for a role's copy, None for a spectator's: without position and secret."""
    name = SPECTATOR if audience is None else audience
    return msgspec.structs.replace(header, audience=name, position=None, secret=None)


def redact_record(game: AnyGame, record: Record, audience: Role | None) -> Record:
    """Return a record of the full copy as a role may have it, None for a spectator.

    The chain value is the same. What the role may see in full keeps its salt.
    """
    events = tuple([seen_event(game, entry, audience) for entry in record.events])
    command = record.command
    if command is not None and record.kind == "command":
        command = seen_command(game, command, record.role, audience)
    if record.signature is msgspec.UNSET:
        return msgspec.structs.replace(record, command=command, events=events)
    signature = record.signature
    if command is not None and command.salt is None:
        signature = hidden(signature)  # it would let everybody try which command it belongs to
    return msgspec.structs.replace(record, command=command, events=events, signature=signature)


def hidden(entry: Entry) -> Entry:
    """Return an entry of which only the commitment may be seen."""
    return Entry(tag="", v=0, body=None, commitment=entry.commitment, salt=None)


def seen_event(game: AnyGame, entry: Entry, audience: Role | None) -> Entry:
    """Return the entry of an event as a role may have it, None for a spectator."""
    event = event_of(game, entry)
    seen = None if event is None else game.redact(event, audience)
    return _seen_entry(game, entry, event, seen)


def seen_command(game: AnyGame, entry: Entry, giver: Role, audience: Role | None) -> Entry:
    """Return the entry of a command as a role may have it, None for a spectator."""
    command = command_of(game, entry)
    seen = None if command is None else game.redact_command(command, giver, audience)
    return _seen_entry(game, entry, command, seen)


def _seen_entry(
    game: AnyGame, entry: Entry, whole: Command | Event | None, seen: Command | Event | None
) -> Entry:
    """Return the entry of a command or event of which only this may be seen; None when not even its kind."""
    if seen is None:
        return hidden(entry)
    if seen == whole:
        return entry
    tag, v, body = codec(game).pack(seen)
    return Entry(tag=tag, v=v, body=body, commitment=entry.commitment, salt=None)
