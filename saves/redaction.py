"""Redacts headers and records for seats' and spectators' copies."""

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from saves.codec import AnyGame, codec
from saves.entries import decode_command, decode_event
from saves.headers import SPECTATOR, Header
from saves.records import Entry, Record


def redact_header(header: Header, audience: Role | None) -> Header:
    """Remove the position and secret from a header.

    The result is for a role's copy or, if ``audience`` is None, for a spectator's copy.
    """
    name = SPECTATOR if audience is None else audience
    return msgspec.structs.replace(header, audience=name, position=None, secret=None)


def redact_record(game: AnyGame, record: Record, audience: Role | None) -> Record:
    """Redact a record in the full copy for a role, or for a spectator if the audience is None.

    The chain value does not change. Entries that the audience may see completely keep their salts.
    """
    events = tuple([redact_event(game, entry, audience) for entry in record.events])
    command = record.command
    if command is not None and record.kind == "command":
        command = redact_command(game, command, record.role, audience)
    if record.signature is msgspec.UNSET:
        return msgspec.structs.replace(record, command=command, events=events)
    signature = record.signature
    if command is not None and command.salt is None:
        signature = hide_entry(
            signature
        )  # With a visible signature, anyone could check guesses about the hidden command.
    return msgspec.structs.replace(record, command=command, events=events, signature=signature)


def hide_entry(entry: Entry) -> Entry:
    """Hide an entry completely, leaving only its commitment."""
    return Entry(tag="", v=0, body=None, commitment=entry.commitment, salt=None)


def redact_event(game: AnyGame, entry: Entry, audience: Role | None) -> Entry:
    """Redact an event's entry for a role, or for a spectator if the audience is None."""
    event = decode_event(game, entry)
    redacted = None if event is None else game.redact(event, audience)
    return _redacted_entry(game, entry, event, redacted)


def redact_command(game: AnyGame, entry: Entry, giver: Role, audience: Role | None) -> Entry:
    """Redact a command's entry for a role, or for a spectator if the audience is None."""
    command = decode_command(game, entry)
    redacted = None if command is None else game.redact_command(command, giver, audience)
    return _redacted_entry(game, entry, command, redacted)


def _redacted_entry(
    game: AnyGame, entry: Entry, original: Command | Event | None, redacted: Command | Event | None
) -> Entry:
    """Build the redacted entry for a command or an event. If ``redacted`` is None, the kind is hidden too."""
    if redacted is None:
        return hide_entry(entry)
    # Keep the stored bytes, which the commitment covers. Encoding again would change a body in an
    # older schema.
    if redacted == original:
        return entry
    tag, v, body = codec(game).pack(redacted)
    return Entry(tag=tag, v=v, body=body, commitment=entry.commitment, salt=None)
