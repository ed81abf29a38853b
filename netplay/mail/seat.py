"""A seat played through move files: its copy, and the commands waiting to be sent.

It is a peer without a connection. Everything that it would send to a host is stored until a file from the host confirms
it.
"""

import contextlib
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from engine import registry
from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import HiddenError
from engine.kernel.ruleset import Command
from engine.registry import AnyRuleset
from netplay.host.host_command import players_of
from netplay.invites.invite import Invite, dates_problem
from netplay.mail.lookahead import Foreseen, foreseen
from netplay.mail.mailboxes import CHAT_KEPT, SUFFIX, Entry, Request, SeatMailbox, keep, load
from netplay.mail.move_files.file_texts import Report, lines_above
from netplay.mail.move_files.move_payload import (
    FORMAT,
    Envelope,
    LogHeads,
    MoveFile,
    MoveFileError,
    letter_of,
    opened,
    written,
)
from netplay.peer.peer import Peer
from netplay.peer.status import Chatted, Link, OfferChanged, Status, StatusChanged
from netplay.wire.errors import NetworkError, ProtocolError
from netplay.wire.messages import (
    COMMAND_BYTES,
    Accepted,
    Desync,
    Offer,
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
from netplay.wire.sanitising import CHAT_LIMIT, NAME_LIMIT, REASON_LIMIT, clean
from play.offers import OfferKind
from play.standing_orders import SUFFIX as ORDERS
from play.standing_orders import OrderBook, StandingOrders
from saves.decoding import canonical, decode
from saves.errors import BrokenChainError, UnreadableError
from saves.records import Record, decode_record

JUDGE = "the judge"
Answer = Welcome | Update | Desync | Accepted | Refused


class MailPeer(Peer):
    """A seat that communicates with its host only through files."""

    def __init__(
        self,
        invite: Invite,
        folder: Path,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    ) -> None:
        """Open the seat's copy and the file with everything that is waiting to be sent.

        Raises:
            DataError: The game is unknown, or a stored file is damaged.
            LogInUseError: The seat is open in another program.
            StorageError: A file cannot be read or written.
        """
        super().__init__(invite, folder, rulesets, window_seconds=0.0)
        assert self.role is not None, "spectators have nothing to send"
        self._mine = self.role
        self._place = self.copy.path.with_suffix(SUFFIX)
        try:
            self.book = load(self._place, SeatMailbox)
        except BaseException:
            self.copy.close()
            raise
        self.offer = self.book.offer
        self.status = Status(link=Link.CONNECTED)
        self._known: tuple[int, tuple[Entry, ...], Foreseen] | None = None
        self._commands = msgspec.msgpack.Decoder[Command](self.ruleset.command_type)

    # -- peer interface

    def start(self) -> None:
        """Do nothing, because there is no host to connect to."""

    @property
    def is_live(self) -> bool:
        """Return whether the game is in progress. If so, commands are accepted and stored until they are sent."""
        return self.is_ready and not self.is_over

    async def close(self) -> None:
        """Close the copy."""
        self.copy.close()
        self.status = msgspec.structs.replace(self.status, link=Link.CLOSED)
        self._ring()

    @property
    def judge(self) -> str:
        """Return the host's name if a file contained it, otherwise a generic term."""
        return clean(self.book.judge, NAME_LIMIT) or JUDGE

    @property
    def ahead(self) -> Foreseen:
        """Return the result of simulating the commands waiting for the host."""
        key = self.copy.seq, self.book.entries
        if self._known is None or self._known[:2] != key:
            commands = list(map(self._command, self.book.entries))
            found = foreseen(self.ruleset, self._mine, self.copy.state, commands)
            self._known = *key, found
        return self._known[2]

    def _command(self, entry: Entry) -> Command:
        found: Command = decode(self._commands, entry.command, COMMAND_BYTES)
        return found

    @property
    def waiting(self) -> tuple[Command, ...]:
        """Return the commands waiting for the host, oldest first."""
        return tuple(map(self._command, self.book.entries))

    @property
    def unsent(self) -> int:
        """Return the number of commands and messages that are not in any file yet."""
        commands = sum(not one.sent for one in self.book.entries)
        return commands + sum(not one.sent for one in self.book.requests)

    @property
    def state(self) -> Any:  # noqa: ANN401  # any game's state
        """Return the state after the waiting commands, limited to what this seat knows."""
        return self.ahead.state

    @property
    def is_asked(self) -> bool:
        """Return whether this seat, as far as it can tell, has an open decision."""
        return self.ahead.is_open and super().is_asked

    def free_actions(self) -> tuple[Command, ...]:
        """Return the commands that this seat may give now without being asked."""
        return super().free_actions() if self.ahead.is_open else ()

    async def submit(self, command: Command, remark: str = "") -> Record:
        """Store a command for the next file and return the last record.

        Raises:
            IllegalCommandError: The rules refuse the command.
            NetworkError: The host must first process an earlier command, or the command is too long.
        """
        del remark
        ahead = self.ahead
        if not ahead.is_open:
            raise NetworkError("only the host can decide what happens next: send your move first")
        # Only the host can resolve commands that need dice or hidden cards.
        with contextlib.suppress(ChanceRevealedError, HiddenError):
            self.ruleset.decide(ahead.state, self._mine, command, DraftDice())
        body = canonical(command)
        if len(body) > COMMAND_BYTES:
            raise NetworkError("this command is too long")
        entry = Entry(id=new_id(), command=body, seq=self.seq)
        self._keep_entries((*self.book.entries, entry))
        self._tell(StatusChanged(status=self.status))
        return self.copy.record(self.seq)

    def _keep_entries(self, entries: tuple[Entry, ...]) -> None:
        before, self.book.entries = self.book.entries, entries
        try:
            self._save()
        except BaseException:
            self.book.entries = before
            raise

    def take_back(self) -> tuple[Command, bool] | None:
        """Remove the last waiting command.

        Return the command and whether a file contains it, or None if no command is waiting.
        """
        if not self.book.entries:
            return None
        *kept, last = self.book.entries
        self._keep_entries(tuple(kept))
        self._tell(StatusChanged(status=self.status))
        return self._command(last), bool(last.sent)

    async def say(self, text: str) -> None:
        """Store a chat line for the next file."""
        line = clean(text, CHAT_LIMIT)
        if line:
            self._request(Say(request_id=new_id(), text=line))
            self._tell(Chatted(role=self._mine, text=line))

    async def propose(self, matter: OfferKind, to_seq: int = 0) -> None:
        """Store an offer for the next file."""
        self._request(Offer(request_id=new_id(), matter=matter, to_seq=to_seq))

    async def answer_offer(self, *, agree: bool) -> None:
        """Store the answer to an offer for the next file.

        Raises:
            NetworkError: There is no open offer.
        """
        if self.offer is None:
            raise NetworkError("there is no proposal to answer")
        number = self.offer.offer
        self.offer = self.book.offer = None
        self._request(OfferAnswer(request_id=new_id(), offer=number, agree=agree))
        self._tell(OfferChanged(offer=None))

    def _request(self, message: Say | Offer | OfferAnswer) -> None:
        kept = Request(id=message.request_id, message=canonical(message))
        self.book.requests = (*self.book.requests, kept)
        self._save()

    def _save(self) -> None:
        keep(self._place, self.book)

    # -- files

    def _ends(self) -> LogHeads:
        return LogHeads(
            own_key=self.invite.key, own=self.invite.certificate, other=self.invite.authority
        )

    @property
    def orders(self) -> StandingOrders:
        """Return the standing orders stored next to the copy."""
        return OrderBook(self.copy.path.with_suffix(ORDERS)).orders

    def write(self, orders: StandingOrders | None = None) -> str:
        """Write a file with everything that the host has not confirmed yet, and return its text.

        Args:
            orders: Standing orders to include; None for those stored next to the copy.

        Raises:
            MoveFileError: No file has been received yet, so there is nothing to reply to.
            StorageError: The mailbox cannot be written.
        """
        header = self.copy.header
        if header is None or not self.is_ready:
            raise MoveFileError(
                "this seat has not received a move file yet: the first one comes from the host"
            )
        book = self.book
        book.sent += 1
        number = book.sent
        book.entries = tuple(_in_file(one, number) for one in book.entries)
        book.requests = tuple(_in_file(one, number) for one in book.requests)
        self._save()
        letter = letter_of(tuple(self._messages()), book.heard, orders or self.orders)
        outside = Envelope(
            format=FORMAT,
            match=self.invite.match,
            role=self._mine,
            to_judge=True,
            number=number,
        )
        own = players_of(header).get(self._mine, str(self._mine))
        return written(letter, outside, self._ends(), lines_above(header, own, self.judge, number))

    def _messages(self) -> Iterator[bytes]:
        """Yield the requests that a connected peer would send."""
        copy, book = self.copy, self.book
        yield encode(
            PollUpdates(seq=copy.seq, chain=copy.chain, digest=copy.digest(), heard=book.told)
        )
        for entry in book.entries:
            yield encode(Submit(request_id=entry.id, expected_seq=entry.seq, command=entry.command))
        for request in book.requests:
            yield request.message

    def take(self, found: MoveFile) -> Report:
        """Process a file from the host, and return a report.

        Raises:
            MoveFileError: The file is not for this seat or cannot be read, or an earlier file is missing. Nothing has
            changed.
            SeatRefusedError: The host is using other rules.
            StorageError: A file cannot be written.
        """
        outside = found.outside
        if (outside.match, outside.role, outside.to_judge) != (
            self.invite.match,
            self._mine,
            False,
        ):
            raise MoveFileError("this move file is for another seat or another match")
        letter = opened(found, self._ends(), self.judge)
        self.book.judge = letter.name
        try:
            answers = [_answer(message) for message in letter.messages]
        except (ProtocolError, ValueError) as error:
            raise MoveFileError(f"the file from {self.judge} cannot be read: {error}") from error
        report = Report(sender=self.judge, number=outside.number)
        report.is_old = outside.number <= self.book.heard
        entries = self.book.entries
        if letter.heard > self.book.sent:  # This seat has restored older files.
            self.book.sent = letter.heard
            self._save()
        for answer in answers:
            self._hear(answer, report)
        self._settle(entries, letter.heard)
        if not report.is_old:
            self.book.heard = outside.number
        self._drop_misfits(report)
        self._save()
        return report

    def _hear(self, answer: Answer, report: Report) -> None:
        match answer:
            case Welcome():
                self.copy.adopt(answer.header, answer.rules)
            case Desync():
                if not report.is_old and self.copy.seq >= answer.agreed_seq:
                    self.copy.keep_difference(answer)
                    self.copy.rewind(answer.agreed_seq, answer.agreed_chain)
                    report.differs = True
            case Update():
                self._take_news(answer, report)
            case Refused():
                if not report.is_old:
                    text = clean(answer.text, REASON_LIMIT)
                    report.refused.append(msgspec.structs.replace(answer, text=text))
            case Accepted():
                pass

    def _take_news(self, news: Update, report: Report) -> None:
        try:
            came = self._receive(news)
        except BrokenChainError as error:
            raise MoveFileError(
                f"your copy of the game differs from {self.judge}'s at record {error.seq}:"
                " send a file, and the next one you receive will fix that"
            ) from error
        except (ProtocolError, UnreadableError) as error:
            raise MoveFileError(f"the file from {self.judge} cannot be read: {error}") from error
        report.records += len(came)
        for line in news.chat:
            if line.number > self.book.told:
                self.book.told = line.number
                self.book.chat = (*self.book.chat, line)[-CHAT_KEPT:]
                if line.role != self._mine:
                    text = f"{clean(line.role, NAME_LIMIT)}: {clean(line.text, CHAT_LIMIT)}"
                    report.said.append(text)
        if not report.is_old:
            self.offer = self.book.offer = news.offer

    def _receive(self, news: Update) -> list[Record]:
        """Add new records to the copy and return them. Records already in the copy are skipped."""
        records = [decode_record(data) for data in news.records]
        first = news.part.seq if news.part is not None else None
        first = records[0].seq if records else first
        if first is not None and first > self.copy.seq + 1:
            have = f"your copy ends at record {self.copy.seq}, but this file begins at {first}"
            raise MoveFileError(
                f"an earlier move file is missing: {have}; nothing is lost:"
                " send a file, and the next one you receive will contain everything"
            )
        came = self.copy.receive_all(records)
        part = news.part
        if part is not None and part.seq == self.copy.seq + 1:
            whole = self.copy.receive_part(part)
            came += [] if whole is None else [whole]
        return came

    def _settle(self, entries: tuple[Entry, ...], heard: int) -> None:
        """Drop commands that were recorded or not carried out, and messages that the host has received."""
        left: list[Entry] = []
        cursor = -1
        for entry in entries:
            record = self._own_record(max(cursor, entry.seq))
            if record is not None:
                cursor = record.seq
            elif not entry.sent or entry.sent > heard:
                left.append(entry)
        self.book.entries = tuple(left)
        self.book.requests = tuple(
            one for one in self.book.requests if not one.sent or one.sent > heard
        )

    def _own_record(self, after: int) -> Record | None:
        for seq in range(after + 1, self.copy.seq + 1):
            record = self.copy.record(seq)
            if record.kind == "command" and record.role == self._mine:
                return record
        return None

    def _drop_misfits(self, report: Report) -> None:
        """Drop unsent commands that the rules no longer allow.

        Commands already sent are left for the host to refuse.
        """
        misfit = self.ahead.misfit
        if misfit is None:
            return
        kept = self.book.entries[:misfit]
        later = [one for one in self.book.entries[misfit:] if one.sent]
        report.dropped = len(self.book.entries) - len(kept) - len(later)
        self.book.entries = (*kept, *later)


def check_invite(invite: Invite) -> None:
    """Check that an invite's keys are currently valid.

    Raises:
        MoveFileError: The keys have expired, or are not valid yet.
    """
    problem = dates_problem(invite, dt.datetime.now(dt.UTC))
    if problem:
        raise MoveFileError(f"this seat's invite cannot be used: {problem}")


def _in_file(one: Any, number: int) -> Any:  # noqa: ANN401  # an Entry or a Request
    return one if one.sent else msgspec.structs.replace(one, sent=number)


def _answer(message: bytes) -> Answer:
    answer = decode_answer(message)
    if not isinstance(answer, Welcome | Update | Desync | Accepted | Refused):
        raise ProtocolError("it contains a message that a host does not send")
    return answer
