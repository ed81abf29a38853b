"""The single invite file of a person with several roles."""

import json
from pathlib import Path

import msgspec
import pytest

from netplay.invites.invite import (
    MAX_BYTES,
    decode_invites,
    load_invite,
    load_invites,
    write_invite,
    write_invites,
)
from netplay.session.peer_group import create_peers
from netplay.wire.errors import InviteError
from netplay.wire.modes import FAIR
from saves.errors import LogInUseError
from tests.netplay.tables import SIX_PLAYERS, room, toy_rules, until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.toy_six import ELM, FIR, ROLES, WOOD


async def test_each_player_has_a_single_invite_file(tmp_path: Path) -> None:
    async with room(tmp_path, players=SIX_PLAYERS) as table:
        mine = tuple(table.invites[role] for role in WOOD)
        path = write_invites(tmp_path / "invites", mine)
        assert path.name == f"{table.match}.ash+elm+fir.invite"
        assert path.stat().st_mode & 0o777 == 0o600
        assert load_invites(path) == mine
        with pytest.raises(InviteError, match="several roles"):
            load_invite(path)
        single = write_invites(tmp_path / "invites", mine[:1])
        assert single.read_bytes() == write_invite(tmp_path / "old", mine[0]).read_bytes()
        assert load_invites(single) == mine[:1]
        every = write_invites(tmp_path / "invites", tuple(table.invites[role] for role in ROLES))
        assert every.stat().st_size < MAX_BYTES / 2
        parts = json.loads(path.read_bytes())
        for bad, problem in [
            ([], "not a flagplot invite"),
            ([parts[0], parts[0]], "not for different roles"),
            ([parts[0], json.loads(msgspec.json.encode(table.invites[None]))], "not for different"),
            ([parts[0], {**parts[1], "flagplot_invite": 2}], "format 2"),
            ([parts[0], {**parts[1], "key": parts[0]["key"]}], "does not belong"),
        ]:
            with pytest.raises(InviteError, match=problem):
                decode_invites(json.dumps(bad).encode(), "a paste")
        other = table.host.open_match("six", "short", {}, SIX_PLAYERS)
        strange = json.loads(msgspec.json.encode(other.invites[ELM]))
        with pytest.raises(InviteError, match="different matches"):
            decode_invites(json.dumps([parts[0], strange]).encode(), "a paste")


async def test_a_party_that_cannot_open_all_seats_releases_the_others(tmp_path: Path) -> None:
    async with room(tmp_path, players=SIX_PLAYERS) as table:
        peer = table.peer(FIR, "party")
        await peer.reporter.wait_for(lambda: peer.is_ready)
        mine = tuple(table.invites[role] for role in WOOD)
        with pytest.raises(LogInUseError):
            create_peers(mine, tmp_path / "party", toy_rules)
        await peer.close()
        for one in create_peers(mine, tmp_path / "party", toy_rules):
            one.copy.close()


async def test_at_31_a_program_refuses_a_header_that_splits_its_roles_between_players(
    tmp_path: Path,
) -> None:
    """Copies count the players of the header as programs, so such a record would claim too much."""
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, chance=FAIR)
    await table.open()
    mine = tuple(table.opened.invites[role] for role in (ALLIED, JAPAN))
    peers = create_peers(mine, tmp_path / "party")
    try:
        for peer in peers:
            peer.start()
        await until(lambda: all(peer.reporter.is_over for peer in peers))
        for peer in peers:
            assert "the host lists several players or none" in peer.reporter.status.reason
        room = table.house.pending_matches[table.opened.match]
        assert room.missing == (), "both have enrolled"
        assert set(room.overview().missing) == {ALLIED, JAPAN}, "and neither has agreed"
    finally:
        for peer in peers:
            await peer.close()
        await table.close()
