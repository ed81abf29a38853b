"""A host shows a player other terms while the match waits than those under which the player's seat has enrolled."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from netplay.peer.status import ConnectionState
from netplay.wire.messages import Waiting
from netplay.wire.modes import FAIR, JOINT, Chance
from saves.clocks import Clock
from saves.fair.terms import TimeLimits
from saves.headers import decode_header, encode_header
from tests.netplay.hostile import hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair_attacks import LIMIT
from tests.sizes import sampled

change = msgspec.structs.replace


def without_time_limit(waiting: Waiting) -> Waiting:
    """Hide the time limit, after which another player may stop the match."""
    return change(waiting, limits=TimeLimits(reply_limit=60))


def with_a_clock(waiting: Waiting) -> Waiting:
    header = change(
        decode_header(waiting.header), clock=Clock(per="game", seconds=60, flag="loses")
    )
    return change(waiting, header=encode_header(header))


def in_another_mode(waiting: Waiting) -> Waiting:
    return change(waiting, mode="joint" if waiting.mode == "fair" else "fair")


@pytest.mark.parametrize("shown", [without_time_limit, with_a_clock, in_another_mode])
@pytest.mark.parametrize("chance", sampled([FAIR, JOINT], 1, of="modes with other terms shown"))
async def test_at_1_waiting_program_shows_only_the_terms_under_which_its_seat_has_enrolled(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chance: Chance,
    shown: Callable[[Waiting], Waiting],
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False, seats=False, chance=chance) as hall,
    ):
        victim = hall.seat(hall.victim)
        room = hall.house.pending_matches[hall.id]
        await until(lambda: room.missing == (hall.accomplice,))
        await victim.close()
        hall.headers[hall.victim] = shown
        victim = hall.seat(hall.victim)
        await until(
            lambda: (
                victim.reporter.is_over or victim.reporter.status.link is ConnectionState.WAITING
            )
        )
        assert victim.reporter.status.mode == "", "the player reads terms that do not apply"
        assert "the host has changed" in victim.reporter.status.reason
