"""A seat sends everything for the opening, leaves, and never returns, so that no clock ever starts."""

from pathlib import Path

import pytest

from netplay.match_state.timekeeper import RETURN_SECONDS
from netplay.wire.modes import JOINT
from tests.netplay.test_clocks import Watch
from tests.netplay.test_eots_whole import JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.netplay.test_late_join_attack import CLOCK, leave_before_the_start


async def test_p5_seat_that_leaves_during_the_opening_does_not_stop_the_clocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host is honest. The attacker knows its cards and may think about its first command without a limit."""
    table = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, clock=CLOCK)
    await table.open()
    try:
        held = await leave_before_the_start(table, monkeypatch)
        assert JAPAN not in held.presence.present_roles
        keeper = held.timekeeper
        watch = Watch()
        watch.seconds = keeper.now() + RETURN_SECONDS + 1
        keeper.now = watch
        running = {reading.role for reading in keeper.readings() if reading.runs}
        assert running == set(table.match.asked)
    finally:
        await table.close()
