"""Fields of a header that no seat compares with anything before it agrees."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from netplay.session.peer_group import create_peers
from netplay.wire.modes import FAIR
from saves.headers import Header
from saves.logfile import read_log
from saves.modes import match_mode
from saves.verify import verify_file
from tests.netplay.hostile import hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 90.0
change = msgspec.structs.replace


async def test_at_1_a_seat_refuses_a_match_whose_record_it_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a header of another format, every file of the match is unreadable, and no fault in it is ever found."""
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False, seats=False) as hall,
    ):
        room = hall.house.pending_matches[hall.id]
        room._empty_header = change(room._empty_header, format=999)
        for role in hall.players:
            hall.seat(role)
        victim = hall.peers[hall.victim]
        await until(lambda: victim.is_ready or victim.reporter.is_over)
        if victim.is_ready:
            assert verify_file(victim.copy.path).status == "ok", "the seat plays without a record"


def nameless(header: Header) -> Header:
    return change(header, seats=tuple(change(seat, player="") for seat in header.seats))


def without_seats(header: Header) -> Header:
    return change(header, seats=())


@pytest.mark.parametrize("hide", [nameless, without_seats])
async def test_at_31_a_program_does_not_agree_to_a_header_without_player_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hide: Callable[[Header], Header]
) -> None:
    """Copies count roles without a name as programs of their own, so such a record would claim too much."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, chance=FAIR)
    await table.open()
    room = table.house.pending_matches[table.opened.match]
    room._empty_header = hide(room._empty_header)
    mine = tuple(table.opened.invites[role] for role in (ALLIED, JAPAN))
    peers = create_peers(mine, tmp_path / "party")
    try:
        async with asyncio.timeout(LIMIT):
            for peer in peers:
                peer.start()
            await until(lambda: all(peer.is_ready or peer.reporter.is_over for peer in peers))
        if peers[0].is_ready:
            path = peers[0].copy.path
            assert match_mode(read_log(path).header) == "fair"
            (chance,) = [
                proof for proof in verify_file(path).proofs if proof.topic == "dice and draws"
            ]
            assert chance.extent != "proved", chance.text
    finally:
        for peer in peers:
            await peer.close()
        await table.close()
