"""The host's side of a match played through move files: a server without a network address.

Texts for players call the person on this side the judge. A file's requests are submitted to the table like a connected
seat's, with the same checks and the same replies. Bots and the host's own seat play as usual.
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
from netplay.invites.invite_files import OWN_FOLDER, found_in
from netplay.invites.invite_rotation import keys_of, parties_of
from netplay.mail.mailboxes import CHAT_KEPT, SUFFIX, HostMailbox, SeatMailState, keep, load
from netplay.mail.move_files.file_texts import Report, lines_above
from netplay.mail.move_files.move_payload import (
    FORMAT,
    LINE,
    Envelope,
    LogHeads,
    MoveFile,
    MoveFileError,
    letter_of,
    opened,
    written,
)
from netplay.mail.request_handler import MailRequestHandler, questions_in
from netplay.mail.standing_orders import StandingOrderRunner
from netplay.match.match_table import MatchTable
from netplay.wire.messages import CAPABILITIES, PollUpdates, Welcome, decode_answer, encode
from netplay.wire.sanitising import CHAT_LIMIT, NAME_LIMIT, clean
from netplay.workers.match_server import MatchServer, rules_of
from play.bots import bot_name
from saves.headers import encode_header

Party = tuple[Role, ...]


class MailHost:
    """A match opened by its host."""

    def __init__(
        self, house: MatchServer, table: MatchTable, authority: identity.Authority
    ) -> None:
        """Use a server's table. Callers use :meth:`open` instead."""
        self.house = house
        self.table = table
        self._authority = authority
        self._path = house.folder / f"{table.id}{SUFFIX}"
        self.book = load(self._path, HostMailbox)
        table.parley.patience = float("inf")
        table.parley.recall(self.book.chat, self.book.offer)
        self.deputy = StandingOrderRunner(table, self.book)
        self._at_work: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, folder: Path, match: str, rulesets: Callable[[str], AnyRuleset] = registry.ruleset
    ) -> "MailHost":
        """Open a match from a hosting folder and start its bots.

        Raises:
            LogInUseError: Another program has the match open.
            FlagplotError: The match cannot be opened.
        """
        authority = load_authority(folder)
        house = MatchServer(folder, rulesets)
        house.start(authority)
        try:
            table = house.table(match)
            if table.match.transcript is not None:
                raise DataError("match", match, _JOINT)
            desk = cls(house, table, authority)
        except BaseException:
            await house.close("this match was not opened")
            raise
        house.play(match)
        desk._at_work = asyncio.create_task(desk.deputy.serve())
        return desk

    async def close(self) -> None:
        """Save the mailbox and close the match."""
        if self._at_work is not None:
            self._at_work.cancel()
            await asyncio.gather(self._at_work, return_exceptions=True)
        try:
            self.keep()
        finally:
            await self.house.close("the host has left")

    def keep(self) -> None:
        """Save the chat, the open offer, and the state kept for the seats.

        Raises:
            StorageError: The file cannot be written.
        """
        parley = self.table.parley
        self.book.chat, self.book.offer = tuple(parley.chat)[-CHAT_KEPT:], parley.offer
        keep(self._path, self.book)

    # -- players

    @property
    def players(self) -> dict[Role, str]:
        """Return each role's player. The names are not sanitised."""
        return {seat.role: seat.player for seat in self.table.match.header.seats}

    @property
    def own(self) -> Party:
        """Return the host's own roles; empty if the host is not playing."""
        folder = self.house.folder / OWN_FOLDER
        return tuple(
            Role(one.role)
            for found in found_in((folder,), _now())
            for one in found.invites
            if one.match == self.table.id and one.role is not None
        )

    @property
    def name(self) -> str:
        """Return the host's own name, sanitised; empty if the host has no seat."""
        return clean(next((self.players[role] for role in self.own), ""), NAME_LIMIT)

    def parties(self) -> tuple[Party, ...]:
        """Return the roles of each person who receives files."""
        header, own = self.table.match.header, self.own
        parties = parties_of(self.table.match.ruleset, header)
        return tuple(
            tuple(role for role in party if role is not None)
            for party, player in parties.items()
            if party != (None,) and not bot_name(player) and not set(party) & set(own)
        )

    def party_of(self, word: str) -> Party:
        """Return the roles of the person who has this role or name.

        Raises:
            DataError: There is no such person, or the person receives no files.
        """
        players = self.players
        for party in self.parties():
            if word in party or word.casefold() == players[party[0]].casefold():
                return party
        known = ", ".join(clean(players[party[0]], NAME_LIMIT) for party in self.parties())
        raise DataError(
            "seat", clean(word, NAME_LIMIT), f"move files can be sent to: {known or 'nobody'}"
        )

    def say(self, text: str, role: Role | None = None) -> None:
        """Add a chat line for all seats, from the host's own seat or from the given role.

        Raises:
            DataError: The host has no seat.
        """
        speaker = role or next(iter(self.own), None)
        if speaker is None:
            raise DataError("seat", "", "you have no seat in this match, so you cannot chat")
        line = clean(text, CHAT_LIMIT)
        if line:
            self.table.parley.say(speaker, line)

    # -- writing files

    def lacks(self, party: Party) -> bool:
        """Return whether anything has not been sent to a person yet."""
        return any(map(self._lacks, party))

    def _lacks(self, role: Role) -> bool:
        corner = self.book.corner(role)
        is_said = any(
            line.number > corner.spoken and line.role != role for line in self.table.parley.chat
        )
        return self.table.match.seq > corner.shown or is_said or corner.is_due

    def write(self, party: Party, *, whole: bool = False) -> str:
        """Write a file with everything missing from a person's copies, and return its text.

        Args:
            party: The person's roles.
            whole: True to start with the first record, for a person whose copy is lost.

        Raises:
            DataError: A seat's certificate is unknown.
            StorageError: The mailbox cannot be written.
        """
        text = "".join(self._written(role, whole=whole) for role in party)
        self.keep()
        return text

    def _written(self, role: Role, *, whole: bool) -> str:
        corner = self.book.corner(role)
        if whole:
            corner.seq, corner.told = -1, 0
        corner.sent += 1
        messages = tuple(map(encode, self._messages(role, corner)))
        letter = letter_of(messages, corner.heard, name=self.name)
        corner.shown, corner.is_due = self.table.match.seq, False
        chat = self.table.parley.chat
        corner.spoken = chat[-1].number if chat else 0
        outside = Envelope(
            format=FORMAT, match=self.table.id, role=role, to_judge=False, number=corner.sent
        )
        above = lines_above(
            self.table.match.header, self.name or "the judge", self.players[role], corner.sent
        )
        return written(letter, outside, self._ends(role), above)

    def _messages(self, role: Role, corner: SeatMailState) -> Iterator[Any]:
        """Yield the host's replies to a seat's last file."""
        match = self.table.match
        yield Welcome(
            header=encode_header(match.redacted_header(role)),
            seq=match.seq,
            chain=match.chain,
            capabilities=CAPABILITIES,
            rules=rules_of(match.ruleset),
            window_ms=0,
        )
        yield from map(decode_answer, corner.verdicts)
        if corner.difference:
            yield decode_answer(corner.difference)
        session = HostSession(LINE, role, CAPABILITIES)
        seq, offset, heard, is_first = corner.seq, 0, corner.told, True
        while True:
            chain = (
                match.chain
            )  # Any chain value will do here, because it does not affect the reply.
            ask = PollUpdates(seq=seq, chain=chain, digest=None, offset=offset, heard=heard)
            news = self.table.news(session, ask)
            if news is None or not (news.records or news.part or news.chat or is_first):
                return
            is_first = False
            yield news
            seq += len(news.records)
            heard = max((heard, *(line.number for line in news.chat)))
            if news.part is not None:
                offset += len(news.part.data)
                if offset >= news.part.total:
                    seq, offset = news.part.seq, 0

    # -- keys

    def _ends(self, role: Role) -> LogHeads:
        pair = self._authority.authority
        return LogHeads(own_key=pair.key, own=pair.certificate, other=self._certificate(role))

    def _certificate(self, role: Role) -> str:
        """Return the certificate for a seat's current key."""
        owner, corner = self._owner(role), self.book.corner(role)
        if corner.certificate and _print(corner.certificate) == owner:
            return corner.certificate
        folder = self.house.folder
        for found in found_in((folder / "invites", folder / OWN_FOLDER), _now()):
            for invite in found.invites:
                if invite.role == role and _print(invite.certificate) == owner:
                    corner.certificate = invite.certificate
                    return invite.certificate
        who = clean(self.players[role], NAME_LIMIT)
        raise DataError(
            str(folder / "invites"),
            "",
            f"the invite of {who} is no longer here, but its key is needed once:"
            f" restore a copy, or issue a new one (flagplot host --invite-again {role})",
        )

    def _owner(self, role: Role) -> str:
        seats = self.table.match.header.seats
        first = next(seat.seat_id for seat in seats if seat.role == role)
        return keys_of(self.house.folder, self.table.id).of(role, first)

    # -- reading files

    async def take(self, found: MoveFile) -> Report:
        """Submit the requests in a seat's file to the table, and return a report.

        A file that has already been accepted has no effect, and neither does any repeated part.

        Raises:
            MoveFileError: The file is not from this seat or cannot be read. Nothing has changed.
            StorageError: The mailbox or the record cannot be written.
        """
        role = found.role
        if role not in self.players:
            raise MoveFileError("this move file is from a seat that is not in the match")
        if found.outside.match != self.table.id or not found.outside.to_judge:
            raise MoveFileError("this move file is not for the host of this match")
        name = clean(self.players[role], NAME_LIMIT) or role
        letter = opened(found, self._ends(role), name)
        catch_up, submits, requests = questions_in(letter, name)
        corner, number = self.book.corner(role), found.outside.number
        report = Report(sender=name, number=number, is_old=number <= corner.heard)
        if report.is_old:
            return report
        session = HostSession(LINE, role, letter.capabilities)
        difference = self.table.comparison.difference(session, catch_up)
        report.differs = difference is not None
        hearing = MailRequestHandler(self.table, session, role, corner, report)
        await hearing.judge(submits)
        await hearing.hear(requests)
        corner.heard, corner.told = number, catch_up.heard
        # The seat has received newer files than this mailbox knows of, so the host has restored older files.
        corner.sent = max(corner.sent, letter.heard)
        corner.seq = catch_up.seq if difference is None else difference.agreed_seq
        corner.shown, corner.spoken = corner.seq, corner.told
        corner.difference = b"" if difference is None else encode(difference)
        corner.verdicts = tuple(map(encode, report.refused))
        corner.is_due = bool(report.refused) or report.differs
        corner.orders = letter.orders
        self.keep()
        await self.deputy.settle()
        self.keep()
        return report


_JOINT: Final = "every roll and draw in this match needs all seats online at once; open a match with --by-mail instead"


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _print(certificate: str) -> str:
    return identity.fingerprint(identity.load_certificate(certificate))
