"""Sessions for a match played through move files: one for a person's seats, one for the host."""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.invites.invite import Invite
from netplay.mail.mail_host import MailHost
from netplay.mail.mail_store import Judged, MailStore, Outgoing, Seated, answering, outgoing
from netplay.mail.seat import MailPeer
from netplay.peer.peer import Peer
from netplay.peer.peer_group import is_ready, wait_ready
from netplay.peer.peer_session import PeerSession
from netplay.wire.errors import NetworkError
from netplay.wire.sanitising import NAME_LIMIT, clean
from play.log_lines import LogLine
from play.match_negotiation import SessionError
from play.offers import OfferKind
from play.session import StatusItem
from saves.errors import StorageError
from saves.files import FILES, make_folder, replace_file


class MailSession(PeerSession):
    """One person's seats, played by exchanging files with a host."""

    is_by_mail = True

    def __init__(self, folder: Path, *peers: MailPeer) -> None:
        """Create a session for seats whose game is ready.

        Args:
            folder: Folder for outgoing files.
            peers: One per role.
        """
        self._seats = peers
        self._folder = folder
        super().__init__(*peers)
        self._heard = [
            LogLine(self.seq, f"{self._speaker(line.role)}: {line.text}")
            for line in peers[0].book.chat
        ]
        self._conversation.extend(line.text for line in self._heard)

    @property
    def _seat_shown(self) -> MailPeer:
        return next(peer for peer in self._seats if peer.role == self._role)

    # -- state

    def decision(self) -> Decision[Any] | None:
        """Return the seat's open decision; None while only the host can determine the next decision."""
        return super().decision() if self._seat_shown.ahead.is_open else None

    def free_actions(self) -> tuple[Command, ...]:
        """Return the commands that the seat may give now without being asked."""
        return super().free_actions() if self._seat_shown.ahead.is_open else ()

    def waiting_for(self) -> tuple[Role, ...]:
        """Return the roles that must decide, as far as the seats can tell."""
        waiting = super().waiting_for()
        if self._seat_shown.ahead.is_open or not waiting:
            return waiting
        return tuple(role for role in self.roles() if role not in self.own_roles)

    def next_step(self, post: str) -> str:
        """Return a hint on what to do if there is nothing to decide."""
        judge = self._seats[0].judge
        if self.outcome() is not None:
            return ""
        if any(peer.unsent for peer in self._seats):
            return f"Your move is made: {post} writes the file for {judge}."
        sent = any(peer.waiting for peer in self._seats)
        yours = f"Your file has been written ({post} writes it again). " if sent else ""
        return f"{yours}Import the next file from {judge}: t under Join."

    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the status items, including how many commands and messages are to be sent or have been."""
        unsent = sum(peer.unsent for peer in self._seats)
        waiting = sum(len(peer.waiting) for peer in self._seats)
        items = (StatusItem("by files"),)
        if unsent:
            return (*items, StatusItem(f"{unsent} to send"))
        return (*items, StatusItem(f"{waiting} sent")) if waiting else items

    def log(self, after: int = -1) -> Iterator[LogLine]:
        """Yield the game log, including lines that are not final yet.

        After the recorded game come the results of commands that are waiting for the host, then the drafted commands.
        """
        lines = list(super().log(after))
        yield from (line for line in lines if not line.is_draft)
        for seat in self._seats:
            for events in seat.ahead.events:
                for text in self._log_sentences(events):
                    yield LogLine(self.seq, text, is_draft=True)
            if not seat.ahead.is_open:
                number = len(seat.ahead.events)
                for command in seat.waiting[number : number + 1]:
                    line = self.ruleset.notation.line(command)
                    yield LogLine(self.seq, f"Given: {line}", is_draft=True)
        yield from (line for line in lines if line.is_draft)

    # -- actions

    async def take_back(self) -> str:
        """Remove the last command that the host has not processed or, if there is none, propose a takeback."""
        self._drafts.clear()
        with_commands = [seat for seat in self._seats if seat.waiting]
        if with_commands:
            taken = with_commands[-1].take_back()
            assert taken is not None, "it has commands"
            command, is_sent = taken
            line = self.ruleset.notation.line(command)
            late = (
                " If the file with it has already been imported, the command still counts."
                if is_sent
                else ""
            )
            return f"Taken back: {line}.{late}"
        for seq in range(self.seq, 0, -1):
            record = self._seats[0].copy.record(seq)
            if record.kind == "command" and record.role in self.own_roles:
                giver = next(seat for seat in self._seats if seat.role == record.role)
                await giver.propose(OfferKind.TAKEBACK, seq - 1)
                return "The next file will ask the others."
        raise SessionError("there is no command to take back")

    async def propose(self, matter: OfferKind) -> str:
        """Store an offer for the next file. The host then asks the players concerned."""
        if matter is OfferKind.TAKEBACK:
            return await self.take_back()
        await self._seat_shown.propose(matter)
        return "It will be sent with the next file."

    async def write_move_file(self) -> str:
        """Write the file for the host and return a sentence that gives its path."""
        return put_all(self._folder, await answering(self._seats, ""))


class DeskSession(PeerSession):
    """The host's own seats, together with the match's table."""

    is_by_mail = True

    def __init__(self, folder: Path, desk: MailHost, *peers: Peer) -> None:
        """Create a session for the host's own roles, whose peers have started and have their game.

        Args:
            folder: Folder for outgoing files.
            desk: The match, which is closed together with the session.
            peers: One per role.
        """
        super().__init__(*peers)
        self._folder = folder
        self.desk = desk

    def lacking(self) -> tuple[str, ...]:
        """Return the sanitised names of people whose copies are out of date."""
        desk = self.desk
        parties = (party for party in desk.parties() if desk.lacks(party))
        return tuple(clean(desk.players[party[0]], NAME_LIMIT) for party in parties)

    def next_step(self, post: str) -> str:
        """Return a hint on what to do if there is nothing to decide."""
        names = ", ".join(self.lacking())
        if names:
            return f"{post} writes the file for {names}."
        if self.outcome() is not None:
            return ""
        return "The others have everything. Import their files: t under Join."

    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the status items, including the people who must be sent a file."""
        names = ", ".join(self.lacking())
        items = (StatusItem("judge"),)
        return (*items, StatusItem(f"to send: {names}")) if names else items

    async def write_move_file(self) -> str:
        """Write files for everyone whose copies are out of date, and return sentences that give the paths.

        If everyone is up to date, the files are written again for all.
        """
        written = outgoing(self.desk, "", "", is_again=not self.lacking())
        return put_all(self._folder, written)

    async def close(self) -> None:
        """Leave the table and close the match."""
        try:
            await super().close()
        finally:
            await self.desk.close()


def put_all(folder: Path, written: Sequence[Outgoing]) -> str:
    """Write files to a folder, and return sentences that name each file's recipient.

    Raises:
        StorageError: A file cannot be written.
    """
    make_folder(folder)
    told = []
    for one in written:
        path = folder / one.name
        try:
            replace_file(FILES, path, one.text.encode())
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
        told.append(f"Send {path} to {one.reader}.")
    return "\n".join(told)


async def sit_down(
    office: MailStore, invites: tuple[Invite, ...], folder: Path
) -> MailSession | DeskSession:
    """Open a session in a match played through move files, for the seats in some invites.

    Args:
        office: The folders used for play by mail.
        invites: One person's invites, one per role.
        folder: Folder for outgoing files.

    Raises:
        NetworkError: No file has been received yet, or the invites are not for a seat.
        LogInUseError: Another program has the match or a seat open.
        FlagplotError: The match cannot be opened.
    """
    judged = office.judged(invites[0].match)
    if judged is not None and any(one.invites == invites for one in office.own()):
        return await _at_desk(office, judged, invites, folder)
    peers = office.peers(Seated(match=invites[0].match, invites=invites))
    if is_ready(peers):
        return MailSession(folder, *peers)
    for peer in peers:
        await peer.close()
    raise NetworkError(
        "this seat has not received a move file yet: the first one comes from the host;"
        " import it with t under Join, or with flagplot take FILE"
    )


async def _at_desk(
    office: MailStore, judged: Judged, invites: tuple[Invite, ...], folder: Path
) -> DeskSession:
    desk = await office.desk(judged)
    peers: list[Peer] = []
    try:
        for invite in invites:
            peers.append(Peer(invite, office.copies, office.rulesets, house=desk.house.connect))
            peers[-1].start()
        await wait_ready(tuple(peers))
        for peer in peers:
            await peer.wait_for(partial(_is_abreast, peer, desk.table.match.seq))
        if not is_ready(tuple(peers)):
            raise NetworkError(next(one.status.reason for one in peers if not one.is_ready))
        return DeskSession(folder, desk, *peers)
    except BaseException:
        await asyncio.gather(*(peer.close() for peer in peers), return_exceptions=True)
        await desk.close()
        raise


def _is_abreast(peer: Peer, head: int) -> bool:
    """Return whether a peer has all the host's records, or can never get them."""
    return peer.is_over or (peer.is_live and peer.seq >= head)
