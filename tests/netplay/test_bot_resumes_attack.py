"""A player ignores the resume request of a host's bot, and asks it something that the bot may not answer yet."""

from pathlib import Path
from typing import Any, cast

import pytest

from netplay.wire.modes import JOINT
from netplay.workers.host_bots import save_bot_invite
from play.offers import OfferKind
from saves.fair.state import TranscriptPhase
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import Hall
from tests.netplay.test_late_join_attack import send_nothing


async def test_o6_bot_that_may_not_answer_an_offer_yet_answers_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host is honest. If the bot stopped, the match would wait for it until the host restarts."""
    table = Hall(tmp_path, "eots", "1943", {ALLIED: "Ada", JAPAN: "bot:random"}, chance=JOINT)
    await table.open()
    match = table.opened.match
    try:
        save_bot_invite(table.host.folder, table.opened.invites[JAPAN])
        table.host.start_bots(match)
        allied = table.seat(ALLIED)
        await table.live()
        await table.restart()
        await until(
            lambda: allied.is_live and ALLIED in table.host.tables[match].presence.present_roles
        )
        with monkeypatch.context() as patch:
            patch.setattr(allied.replicator.fair_duties, "send_due", send_nothing)
            await allied.propose(OfferKind.ADJOURNMENT)
            table.host.start_bots(match)
            watch = cast("Any", table.host.tables[match].commands)._resume_watch
            await until(lambda: watch.silent_seats == {JAPAN: (ALLIED,)})
            assert table.match.fair_state.phase is TranscriptPhase.CONSENT
        await allied.say("hello")  # wakes the player's program, which now answers
        # A bot that must decide declines the adjournment; otherwise, it agrees.
        await until(lambda: table.match.fair_state.phase is not TranscriptPhase.CONSENT)
    finally:
        await table.close()
