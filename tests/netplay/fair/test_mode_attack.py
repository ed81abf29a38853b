"""A host that changes the mode of a waiting match after its players have seen it and enrolled."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from engine.kernel.hidden import HIDDEN
from engine.registry import ruleset
from netplay.host.host import Host
from netplay.invites.pending_match_file import SUFFIX, read_pending, write_pending
from netplay.peer import replicator
from netplay.peer.status import ConnectionState
from saves.clocks import Clock
from saves.fair.setup import full_header, new_fair_header
from saves.headers import Header, encode_header
from saves.match import new_secret
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 90.0
change = msgspec.structs.replace


def make_joint(folder: Path, match: str) -> None:
    """Rewrite the host's file of a waiting match, so that the host deals its cards."""
    waiting, header = read_pending(folder / f"{match}{SUFFIX}")
    rules, secret = ruleset(header.game), new_secret()
    position = rules.position(header.scenario, header.options)
    public = new_fair_header(
        rules, match, header.scenario, header.options, secret=secret, position=position
    )
    joint = full_header(rules, change(public, seats=header.seats), secret, position)
    write_pending(folder, match, change(waiting, header=encode_header(joint), enrolled=()))


async def test_p1_a_host_cannot_make_a_fair_match_joint_once_a_seat_has_enrolled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.05)
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS)
    await table.open()
    try:
        async with asyncio.timeout(LIMIT):
            victim, file = table.seat(JAPAN), tmp_path / "host" / f"{table.opened.match}{SUFFIX}"
            await until(lambda: victim.reporter.status.link is ConnectionState.WAITING)
            await until(lambda: bool(read_pending(file)[0].enrolled))
            assert "hide hands from the host" in victim.reporter.status.mode
            await table.host.stop()
            make_joint(tmp_path / "host", table.opened.match)
            table.host = Host(tmp_path / "host")
            await table.host.start("127.0.0.1", table.port)
            table.seat(ALLIED)
            await until(lambda: victim.is_ready or victim.reporter.is_over)
            if victim.is_ready:
                hand = ruleset("eots").hidden_pile(table.judged.state, JAPAN, "hand")
                assert set(hand) <= {HIDDEN}, (
                    "the host reads the hand of a seat that joined a fair match"
                )
    finally:
        await table.close()


def other_scenario(header: Header) -> Header:
    other = new_fair_header(ruleset(header.game), header.match_id, "1943", {})
    return change(other, seats=header.seats)


def losing_clock(header: Header) -> Header:
    return change(header, clock=Clock(per="game", seconds=60, flag="loses"))


def other_players(header: Header) -> Header:
    return change(header, seats=tuple(change(seat, player="Zoe") for seat in header.seats))


@pytest.mark.full
@pytest.mark.parametrize("changed", [other_scenario, losing_clock, other_players])
async def test_at_1_a_host_cannot_change_the_terms_once_a_seat_has_enrolled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: Callable[[Header], Header]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS)
    await table.open()
    try:
        async with asyncio.timeout(LIMIT):
            room = table.house.pending_matches[table.opened.match]
            victim = table.seat(JAPAN)
            await until(lambda: room.missing == (ALLIED,))
            room._empty_header = changed(room._empty_header)
            table.seat(ALLIED)
            await until(lambda: victim.is_ready or victim.reporter.is_over)
            assert not victim.is_ready, "the seat plays a match that its player has not joined"
            assert "the host has changed" in victim.reporter.status.reason
    finally:
        await table.close()
