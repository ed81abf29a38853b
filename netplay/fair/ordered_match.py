"""Implements the host's copy of a protocol 7 match. The host orders the messages and, in some modes, deals."""

import time
from collections.abc import Iterator, Sequence
from typing import NoReturn

import msgspec
from typing_extensions import override

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.sequencer import Sequencer
from saves.codec import Game, S
from saves.commitments import is_secret_of
from saves.errors import MatchError
from saves.fair.dealer import Dealer
from saves.fair.due_messages import due_messages
from saves.fair.messages import HOST, Kind, SignedMessage
from saves.fair.record_builder import build_record
from saves.fair.setup import NO_SECRET
from saves.fair.signed_texts import OrderSignature
from saves.fair.signing import HostKey
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from saves.fair.transcript_log import TranscriptLog
from saves.headers import FULL, SPECTATOR, Header
from saves.logfile import LogWriter
from saves.match import Match
from saves.match_replica import LogSink, PendingRecord
from saves.records import Record
from saves.statements import Adjournment, Ending, Resumption, Statement


class OrderedMatch(Match[S]):
    """A protocol 7 match whose host orders the seats' messages.

    If the seats deal and resolve commands, this is a public copy. If the host does, this is the full copy.
    """

    transcript: TranscriptLog
    _sequencer: Sequencer | None = None

    def __init__(self, ruleset: Game[S], header: Header, log: LogSink | None) -> None:
        """Start with an empty copy. If a log is given, it must already contain the header."""
        super().__init__(ruleset, header, log)
        self._dealer: Dealer | None = None
        if header.secret is not None:
            self._dealer = Dealer(self.transcript.setup, header.secret)
            self.transcript.listeners.append(self._dealer.follow)

    @classmethod
    def prepare(cls, ruleset: Game[S], header: Header, key: HostKey) -> "OrderedMatch[S]":
        """Create a match before its first message.

        Args:
            ruleset: The rules.
            header: A header with the commitments of all parties: the full header if the host deals, otherwise the
                public header.
            key: The host's key. The header contains the public half.

        Raises:
            FairPlayError: The header does not fit the game, or a party's commitment is unsafe.
        """
        cls.check_header(header)
        match = cls(ruleset, header, None)
        match.set_key(key)
        return match

    @classmethod
    @override
    def check_header(cls, header: Header) -> None:
        """Check that a header belongs to a host's copy.

        Raises:
            MatchError: The header belongs to another kind of copy.
        """
        if header.fair is msgspec.UNSET:
            raise MatchError("the seats of this match do not sign messages")
        if header.fair.dealer_key is msgspec.UNSET:
            if header.audience != SPECTATOR:
                raise MatchError(
                    "this is not the host's copy of a match whose seats deal the cards"
                )
        elif header.audience != FULL or header.secret is None:
            raise MatchError("this is not the full copy of a match whose host deals the cards")
        elif not is_secret_of(header, header.secret):
            raise MatchError("the secret in this file does not match its commitment")

    @property
    @override
    def knows_hands(self) -> bool:
        return self._dealer is not None

    @override
    def _receive_messages(self, transcript: TranscriptLog, record: Record) -> None:
        if self._dealer is not None:
            # The dealer reads each result from the record, because resolving every command again
            # would be slow.
            self._dealer.load_record(record)
        super()._receive_messages(transcript, record)

    def set_key(self, key: HostKey) -> None:
        """Set the key that signs the message order.

        Raises:
            MatchError: The key does not match the host key in the header.
        """
        if key.verify_key != self.transcript.setup.host_key:
            raise MatchError("this host's key does not match the match header")
        self._sequencer = Sequencer(self.transcript, key, self._dealer)

    def attach_log(self, log: LogSink) -> None:
        """Attach an empty log before the first record is stored.

        Raises:
            StorageError: The log cannot be written.
        """
        assert self.seq < 0, "the match must not have a record yet"
        log.begin(self.header)
        self._log = log

    # -- messages

    @property
    def sequencer(self) -> Sequencer:
        """Return the sequencer, which does not exist until the host key has been set."""
        assert self._sequencer is not None, "the host's key must have been set"
        return self._sequencer

    @property
    def fair_state(self) -> FairState:
        """Return the protocol state after the last message in the transcript."""
        return self.transcript.state

    def accept(self, signed: SignedMessage) -> MessageRefusal | None:
        """Add a seat's message to the transcript and, if the host deals, any proposal that is now due.

        Returns:
            A refusal if the message is invalid, or if the message was added but the host cannot resolve the command.
            Otherwise, None.
        """
        return self.sequencer.submit(signed)

    def precheck(self, signed: SignedMessage) -> Iterator[None]:
        """Check a message in steps before :meth:`accept`. See :meth:`Sequencer.precheck`."""
        return self.sequencer.precheck(signed)

    def restore(self, signed: SignedMessage) -> MessageRefusal | None:
        """Add a message that was accepted before a restart."""
        return self.sequencer.add(signed)

    def add_due(self) -> MessageRefusal | None:
        """Add the host's own messages that are due now."""
        kinds = {
            due_message.kind
            for due_message in due_messages(self.fair_state)
            if due_message.author == HOST
        }
        if Kind.SETUP in kinds:
            return self.sequencer.start()
        return self.sequencer.propose()

    def close_transcript(self) -> None:
        """Close the transcript with the card seeds received so far, if the match is over."""
        if self.fair_state.phase is not TranscriptPhase.ENDED:
            return
        if self._dealer is not None and HOST not in self.fair_state.seeds:
            self.sequencer.reveal_secret()
        self.sequencer.close()

    def order_signature(self) -> OrderSignature:
        """Return the signature over the message order so far."""
        return self.sequencer.order_signature()

    @property
    def parties_without_seed(self) -> tuple[Role, ...]:
        """Return the parties that have not revealed their card seeds yet."""
        state = self.fair_state
        if not state.setup.deals:
            return ()
        return tuple(party.role for party in state.setup.parties if party.role not in state.seeds)

    # -- records

    @property
    def stored_at(self) -> float:
        """Return the log file's modification time in Unix seconds, or the current time if there is no file."""
        if not isinstance(self._log, LogWriter):
            return time.time()
        return self._log.path.stat().st_mtime

    @property
    def is_complete(self) -> bool:
        """Return whether the messages since the last record complete a new record."""
        return bool(self.transcript.segment) and self.transcript.is_complete

    @property
    def awaits_seeds(self) -> bool:
        """Return whether the match is over but some card seeds are missing."""
        return self.fair_state.phase is TranscriptPhase.ENDED and bool(self.parties_without_seed)

    def draft_pending(self) -> PendingRecord[S]:
        """Return the pending record, built from the messages since the last record.

        Raises:
            BrokenChainError: This program's rules cannot fold the record's events.
        """
        order = self.order_signature().signature
        draft = build_record(self.transcript, self.seq + 1, self.chain, order, self._dealer)
        return self._draft_record(draft)

    @override
    def draft_reveal(self) -> PendingRecord[S]:
        """Return the pending record that ends the transcript.

        Raises:
            MatchError: The game is not over, or the transcript is already closed.
        """
        if self.is_revealed or self.outcome is None:
            return super().draft_reveal()
        self.close_transcript()
        return self.draft_pending()

    @override
    def draft_statement(
        self, role: Role, statement: Statement, consents: Sequence[object] | None = None
    ) -> PendingRecord[S]:
        """Draft the record for a statement by the host. A loss on time is first added to the transcript.

        Raises:
            MatchError: The statement is not currently valid, or the match has ended.
        """
        if isinstance(statement, Adjournment | Resumption):
            raise MatchError(
                "in this match, an adjournment or resumption needs the seats' signatures"
            )
        if not isinstance(statement, Ending):
            return super().draft_statement(role, statement)
        if statement.how != "time":
            raise MatchError("only the seats can end this match")
        # The transcript may already contain the end message, if an earlier attempt to write the
        # record failed.
        if self.fair_state.end is None:
            refusal = self.sequencer.end_by_time(role)
            if refusal is not None:
                raise MatchError(refusal.problem)
        return self.draft_pending()

    @override
    def draft_takeback(self, to_seq: int, role: Role, *_: object) -> NoReturn:
        """Raise MatchError, because a takeback needs the seats' signed consents."""
        raise MatchError("in this match, a takeback needs the seats' signatures")

    @override
    def draft_command(self, role: Role, command: Command, *_: object) -> NoReturn:
        """Raise MatchError, because every command must be a message from its seat."""
        raise MatchError("in this match, a command must be a signed message from its seat")

    @override
    def _secret(self) -> bytes:
        return NO_SECRET
