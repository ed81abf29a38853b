"""A judge and seats that only exchange files. Files in transit are lost, duplicated and delayed."""

import contextlib
import random
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import msgspec

from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.host.match_creation import NewMatch, write_match
from netplay.invites.host_keys import load_authority
from netplay.invites.invite import Invite, write_invites
from netplay.mail.mail_host import MailHost
from netplay.mail.move_files.move_file_report import MoveFileReport
from netplay.mail.move_files.move_payload import MoveFile, decode_move_file
from netplay.mail.move_files.text_armour import find_blocks
from netplay.mail.seat import MailPeer
from tests.netplay.tables import Rulesets, toy_rules


class Post:
    """One match by files, with its folders. Nothing stays open between two calls."""

    def __init__(
        self,
        folder: Path,
        game: str,
        scenario: str,
        players: Mapping[Role, str],
        own: Role | None,
        position: msgspec.Struct | None = None,
        rules: Rulesets = toy_rules,
    ) -> None:
        self.hosted = folder / "hosted"
        self.copies = folder / "copies"
        self.players = players
        self.rules: AnyRuleset = rules(game)
        new = NewMatch(scenario=scenario, options={}, players=players, position=position)
        authority = load_authority(self.hosted)
        _, opened = write_match(self.hosted, self.rules, new, authority, ())
        self.match = opened.match
        self.invites: dict[Role, Invite] = {
            role: invite for role, invite in opened.invites.items() if role is not None
        }
        for role, invite in self.invites.items():
            where = self.hosted / ("own" if role == own else "invites")
            write_invites(where, (invite,))

    @contextlib.asynccontextmanager
    async def desk(self) -> AsyncIterator[MailHost]:
        found = await MailHost.open(self.hosted, self.match, lambda _: self.rules)
        try:
            yield found
        finally:
            await found.close()

    @contextlib.asynccontextmanager
    async def seat(self, role: Role, place: str = "") -> AsyncIterator[MailPeer]:
        peer = MailPeer(self.invites[role], self.copies / (place or role), lambda _: self.rules)
        try:
            yield peer
        finally:
            await peer.close()

    async def from_judge(self, role: Role, *, whole: bool = False) -> str:
        async with self.desk() as desk:
            return desk.write((role,), from_start=whole)

    async def to_judge(self, text: str) -> MoveFileReport:
        async with self.desk() as desk:
            return await desk.receive(file_in(text))

    async def from_seat(self, role: Role) -> str:
        async with self.seat(role) as peer:
            return peer.write()

    async def to_seat(self, role: Role, text: str) -> MoveFileReport:
        async with self.seat(role) as peer:
            return peer.receive(file_in(text))

    async def move(self, role: Role, source: random.Random, most: int = 99) -> int:
        """Let a seat answer its questions until it has to wait. Return the number of commands that it gave."""
        made = 0
        async with self.seat(role) as peer:
            while made < most and (decision := peer.decision()) is not None:
                await peer.submit(source.choice(decision.options))
                made += 1
        return made


def file_in(text: str) -> MoveFile:
    (block,) = find_blocks(text.encode())
    assert not block.problem
    return decode_move_file(block.data)
