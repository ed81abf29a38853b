"""A player withholds the reveal for a bot's command, so that the bot keeps the host's other bots waiting."""

from pathlib import Path
from typing import Any

import pytest

from engine.kernel.decision import Decision
from engine.kernel.ruleset import View
from netplay.transport.sockets import RequestChannel
from netplay.wire.modes import JOINT
from netplay.workers.host_bots import save_bot_invite
from saves.fair.state import TranscriptPhase
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import Hall

BOTS = {ALLIED: "bot:random", JAPAN: "bot:random"}


class DefaultBot:
    """Chooses the default, which needs a throw after few commands; random ones take up to a hundred."""

    def choose(self, view: View, decision: Decision[Any]) -> Any:  # noqa: ANN401  # of any game
        del view
        return decision.default


async def test_o6_bots_of_other_matches_move_although_a_player_withholds_a_reveal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host is honest. Four such matches would stop all bots of the host."""
    monkeypatch.setattr("netplay.workers.host_bots._MAX_MOVING", 1)
    monkeypatch.setattr("netplay.workers.host_bots.create_seat_bot", lambda *_: DefaultBot())
    table = Hall(tmp_path, "eots", "1943", {ALLIED: "Ada", JAPAN: "bot:random"}, chance=JOINT)
    await table.open()
    try:
        allied = table.seat(ALLIED)
        duties = allied.replicator.fair_duties
        send_due = duties.send_due

        def is_withheld() -> bool:
            if table.opened.match not in table.host.tables:
                return False  # the opening needs a reveal too
            state = table.match.fair_state
            pending = state.pending
            is_asked = pending is not None and pending.actor == JAPAN
            return is_asked and state.phase is TranscriptPhase.REVEAL

        async def withhold(line: RequestChannel) -> None:
            if not is_withheld():
                await send_due(line)

        monkeypatch.setattr(duties, "send_due", withhold)
        save_bot_invite(table.host.folder, table.opened.invites[JAPAN])
        table.host.start_bots(table.opened.match)
        await table.live()
        while not is_withheld():
            await until(lambda: allied.is_asked or is_withheld())
            decision = allied.decision()
            if decision is not None:
                await allied.submit(decision.default)
        other = table.host.open_match("eots", "1943", {}, BOTS)
        for role in BOTS:
            save_bot_invite(table.host.folder, other.invites[role])
        table.host.start_bots(other.match)
        await until(lambda: table.host.tables[other.match].match.seq >= 5)
        assert is_withheld()
    finally:
        await table.close()
