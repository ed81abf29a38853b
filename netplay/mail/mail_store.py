"""Finds the matches on this computer that are played through move files, and processes files and commands for them."""

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
from netplay.host.host_command import players_of
from netplay.invites.invite import Invite, load_invites
from netplay.invites.invite_files import OWN_FOLDER, FoundInvite, found_in, hand_out
from netplay.mail.mail_host import MailHost
from netplay.mail.mailboxes import SUFFIX as BOOK
from netplay.mail.move_files.file_texts import Report, file_name
from netplay.mail.move_files.move_payload import (
    MoveFile,
    MoveFileError,
    OtherMatchError,
    read_outside,
)
from netplay.mail.move_files.text_armour import MOST_TEXT, blocks_in
from netplay.mail.seat import MailPeer, check_invite
from netplay.wire.sanitising import NAME_LIMIT, clean
from saves.files import read_file
from saves.folders import hosted_folder, invites_folder, joined_folder
from saves.headers import FULL
from saves.logfile import SUFFIX as RECORD
from saves.logfile import read_header

_SHORTEST_ID: Final = 4
Rulesets = Callable[[str], AnyRuleset]


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A match hosted on this computer."""

    match: str
    folder: Path


class Seated(msgspec.Struct, frozen=True, kw_only=True):
    """A match in which one person has seats on this computer, with that person's invites."""

    match: str
    invites: tuple[Invite, ...]


Side = Judged | Seated


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A written move file."""

    reader: str
    """The recipient's sanitised name."""
    name: str
    """Suggested file name."""
    text: str


class MailStore(msgspec.Struct, frozen=True, kw_only=True):
    """The folders used for play by mail."""

    hosted: Path
    """Folder for the matches hosted here."""
    invites: tuple[Path, ...]
    """Invite folders. New invites are stored in the first one."""
    copies: Path
    """Folder for the seats' copies."""
    rulesets: Rulesets = registry.ruleset

    # -- matches

    def judged(self, match: str) -> Judged | None:
        """Return a match hosted here, or None if this computer does not have its full record."""
        path = self.hosted / f"{match}{RECORD}"
        try:
            is_judged = path.is_file() and read_header(path).audience == FULL
        except FlagplotError:
            return None
        return Judged(match=match, folder=self.hosted) if is_judged else None

    def seated(self) -> tuple[Seated, ...]:
        """Return the seats whose invites are stored here, grouped by person, without the host's own seats."""
        found = found_in(self.invites, dt.datetime.now(dt.UTC))
        seats: dict[object, Seated] = {}
        for one in found:
            if one.roles:
                key = one.invites[0].match, frozenset(one.roles)
                seats.setdefault(key, Seated(match=one.invites[0].match, invites=one.invites))
        return tuple(seats.values())

    def own(self) -> tuple[FoundInvite, ...]:
        """Return the host's own seats in matches played through move files."""
        found = found_in((self.hosted / OWN_FOLDER,), dt.datetime.now(dt.UTC))
        return tuple(one for one in found if one.invites and is_by_mail(one.invites))

    def known(self) -> tuple[Side, ...]:
        """Return the local matches played through move files: with a mailbox, or invites without an address."""
        sides: list[Side] = []
        for path in sorted(self.hosted.glob(f"*{BOOK}")):
            side = self.judged(path.name.removesuffix(BOOK))
            if side is not None:
                sides.append(side)
        for seat in self.seated():
            books = (self.copies / f"{seat.match}.{one.role}{BOOK}" for one in seat.invites)
            if is_by_mail(seat.invites) or any(book.exists() for book in books):
                sides.append(seat)
        return tuple(sides)

    def named(self, word: str) -> Side:
        """Find the match that a word identifies.

        Args:
            word: An invite file or the beginning of a match id; empty if there is only one match.

        Raises:
            DataError: No match, or more than one, fits the word.
            InviteError: The file is not an invite.
        """
        path = Path(word).expanduser()
        if word and path.is_file():
            invites = load_invites(path)
            judged = self.judged(invites[0].match)
            own = judged is not None and path.resolve().is_relative_to(self.hosted.resolve())
            return judged if judged and own else self.keep(invites, path)
        if not word:
            return _only(self.known(), "matches here are played with move files; choose one")
        sides: list[Side] = []
        if len(word) >= _SHORTEST_ID:
            ids = {
                p.name.removesuffix(RECORD) for p in self.hosted.glob(f"{_plain(word)}*{RECORD}")
            }
            sides += [side for side in map(self.judged, sorted(ids)) if side is not None]
            sides += [seat for seat in self.seated() if seat.match.startswith(word)]
        if not sides:
            raise DataError(
                clean(word, NAME_LIMIT), "", "this is neither an invite file nor the id of a match"
            )
        judged_first = [side for side in sides if isinstance(side, Judged)] or sides
        return _only(tuple(judged_first), "matches have ids that begin like that; choose one")

    def file_of(self, word: str) -> Path | None:
        """Return the invite file for a match whose id begins with this word; None if there is none.

        The host's own seats take precedence.
        """
        if len(word) < _SHORTEST_ID:
            return None
        now = dt.datetime.now(dt.UTC)
        for folders in ((self.hosted / OWN_FOLDER,), self.invites):
            for one in found_in(folders, now):
                if one.roles and one.invites[0].match.startswith(word):
                    return one.path
        return None

    def keep(self, invites: tuple[Invite, ...], path: Path) -> Seated:
        """Return an invite file's seat, and store the file in a folder that is searched for invites."""
        if path.parent.resolve() not in {folder.resolve() for folder in self.invites}:
            hand_out(self.invites[0], invites, path.stem)
        return Seated(match=invites[0].match, invites=invites)

    # -- files

    async def desk(self, side: Judged) -> MailHost:
        """Open the host's side of a match."""
        return await MailHost.open(side.folder, side.match, self.rulesets)

    def peers(self, side: Seated) -> tuple[MailPeer, ...]:
        """Open one person's seats. If any cannot be opened, all are closed again."""
        peers: list[MailPeer] = []
        try:
            for invite in side.invites:
                check_invite(invite)
                peers.append(MailPeer(invite, self.copies, self.rulesets))
        except BaseException:
            for peer in peers:
                peer.copy.close()
            raise
        return tuple(peers)

    async def send(
        self, side: Side, to: str = "", say: str = "", *, whole: bool = False
    ) -> tuple[Outgoing, ...]:
        """Write the files to send now: to each person whose copies are out of date, or to the host.

        Args:
            side: The match.
            to: Role or name of the only person to write to; empty for all.
            say: A chat line to include; empty for none.
            whole: True to start with the first record, for a person whose copy is lost.

        Raises:
            DataError: There is no such person, or everyone is up to date.
            MoveFileError: A seat has not yet received a file that it can answer.
            StorageError: A file cannot be written.
        """
        if isinstance(side, Judged):
            desk = await self.desk(side)
            try:
                return outgoing(desk, to, say, whole=whole)
            finally:
                await desk.close()
        peers = self.peers(side)
        try:
            if to:
                raise DataError("--to", "", "a seat's files go only to the host")
            return await answering(peers, say)
        finally:
            for peer in peers:
                await peer.close()

    async def take(self, raw: bytes) -> tuple[tuple[Side, Report], ...]:
        """Process all move files in a text that belong to a match here, and return a report on each.

        A person's own files, such as one quoted in a reply, are skipped if the text contains others.

        Raises:
            MoveFileError: The text contains no move file, or none can be accepted. The error message describes the
                first one.
        """
        if len(raw) > MOST_TEXT:
            raise MoveFileError("this text is too long to contain move files")
        blocks = blocks_in(raw)
        if not blocks:
            raise MoveFileError("there is no move file in this text")
        taken: list[tuple[Side, Report]] = []
        problems: list[FlagplotError] = []
        for block in blocks:
            try:
                if block.problem:
                    raise MoveFileError(f"this move file is damaged: {block.problem}")
                taken.append(await self._take(read_outside(block.data)))
            except MoveFileError as error:
                problems.append(error)
        if not taken:
            problems.sort(key=lambda error: isinstance(error, OtherMatchError))
            raise problems[0]
        return tuple(taken)

    async def _take(self, found: MoveFile) -> tuple[Side, Report]:
        match, role = found.outside.match, found.role
        judged = self.judged(match)
        mine = next(
            (
                seat
                for seat in self.seated()
                if seat.match == match and role in {one.role for one in seat.invites}
            ),
            None,
        )
        if found.outside.to_judge:
            if judged is None:
                raise OtherMatchError(_own_file(match) if mine else _no_record(match))
            desk = await self.desk(judged)
            try:
                return judged, await desk.take(found)
            finally:
                await desk.close()
        if mine is None:
            raise OtherMatchError(_own_file(match) if judged else _no_invite(role, self.invites))
        (invite,) = (one for one in mine.invites if one.role == role)
        (peer,) = self.peers(Seated(match=match, invites=(invite,)))
        try:
            return mine, peer.take(found)
        finally:
            await peer.close()


def office_of_account(folder: Path | None = None, copies: Path | None = None) -> MailStore:
    """Return the current account's folders.

    Args:
        folder: Folder for the matches hosted here; None for the default.
        copies: Folder for the seats' copies; None for the default.
    """
    invites = [invites_folder()]
    with suppress(OSError):  # The current folder may have been deleted.
        invites.append(Path.cwd())
    return MailStore(
        hosted=folder or hosted_folder(), invites=tuple(invites), copies=copies or joined_folder()
    )


def outgoing(
    desk: MailHost, to: str, say: str, *, whole: bool = False, is_again: bool = False
) -> tuple[Outgoing, ...]:
    """Write the host's files, as described for :meth:`MailStore.send`.

    With ``is_again``, also write files for people who are already up to date.
    """
    if say:
        desk.say(say)
    if to:
        parties: tuple[tuple[Role, ...], ...] = (desk.party_of(to),)
    else:
        parties = tuple(party for party in desk.parties() if whole or is_again or desk.lacks(party))
    if not parties:
        raise DataError("match", "", "nobody needs a file; --to NAME writes one anyway")
    written: list[Outgoing] = []
    for party in parties:
        reader = clean(desk.players[party[0]], NAME_LIMIT)
        text = desk.write(party, whole=whole)
        number = desk.book.corner(party[0]).sent
        name = file_name(desk.table.match.header, desk.name, reader, number)
        written.append(Outgoing(reader=reader, name=name, text=text))
    return tuple(written)


async def answering(peers: Sequence[MailPeer], say: str) -> tuple[Outgoing, ...]:
    """Write one person's file for the host, as described for :meth:`MailStore.send`."""
    if say:
        await peers[0].say(say)
    orders = peers[0].orders  # One person's orders are stored only once, next to the first copy.
    text = "".join(peer.write(orders) for peer in peers)
    header, first = peers[0].copy.header, peers[0]
    assert header is not None, "a seat without a header writes no file"
    own = players_of(header).get(Role(str(first.role)), "")
    name = file_name(header, own, first.judge, first.book.sent)
    return (Outgoing(reader=first.judge, name=name, text=text),)


def is_by_mail(invites: Sequence[Invite]) -> bool:
    """Return whether a seat is played only through move files, that is, whether its invites name no host."""
    return not any(invite.addresses for invite in invites)


def read_text(path: Path) -> bytes:
    """Read a file to be searched for move files.

    Raises:
        MoveFileError: The file cannot be read.
    """
    try:
        return read_file(path, MOST_TEXT)
    except OSError as error:
        raise MoveFileError(f"{path}: cannot be read: {error.strerror or error}") from error


def _only(sides: tuple[Side, ...], several: str) -> Side:
    if not sides:
        raise DataError(
            "match",
            "",
            "no match here is played with move files; give a match id or an invite file",
        )
    if len({side.match for side in sides}) > 1:
        ids = ", ".join(dict.fromkeys(side.match for side in sides))
        raise DataError("match", "", f"several {several}: {ids}")
    return sides[0]


def _plain(word: str) -> str:
    return "".join(letter for letter in word if letter.isalnum() or letter == "-")


def _own_file(match: str) -> str:
    return f"this move file of match {match} was written here for someone else"


def _no_record(match: str) -> str:
    return f"this move file is for the host of match {match}, but the host's copy is not here"


def _no_invite(role: Role, folders: Sequence[Path]) -> str:
    where = " or ".join(str(folder) for folder in folders)
    return (
        f"this move file is for the seat {clean(role, NAME_LIMIT)}, whose invite is not here:"
        f" put the invite that you were sent into {where}"
    )
