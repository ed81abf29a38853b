"""AT-35: a new invite, a bot or another person gets no new keys for a seat of a fair match (protocol 7)."""

import shutil
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.fair.seat import FairSeat
from netplay.invites.invite import Invite, load_invite
from netplay.peer.peer import Peer
from netplay.session.bot_peer import play_seat
from netplay.wire.errors import NetworkError
from play.bots import create_seat_bot
from saves.fair.setup import fair_terms, make_commitments
from saves.fair.terms import FairParty
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give, hall
from tests.saves.fair.quick_proofs import quick_proofs
from tools.seat_invite import reissue_invites

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
NO_FILE = "this seat's private file is missing"
OTHER_KEYS = "the host's set-up of the match does not contain the commitments of "


def issued_again(table: Hall, role: Role) -> Invite:
    """Return the new invite of a seat, as ``flagplot host invite`` makes it. The old one stops working."""
    folder = table.folder
    made = reissue_invites(folder / "host", folder / "invites", role, table.opened.match, ())
    return load_invite(made)


async def reason(peer: Peer) -> str:
    """Return why a program stops at once."""
    peer.start()
    await until(lambda: peer.reporter.is_over)
    found = peer.reporter.status.reason
    await peer.close()
    return found


def enrol(folder: Path, match: str, role: Role) -> FairParty:
    """Make a private file with new keys."""
    seat = FairSeat(folder, match, role, "own machine")
    promise = make_commitments(seat._open_private().enrol(), "own machine")
    seat.close()
    return promise


@pytest.mark.full
async def test_at_35_new_invite_without_private_file_cannot_act_for_the_seat(
    tmp_path: Path,
) -> None:
    async with hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS) as table:
        await give(table, 1)
        await table.level()
        parties, seq = fair_terms(table.match.header).parties, table.match.seq
        await table.peers.pop(JAPAN).close()
        invite = issued_again(table, JAPAN)
        old = Peer(table.opened.invites[JAPAN], tmp_path / "old")
        assert await reason(old) == "this seat belongs to a different key"
        assert NO_FILE in await reason(Peer(invite, tmp_path / "person"))
        liar = tmp_path / "liar"
        liar.mkdir()
        assert enrol(liar, invite.match, JAPAN) not in parties
        assert OTHER_KEYS in await reason(Peer(invite, liar))
        robot = Peer(invite, tmp_path / "robot", window_seconds=0.0)
        robot.start()
        with pytest.raises(NetworkError, match=NO_FILE):
            await play_seat(robot, create_seat_bot("random", table.game))
        await robot.close()
        hosted = Peer(
            invite,
            None,
            connect_in_process=table.house.connect,
            secrets_folder=tmp_path / "bots",
            place="host's machine",
        )
        assert NO_FILE in await reason(hosted)
        assert table.match.seq == seq
        assert fair_terms(table.match.header).parties == parties

        heir = tmp_path / "heir"
        shutil.move(tmp_path / str(JAPAN), heir)
        table.peers[JAPAN] = taken = Peer(invite, heir, window_seconds=0.0)
        taken.start()
        await table.live()
        await give(table, 1)
        await table.level()
        assert table.match.seq > seq
        assert fair_terms(table.match.header).parties == parties


async def test_at_35_a_seat_reissued_before_the_deal_keeps_its_keys(
    tmp_path: Path,
) -> None:
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS)
    await table.open()
    try:
        room = table.house.pending_matches[table.opened.match]
        first = table.seat(ALLIED)
        await until(lambda: room.missing == (JAPAN,))
        assert first.seat is not None
        promise = make_commitments(first.seat._open_private().secrets, "own machine")
        await first.close()
        invite = issued_again(table, ALLIED)
        assert room.missing == (ALLIED, JAPAN), "an enrolment with an old invite does not count"

        table.peers[ALLIED] = second = Peer(invite, tmp_path / str(ALLIED), window_seconds=0.0)
        second.start()
        await until(lambda: room.missing == (JAPAN,))
        table.seat(JAPAN)
        await table.live()
        assert promise in fair_terms(table.match.header).parties
    finally:
        await table.close()
