"""Builds a protocol 7 match's records from the messages that a copy has folded."""

import msgspec

from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.codec import codec
from saves.errors import BrokenChainError
from saves.fair.dealer import Dealer
from saves.fair.opening import setup_event
from saves.fair.private_cards import PrivateCards
from saves.fair.segments import Segment
from saves.fair.state import MatchSetup, Pending
from saves.fair.transcript_log import PUBLIC_SALT, TranscriptLog, to_stored_messages
from saves.records import Entry, Record


def build_record(
    log: TranscriptLog, seq: int, prev: bytes, order: bytes, cards: PrivateCards | Dealer | None
) -> Record:
    """Build the next record from the messages since the last record.

    Args:
        log: The copy's transcript, whose last message completes a record.
        seq: The record's number in the file.
        prev: The previous record's chain value.
        order: The host's signature over the transcript's order up to the last message.
        cards: The private cards of the seat, or the dealer if the host deals and this is its full copy; None for
            spectators and all other hosts.
    """
    public_record = log.public_record()
    # The public form decides which entries the stored messages omit, so the stored messages are the
    # same in every copy.
    messages = tuple(to_stored_messages(log.setup, log.segment, public_record))
    record = msgspec.structs.replace(
        complete_known_entries(log, public_record, cards),
        seq=seq,
        prev=prev,
        transcript=Segment(messages, log.state.head, order),
    )
    return msgspec.structs.replace(record, chain=record_chain(record))


def complete_known_entries(
    log: TranscriptLog, public: Record, cards: PrivateCards | Dealer | None
) -> Record:
    """Complete every entry in a record that the seat or host fully knows, and return the record.

    Args:
        log: The transcript, whose last message completes the record.
        public: The record's public form.
        cards: The seat's private cards, or the dealer; None for the public form.
    """
    pending = log.state.completed
    if cards is None or pending is None or pending.offer:
        return public
    own_entries = cards.hidden_entries(log.state, pending)
    events = [own_entries.get(number, entry) for number, entry in enumerate(public.events, 1)]
    if not pending.number and not log.setup.own_commitment:
        role = None if isinstance(cards, Dealer) else cards.role
        events[0] = _setup_entry_for(log.setup, pending, public.events[0], role)
    command = public.command if public.command is None else own_entries.get(0, public.command)
    return msgspec.structs.replace(public, command=command, events=tuple(events))


def check_copy_entries(log: TranscriptLog, record: Record, role: Role | None) -> None:
    """Check that each entry in a copy's record is either complete or identical to its public form.

    Other code checks complete entries against their commitments.

    Args:
        log: The transcript, which already contains the record.
        record: The record in the role's copy.
        role: The copy's owner; None for hosts and spectators.

    Raises:
        BrokenChainError: An entry is neither complete nor identical to its public form; the error names the event.
    """
    if record.transcript is msgspec.UNSET:
        return
    public = log.public_record()
    command = record.command
    if command is not None and command.salt is None and command != public.command:
        raise BrokenChainError(record.seq, "the command in the copy differs from its messages")
    for number, (entry, public_entry) in enumerate(zip(record.events, public.events, strict=True)):
        expected = public_entry
        if record.kind == "opening" and not number and role is not None:
            assert log.state.completed is not None, "the opening must be complete"
            expected = _setup_entry_for(log.setup, log.state.completed, public_entry, role)
        if entry.salt is None and entry != expected:
            problem = f"'{entry.tag}' in the copy differs from its messages"
            raise BrokenChainError(record.seq, problem, number)


def _setup_entry_for(
    setup: MatchSetup, pending: Pending, public: Entry, role: Role | None
) -> Entry:
    """Return the set-up entry as a seat sees it. If the role is None, return the complete entry."""
    assert not pending.number, "the record must be the opening"
    game, full_event = setup.game, setup_event(setup)
    redacted = full_event if role is None else game.redact(full_event, role)
    assert redacted is not None, "a set-up must be visible to everyone"
    tag, v, body = codec(game).pack(redacted)
    salt = PUBLIC_SALT if redacted == full_event else None
    return Entry(tag=tag, v=v, body=body, commitment=public.commitment, salt=salt)
