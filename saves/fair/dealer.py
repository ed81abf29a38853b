"""Resolves commands for a host that deals.

The host resolves every command on the full state, with randomness from all seats and its own secret. The transcript and
the host's secret fully determine the proposals. The host uses this module during play. Once the match is over, every
copy uses this module with the published secret.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from engine.kernel.dice import ChanceRevealedError, DerivedDice, Dice, DraftDice
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from saves.codec import codec
from saves.decoding import decode
from saves.entries import visible_events
from saves.errors import UnreadableError
from saves.fair.errors import BoxError
from saves.fair.messages import (
    MAX_RECORD_BYTES,
    Kind,
    Message,
    Proposal,
    ProposedEvent,
    PublicEntry,
    Request,
)
from saves.fair.opening import setup_event
from saves.fair.private_cards import COMMAND_PLACE, BoxedEntry
from saves.fair.sealing import SETUP_PLACE, DealerSecrets
from saves.fair.secrets import entry_commitment
from saves.fair.state import FairState, MatchSetup, Pending
from saves.fair.transcript_log import PUBLIC_SALT
from saves.records import Entry, Record
from saves.timeline import FOLD_ERRORS

_BOXED: Final = msgspec.msgpack.Decoder(BoxedEntry)
CANNOT_DECIDE: Final = (*FOLD_ERRORS, FlagplotError)
"""Exceptions that show that the rules cannot resolve an untrusted command."""


class Dealer:
    """A match's full game state, updated with each message in the transcript."""

    def __init__(self, setup: MatchSetup, secret: bytes) -> None:
        """Start with the state before the first message.

        Args:
            setup: The set-up of a match in which the host deals.
            secret: The secret to which the header commits.
        """
        self._setup = setup
        self._secrets = DealerSecrets(secret)
        self.secret: Final = secret
        self.state: Any = setup.game.initial_state()
        """Full game state after the last complete record."""
        self._history: list[Any] = []
        self._anchor = b""
        """Transcript hash for which the cached result is valid; empty if no result is cached."""
        self._loaded: Record | None = None
        self._events: tuple[Event, ...] = ()
        self._entries: dict[int, Entry] = {}

    def load_record(self, record: Record) -> None:
        """Load the next record from the host's own file, so that :meth:`follow` need not resolve its command again.

        Args:
            record: The full record, whose messages must not have been folded yet.
        """
        is_decided = record.kind in {"opening", "command"}
        self._loaded = record if is_decided else None

    def follow(self, before: FairState, message: Message, after: FairState) -> None:
        """Update the full state for an accepted message, given the public states before and after it."""
        if message.kind is Kind.PROPOSAL:
            self._resolve_pending(before)
        pending = after.completed
        if pending is None:
            return
        if pending.takeback_to is not None:
            self.state = self._history[pending.takeback_to]
        elif not pending.offer:
            self.state = self._setup.game.fold(self.state, self._events)
        self._history.append(self.state)

    # -- requests

    def objection(self, message: Message) -> str:
        """Return why the host rejects a request that ``fold`` would accept; empty if the host accepts it too."""
        game, role, request = self._setup.game, message.author, message.body
        assert isinstance(request, Request), "the body must match the message's kind"
        try:
            # Every copy repeats these checks once the secret is known. If a host skipped a check,
            # its fault can then be proved.
            command = self._open_command(role, request, message.anchor_hash)
            if not game.is_legal(self.state, role, command):
                return f"the rules do not let {role} give this command now"
            redacted = game.redact_command(command, role, None)
            public_entry = request.command
            if redacted is None or codec(game).pack(redacted) != (
                public_entry.tag,
                public_entry.v,
                public_entry.body,
            ):
                return "the public form of the command does not match the command"
            if self._uses_chance(role, command) != request.uses_chance:
                return "the command misstates whether it needs a random result"
        except CANNOT_DECIDE as error:
            return f"the command cannot be resolved: {error}"
        return ""

    def _uses_chance(self, role: Role, command: Command) -> bool:
        try:
            self._setup.game.decide(self.state, role, command, DraftDice())
        except ChanceRevealedError:
            return True
        return False

    def _open_command(self, role: Role, request: Request, anchor_hash: bytes) -> Command:
        entry = self._decrypt_command(role, request, anchor_hash)
        decode = codec(self._setup.game).command
        if entry is None:
            return decode(request.command.tag, request.command.v, request.command.body)
        command: Command = decode(entry.tag, entry.v, entry.body or b"")
        # The record stores these bytes. Verification later encodes the command again and requires
        # the same bytes.
        if codec(self._setup.game).pack(command) != (entry.tag, entry.v, entry.body):
            raise UnreadableError("the hidden command is not in canonical form")
        return command

    def _decrypt_command(self, role: Role, request: Request, anchor_hash: bytes) -> Entry | None:
        """Return a hidden command's entry with its salt, or None if the command is public.

        Raises:
            BoxError: The box cannot be decrypted, or the box's content does not match the commitment.
            UnreadableError: The content cannot be decoded.
        """
        commitment = request.command.commitment
        if not commitment:
            return None
        salt, data = self._secrets.open(role, anchor_hash, request.box)
        box_entry: BoxedEntry = decode(_BOXED, data, MAX_RECORD_BYTES)
        box_commitment = entry_commitment(salt, box_entry.tag, box_entry.v, box_entry.body)
        if (box_entry.place, box_commitment) != (COMMAND_PLACE, commitment):
            raise BoxError("the command in the box does not match its commitment")
        return Entry(
            tag=box_entry.tag,
            v=box_entry.v,
            body=box_entry.body,
            commitment=box_commitment,
            salt=salt,
        )

    # -- decisions

    def proposal(self, state: FairState) -> Proposal:
        """Return the host's proposal in the resolve phase. The same transcript always produces the same proposal.

        Raises:
            BoxError: The hidden command cannot be decrypted.
            FlagplotError: The rules do not allow the command, or the command needs randomness but there was no throw.
        """
        self._resolve_pending(state)
        return Proposal(tuple(self._proposed_events(state)), (), (), "done")

    def _resolve_pending(self, state: FairState) -> None:
        """Resolve the pending command.

        If the cached result is valid for this transcript, return that result instead.
        """
        # The host makes, folds and audits each proposal, but the command must be resolved only
        # once.
        if self._anchor == state.head:
            return
        if self._loaded is not None:
            self._cache_decision(self._loaded, state.head)
            return
        pending, game, setup = state.pending, self._setup.game, self._setup
        assert pending is not None, "a record must be pending in this phase"
        assert setup.knows_position, "the host must have the position"
        dice = self._dice(pending)
        self._entries = {}
        if pending.request is None:
            self._events = (setup_event(setup), *game.open_game(setup.position, dice)[1:])
            if setup.own_commitment:
                packed = codec(game).pack(self._events[0])
                self._entries[SETUP_PLACE] = self._secrets.own_entry(packed)
        else:
            given = (pending.actor, pending.request, pending.request_anchor)
            command = self._open_command(*given)
            self._events = game.decide(self.state, pending.actor, command, dice)
            hidden = self._decrypt_command(*given)
            if hidden is not None:
                self._entries[COMMAND_PLACE] = hidden
        self._anchor = state.head
        for number in range(len(pending.events), len(self._events)):
            event = self._events[number]
            if game.redact(event, None) != event:
                self._entries[number + 1] = self._hidden_entry(state.head, number + 1, event)

    def _cache_decision(self, record: Record, anchor: bytes) -> None:
        """Cache a command's result from a full record, so that the command need not be resolved again."""
        self._anchor, self._loaded = anchor, None
        self._events = visible_events(self._setup.game, record)
        entries = enumerate(record.events, 1)
        self._entries = {place: entry for place, entry in entries if entry.salt != PUBLIC_SALT}
        if record.command is not None and record.command.salt != PUBLIC_SALT:
            self._entries[COMMAND_PLACE] = record.command

    def _dice(self, pending: Pending) -> Dice:
        if not pending.throws:
            return DraftDice()
        return DerivedDice(self._secrets.dice_key(pending.throws[0].key), pending.number)

    def _hidden_entry(self, anchor_hash: bytes, place: int, event: Event) -> Entry:
        tag, v, body = codec(self._setup.game).pack(event)
        salt = self._secrets.salt(anchor_hash, place, tag, v, body)
        commitment = entry_commitment(salt, tag, v, body)
        return Entry(tag=tag, v=v, body=body, commitment=commitment, salt=salt)

    def _proposed_events(self, state: FairState) -> list[ProposedEvent]:
        game, pending = self._setup.game, state.pending
        assert pending is not None, "a record must be pending in this phase"
        proposed = []
        for number in range(len(pending.events), len(self._events)):
            redacted = game.redact(self._events[number], None)
            assert redacted is not None, "an event's kind must be public in a protocol 7 match"
            hidden = self._entries.get(number + 1)
            commitment = b"" if hidden is None else hidden.commitment
            proposed.append(ProposedEvent(PublicEntry(*codec(game).pack(redacted), commitment)))
        return proposed

    def hidden_entries(self, state: FairState, pending: Pending) -> Mapping[int, Entry]:
        """Return the last completed record's hidden entries with their salts, keyed by their place in the record."""
        assert state.completed is pending, "this must be the last completed record"
        return {} if pending.offer else self._entries
