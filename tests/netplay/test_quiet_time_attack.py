"""A seat that must move asks to resume whenever its opponent's connection fails, to restart the time for its answer."""

from pathlib import Path
from typing import Any, cast

import pytest

from netplay.wire.modes import JOINT
from tests.netplay.tables import until
from tests.netplay.test_ally_clock_attack import ask_to_resume
from tests.netplay.test_clocks import Watch
from tests.netplay.test_fair import EOTS_PLAYERS, hall
from tests.netplay.test_late_join_attack import send_nothing
from tests.netplay.test_stopping import LATER, begun
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


async def test_o6_unanswered_resume_request_does_not_restart_the_time_to_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host is honest. The victim's connection fails for a moment, but it answers as soon as it can."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=LATER) as table:
        attacker, victim = await begun(table)
        commands = cast("Any", table.host.tables[table.opened.match].commands)
        watch = Watch()
        commands._message_server.pending._now = commands._resume_watch._now = watch
        commands._message_server.pending.restart_quiet_time()
        watch.seconds += LATER.reply_limit / 2 + 1
        with monkeypatch.context() as patch:
            patch.setattr(victim.replicator.fair_duties, "send_due", send_nothing)
            await ask_to_resume(attacker)
            commands.refresh()
            watch.seconds += 2
            commands.refresh()
            assert commands.late_roles == (victim.role,)
        await victim.say("hello")  # wakes the victim's program, which now answers
        await until(lambda: commands.late_roles == ())
        commands.refresh()
        assert commands.roles_allowed_to_stop == ()
        watch.seconds += LATER.reply_limit / 2 + 1
        assert commands.roles_allowed_to_stop == (victim.role,)
