"""Hosts a match played through move files, with a server that has no network address.

In texts for players, the host is called the judge. The requests in a file are submitted to the table as if the seat
were connected, with the same checks and the same replies. Bots and the host's own seat play as usual.
"""

import asyncio
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from engine import registry
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.feed.host_session import HostSession
from netplay.invites import identity
from netplay.invites.host_keys import load_authority
from netplay.invites.invite_files import OWN_FOLDER, find_invites
from netplay.invites.invite_rotation import players_by_party, seat_keys
from netplay.mail.mailboxes import (
    MAX_CHAT_LINES,
    SUFFIX,
    HostMailbox,
    SeatMailState,
    load_mailbox,
    save_mailbox,
)
from netplay.mail.move_files.move_file_report import MoveFileReport, header_lines
from netplay.mail.move_files.move_payload import (
    CONNECTION_ID,
    FORMAT,
    Envelope,
    ExchangeCertificates,
    MoveFile,
    MoveFileError,
    format_move_file,
    new_payload,
    open_payload,
)
from netplay.mail.request_handler import MailRequestHandler, parse_requests
from netplay.mail.standing_orders import StandingOrderRunner
from netplay.match.match_table import MatchTable
from netplay.wire.messages import CAPABILITIES, PollUpdates, Welcome, decode_answer, encode
from netplay.wire.sanitising import CHAT_LIMIT, NAME_LIMIT, sanitise
from netplay.workers.match_server import MatchServer, rules_of
from play.bots import bot_name
from saves.headers import encode_header

Party = tuple[Role, ...]
_MAX_VERDICTS: Final = 64
"""Maximum number of refusals stored for a seat. A limit is needed because a file can contain thousands of requests."""


class MailHost:
    """The host's side of a match played through move files."""

    def __init__(
        self, server: MatchServer, table: MatchTable, authority: identity.Authority
    ) -> None:
        """Wrap a table that is already open. Callers use :meth:`open` instead."""
        self.server = server
        self.table = table
        self._authority = authority
        self._path = server.folder / f"{table.id}{SUFFIX}"
        self.mailbox = load_mailbox(self._path, HostMailbox)
        # Answers by mail may take days. See OFFER_SECONDS for their time limit.
        table.chat_and_offers.offer_timeout_seconds = float("inf")
        table.chat_and_offers.restore(self.mailbox.chat, self.mailbox.offer)
        self._cancel_overdue_offer()
        self.order_runner = StandingOrderRunner(table, self.mailbox)
        self._order_task: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, folder: Path, match: str, rulesets: Callable[[str], AnyRuleset] = registry.ruleset
    ) -> "MailHost":
        """Open a match in a folder of hosted matches, and start its bots.

        Raises:
            LogInUseError: Another program has the match open.
            FlagplotError: The match cannot be opened.
        """
        authority = load_authority(folder)
        server = MatchServer(folder, rulesets)
        server.start(authority)
        try:
            table = server.open_table(match)
            if table.match.transcript is not None:
                raise DataError("match", match, _JOINT)
            mail_host = cls(server, table, authority)
        except BaseException:
            await server.close("this match was not opened")
            raise
        server.start_bots(match)
        mail_host._order_task = asyncio.create_task(mail_host.order_runner.serve())
        return mail_host

    async def close(self) -> None:
        """Save the mailbox and close the match."""
        if self._order_task is not None:
            self._order_task.cancel()
            await asyncio.gather(self._order_task, return_exceptions=True)
        try:
            self.save()
        finally:
            await self.server.close("the host has left")

    def save(self) -> None:
        """Save the chat, the open offer, and the state stored for each seat.

        Raises:
            StorageError: The file cannot be written.
        """
        self._cancel_overdue_offer()
        self.mailbox.chat = tuple(self.table.chat_and_offers.chat)[-MAX_CHAT_LINES:]
        save_mailbox(self._path, self.mailbox)

    def _cancel_overdue_offer(self) -> None:
        """Cancel the open offer if offers have delayed the next record for too long."""
        chat_and_offers = self.table.chat_and_offers
        self.mailbox.offer = chat_and_offers.offer
        if self.mailbox.is_offer_overdue(self.table.match.seq, int(_now().timestamp())):
            chat_and_offers.cancel_offer("nobody answered in time")
            self.mailbox.offer = None

    # -- players

    @property
    def players(self) -> dict[Role, str]:
        """Return the player's name for each role, as written in the header and not sanitised."""
        return {seat.role: seat.player for seat in self.table.match.header.seats}

    @property
    def own_roles(self) -> Party:
        """Return the host's own roles; empty if the host is not playing."""
        folder = self.server.folder / OWN_FOLDER
        return tuple(
            Role(invite.role)
            for invite_file in find_invites((folder,), _now())
            for invite in invite_file.invites
            if invite.match == self.table.id and invite.role is not None
        )

    @property
    def name(self) -> str:
        """Return the host's own name, sanitised; empty if the host has no seat."""
        return sanitise(next((self.players[role] for role in self.own_roles), ""), NAME_LIMIT)

    def parties(self) -> tuple[Party, ...]:
        """Return the roles of every person who receives files, grouped by person."""
        header, own_roles = self.table.match.header, self.own_roles
        parties = players_by_party(self.table.match.ruleset, header)
        return tuple(
            tuple(role for role in party if role is not None)
            for party, player in parties.items()
            if party != (None,) and not bot_name(player) and not set(party) & set(own_roles)
        )

    def find_party(self, word: str) -> Party:
        """Return the roles of the person who has this role or name.

        Raises:
            DataError: There is no such person, or the person receives no files.
        """
        players = self.players
        for party in self.parties():
            if word in party or word.casefold() == players[party[0]].casefold():
                return party
        names = ", ".join(sanitise(players[party[0]], NAME_LIMIT) for party in self.parties())
        raise DataError(
            "seat", sanitise(word, NAME_LIMIT), f"move files can be sent to: {names or 'nobody'}"
        )

    def add_chat(self, text: str, role: Role | None = None) -> None:
        """Add a chat line for all seats, from the host's own seat or from the given role.

        Raises:
            DataError: The host has no seat.
        """
        speaker = role or next(iter(self.own_roles), None)
        if speaker is None:
            raise DataError("seat", "", "you have no seat in this match, so you cannot chat")
        line = sanitise(text, CHAT_LIMIT)
        if line:
            self.table.chat_and_offers.add_line(speaker, line)

    # -- writing files

    def has_unsent(self, party: Party) -> bool:
        """Return whether there are records, chat lines or replies that no file for this person contains yet."""
        return any(map(self._has_unsent, party))

    def _has_unsent(self, role: Role) -> bool:
        seat_state = self.mailbox.seat_state(role)
        has_new_chat = any(
            line.number > seat_state.spoken and line.role != role
            for line in self.table.chat_and_offers.chat
        )
        has_new_offer = self._offer_to_answer(role) not in {0, seat_state.asked}
        has_new_record = self.table.match.seq > seat_state.shown
        return has_new_record or has_new_chat or has_new_offer or seat_state.is_due

    def _offer_to_answer(self, role: Role) -> int:
        """Return the number of the open offer if it waits for this role; otherwise 0."""
        offer = self.table.chat_and_offers.offer
        return offer.offer if offer is not None and role in offer.waiting_for else 0

    def write(self, party: Party, *, from_start: bool = False) -> str:
        """Create a move file with everything that is missing from a person's copies, and return its text.

        Args:
            party: The person's roles.
            from_start: True to start with the first record, for a person who has lost their copy.

        Raises:
            DataError: A seat's certificate is unknown.
            StorageError: The mailbox cannot be written.
        """
        # The mailbox is saved before the text is returned, so that no number is used for two
        # different files.
        text = "".join(self._file_text(role, from_start=from_start) for role in party)
        self.save()
        return text

    def _file_text(self, role: Role, *, from_start: bool) -> str:
        seat_state = self.mailbox.seat_state(role)
        if from_start:
            seat_state.seq, seat_state.told = -1, 0
        seat_state.sent += 1
        messages = tuple(map(encode, self._messages(role, seat_state)))
        payload = new_payload(messages, seat_state.heard, name=self.name)
        seat_state.shown, seat_state.is_due = self.table.match.seq, False
        chat = self.table.chat_and_offers.chat
        seat_state.spoken = chat[-1].number if chat else 0
        seat_state.asked = self._offer_to_answer(role)
        envelope = Envelope(
            format=FORMAT, match=self.table.id, role=role, to_judge=False, number=seat_state.sent
        )
        heading_lines = header_lines(
            self.table.match.header, self.name or "the judge", self.players[role], seat_state.sent
        )
        return format_move_file(payload, envelope, self._exchange_certificates(role), heading_lines)

    def _messages(self, role: Role, seat_state: SeatMailState) -> Iterator[Any]:
        """Yield the messages in a seat's next file: the welcome, the refusals, any desync, and the new records."""
        match = self.table.match
        yield Welcome(
            header=encode_header(match.redacted_header(role)),
            seq=match.seq,
            chain=match.chain,
            capabilities=CAPABILITIES,
            rules=rules_of(match.ruleset),
            window_ms=0,
        )
        yield from map(decode_answer, seat_state.verdicts)
        if seat_state.difference:
            yield decode_answer(seat_state.difference)
        session = HostSession(CONNECTION_ID, role, CAPABILITIES)
        seq, offset, last_line, is_first = seat_state.seq, 0, seat_state.told, True
        while True:
            chain = match.chain  # The chain value does not affect the reply, so any value works.
            poll = PollUpdates(seq=seq, chain=chain, digest=None, offset=offset, heard=last_line)
            update = self.table.next_update(session, poll)
            if update is None or not (update.records or update.part or update.chat or is_first):
                return
            # The first update is sent even without records, because it contains the open offer.
            is_first = False
            yield update
            seq += len(update.records)
            last_line = max((last_line, *(line.number for line in update.chat)))
            if update.part is not None:
                offset += len(update.part.data)
                if offset >= update.part.total:
                    seq, offset = update.part.seq, 0

    # -- keys

    def _exchange_certificates(self, role: Role) -> ExchangeCertificates:
        pair = self._authority.authority
        return ExchangeCertificates(
            own_key=pair.key, own=pair.certificate, other=self._certificate(role)
        )

    def _certificate(self, role: Role) -> str:
        """Return the certificate for a seat's current key."""
        owner, seat_state = self._owner(role), self.mailbox.seat_state(role)
        if seat_state.certificate and _fingerprint(seat_state.certificate) == owner:
            return seat_state.certificate
        folder = self.server.folder
        for invite_file in find_invites((folder / "invites", folder / OWN_FOLDER), _now()):
            for invite in invite_file.invites:
                if invite.role == role and _fingerprint(invite.certificate) == owner:
                    seat_state.certificate = invite.certificate
                    return invite.certificate
        player = sanitise(self.players[role], NAME_LIMIT)
        raise DataError(
            str(folder / "invites"),
            "",
            f"the invite of {player} is no longer here, but its key is needed once:"
            f" restore a copy, or issue a new one (flagplot host invite {role})",
        )

    def _owner(self, role: Role) -> str:
        seats = self.table.match.header.seats
        original = next(seat.seat_id for seat in seats if seat.role == role)
        return seat_keys(self.server.folder, self.table.id).fingerprint(role, original)

    # -- reading files

    async def receive(self, move_file: MoveFile) -> MoveFileReport:
        """Submit the requests in a seat's file to the table, and return a report.

        A file that has already been accepted has no effect. Requests repeated from an earlier file have no effect
        either.

        Raises:
            MoveFileError: The file is not from this seat or cannot be read. Nothing has changed.
            StorageError: The mailbox or the record cannot be written.
        """
        role = move_file.role
        if role not in self.players:
            raise MoveFileError("this move file is from a seat that is not in the match")
        if move_file.outside.match != self.table.id or not move_file.outside.to_judge:
            raise MoveFileError("this move file is not for the host of this match")
        name = sanitise(self.players[role], NAME_LIMIT) or role
        payload = open_payload(move_file, self._exchange_certificates(role), name)
        poll, submits, requests = parse_requests(payload, name)
        seat_state, number = self.mailbox.seat_state(role), move_file.outside.number
        report = MoveFileReport(sender=name, number=number, is_old=number <= seat_state.heard)
        if report.is_old:
            return report
        session = HostSession(CONNECTION_ID, role, payload.capabilities)
        desync = self.table.desync_detector.find_desync(session, poll)
        report.differs = desync is not None
        handler = MailRequestHandler(self.table, session, role, seat_state, report)
        await handler.submit_commands(submits)
        await handler.submit_requests(requests)
        # The file is marked as read only now. If the program crashes earlier, the file can be read
        # again, because repeated requests have no effect.
        seat_state.heard, seat_state.told = number, poll.heard
        # If the seat has received newer files than this mailbox knows of, the mailbox was restored
        # from a backup.
        seat_state.sent = max(seat_state.sent, payload.heard)
        if payload.heard < seat_state.sent:  # the file with the offer may be lost
            seat_state.asked = 0
        seat_state.seq = poll.seq if desync is None else desync.agreed_seq
        seat_state.shown, seat_state.spoken = seat_state.seq, seat_state.told
        seat_state.difference = b"" if desync is None else encode(desync)
        seat_state.verdicts = tuple(map(encode, report.refused[:_MAX_VERDICTS]))
        seat_state.is_due = bool(report.refused) or report.differs
        seat_state.orders = payload.orders
        # Bots and standing orders may take a while, so the file is marked as read before they act.
        self.save()
        await self.order_runner.wait_until_idle()
        self.save()
        return report


_JOINT: Final = "every roll and draw in this match needs all seats online at once; use flagplot mail open instead"


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _fingerprint(certificate: str) -> str:
    return identity.fingerprint(identity.load_certificate(certificate))
