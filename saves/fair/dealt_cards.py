"""Tracks a seat's knowledge in a match in which the host deals (``joint`` mode), using the host's records."""

from collections import deque
from typing import Any, Final

import msgspec
from typing_extensions import override

from engine.kernel.ruleset import Command
from saves.codec import codec
from saves.commitments import check_openings
from saves.decoding import decode
from saves.entries import decode_event
from saves.errors import BrokenChainError, UnreadableError
from saves.fair.messages import MAX_RECORD_BYTES
from saves.fair.private_cards import BoxedEntry, PrivateCards
from saves.fair.sealing import open_own
from saves.fair.secrets import CardSecrets
from saves.fair.state import FairState, MatchSetup, Pending
from saves.fair.transcript_log import check_entries, decided_record
from saves.records import Record
from saves.timeline import FOLD_ERRORS, attribute_errors

_BOXED: Final = msgspec.msgpack.Decoder(BoxedEntry)


class DealtCards(PrivateCards):
    """A seat's game state, computed from the host's records instead of labels and boxes."""

    def __init__(self, state: FairState, secrets: CardSecrets) -> None:
        """Start with a transcript that has no messages yet."""
        super().__init__(state, secrets)
        self._setup: MatchSetup = state.setup
        self._awaiting_records: deque[Pending] = deque()
        """Records that the transcript has completed but the host has not sent yet, oldest first."""

    @property
    @override
    def is_current(self) -> bool:
        """Return whether the host has sent every record that the transcript has completed."""
        return not self._awaiting_records

    @override
    def apply_completed(self, state: FairState) -> None:
        """Queue a record that the transcript has completed until the host sends its content."""
        assert state.completed is not None, "a record must be complete"
        self._awaiting_records.append(state.completed)

    def apply_record(self, record: Record) -> None:
        """Apply the next record that the transcript has completed, in the form that the host sent to this seat.

        Call this only for records that the transcript completes. A statement, the end of the match and the reveal of
        the secret also create records, but do not complete one in the transcript.

        Raises:
            BrokenChainError: The record does not match its messages, or hides this seat's own cards. Nothing has
                changed.
        """
        if not self._awaiting_records:
            raise BrokenChainError(record.seq, "the transcript does not contain this record")
        pending = self._awaiting_records[0]
        if pending.offer:
            after = self._base_state(pending)
            if record.kind != pending.offer or record.events:
                raise BrokenChainError(
                    record.seq, f"it is not the {pending.offer} that its messages agree on"
                )
        else:
            after = self._state_after(record, pending)
        self._awaiting_records.popleft()
        self.state = after
        self._history.append(after)

    def _state_after(self, record: Record, pending: Pending) -> Any:  # noqa: ANN401  # any game's state
        game, state = self._setup.game, self.state
        check_entries(game, record, decided_record(self._setup, pending))
        check_openings(record)
        for number, entry in enumerate(record.events):
            try:
                event = decode_event(game, entry)
                if event is None or (entry.salt is None and game.secret_owner(event) == self.role):
                    problem = f"the host does not show {self.role} its own cards in event {number}"
                    raise BrokenChainError(record.seq, problem, number)
                state = game.evolve(state, event)
            except (UnreadableError, *FOLD_ERRORS) as error:
                problem = f"event {number} cannot be applied: {error!r}"
                raise BrokenChainError(record.seq, problem, number) from error
        with attribute_errors(record.seq):
            # Ask the rules for the active roles now, so that an error is reported for this record.
            game.active_roles(state)
        return state

    @override
    def pending_command(self, state: FairState, pending: Pending) -> Command:
        """Return the owner's pending command in its complete form.

        Raises:
            BoxError: This seat did not encrypt the command's box.
            UnreadableError: The box's content cannot be decoded.
        """
        request = pending.request
        assert request is not None, "a command must be pending"
        read, public_entry = codec(state.setup.game).command, request.command
        if not request.box:
            return read(public_entry.tag, public_entry.v, public_entry.body)
        data = open_own(self.secrets, state.setup.dealer_key, pending.request_anchor, request.box)[
            1
        ]
        entry: BoxedEntry = decode(_BOXED, data, MAX_RECORD_BYTES)
        return read(entry.tag, entry.v, entry.body)
