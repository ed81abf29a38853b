"""Finds the matches on this computer that are played through move files, and processes their files and commands."""

import datetime as dt
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from engine import registry
from engine.kernel.errors import DataError, FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.host.host_command import players_by_role
from netplay.invites.invite import Invite, load_invites
from netplay.invites.invite_files import OWN_FOLDER, FoundInvite, find_invites, write_short_named
from netplay.mail.mail_host import MailHost
from netplay.mail.mailboxes import SUFFIX as BOOK
from netplay.mail.move_files.move_file_report import MoveFileReport, move_file_name
from netplay.mail.move_files.move_payload import (
    MoveFile,
    MoveFileError,
    OtherMatchError,
    decode_move_file,
)
from netplay.mail.move_files.text_armour import MAX_TEXT_BYTES, find_blocks
from netplay.mail.seat import MailPeer, check_invite
from netplay.peer.known_host import find_known_host
from netplay.wire.errors import InviteError
from netplay.wire.sanitising import NAME_LIMIT, sanitise
from saves.errors import StorageError
from saves.files import read_file
from saves.folders import hosted_folder, invites_folder, joined_folder
from saves.headers import FULL
from saves.logfile import SUFFIX as RECORD
from saves.logfile import read_header

_MIN_ID_LENGTH: Final = 4
Rulesets = Callable[[str], AnyRuleset]


class HostedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match that is hosted on this computer."""

    match: str
    folder: Path


class SeatedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One person's seats in a match, with the invites that are stored on this computer."""

    match: str
    invites: tuple[Invite, ...]


MailMatch = HostedMatch | SeatedMatch


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A move file to be sent."""

    reader: str
    """The recipient's sanitised name."""
    name: str
    """Suggested file name."""
    text: str


class MailStore(msgspec.Struct, frozen=True, kw_only=True):
    """The folders used for play by mail."""

    hosted: Path
    """The folder for matches hosted here."""
    invites: tuple[Path, ...]
    """The folders to search for invites. New invites are stored in the first folder."""
    copies: Path
    """The folder for the seats' copies."""
    rulesets: Rulesets = registry.ruleset

    # -- matches

    def hosted_match(self, match: str) -> HostedMatch | None:
        """Return a match hosted here; None if its full record is not on this computer."""
        path = self.hosted / f"{match}{RECORD}"
        try:
            is_judged = path.is_file() and read_header(path).audience == FULL
        except FlagplotError:
            return None
        return HostedMatch(match=match, folder=self.hosted) if is_judged else None

    def seated_matches(self) -> tuple[SeatedMatch, ...]:
        """Return the seats whose invites are stored here, grouped by match and person.

        If several hosts have issued invites for the same seats, those from the host of the copy are used. The host's
        own seats are left out.
        """
        found = find_invites(self.invites, dt.datetime.now(dt.UTC))
        invite_files = sorted(found, key=self._is_from_other_host)
        seats: dict[object, SeatedMatch] = {}
        for invite_file in invite_files:
            if invite_file.roles:
                key = invite_file.invites[0].match, frozenset(invite_file.roles)
                seats.setdefault(
                    key,
                    SeatedMatch(match=invite_file.invites[0].match, invites=invite_file.invites),
                )
        return tuple(seats.values())

    def _is_from_other_host(self, invite_file: FoundInvite) -> bool:
        """Return whether a seat in an invite file has a copy that comes from another host."""
        try:
            for invite in invite_file.invites:
                if invite.role is not None:
                    find_known_host(self.copies, invite).check()
        except (InviteError, StorageError):
            return True
        return False

    def own_seats(self) -> tuple[FoundInvite, ...]:
        """Return the host's own seats in matches played through move files."""
        invite_files = find_invites((self.hosted / OWN_FOLDER,), dt.datetime.now(dt.UTC))
        return tuple(
            invite_file
            for invite_file in invite_files
            if invite_file.invites and is_by_mail(invite_file.invites)
        )

    def known_matches(self) -> tuple[MailMatch, ...]:
        """Return the matches that are played here through move files, both hosted matches and people's seats."""
        matches: list[MailMatch] = []
        for path in sorted(self.hosted.glob(f"*{BOOK}")):
            match = self.hosted_match(path.name.removesuffix(BOOK))
            if match is not None:
                matches.append(match)
        for seat in self.seated_matches():
            mailbox_paths = (
                self.copies / f"{seat.match}.{invite.role}{BOOK}" for invite in seat.invites
            )
            if is_by_mail(seat.invites) or any(
                mailbox_path.exists() for mailbox_path in mailbox_paths
            ):
                matches.append(seat)
        return tuple(matches)

    def find(self, word: str) -> MailMatch:
        """Find the match that the given word identifies.

        Args:
            word: An invite file or the beginning of a match id. It may be empty if there is only one match.

        Raises:
            DataError: The word identifies no match or several matches.
            InviteError: The file is not an invite, or it comes from another host than the copy of the seat.
        """
        path = Path(word).expanduser()
        if word and path.is_file():
            invites = load_invites(path)
            hosted = self.hosted_match(invites[0].match)
            is_own = hosted is not None and path.resolve().is_relative_to(self.hosted.resolve())
            return hosted if hosted and is_own else self.store_invite(invites, path)
        if not word:
            return _single_match(
                self.known_matches(), "matches here are played with move files; choose one"
            )
        matches: list[MailMatch] = []
        if len(word) >= _MIN_ID_LENGTH:
            ids = {
                record_path.name.removesuffix(RECORD)
                for record_path in self.hosted.glob(f"{_id_characters(word)}*{RECORD}")
            }
            matches += [match for match in map(self.hosted_match, sorted(ids)) if match is not None]
            matches += [seat for seat in self.seated_matches() if seat.match.startswith(word)]
        if not matches:
            raise DataError(
                sanitise(word, NAME_LIMIT),
                "",
                "this is neither an invite file nor the id of a match",
            )
        hosted_first = [match for match in matches if isinstance(match, HostedMatch)] or matches
        return _single_match(
            tuple(hosted_first), "matches have ids that begin like that; choose one"
        )

    def find_invite_file(self, id_prefix: str) -> Path | None:
        """Return the invite file for a match whose id begins with this prefix; None if there is none.

        The host's own seats take precedence.
        """
        if len(id_prefix) < _MIN_ID_LENGTH:
            return None
        now = dt.datetime.now(dt.UTC)
        for folders in ((self.hosted / OWN_FOLDER,), self.invites):
            for invite_file in sorted(find_invites(folders, now), key=self._is_from_other_host):
                if invite_file.roles and invite_file.invites[0].match.startswith(id_prefix):
                    return invite_file.path
        return None

    def store_invite(self, invites: tuple[Invite, ...], path: Path) -> SeatedMatch:
        """Copy an invite file to the folder for invites, and return the seats that it gives access to.

        Raises:
            InviteError: A seat has a copy that comes from another host, or the folder cannot be written to.
            StorageError: A file cannot be read.
        """
        for invite in invites:
            if invite.role is not None:
                find_known_host(self.copies, invite).check()
        if path.parent.resolve() not in {folder.resolve() for folder in self.invites}:
            write_short_named(self.invites[0], invites, path.stem)
        return SeatedMatch(match=invites[0].match, invites=invites)

    # -- files

    async def open_host(self, match: HostedMatch) -> MailHost:
        """Open a match that is hosted here."""
        return await MailHost.open(match.folder, match.match, self.rulesets)

    def open_peers(self, match: SeatedMatch) -> tuple[MailPeer, ...]:
        """Open one person's seats. If one of them cannot be opened, close the others again."""
        peers: list[MailPeer] = []
        try:
            for invite in match.invites:
                check_invite(invite)
                peers.append(MailPeer(invite, self.copies, self.rulesets))
        except BaseException:
            for peer in peers:
                peer.copy.close()
            raise
        return tuple(peers)

    async def send(
        self,
        match: MailMatch,
        recipient: str = "",
        chat_text: str = "",
        *,
        from_start: bool = False,
    ) -> tuple[Outgoing, ...]:
        """Write the host's files for people whose copies are out of date, or a person's file for the host.

        Args:
            match: The match.
            recipient: Role or name of the only recipient; empty for everyone.
            chat_text: A chat line to include; empty for none.
            from_start: True to send everything from the first record, for a player who has lost their copy.

        Raises:
            DataError: There is no such person, or everyone is up to date.
            MoveFileError: A seat has not yet received a file to which it can reply.
            StorageError: A file cannot be written.
        """
        if isinstance(match, HostedMatch):
            mail_host = await self.open_host(match)
            try:
                return write_host_files(mail_host, recipient, chat_text, from_start=from_start)
            finally:
                await mail_host.close()
        peers = self.open_peers(match)
        try:
            if recipient:
                raise DataError("--to", "", "a seat's files go only to the host")
            return await write_seat_files(peers, chat_text)
        finally:
            for peer in peers:
                await peer.close()

    async def receive(self, raw: bytes) -> tuple[tuple[MailMatch, MoveFileReport], ...]:
        """Process all move files in a text that belong to a match here, and return a report on each.

        A person's own files, such as a file quoted in a reply, are skipped if the text contains other files.

        Raises:
            MoveFileError: The text contains no move file, or none can be accepted. In the second case, the error
                describes the problem with the first file.
            InviteError: The same, if the only invite for the first file comes from another host than the copy.
        """
        if len(raw) > MAX_TEXT_BYTES:
            raise MoveFileError("this text is too long to contain move files")
        blocks = find_blocks(raw)
        if not blocks:
            raise MoveFileError("there is no move file in this text")
        received: list[tuple[MailMatch, MoveFileReport]] = []
        problems: list[FlagplotError] = []
        for block in blocks:
            try:
                if block.problem:
                    raise MoveFileError(f"this move file is damaged: {block.problem}")
                received.append(await self._receive(decode_move_file(block.data)))
            except (MoveFileError, InviteError) as error:
                problems.append(error)
        if not received:
            # An error about a match on this computer helps more than one about a quoted file from
            # another match.
            problems.sort(key=lambda error: isinstance(error, OtherMatchError))
            raise problems[0]
        return tuple(received)

    async def _receive(self, move_file: MoveFile) -> tuple[MailMatch, MoveFileReport]:
        match, role = move_file.outside.match, move_file.role
        hosted = self.hosted_match(match)
        own_seat = next(
            (
                seat
                for seat in self.seated_matches()
                if seat.match == match and role in {own_invite.role for own_invite in seat.invites}
            ),
            None,
        )
        if move_file.outside.to_judge:
            if hosted is None:
                raise OtherMatchError(_own_file_text(match) if own_seat else _no_record_text(match))
            mail_host = await self.open_host(hosted)
            try:
                return hosted, await mail_host.receive(move_file)
            finally:
                await mail_host.close()
        if own_seat is None:
            raise OtherMatchError(
                _own_file_text(match) if hosted else _no_invite_text(role, self.invites)
            )
        (invite,) = (own_invite for own_invite in own_seat.invites if own_invite.role == role)
        (peer,) = self.open_peers(SeatedMatch(match=match, invites=(invite,)))
        try:
            return own_seat, peer.receive(move_file)
        finally:
            await peer.close()


def account_mail_store(folder: Path | None = None, copies: Path | None = None) -> MailStore:
    """Return the current account's folders.

    Args:
        folder: The folder for matches hosted here; None for the default.
        copies: The folder for the seats' copies; None for the default.
    """
    invites = [invites_folder()]
    with suppress(OSError):  # The current folder may have been deleted.
        invites.append(Path.cwd())
    return MailStore(
        hosted=folder or hosted_folder(), invites=tuple(invites), copies=copies or joined_folder()
    )


def write_host_files(
    mail_host: MailHost,
    recipient: str,
    chat_text: str,
    *,
    from_start: bool = False,
    is_again: bool = False,
) -> tuple[Outgoing, ...]:
    """Write the host's files. See :meth:`MailStore.send`.

    If ``is_again`` is True, also write files for people who are already up to date.
    """
    if chat_text:
        mail_host.add_chat(chat_text)
    if recipient:
        parties: tuple[tuple[Role, ...], ...] = (mail_host.find_party(recipient),)
    else:
        parties = tuple(
            party
            for party in mail_host.parties()
            if from_start or is_again or mail_host.has_unsent(party)
        )
    if not parties:
        raise DataError("match", "", "no player needs a file; --to NAME writes one anyway")
    files: list[Outgoing] = []
    for party in parties:
        reader_name = sanitise(mail_host.players[party[0]], NAME_LIMIT)
        text = mail_host.write(party, from_start=from_start)
        number = mail_host.mailbox.seat_state(party[0]).sent
        name = move_file_name(mail_host.table.match.header, mail_host.name, reader_name, number)
        files.append(Outgoing(reader=reader_name, name=name, text=text))
    return tuple(files)


async def write_seat_files(peers: Sequence[MailPeer], chat_text: str) -> tuple[Outgoing, ...]:
    """Write the move file that one person sends to the host. See :meth:`MailStore.send`."""
    if chat_text:
        await peers[0].say(chat_text)
    orders = peers[
        0
    ].standing_orders  # A person's standing orders are stored only once, next to the first copy.
    text = "".join(peer.write(orders) for peer in peers)
    header, first_peer = peers[0].copy.header, peers[0]
    assert header is not None, "a seat that writes a file must have a header"
    own_name = players_by_role(header).get(Role(str(first_peer.role)), "")
    name = move_file_name(header, own_name, first_peer.host_name, first_peer.mailbox.sent)
    return (Outgoing(reader=first_peer.host_name, name=name, text=text),)


def is_by_mail(invites: Sequence[Invite]) -> bool:
    """Return whether a seat is played only through move files. The invites to such a seat contain no address."""
    return not any(invite.addresses for invite in invites)


def read_text(path: Path) -> bytes:
    """Read a file that may contain move files.

    Raises:
        MoveFileError: The file cannot be read.
    """
    try:
        return read_file(path, MAX_TEXT_BYTES)
    except OSError as error:
        raise MoveFileError(f"{path}: cannot be read: {error.strerror or error}") from error


def _single_match(matches: tuple[MailMatch, ...], problem: str) -> MailMatch:
    if not matches:
        raise DataError(
            "match",
            "",
            "no match here is played with move files; give a match id or an invite file",
        )
    if len({match.match for match in matches}) > 1:
        ids = ", ".join(dict.fromkeys(match.match for match in matches))
        raise DataError("match", "", f"several {problem}: {ids}")
    return matches[0]


def _id_characters(word: str) -> str:
    # The word becomes part of a glob pattern, where * and ? would match other files.
    return "".join(letter for letter in word if letter.isalnum() or letter == "-")


def _own_file_text(match: str) -> str:
    return f"this move file for match {match} is one that you wrote; send it to its recipient"


def _no_record_text(match: str) -> str:
    return f"this move file is for the host of match {match}, but this computer does not host that match"


def _no_invite_text(role: Role, folders: Sequence[Path]) -> str:
    folder_list = " or ".join(str(folder) for folder in folders)
    return (
        f"this move file is for the seat {sanitise(role, NAME_LIMIT)}, whose invite is not here:"
        f" save the invite in {folder_list}"
    )
