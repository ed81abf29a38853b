"""Implements a peer: one seat or spectator with its own copy of the game.

A user interface reads ``state``, ``view()`` and ``decision()``, awaits ``submit()``, and listens to events.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from engine import registry
from engine.kernel.decision import Decision
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset, AnyState
from netplay.fair.seat import FairSeat, single_part
from netplay.invites.identity import fingerprint, load_certificate
from netplay.invites.invite import Invite
from netplay.journal.errors import SeatResumingError, SlotUsedError
from netplay.peer.known_host import find_known_host
from netplay.peer.replicator import PeerRequest, Replicator
from netplay.peer.seat_replica import SeatReplica
from netplay.peer.signed_offers import SignedOffers
from netplay.peer.status import PeerEvent, StatusReporter
from netplay.transport.sockets import Connect
from netplay.wire.answer_delay import WINDOW_SECONDS, AnswerDelay
from netplay.wire.errors import NetworkError, UnavailableError
from netplay.wire.messages import (
    COMMAND_BYTES,
    Accepted,
    MakeOffer,
    OfferAnswer,
    PostPart,
    Refused,
    Say,
    Submit,
)
from netplay.wire.request_ids import new_id
from netplay.wire.sanitising import CHAT_LIMIT, REASON_LIMIT, sanitise
from play.offers import OfferKind
from saves.decoding import canonical
from saves.errors import StaleCommandError
from saves.fair.state import TranscriptPhase
from saves.fair.terms import Place
from saves.headers import Header
from saves.records import Record
from saves.remarks import MAX_LENGTH as REMARK

_OFFER_SECONDS: Final = 86_400.0
"""Automatic commands wait for answers to offers for at most this time in seconds."""
_CLOCK_FRACTION: Final = 1 / 10
"""The same as a fraction of the time left on the seat's clock."""
_REPLY_FRACTION: Final = 1 / 2
"""The same as a fraction of the response time limit, after which opponents may stop the match."""
_MAX_STALE_TRIES: Final = 20
_ENDED: Final = "the match ended before the command was carried out"


class SubmittedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A submitted command, together with the last record that the player had seen."""

    expected_seq: int
    """Number of the last record that the player had seen when giving the command."""
    command: bytes


class Peer:
    """A seat in a network match. A peer with role None is a spectator."""

    def __init__(
        self,
        invite: Invite,
        folder: Path | None,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
        window_seconds: float = WINDOW_SECONDS,
        wait_ms: int | None = None,
        connect_in_process: Connect | None = None,
        secrets_folder: Path | None = None,
        place: Place | None = None,
    ) -> None:
        """Create the peer, and open the seat's local copy if one exists.

        Args:
            invite: The invite, with the seat and the host's addresses.
            folder: The folder for the seat's record file and divergence reports; None to keep the record only in
                memory.
            rulesets: Looks up a game's rules.
            window_seconds: Minimum delay before a response-window answer is sent.
            wait_ms: Maximum time in milliseconds that the host may delay its reply to a request for updates; None for
                the default.
            connect_in_process: Connects a bot to the host that runs the bot; None to use the network.
            secrets_folder: The folder for the seat's secrets; None to store the secrets next to the record.
            place: Where the seat's secrets are stored, as stated in the header. None means the player's own machine or,
                for the host's bots, the host's machine.

        Raises:
            DataError: This program does not know the game, or the seat's secrets are damaged.
            InviteError: The copy comes from another host than the invite, or the file that names its host is damaged.
            LogInUseError: The seat is open in another program.
            StorageError: A read or write failed.
        """
        self.role = None if invite.role is None else Role(invite.role)
        self.ruleset = rulesets(invite.game)
        seat, seat_folder = None, secrets_folder or folder
        host = (
            fingerprint(load_certificate(invite.authority))
            if self.role is not None and connect_in_process is None
            else ""
        )
        known_host = None
        if host and folder is not None:
            known_host = find_known_host(folder, invite)
            known_host.check()
        if self.role is not None and seat_folder is not None:
            default_place: Place = "own machine" if connect_in_process is None else "host's machine"
            seat = FairSeat(seat_folder, invite.match, self.role, place or default_place, host)
        self.invite = invite
        self.seat = seat
        self.copy = SeatReplica(self.ruleset, folder, invite.match, self.role, seat, known_host)
        self.reporter = StatusReporter()
        """Stores the status of the connection and the match, and reports events."""
        self._answer_delay = AnswerDelay(self.ruleset, window_seconds)
        self.replicator = Replicator(
            invite,
            self.copy,
            self.reporter,
            self._answer_delay,
            wait_ms,
            connect_in_process,
            seat,
        )
        """Keeps the copy in sync with the host."""
        self._signed_offers = SignedOffers(
            self.copy, self.role, seat, self.replicator, self.reporter
        )

    # -- lifecycle

    def start(self) -> None:
        """Connect and stay connected until :meth:`close`."""
        self.replicator.start()

    async def close(self) -> None:
        """Notify the host that the peer is leaving, and close the record file."""
        await self.replicator.close()

    # -- for the user interface

    @property
    def header(self) -> Header | None:
        """Return the match's header, or None before the first connection."""
        return self.copy.header

    @property
    def seq(self) -> int:
        """Return the number of the last record in the copy, or -1 if there is none."""
        return self.copy.seq

    @property
    def is_live(self) -> bool:
        """Return whether the peer is connected and its copy agrees with the host's."""
        return self.replicator.is_live

    @property
    def is_ready(self) -> bool:
        """Return whether the copy contains a game that can be shown."""
        return self.copy.seq >= 0

    @property
    def state(self) -> AnyState:
        """Return the game's current state, as far as this seat knows it."""
        return self.copy.state

    def view(self) -> View:
        """Return this seat's view of the current state."""
        view: View = self.ruleset.project(self.state, self.role)
        return view

    def _active_roles(self) -> tuple[Role, ...]:
        terms = self.copy.terms
        if terms is None:
            return ()
        if terms.adjourned and self.copy.has_transcript:
            return tuple(
                self.ruleset.active_roles(self.state)
            )  # while adjourned: the next command resumes the match
        return terms.asked(self.state)

    @property
    def is_adjourned(self) -> bool:
        """Return whether the match is adjourned."""
        return self.copy.terms is not None and bool(self.copy.terms.adjourned)

    @property
    def is_asked(self) -> bool:
        """Return whether this seat must make a decision now."""
        if self.role is None or not self.is_ready or self.copy.is_revealed:
            return False
        return self.role in self._active_roles()

    def decision(self) -> Decision[Any] | None:
        """Return the decision that this seat must make now; None if there is none."""
        if self.role is None or not self.is_asked:
            return None
        return self.ruleset.decision(self.state, self.role)

    def free_actions(self) -> tuple[Command, ...]:
        """Return the commands that this seat may give now on its own initiative."""
        if self.role is None or not self.is_ready or self.copy.is_revealed:
            return ()
        return self.ruleset.free_actions(self.state, self.role) if self._active_roles() else ()

    def bot_decision(self) -> Decision[Any] | None:
        """Return the current decision for a bot, with all free actions as additional options; None if there is none."""
        if self.role is None or not self.is_asked:
            return None
        return self.ruleset.decision_with_free_actions(self.state, self.role)

    async def events(self) -> AsyncIterator[PeerEvent]:
        """Yield all events that occur from now on."""
        queue: asyncio.Queue[PeerEvent] = asyncio.Queue()
        unsubscribe = self.reporter.listen(queue.put_nowait)
        try:
            while True:
                yield await queue.get()
        finally:
            unsubscribe()

    # -- the seat's actions

    async def submit(
        self, command: Command, remark: str = "", *, is_automatic: bool = False
    ) -> Record:
        """Submit a command, and return its record once both the host and this seat have stored it.

        If the connection is lost, the command is resent until the host replies. It is carried out only once. An answer
        to a response window is not sent before the minimum delay has passed (``netplay.wire.answer_delay``).

        Args:
            command: The command.
            remark: Comment to record with the command; empty for none.
            is_automatic: True for a bot or a standing order, which must consider an offer that is made before the host
                accepts the command. A person's command is resent once the offer has been declined.

        Raises:
            IllegalCommandError: The rules do not allow the command.
            StaleCommandError: Another record was added first, so the command no longer answers the current decision;
                or the command is automatic, and an offer was made or the match was adjourned first.
            UnavailableError: The match ended in the meantime.
            NetworkError: The host does not accept commands from this peer, or the connection has ended permanently.
        """
        body = canonical(command)
        if len(body) > COMMAND_BYTES:
            raise NetworkError("this command is too long")
        expected_seq = self.seq
        for _ in range(_MAX_STALE_TRIES):
            await self._wait_for_answer_delay(command)
            if is_automatic and (self.must_wait_for_offer or self.is_adjourned):
                raise StaleCommandError(expected_seq, self.seq)
            decision = self.decision()
            expected_seq, index = self.seq, self.copy.message_index
            known_offer = self._signed_offer
            submitted = SubmittedCommand(expected_seq=expected_seq, command=body)
            try:
                request = self._command_request(command, body, remark)
            except (SlotUsedError, SeatResumingError):
                has_ended = self.copy.has_ended
                await self.replicator.wait_for_pending(expected_seq)
                seq = self._find_record(submitted)
                if seq is not None:
                    return self.copy.record(seq)
                if has_ended or (
                    self.seq != expected_seq and not self._is_still_valid(decision, command)
                ):
                    break
                continue
            find_record = partial(self._find_record, submitted)
            verdict = await self.replicator.send(request, find_record)
            if isinstance(verdict, Accepted):
                return await self._wait_for_record(verdict.seq, submitted)
            if verdict.code == "unavailable" and isinstance(request, PostPart) and self.seat:
                self.seat.restart_connection()  # makes the seat resend the signed command
            elif verdict.code != "stale":
                raise self._refusal_error(verdict, command)
            # A command that is given during an offer declines it. A new offer must be answered
            # first: a person does so while this method waits, but a bot only after it has returned.
            await self._wait_until_overtaken(
                expected_seq, index, known_offer, waits_for_answer=not is_automatic
            )
            seq = self._find_record(submitted)
            if seq is not None:
                return self.copy.record(seq)
            if not self._is_still_valid(decision, command):
                break
        terms = self.copy.terms
        if self.copy.has_ended or (terms is not None and terms.ending is not None):
            raise UnavailableError(_ENDED)
        raise StaleCommandError(expected_seq, self.seq)

    def _command_request(self, command: Command, body: bytes, remark: str) -> PeerRequest:
        """Build the request that submits a command as the next record.

        Raises:
            IllegalCommandError: The match has a transcript, and the rules do not allow the command.
            NetworkError: This peer is a spectator.
            StorageError: A write failed.
        """
        if self.copy.has_transcript:
            if self.seat is None:
                raise NetworkError("spectators cannot play or chat")
            return single_part(*self.seat.sign_command(command), remark=sanitise(remark, REMARK))
        return Submit(
            request_id=new_id(),
            expected_seq=self.seq,
            command=body,
            remark=remark,
        )

    async def _wait_for_record(self, seq: int, submitted: SubmittedCommand) -> Record:
        """Wait for an accepted command's record and return it.

        Args:
            seq: Number of the record; used only in a match without a transcript.
            submitted: The command.

        Raises:
            UnavailableError: The match ended before the command was recorded.
            ConnectionLostError: The connection has ended permanently.
        """
        if not self.copy.has_transcript:
            await self.replicator.wait_for_seq(seq)
            return self.copy.record(seq)
        await self.replicator.wait_for_seq(submitted.expected_seq + 1)
        record_seq = self._find_record(submitted)
        if record_seq is None:
            raise UnavailableError(_ENDED)
        return self.copy.record(record_seq)

    @property
    def _signed_offer(self) -> int | None:
        """Return the number of the open offer in the transcript; None if there is none."""
        offer = None if self.seat is None else self.seat.open_offer
        return None if offer is None else offer.offer

    async def _wait_until_overtaken(
        self, seq: int, index: int, known_offer: int | None, *, waits_for_answer: bool
    ) -> None:
        """After a refusal, wait for a new record, which may be the command's, or for an offer or an answer to one.

        Args:
            seq: Number of the last record before the refused command.
            index: Index of the last message before the refused command.
            known_offer: Number of the offer that was open when the command was given; None if there was none.
            waits_for_answer: True to wait until any newer offer has been answered.

        Raises:
            ConnectionLostError: The connection has ended permanently.
        """

        def is_overtaken() -> bool:
            if self.seat is None or self.seat.is_pending or self.copy.message_index <= index:
                return False
            if waits_for_answer and self._signed_offer not in {None, known_offer}:
                return False
            phases = {TranscriptPhase.IDLE, TranscriptPhase.CONSENT}
            return self.copy.transcript.state.phase in phases

        await self.reporter.wait_for(
            lambda: self.seq > seq or self.reporter.is_over or is_overtaken()
        )
        if not is_overtaken():
            await self.replicator.wait_for_seq(seq + 1)

    def _is_still_valid(self, question: Decision[Any] | None, command: Command) -> bool:
        """Return whether a command that was given for this decision is still valid."""
        if question is not None and self.decision() == question:
            return True
        return command in self.free_actions()

    async def _wait_for_answer_delay(self, command: Command) -> None:
        """Wait until the current decision may be answered, if it is a response window.

        Raises:
            StaleCommandError: The window has closed or its decision has changed, and the command is not a free action.
        """
        decision, seq = self.decision(), self.seq
        if decision is None or not decision.allows_standing_order:
            return
        remaining = self._answer_delay.remaining_seconds()
        while remaining > 0:
            await asyncio.sleep(remaining)
            remaining = self._answer_delay.remaining_seconds()
        if not self._is_still_valid(decision, command):
            raise StaleCommandError(seq, self.seq)

    async def say(self, text: str) -> None:
        """Send a chat line to everyone in the match.

        Raises:
            NetworkError: The host does not accept the line.
        """
        await self._send_request(Say(request_id=new_id(), text=sanitise(text, CHAT_LIMIT)))

    async def propose(self, matter: OfferKind, to_seq: int = 0) -> None:
        """Make an offer to the other seats.

        Args:
            matter: The kind of offer.
            to_seq: For a takeback, the number of the record whose state is to be restored.

        Raises:
            NetworkError: The host does not accept the offer.
        """
        if self.copy.has_transcript:
            await self._signed_offers.propose(matter, to_seq)
            return
        await self._send_request(MakeOffer(request_id=new_id(), matter=matter, to_seq=to_seq))

    @property
    def must_answer(self) -> bool:
        """Return whether this seat must still answer the open offer."""
        offer = self.reporter.offer
        return offer is not None and self.role in offer.waiting_for

    @property
    def must_wait_for_offer(self) -> bool:
        """Return whether an open offer delays this seat's automatic commands, so that all players can answer it.

        The total delay between two records is limited. Otherwise, another player could leave an offer open until this
        seat has lost on time or seems to have left, or could stall the match for good.
        """
        reporter = self.reporter
        if reporter.offer is None or reporter.first_offer_at is None:
            return False
        limits = [_OFFER_SECONDS]
        limits += [
            dial.left_ms / 1000 * _CLOCK_FRACTION
            for dial in reporter.clock_readings
            if dial.role == self.role
        ]
        header = self.header
        if header is not None and header.fair is not msgspec.UNSET and header.fair.reply_limit:
            limits.append(header.fair.reply_limit * _REPLY_FRACTION)
        return time.monotonic() - reporter.first_offer_at < min(limits)

    async def answer_offer(self, *, agree: bool) -> None:
        """Answer the open offer.

        Raises:
            NetworkError: The offer is no longer open, or the host does not accept the answer.
        """
        offer = self.reporter.offer
        if offer is None:
            raise NetworkError("there is no proposal to answer")
        if self.copy.has_transcript and self.seat is not None:
            await self._signed_offers.answer(self.seat, offer, agree=agree)
            return
        await self._send_request(OfferAnswer(request_id=new_id(), offer=offer.offer, agree=agree))

    async def _send_request(self, request: PeerRequest) -> None:
        verdict = await self.replicator.send(request)
        if isinstance(verdict, Refused):
            raise NetworkError(sanitise(verdict.text, REASON_LIMIT))

    def _find_record(self, submitted: SubmittedCommand) -> int | None:
        """Return a command's record number if the command was carried out but the reply was lost; otherwise None.

        A restarted host does not remember requests, but its records contain the command.
        """
        for seq in range(submitted.expected_seq + 1, self.seq + 1):
            record = self.copy.record(seq)
            if record.role == self.role and record.kind == "command":
                assert record.command is not None, "the record's shape must have been checked"
                return seq if record.command.body == submitted.command else None
        return None

    def _refusal_error(self, refused: Refused, command: Command) -> Exception:
        if refused.code == "illegal" and refused.refusals:
            sanitised = tuple(
                msgspec.structs.replace(reason, text=sanitise(reason.text, REASON_LIMIT))
                for reason in refused.refusals
            )
            return IllegalCommandError(self.ruleset.notation.line(command), sanitised)
        error_type = UnavailableError if refused.code == "unavailable" else NetworkError
        return error_type(sanitise(refused.text, REASON_LIMIT))
