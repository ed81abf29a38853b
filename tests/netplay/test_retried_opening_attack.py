"""A host's bot whose disk is full for a moment while it joins a match before the first record."""

from pathlib import Path
from typing import Any

import pytest

from netplay.fair.seat import FairSeat
from netplay.journal.journal import SeatJournal
from netplay.journal.private_file import PrivateFile
from netplay.wire.modes import JOINT
from netplay.workers.host_bots import save_bot_invite
from saves.errors import StorageError
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import Hall
from tests.netplay.test_lost_copies import plays


class FullDisk:
    """Makes the first call of a method fail for the bot."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: type[Any], method: str) -> None:
        """Replace the method."""
        self.has_failed = False
        call = getattr(owner, method)

        def fail_once(target: Any, *arguments: object) -> None:  # noqa: ANN401  # of any class
            role = target.role if isinstance(target, PrivateFile) else target._role
            if role == JAPAN and not self.has_failed:
                self.has_failed = True
                raise StorageError("cannot write: No space left on device")
            call(target, *arguments)

        monkeypatch.setattr(owner, method, fail_once)


async def open_with_bot(folder: Path) -> Hall:
    """Start a host with a match whose header waits for the player."""
    table = Hall(folder, "eots", "1943", {ALLIED: "Ada", JAPAN: "bot:random"}, chance=JOINT)
    await table.open()
    save_bot_invite(table.host.folder, table.opened.invites[JAPAN])
    table.host.start_bots(table.opened.match)
    return table


@pytest.mark.full
async def test_a_bot_agrees_to_the_header_after_a_full_disk_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise, all players are told forever that the match is waiting for the bot."""
    disk = FullDisk(monkeypatch, PrivateFile, "agree")
    table = await open_with_bot(tmp_path)
    try:
        allied = table.seat(ALLIED)
        await until(lambda: disk.has_failed)
        await until(lambda: allied.is_ready, 15)
    finally:
        await table.close()


async def test_bot_joins_after_disk_failure_following_journal_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second attempt folds the journal's messages again, and the record must still match them."""
    table = await open_with_bot(tmp_path)
    try:
        with monkeypatch.context() as patch:
            send = FairSeat.due_post

            def send_for_bot(seat: FairSeat) -> object:
                return send(seat) if seat._role == JAPAN else None

            patch.setattr(FairSeat, "due_post", send_for_bot)
            allied = table.seat(ALLIED)
            pending = table.house.pending_matches[table.opened.match]
            await until(lambda: pending._awaited_roles == (ALLIED,))
            await table.host.stop()
        disk = FullDisk(monkeypatch, SeatJournal, "compact")
        await table.restart()
        table.host.start_bots(table.opened.match)
        await until(lambda: disk.has_failed)
        await until(lambda: allied.is_ready, 15)
        await plays(table, allied)
    finally:
        await table.close()
