"""The clock of a host counts only time during which the host demonstrably ran."""

import pytest

from netplay.system.awake_clock import HEARTBEAT_SECONDS, MAX_GAP_SECONDS, AwakeClock
from tests.netplay.test_clocks import Watch


def beaten(watch: Watch, clock: AwakeClock, seconds: float) -> None:
    """Advance the time with a heartbeat at every interval."""
    for _ in range(round(seconds / HEARTBEAT_SECONDS)):
        watch.seconds += HEARTBEAT_SECONDS
        clock.heartbeat()


def test_no_time_passes_before_the_first_heartbeat() -> None:
    watch = Watch()
    clock = AwakeClock(watch)
    watch.seconds += 100
    assert clock.now() == 0
    assert clock.heartbeat() == 0
    assert clock.now() == 0


def test_all_time_counts_between_regular_heartbeats() -> None:
    watch = Watch()
    clock = AwakeClock(watch)
    clock.heartbeat()
    beaten(watch, clock, 60)
    watch.seconds += 0.1
    assert clock.now() == pytest.approx(60.1)


def test_a_late_heartbeat_loses_no_time() -> None:
    watch = Watch()
    clock = AwakeClock(watch)
    clock.heartbeat()
    watch.seconds += MAX_GAP_SECONDS
    assert clock.heartbeat() == 0
    assert clock.now() == pytest.approx(MAX_GAP_SECONDS)


@pytest.mark.parametrize("gap", [MAX_GAP_SECONDS + 0.01, 40.0, 86_400.0])
def test_a_gap_between_heartbeats_counts_as_one_interval(gap: float) -> None:
    watch = Watch()
    clock = AwakeClock(watch)
    clock.heartbeat()
    beaten(watch, clock, 5)
    watch.seconds += gap
    assert clock.now() == pytest.approx(5 + HEARTBEAT_SECONDS), "before the next heartbeat"
    assert clock.heartbeat() == pytest.approx(gap)
    assert clock.now() == pytest.approx(5 + HEARTBEAT_SECONDS)
    beaten(watch, clock, 5)
    assert clock.now() == pytest.approx(10 + HEARTBEAT_SECONDS)


def test_queued_heartbeats_add_no_time() -> None:
    """A worker that was stopped receives all heartbeats of its host at once."""
    watch = Watch()
    clock = AwakeClock(watch)
    clock.heartbeat()
    watch.seconds += 40
    for _ in range(160):
        clock.heartbeat()
    assert clock.now() == pytest.approx(HEARTBEAT_SECONDS)


def test_the_clock_never_runs_backwards() -> None:
    watch = Watch()
    clock = AwakeClock(watch)
    clock.heartbeat()
    last = clock.now()
    for step in range(200):
        watch.seconds += (step * 7 % 23) / 10
        if step % 3:
            clock.heartbeat()
        assert clock.now() >= last
        last = clock.now()
