"""Implements a seat played through move files: its copy, and the commands waiting to be sent.

The seat is a peer without a connection. It stores what a connected peer would send until a file from the host confirms
it.
"""

import contextlib
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from typing_extensions import override

from engine import registry
from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import HiddenError
from engine.kernel.ruleset import Command
from engine.registry import AnyRuleset
from netplay.host.host_command import players_by_role
from netplay.invites.invite import Invite, validity_problem
from netplay.mail.lookahead import Simulation, simulate
from netplay.mail.mailboxes import (
    MAX_CHAT_LINES,
    SUFFIX,
    QueuedCommand,
    QueuedRequest,
    SeatMailbox,
    load_mailbox,
    save_mailbox,
)
from netplay.mail.move_files.move_file_report import MoveFileReport, header_lines
from netplay.mail.move_files.move_payload import (
    FORMAT,
    Envelope,
    ExchangeCertificates,
    MoveFile,
    MoveFileError,
    format_move_file,
    new_payload,
    open_payload,
)
from netplay.peer.peer import Peer
from netplay.peer.status import Chatted, ConnectionState, OfferChanged, Status, StatusChanged
from netplay.wire.errors import NetworkError, ProtocolError
from netplay.wire.messages import (
    COMMAND_BYTES,
    Accepted,
    Desync,
    MakeOffer,
    OfferAnswer,
    PollUpdates,
    Refused,
    Say,
    Submit,
    Update,
    Welcome,
    decode_answer,
    encode,
)
from netplay.wire.request_ids import new_id
from netplay.wire.sanitising import CHAT_LIMIT, NAME_LIMIT, REASON_LIMIT, sanitise
from play.offers import OfferKind
from play.standing_orders import ORDERS_SUFFIX as ORDERS
from play.standing_orders import OrderBook, StandingOrders
from saves.decoding import canonical, decode
from saves.errors import BrokenChainError, UnreadableError
from saves.records import Record, decode_record

HOST_NAME = "the judge"
_SIGNED: Final = (
    "the commands of this match are signed, so it is not played with move files: use flagplot join"
)
Answer = Welcome | Update | Desync | Accepted | Refused


class MailPeer(Peer):
    """A seat that communicates with its host only through files."""

    def __init__(
        self,
        invite: Invite,
        folder: Path,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    ) -> None:
        """Open the seat's copy and mailbox. The mailbox contains everything that is waiting to be sent.

        Raises:
            DataError: The game is unknown, or a stored file is damaged.
            LogInUseError: The seat is open in another program.
            MoveFileError: The seat signs its commands. Nothing in a move file would be checked against the transcript.
            StorageError: A file cannot be read or written.
        """
        super().__init__(invite, folder, rulesets, window_seconds=0.0)
        assert self.role is not None, "the invite must be for a role"
        self._own_role = self.role
        self._mailbox_path = self.copy.path.with_suffix(SUFFIX)
        try:
            if self.copy.has_transcript or (self.seat is not None and self.seat.path.exists()):
                raise MoveFileError(_SIGNED)
            self.mailbox = load_mailbox(self._mailbox_path, SeatMailbox)
        except BaseException:
            self.copy.close()
            raise
        self.reporter.offer = self.mailbox.offer
        self.reporter.status = Status(link=ConnectionState.CONNECTED)
        self._cached_simulation: tuple[int, tuple[QueuedCommand, ...], Simulation] | None = None
        self._command_decoder = msgspec.msgpack.Decoder[Command](self.ruleset.command_type)

    # -- peer interface

    @override
    def start(self) -> None:
        """Do nothing. There is no host to connect to."""

    @property
    @override
    def is_live(self) -> bool:
        """Return whether the game is in progress. While it is, commands are accepted and stored until they are sent."""
        return self.is_ready and not self.reporter.is_over

    @override
    async def close(self) -> None:
        self.copy.close()
        self.reporter.status = msgspec.structs.replace(
            self.reporter.status, link=ConnectionState.CLOSED
        )
        self.reporter.wake()

    @property
    def host_name(self) -> str:
        """Return the host's name. If no file has contained it yet, return a generic term."""
        return sanitise(self.mailbox.judge, NAME_LIMIT) or HOST_NAME

    @property
    def simulation(self) -> Simulation:
        """Return the simulation of the commands that are waiting for the host."""
        key = self.copy.seq, self.mailbox.entries
        if self._cached_simulation is None or self._cached_simulation[:2] != key:
            commands = list(map(self._decode_command, self.mailbox.entries))
            simulation = simulate(self.ruleset, self._own_role, self.copy.state, commands)
            self._cached_simulation = *key, simulation
        return self._cached_simulation[2]

    def _decode_command(self, entry: QueuedCommand) -> Command:
        command: Command = decode(self._command_decoder, entry.command, COMMAND_BYTES)
        return command

    @property
    def waiting_commands(self) -> tuple[Command, ...]:
        """Return the commands that are waiting for the host, oldest first."""
        return tuple(map(self._decode_command, self.mailbox.entries))

    @property
    def unsent_count(self) -> int:
        """Return the number of commands and messages that no file contains yet."""
        commands = sum(not item.sent for item in self.mailbox.entries)
        return commands + sum(not item.sent for item in self.mailbox.requests)

    @property
    @override
    def state(self) -> Any:  # any game's state
        """Return the state after the waiting commands, limited to what this seat knows."""
        return self.simulation.state

    @property
    @override
    def is_asked(self) -> bool:
        """Return whether this seat must make a decision now, as far as it can tell."""
        return self.simulation.is_open and super().is_asked

    @override
    def free_actions(self) -> tuple[Command, ...]:
        return super().free_actions() if self.simulation.is_open else ()

    @override
    async def submit(
        self, command: Command, remark: str = "", *, is_automatic: bool = False
    ) -> Record:
        """Store a command so that it is included in the next file, and return the last record.

        Raises:
            IllegalCommandError: The rules do not allow the command.
            NetworkError: The command must wait until the host has processed an earlier one, or it is too long.
        """
        # Offers arrive only in files, so none can cross a command unnoticed.
        del remark, is_automatic
        simulation = self.simulation
        if not simulation.is_open:
            raise NetworkError("only the host can decide what happens next: send your move first")
        # Only the host can resolve commands that need dice or hidden cards.
        with contextlib.suppress(ChanceRevealedError, HiddenError):
            self.ruleset.decide(simulation.state, self._own_role, command, DraftDice())
        body = canonical(command)
        if len(body) > COMMAND_BYTES:
            raise NetworkError("this command is too long")
        entry = QueuedCommand(id=new_id(), command=body, seq=self.seq)
        self._set_entries((*self.mailbox.entries, entry))
        self.reporter.notify(StatusChanged(status=self.reporter.status))
        return self.copy.record(self.seq)

    def _set_entries(self, entries: tuple[QueuedCommand, ...]) -> None:
        before, self.mailbox.entries = self.mailbox.entries, entries
        try:
            self._save()
        except BaseException:
            self.mailbox.entries = before
            raise

    def take_back(self) -> tuple[Command, bool] | None:
        """Remove and return the last waiting command. Return None if no command is waiting.

        The second value is True if the command is already in a move file, which may have been sent.
        """
        if not self.mailbox.entries:
            return None
        *remaining, last = self.mailbox.entries
        self._set_entries(tuple(remaining))
        self.reporter.notify(StatusChanged(status=self.reporter.status))
        return self._decode_command(last), bool(last.sent)

    @override
    async def say(self, text: str) -> None:
        """Store a chat line so that it is included in the next file."""
        line = sanitise(text, CHAT_LIMIT)
        if line:
            self._queue_request(Say(request_id=new_id(), text=line))
            self.reporter.notify(Chatted(role=self._own_role, text=line))

    @override
    async def propose(self, matter: OfferKind, to_seq: int = 0) -> None:
        self._queue_request(MakeOffer(request_id=new_id(), matter=matter, to_seq=to_seq))

    @override
    async def answer_offer(self, *, agree: bool) -> None:
        """Store the answer to the open offer so that it is included in the next file.

        Raises:
            NetworkError: There is no open offer.
        """
        if self.reporter.offer is None:
            raise NetworkError("there is no proposal to answer")
        number = self.reporter.offer.offer
        self.reporter.offer = self.mailbox.offer = None
        self._queue_request(OfferAnswer(request_id=new_id(), offer=number, agree=agree))
        self.reporter.notify(OfferChanged(offer=None))

    def _queue_request(self, message: Say | MakeOffer | OfferAnswer) -> None:
        request = QueuedRequest(id=message.request_id, message=canonical(message))
        self.mailbox.requests = (*self.mailbox.requests, request)
        self._save()

    def _save(self) -> None:
        save_mailbox(self._mailbox_path, self.mailbox)

    # -- files

    def _exchange_certificates(self) -> ExchangeCertificates:
        return ExchangeCertificates(
            own_key=self.invite.key, own=self.invite.certificate, other=self.invite.authority
        )

    @property
    def standing_orders(self) -> StandingOrders:
        """Return the player's standing orders, which are stored next to the copy."""
        return OrderBook(self.copy.path.with_suffix(ORDERS)).orders

    def write(self, orders: StandingOrders | None = None) -> str:
        """Write a file with everything that the host has not confirmed yet, and return the file's text.

        Args:
            orders: Standing orders to include; None to include the orders stored next to the copy.

        Raises:
            MoveFileError: No file has been received yet, so the seat has nothing to reply to.
            StorageError: The mailbox cannot be written.
        """
        header = self.copy.header
        if header is None or not self.is_ready:
            raise MoveFileError(
                "this seat has not received a move file yet: the first one comes from the host"
            )
        mailbox = self.mailbox
        mailbox.sent += 1
        number = mailbox.sent
        mailbox.entries = tuple(_mark_sent(item, number) for item in mailbox.entries)
        mailbox.requests = tuple(_mark_sent(item, number) for item in mailbox.requests)
        # The number is saved first, because the host would ignore a second file with the same
        # number.
        self._save()
        payload = new_payload(
            tuple(self._messages()), mailbox.heard, orders or self.standing_orders
        )
        envelope = Envelope(
            format=FORMAT,
            match=self.invite.match,
            role=self._own_role,
            to_judge=True,
            number=number,
        )
        own_name = players_by_role(header).get(self._own_role, str(self._own_role))
        return format_move_file(
            payload,
            envelope,
            self._exchange_certificates(),
            header_lines(header, own_name, self.host_name, number),
        )

    def _messages(self) -> Iterator[bytes]:
        """Yield the requests for a file, which are those that a connected peer would send."""
        copy, mailbox = self.copy, self.mailbox
        yield encode(
            PollUpdates(seq=copy.seq, chain=copy.chain, digest=copy.digest(), heard=mailbox.told)
        )
        for entry in mailbox.entries:
            yield encode(Submit(request_id=entry.id, expected_seq=entry.seq, command=entry.command))
        for request in mailbox.requests:
            yield request.message

    def receive(self, move_file: MoveFile) -> MoveFileReport:
        """Process a file from the host, and return a report.

        Raises:
            MoveFileError: The file is not for this seat or cannot be read, or an earlier file is missing. Nothing has
                changed.
            SeatRefusedError: The host is using different rules.
            StorageError: A file cannot be written.
        """
        envelope = move_file.outside
        if (envelope.match, envelope.role, envelope.to_judge) != (
            self.invite.match,
            self._own_role,
            False,
        ):
            raise MoveFileError("this move file is for another seat or another match")
        payload = open_payload(move_file, self._exchange_certificates(), self.host_name)
        self.mailbox.judge = payload.name
        try:
            answers = [_decode_answer(message) for message in payload.messages]
        except (ProtocolError, ValueError) as error:
            raise MoveFileError(
                f"the file from {self.host_name} cannot be read: {error}"
            ) from error
        # Only the header creates the copy to which everything else is added.
        if self.copy.header is None and not isinstance(next(iter(answers), None), Welcome):
            raise MoveFileError(
                f"the file from {self.host_name} cannot be read: it does not begin with the set-up of the match"
            )
        report = MoveFileReport(sender=self.host_name, number=envelope.number)
        report.is_old = envelope.number <= self.mailbox.heard
        entries = self.mailbox.entries
        if payload.heard > self.mailbox.sent:
            # The mailbox was restored from a backup. The host has ignored its files, because their
            # numbers were too low.
            self.mailbox.sent = payload.heard
            entries = tuple(map(_mark_unsent, entries))
            self.mailbox.entries = entries
            self.mailbox.requests = tuple(map(_mark_unsent, self.mailbox.requests))
            self._save()
        for answer in answers:
            self._handle_answer(answer, report)
        self._drop_processed(entries, payload.heard)
        if not report.is_old:
            self.mailbox.heard = envelope.number
        self._drop_illegal(report)
        self._save()
        return report

    def _handle_answer(self, answer: Answer, report: MoveFileReport) -> None:
        match answer:
            case Welcome():
                self.copy.adopt_header(answer.header, answer.rules)
            case Desync():
                if not report.is_old and self.copy.seq >= answer.agreed_seq:
                    self.copy.save_report(answer)
                    self.copy.rewind(answer.agreed_seq, answer.agreed_chain)
                    report.differs = True
            case Update():
                self._apply_mail_update(answer, report)
            case Refused():
                if not report.is_old:
                    text = sanitise(answer.text, REASON_LIMIT)
                    report.refused.append(msgspec.structs.replace(answer, text=text))
            case Accepted():
                pass

    def _apply_mail_update(self, update: Update, report: MoveFileReport) -> None:
        try:
            records = self._receive_records(update)
        except BrokenChainError as error:
            raise MoveFileError(
                f"your copy of the game differs from {self.host_name}'s at record {error.seq}:"
                " send a file, and the next one you receive will fix that"
            ) from error
        except (ProtocolError, UnreadableError) as error:
            raise MoveFileError(
                f"the file from {self.host_name} cannot be read: {error}"
            ) from error
        report.records += len(records)
        for line in update.chat:
            if line.number > self.mailbox.told:
                self.mailbox.told = line.number
                self.mailbox.chat = (*self.mailbox.chat, line)[-MAX_CHAT_LINES:]
                if line.role != self._own_role:
                    text = f"{sanitise(line.role, NAME_LIMIT)}: {sanitise(line.text, CHAT_LIMIT)}"
                    report.chat_texts.append(text)
        if not report.is_old:
            self.reporter.offer = self.mailbox.offer = update.offer

    def _receive_records(self, update: Update) -> list[Record]:
        """Add new records to the copy and return them. Records already in the copy are skipped."""
        records = [decode_record(data) for data in update.records]
        first_seq = update.part.seq if update.part is not None else None
        first_seq = records[0].seq if records else first_seq
        if first_seq is not None and first_seq > self.copy.seq + 1:
            gap_text = (
                f"your copy ends at record {self.copy.seq}, but this file begins at {first_seq}"
            )
            raise MoveFileError(
                f"an earlier move file is missing: {gap_text}; nothing is lost:"
                " send a file, and the next one you receive will contain everything"
            )
        added = self.copy.receive_all(records)
        chunk = update.part
        if chunk is not None and chunk.seq == self.copy.seq + 1:
            completed = self.copy.receive_part(chunk)
            added += [] if completed is None else [completed]
        return added

    def _drop_processed(self, entries: tuple[QueuedCommand, ...], heard: int) -> None:
        """Drop commands that the host has recorded or refused, and other messages that it has received."""
        remaining: list[QueuedCommand] = []
        cursor = -1
        for entry in entries:
            record = self._next_own_record(max(cursor, entry.seq))
            if record is not None:
                # A record confirms only one command, so the next command can only be in a later
                # record.
                cursor = record.seq
            elif not entry.sent or entry.sent > heard:
                remaining.append(entry)
        self.mailbox.entries = tuple(remaining)
        self.mailbox.requests = tuple(
            request for request in self.mailbox.requests if not request.sent or request.sent > heard
        )

    def _next_own_record(self, after: int) -> Record | None:
        for seq in range(after + 1, self.copy.seq + 1):
            record = self.copy.record(seq)
            if record.kind == "command" and record.role == self._own_role:
                return record
        return None

    def _drop_illegal(self, report: MoveFileReport) -> None:
        """Drop unsent commands that the rules no longer allow.

        Commands that have already been sent are left for the host to refuse.
        """
        first_illegal = self.simulation.first_illegal
        if first_illegal is None:
            return
        legal = self.mailbox.entries[:first_illegal]
        already_sent = [entry for entry in self.mailbox.entries[first_illegal:] if entry.sent]
        report.dropped = len(self.mailbox.entries) - len(legal) - len(already_sent)
        self.mailbox.entries = (*legal, *already_sent)


def check_invite(invite: Invite) -> None:
    """Check that an invite's keys are currently valid.

    Raises:
        MoveFileError: The keys have expired or are not valid yet.
    """
    problem = validity_problem(invite, dt.datetime.now(dt.UTC))
    if problem:
        raise MoveFileError(f"this seat's invite cannot be used: {problem}")


def _mark_sent(item: Any, number: int) -> Any:  # noqa: ANN401  # a queued command or request
    return item if item.sent else msgspec.structs.replace(item, sent=number)


def _mark_unsent(item: Any) -> Any:  # noqa: ANN401  # a queued command or request
    return msgspec.structs.replace(item, sent=0)


def _decode_answer(message: bytes) -> Answer:
    answer = decode_answer(message)
    if not isinstance(answer, Welcome | Update | Desync | Accepted | Refused):
        raise ProtocolError("it contains a message that a host does not send")
    return answer
