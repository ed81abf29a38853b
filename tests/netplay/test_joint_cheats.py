"""Hosts and seats that cheat in matches with joint chance: it is noticed at once, or by ``flagplot verify``."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine import registry
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from netplay.chance import _Kept
from netplay.commands import JudgedCommands
from netplay.enrolling import opening_throw
from netplay.errors import FoulPlayError, SeatRefusedError
from netplay.messages import Submit
from netplay.modes import JOINT
from netplay.parties import SeatParty
from netplay.peer import Peer
from netplay.status import Link
from saves.decoding import canonical
from saves.errors import FairPlayError, LinksNeededError
from saves.match import Match
from saves.protocol6.keys import PartyKeys
from saves.protocol6.parties import Consent, Throw
from saves.verify import verify_files
from tests.netplay.tables import Room, live, play, room, until
from tests.netplay.test_joint import missing, roll, rolling, seated
from tests.play.tables import toy_match
from tests.toy_game import BLUE, RED, REGISTERED, Hold, Roll


@pytest.fixture(autouse=True)
def _toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Room]:
    async with room(tmp_path, "short", chance=JOINT, plain=True) as made:
        yield made


def judged(made: Room) -> Match[Any]:
    return made.host.tables[made.match].match


def waiting(made: Room) -> JudgedCommands:
    """What waits for its chance at the host."""
    commands = made.host.tables[made.match].commands
    assert isinstance(commands, JudgedCommands)
    return commands


async def stopped(peer: Peer) -> str:
    """Why a program stopped by itself."""
    await until(lambda: peer.status.link is Link.STOPPED)
    return peer.status.reason


def lax(match: Match[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this host accept what nobody signed."""
    for name in ("check_command", "check_takeback", "check_links", "check_promises"):
        monkeypatch.setattr(match.pledges, name, lambda *_: None)


async def tell(made: Room, kept: Callable[[Match[Any]], object]) -> None:
    """Append a record behind everybody's back, and tell it."""
    table = made.host.tables[made.match]
    kept(table.match)
    table._feed.remember()
    table.bell.touch()


@pytest.mark.campaign("F3")
async def test_f3_a_second_throw(table: Room) -> None:
    giver, other = await rolling(*await seated(table))
    role = giver.role
    assert role is not None
    await giver.close()  # an accomplice of the host
    party = SeatParty(giver.copy.path.with_suffix(".party"), table.match, role)
    match = judged(table)
    seq = match.seq + 1
    thrown = waiting(table).chance
    throw = await called(table, party.keys, role)
    await until(lambda: missing(table) == (role,))
    # the host knows the other's link now, and would rather have another command
    again = msgspec.structs.replace(throw, digest=bytes(32))
    thrown.begin(_Kept(throw=again, command=b"", signature=b"", remark=""))
    table.host.tables[table.match].bell.touch()
    assert f"a second throw of record {seq}" in await stopped(other)


async def called(made: Room, keys: PartyKeys, role: Role) -> Throw:
    """Let the host call for the links of a roll of the die."""
    table = made.host.tables[made.match]
    match = table.match
    signature = keys.sign(match.command_message(role, Roll()))
    ask = Submit(
        request_id="r", expected_seq=match.seq, command=canonical(Roll()), signature=signature
    )
    with pytest.raises(LinksNeededError) as needed:
        match.draft_command(role, Roll(), match.seq, signature)
    await waiting(made).begin(ask, needed.value.throw)
    return needed.value.throw


@pytest.mark.campaign("F3")
async def test_f3_another_record_than_the_one_of_the_throw(table: Room) -> None:
    giver, other = await rolling(*await seated(table))
    role = giver.role
    assert role is not None
    await giver.close()
    party = SeatParty(giver.copy.path.with_suffix(".party"), table.match, role)
    match = judged(table)
    seq = match.seq + 1
    await called(table, party.keys, role)
    await until(lambda: missing(table) == (role,))
    waiting(table).chance.toss = None
    await tell(table, lambda match: match.remark("what a pity", role))
    assert f"record {seq} is not the one for which this seat opened" in await stopped(other)


@pytest.mark.campaign("F3")
async def test_f3_a_command_in_the_name_of_another(
    table: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    red, blue = await seated(table)
    match = judged(table)
    lax(match, monkeypatch)
    await tell(table, lambda match: match.submit(RED, Hold(), match.seq, b"s" * 64))
    assert "in the name of red that red did not sign" in await stopped(red)
    await until(lambda: blue.seq == match.seq)  # it is hidden from blue until the end


@pytest.mark.campaign("F3")
async def test_f3_a_takeback_without_consent(table: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    red, blue = await seated(table)
    await red.submit(Hold())
    match = judged(table)
    assert red.party is not None
    mine = red.party.keys.sign(match.takeback_message(RED, 0))
    lax(match, monkeypatch)
    forged = (Consent(role=RED, signature=mine), Consent(role=BLUE, signature=b"s" * 64))
    await tell(table, lambda match: match.takeback(0, RED, forged))
    assert "in the name of blue that blue did not sign" in await stopped(blue)


@pytest.mark.campaign("F3")
async def test_f3_a_history_that_forgets(table: Room) -> None:
    red, blue = await seated(table)
    await table.host.stop()
    before = table.folder / "before"
    shutil.copytree(table.host.folder, before)
    await table.restart()
    await live(red, blue)
    record = await red.submit(Hold())
    await until(lambda: blue.seq == record.seq)
    await table.host.stop()
    for path in before.iterdir():
        if path.is_file() and not path.name.endswith(".lock"):
            shutil.copy(path, table.host.folder / path.name)
    await table.restart()
    assert "another history of this match" in await stopped(blue)


@pytest.mark.campaign("F3")
async def test_f3_a_part_of_the_chance_that_was_not_promised(table: Room) -> None:
    giver, other = await rolling(*await seated(table))
    assert other.party is not None
    other.party._keys = PartyKeys(bytes(32))
    given = roll(giver)
    assert f"the link of {other.role} is not the one" in await stopped(other)
    await until(lambda: giver._heard > 0)
    await until(lambda: giver.status.waiting_for == (other.role,))
    given.cancel()


@pytest.mark.campaign("F3")
async def test_f3_a_party_that_the_host_made_up(table: Room) -> None:
    red = table.peer(RED)
    await until(lambda: table.house.rooms[table.match].missing == (BLUE,))
    waiting = table.house.rooms[table.match]
    forged = PartyKeys(bytes(32)).party(table.match, RED)
    (one,) = waiting._waiting.enrolled
    waiting._waiting = msgspec.structs.replace(
        waiting._waiting, enrolled=(msgspec.structs.replace(one, party=forged),)
    )
    table.peer(BLUE)
    assert "keys that are not here" in await stopped(red)


def test_a_header_that_changes_after_the_first_link(tmp_path: Path) -> None:
    match = toy_match()
    party = SeatParty(tmp_path / "m.red.party", match.header.match_id, RED)
    other = PartyKeys(bytes(32)).party(match.header.match_id, BLUE)
    later = PartyKeys(bytes([1] * 32)).party(match.header.match_id, BLUE)
    first, second = (
        msgspec.structs.replace(match.header, parties=(party.party, each))
        for each in (other, later)
    )
    party.agree(first)
    party.promise(opening_throw(first))
    for again in (party, SeatParty(tmp_path / "m.red.party", match.header.match_id, RED)):
        again.agree(first)
        assert again.promise(opening_throw(first)) == party.keys.link(0)
        with pytest.raises(FoulPlayError, match="changed who takes part"):
            again.agree(second)
        with pytest.raises(FoulPlayError, match="a second throw of record 0"):
            again.promise(opening_throw(second))
        with pytest.raises(FoulPlayError, match="taken joint chance out"):
            again.check_header(msgspec.structs.replace(first, parties=msgspec.UNSET))
    enrolled = SeatParty(tmp_path / "m.blue.party", match.header.match_id, BLUE)
    assert enrolled.party.role == BLUE
    with pytest.raises(FoulPlayError, match="taken joint chance out"):
        enrolled.check_header(match.header)
    stranger = SeatParty(None, match.header.match_id, RED)
    with pytest.raises(SeatRefusedError, match="go on where it was taken first"):
        stranger.check_header(first)


@pytest.mark.campaign("F3")
async def test_f3_a_loaded_die_is_named_in_every_folder(
    table: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    red, blue = await seated(table)
    match = judged(table)
    monkeypatch.setattr(match, "_dice", lambda _: DerivedDice(bytes(32), match.seq + 1))
    await asyncio.gather(play(red, 999, 1), play(blue, 999, 2))
    await until(lambda: red.is_done and blue.is_done)
    for peer in (red, blue):
        (verdict,) = verify_files((peer.copy.full_path,), None, 1)
        assert verdict.status == "false"
        assert verdict.finding is not None
        assert verdict.finding.record is not None


async def test_a_wrong_request_for_a_link_stops_the_seat(table: Room) -> None:
    red, _ = await seated(table)
    assert red.header is not None
    throw = opening_throw(red.header)
    with pytest.raises(FairPlayError, match="does not follow this copy"):
        red.copy.check_throw(throw)
