"""Audits a match in which the host dealt the cards, using the secret that it reveals once the match is over.

Every proposal is recomputed from the transcript and the secret. This covers hidden commands, dice, events and salts
(evidence E5).
"""

from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.errors import BrokenChainError, FairPlayError
from saves.fair.dealer import CANNOT_DECIDE, Dealer
from saves.fair.messages import HOST, Message, Proposal, Request
from saves.fair.record_builder import complete_known_entries
from saves.fair.state import FairState
from saves.fair.transcript_log import TranscriptLog, decided_record
from saves.records import Record
from saves.redaction import redact_record


class DealerAudit:
    """Checks a copy's transcript and records against the host's secret."""

    def __init__(self, log: TranscriptLog, secret: bytes) -> None:
        """Start auditing a transcript.

        Args:
            log: The transcript, which must not have any messages yet.
            secret: The secret to which the header commits.
        """
        self.dealer: Final = Dealer(log.setup, secret)
        self._log = log
        log.listeners.append(self.follow)

    def follow(self, before: FairState, message: Message, after: FairState) -> None:
        """Check an accepted message.

        Raises:
            FairPlayError: The message does not match the secret; the error names the host.
        """
        problem = decision_problem(self.dealer, before, message)
        if problem:
            raise FairPlayError(HOST, f"the host: {problem}")
        self.dealer.follow(before, message, after)

    def check_record(self, record: Record, role: Role | None, *, is_full: bool) -> None:
        """Check that a copy's record shows exactly what the copy's owner may see. Fold the record before calling this.

        Args:
            record: The record in the copy.
            role: The copy's owner; None for a public copy or the full copy.
            is_full: True if this is the full copy.

        Raises:
            BrokenChainError: The record's content differs from the owner's view.
        """
        pending = self._log.state.completed
        if pending is None or pending.offer or record.transcript is msgspec.UNSET:
            return
        setup = self._log.setup
        expected_record = complete_known_entries(
            self._log, decided_record(setup, pending), self.dealer
        )
        if not is_full:
            expected_record = redact_record(setup.game, expected_record, role)
        if record.command != expected_record.command:
            raise BrokenChainError(
                record.seq, "the command does not match the copy owner's view of it"
            )
        pairs = zip(record.events, expected_record.events, strict=True)
        different_index = next(
            (index for index, (actual, expected) in enumerate(pairs) if actual != expected), None
        )
        if different_index is not None:
            problem = f"event {different_index} does not match the copy owner's view of it"
            raise BrokenChainError(record.seq, problem, different_index)


def decision_problem(dealer: Dealer, before: FairState, message: Message) -> str:
    """Return how a message contradicts the host's secret, or an empty string if it does not.

    Args:
        dealer: The full state before the message.
        before: Public state before the message.
        message: An accepted message.
    """
    match message.body:
        case Request():
            objection = dealer.objection(message)
            return f"the host accepted an invalid command: {objection}" if objection else ""
        case Proposal() as made:
            try:
                expected = dealer.proposal(before)
            except CANNOT_DECIDE as error:
                return f"a command cannot be resolved: {error}"
            return _difference(made, expected)
        case _:
            return ""


def _difference(proposal: Proposal, expected: Proposal) -> str:
    if proposal == expected:
        return ""
    pairs = zip(proposal.events, expected.events, strict=False)
    index = next(
        (
            number
            for number, (made_event, right_event) in enumerate(pairs)
            if made_event != right_event
        ),
        min(len(proposal.events), len(expected.events)),
    )
    return f"event {index} of a proposal does not follow from the host's secret"
