"""A host's bot keeps no copy of the match, so it starts with a lost copy every time the host starts."""

from pathlib import Path

import pytest

from netplay.fair.seat import counters_folder
from netplay.journal.journal import counter_name
from netplay.journal.private_file import JOURNAL_SUFFIX
from netplay.match.ordered_commands import SeatDecidedCommands
from netplay.wire.modes import JOINT
from netplay.workers.host_bots import save_bot_invite
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import Hall


@pytest.mark.parametrize(
    "is_behind",
    [pytest.param(False, id="caught up", marks=pytest.mark.full), pytest.param(True, id="behind")],
)
async def test_o6_player_resumes_after_restart_of_host_and_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_behind: bool
) -> None:
    """The bot's journal begins after the last record, and its answer to the player's program must count.

    Args:
        tmp_path: The folder for all files.
        monkeypatch: Changes the sizes of the journal and of the host's messages.
        is_behind: True if the request reaches the bot before the bot has all records.
    """
    monkeypatch.setattr("netplay.journal.journal.COMPACT_BYTES", 1)
    table = Hall(tmp_path, "eots", "1943", {ALLIED: "Ada", JAPAN: "bot:random"}, chance=JOINT)
    await table.open()
    match = table.opened.match
    try:
        save_bot_invite(table.host.folder, table.opened.invites[JAPAN])
        table.host.start_bots(match)
        allied = table.seat(ALLIED)
        await table.live()
        while is_behind and table.judged.seq < 2:
            await until(lambda: allied.is_asked)
            decision = allied.decision()
            assert decision is not None
            await allied.submit(decision.default)
            await table.level()
        await allied.close()
        await table.restart()
        if is_behind:
            monkeypatch.setattr("netplay.feed.feed._MAX_RECORDS", 1)
            # Without these files, the player's program waits for the bot although the bot is absent.
            (tmp_path / ALLIED / f"{match}.{ALLIED}{JOURNAL_SUFFIX}").unlink()
            (counters_folder() / counter_name(match, ALLIED)).unlink()
        else:
            table.host.start_bots(match)
        allied = table.seat(ALLIED)
        await table.live()
        assert allied.seat is not None
        participant = allied.seat.participant
        if is_behind:
            commands = table.host.tables[match].commands
            assert isinstance(commands, SeatDecidedCommands)
            await until(lambda: commands.transcript(0, 0).texts is not None)
            assert participant.missing_seats() == (JAPAN,)
            table.host.start_bots(match)
        await until(lambda: participant.resumption.is_over, 10)
    finally:
        await table.close()
