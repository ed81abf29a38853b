"""Implements the sessions in which a person or the host plays a match through move files."""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from typing_extensions import override

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.invites.invite import Invite
from netplay.mail.mail_host import MailHost
from netplay.mail.mail_store import (
    HostedMatch,
    MailStore,
    Outgoing,
    SeatedMatch,
    write_host_files,
    write_seat_files,
)
from netplay.mail.seat import MailPeer
from netplay.peer.peer import Peer
from netplay.session.peer_group import is_ready, wait_ready
from netplay.session.peer_negotiation import PeerNegotiation
from netplay.session.peer_session import PeerSession
from netplay.wire.errors import NetworkError
from netplay.wire.sanitising import NAME_LIMIT, sanitise
from play.drafts import Drafts
from play.log_lines import LogLine
from play.negotiation import SessionError
from play.offers import OfferKind
from play.session import StatusItem
from saves.errors import StorageError
from saves.files import FILES, make_folder, replace_file


class _MailNegotiation(PeerNegotiation[MailPeer]):
    """Handles chat and offers, which wait for the next move file."""

    @override
    async def take_back(self) -> str:
        """Remove the last command that the host has not processed. If there is none, propose a takeback."""
        self._drafts.clear()
        seats_with_commands = [seat for seat in self._peers if seat.waiting_commands]
        if seats_with_commands:
            command_and_sent = seats_with_commands[-1].take_back()
            assert command_and_sent is not None, "the seat must have waiting commands"
            command, is_sent = command_and_sent
            line = self._shown_peer().ruleset.notation.line(command)
            late_text = (
                " If the file that contains it has already been imported, the command still counts."
                if is_sent
                else ""
            )
            return f"Taken back: {line}.{late_text}"
        for seq in range(self._seq(), 0, -1):
            record = self._peers[0].copy.record(seq)
            if record.kind == "command" and record.role in self._own_roles:
                giver_seat = next(seat for seat in self._peers if seat.role == record.role)
                await giver_seat.propose(OfferKind.TAKEBACK, seq - 1)
                return "Your next file will ask the other players."
        raise SessionError("there is no command to take back")

    @override
    async def propose(self, matter: OfferKind) -> str:
        """Store an offer so that it is included in the next file. The host will ask the players who must agree."""
        if matter is OfferKind.TAKEBACK:
            return await self.take_back()
        await self._shown_peer().propose(matter)
        return "Your next file will contain the proposal."


class MailSession(PeerSession):
    """One person's seats, played by exchanging files with a host."""

    is_by_mail = True

    def __init__(self, folder: Path, *peers: MailPeer) -> None:
        """Create a session for seats that have already received the game from the host.

        Args:
            folder: The folder for outgoing files.
            peers: The person's peers, one per role.
        """
        self._seats = peers
        self._folder = folder
        super().__init__(*peers)
        self._notices = [
            LogLine(self.seq, self.negotiation.receive(line.role, line.text))
            for line in peers[0].mailbox.chat
        ]
        self.negotiation.read_conversation()  # lines in the log count as read

    @override
    def _new_negotiation(self, drafts: Drafts) -> _MailNegotiation:
        return _MailNegotiation(
            self._seats, drafts, lambda: self._shown_peer, lambda: self.players, lambda: self.seq
        )

    @property
    def _shown_peer(self) -> MailPeer:
        return next(peer for peer in self._seats if peer.role == self._role)

    # -- state

    @override
    def decision(self) -> Decision[Any] | None:
        return super().decision() if self._shown_peer.simulation.is_open else None

    @override
    def free_actions(self) -> tuple[Command, ...]:
        return super().free_actions() if self._shown_peer.simulation.is_open else ()

    @override
    def waiting_for(self) -> tuple[Role, ...]:
        """Return the roles that must make a decision now, as far as this person's seats can tell."""
        waiting = super().waiting_for()
        if self._shown_peer.simulation.is_open or not waiting:
            return waiting
        return tuple(role for role in self.roles() if role not in self.own_roles)

    @override
    def next_step(self, post: str) -> str:
        judge = self._seats[0].host_name
        if self.outcome() is not None:
            return ""
        if any(peer.unsent_count for peer in self._seats):
            return f"Your move is made: {post} writes the file for {judge}."
        sent = any(peer.waiting_commands for peer in self._seats)
        count = f"Your file has been written ({post} writes it again). " if sent else ""
        return f"{count}Import the next file from {judge}: t under Join."

    @override
    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the status items.

        The last one says how much is unsent or, failing that, how many commands were sent.
        """
        unsent = sum(peer.unsent_count for peer in self._seats)
        waiting = sum(len(peer.waiting_commands) for peer in self._seats)
        items = (StatusItem("by files"),)
        if unsent:
            return (*items, StatusItem(f"{unsent} to send"))
        return (*items, StatusItem(f"{waiting} sent")) if waiting else items

    @override
    def log(self, after: int = -1) -> Iterator[LogLine]:
        """Yield the game log, including lines that are not final yet.

        The recorded game comes first, then the results of commands that are waiting for the host, then drafted
        commands.
        """
        lines = list(super().log(after))
        yield from (line for line in lines if not line.is_draft)
        for seat in self._seats:
            for events in seat.simulation.events:
                for text in self._log_sentences(events):
                    yield LogLine(self.seq, text, is_draft=True)
            if not seat.simulation.is_open:
                number = len(seat.simulation.events)
                for command in seat.waiting_commands[number : number + 1]:
                    line = self.ruleset.notation.line(command)
                    yield LogLine(self.seq, f"Given: {line}", is_draft=True)
        yield from (line for line in lines if line.is_draft)

    # -- actions

    @override
    async def write_move_file(self) -> str:
        return save_files(self._folder, await write_seat_files(self._seats, ""))


class HostMailSession(PeerSession):
    """The session for the seats that the host itself plays. Closing the session also closes the match."""

    is_by_mail = True

    def __init__(self, folder: Path, mail_host: MailHost, *peers: Peer) -> None:
        """Create a session for the host's own roles. Their peers must be running and have received the game.

        Args:
            folder: The folder for outgoing files.
            mail_host: The match, which is closed together with the session.
            peers: The host's peers, one per role.
        """
        super().__init__(*peers)
        self._folder = folder
        self.mail_host = mail_host

    def recipients(self) -> tuple[str, ...]:
        """Return the sanitised names of all people whose copies are out of date."""
        mail_host = self.mail_host
        parties = (party for party in mail_host.parties() if mail_host.has_unsent(party))
        return tuple(sanitise(mail_host.players[party[0]], NAME_LIMIT) for party in parties)

    @override
    def next_step(self, post: str) -> str:
        names = ", ".join(self.recipients())
        if names:
            return f"{post} writes the file for {names}."
        if self.outcome() is not None:
            return ""
        return "The others have everything. Import their files: t under Join."

    @override
    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the status items, including the names of people who need a new file."""
        names = ", ".join(self.recipients())
        items = (StatusItem("judge"),)
        return (*items, StatusItem(f"to send: {names}")) if names else items

    @override
    async def write_move_file(self) -> str:
        """Write files for everyone whose copies are out of date, and return sentences that name the files.

        If everyone is up to date, the files for all people are written again.
        """
        files = write_host_files(self.mail_host, "", "", is_again=not self.recipients())
        return save_files(self._folder, files)

    @override
    async def close(self) -> None:
        try:
            await super().close()
        finally:
            await self.mail_host.close()


def save_files(folder: Path, files: Sequence[Outgoing]) -> str:
    """Write files to a folder, and return sentences that name each file's recipient.

    Raises:
        StorageError: A file cannot be written.
    """
    make_folder(folder)
    sentences = []
    for file in files:
        path = folder / file.name
        try:
            replace_file(FILES, path, file.text.encode())
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
        sentences.append(f"Send {path} to {file.reader}.")
    return "\n".join(sentences)


async def open_mail_session(
    mail_store: MailStore, invites: tuple[Invite, ...], folder: Path
) -> MailSession | HostMailSession:
    """Open a session in a match played through move files, for the seats in a person's invites.

    Args:
        mail_store: The folders used for play by mail.
        invites: The person's invites, one per role.
        folder: The folder for outgoing files.

    Raises:
        NetworkError: No file has been received yet, or the invites are not for a seat.
        LogInUseError: Another program has the match or a seat open.
        FlagplotError: The match cannot be opened.
    """
    hosted = mail_store.hosted_match(invites[0].match)
    if hosted is not None and any(
        invite_file.invites == invites for invite_file in mail_store.own_seats()
    ):
        return await _open_host_session(mail_store, hosted, invites, folder)
    peers = mail_store.open_peers(SeatedMatch(match=invites[0].match, invites=invites))
    if is_ready(peers):
        return MailSession(folder, *peers)
    for peer in peers:
        await peer.close()
    raise NetworkError(
        "this seat has not received a move file yet: the first one comes from the host;"
        " import it with t under Join, or with flagplot mail take FILE"
    )


async def _open_host_session(
    mail_store: MailStore, hosted: HostedMatch, invites: tuple[Invite, ...], folder: Path
) -> HostMailSession:
    mail_host = await mail_store.open_host(hosted)
    peers: list[Peer] = []
    try:
        for invite in invites:
            peers.append(
                Peer(
                    invite,
                    mail_store.copies,
                    mail_store.rulesets,
                    connect_in_process=mail_host.server.connect,
                )
            )
            peers[-1].start()
        await wait_ready(tuple(peers))
        for peer in peers:
            await peer.reporter.wait_for(partial(_is_up_to_date, peer, mail_host.table.match.seq))
        if not is_ready(tuple(peers)):
            raise NetworkError(
                next(
                    opened_peer.reporter.status.reason
                    for opened_peer in peers
                    if not opened_peer.is_ready
                )
            )
        return HostMailSession(folder, mail_host, *peers)
    except BaseException:
        await asyncio.gather(*(peer.close() for peer in peers), return_exceptions=True)
        await mail_host.close()
        raise


def _is_up_to_date(peer: Peer, head: int) -> bool:
    """Return whether a peer has every record up to ``head``, or can no longer receive records."""
    return peer.reporter.is_over or (peer.is_live and peer.seq >= head)
