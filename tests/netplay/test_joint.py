"""Matches whose chance all seats make together: they wait for their seats, survive interruptions, and verify."""

import asyncio
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from netplay import greeting
from netplay.botpeer import run_bot
from netplay.errors import NetworkError, UnavailableError
from netplay.host_session import Verdict
from netplay.housebots import keep_invite
from netplay.messages import PENDING, Refused
from netplay.modes import JOINT
from netplay.peer import Given, Order, Peer
from netplay.peer_session import PeerSession
from netplay.status import Link
from netplay.sync import Sync
from netplay.transport import Asking
from play.bots import new_bot
from play.offers import Matter
from saves.copy import Draft
from saves.errors import FairPlayError, StorageError
from saves.match import Match
from saves.protocol6.parties import Throw
from saves.records import Record
from saves.verify import verify_files
from tests.netplay.tables import SIX_PLAYERS, Room, is_over, live, play, room, step, until
from tests.patience import PATIENCE
from tests.play.tables import Talking
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, REGISTERED, Hold, Roll

DEATHS = sampled(
    [
        (who, moment)
        for who in ("giver", "other")
        for moment in ("before-promise", "before-link", "after-link")
    ],
    2,
    of="deaths in a throw",
)
WITH_LINKS = 5
"""Arguments of a draft whose links are there."""
NAMES = {RED: "Ada (Red)", BLUE: "Bob (Blue)"}


@pytest.fixture(autouse=True)
def _toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """What verifies finds the toy games by their names."""
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    monkeypatch.setitem(registry._GAMES, "six", registry.Game("tests.toy_six:SIX", "", "", "", {}))


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Room]:
    async with room(tmp_path, "short", chance=JOINT, plain=True) as made:
        yield made


async def seated(made: Room, *roles: Role) -> tuple[Peer, ...]:
    peers = tuple(made.peer(role) for role in roles or (RED, BLUE))
    await live(*peers)
    return peers


def links_of(peer: Peer) -> list[Record]:
    """The records of a copy that used chance."""
    records = (peer.copy.record(seq) for seq in range(peer.seq + 1))
    return [record for record in records if isinstance(record.links, tuple)]


def may_roll(peer: Peer) -> bool:
    decision = peer.decision()
    return decision is not None and Roll() in decision.options


async def rolling(*peers: Peer) -> tuple[Peer, Peer]:
    """Play until somebody may roll the die; returns him and the other one."""
    while not any(map(may_roll, peers)):
        for peer in peers:
            if peer.is_asked:
                record = await peer.submit(Hold())
                await until(lambda seq=record.seq: all(each.seq >= seq for each in peers))  # type: ignore[misc]  # mypy cannot infer it
    return tuple(sorted(peers, key=may_roll, reverse=True))  # type: ignore[return-value]  # two of them


def roll(peer: Peer) -> "asyncio.Task[Record]":
    """Give a command that needs chance."""
    return asyncio.create_task(peer.submit(Roll()))


def verified(folder: Path) -> dict[str, str]:
    """What ``flagplot verify`` says of all records of a folder."""
    paths = sorted(folder.rglob("*.fplog"))
    found = verify_files(paths, None, 1)
    return {path.name: verdict.status for path, verdict in zip(paths, found, strict=True)}


def judged(made: Room) -> Match[Any]:
    return made.host.tables[made.match].match


def missing(made: Room) -> tuple[Role, ...]:
    """Whose links a throw waits for."""
    return made.host.tables[made.match].commands.missing


async def finish(made: Room, *peers: Peer) -> None:
    """Play to the end at random, and until every seat has the whole record."""
    await asyncio.gather(*(play(peer, 999, seed) for seed, peer in enumerate(peers)))
    await until(lambda: all(peer.is_done for peer in peers))


# -- waiting


async def test_a_match_begins_when_every_seat_has_joined(table: Room) -> None:
    red, watcher = table.peer(RED), table.peer(None)
    await until(lambda: {red.status.link, watcher.status.link} == {Link.WAITING})
    assert red.status.reason == "the match begins when Bob (Blue) has joined"
    await until(lambda: table.house.rooms[table.match].missing == (BLUE,))
    (standing,) = (await table.host.standings()).values()
    assert (standing.heading, standing.missing) == (red.status.reason, (BLUE,))
    blue = table.peer(BLUE)
    await live(red, blue, watcher)
    assert [record.seq for record in links_of(watcher)] == [0]
    (standing,) = (await table.host.standings()).values()
    assert (standing.mode == "joint", standing.missing, standing.records) == (True, (), 1)


@pytest.mark.campaign("F8")
async def test_f8_a_waiting_match_survives_the_host(table: Room) -> None:
    red = table.peer(RED)
    await until(lambda: red.status.link is Link.WAITING)
    await until(lambda: table.house.rooms[table.match].missing == (BLUE,))
    waiting = table.host.folder / f"{table.match}.waiting"
    assert stat.S_IMODE(waiting.stat().st_mode) == 0o600
    await table.restart()
    assert table.house.rooms[table.match].missing == (BLUE,)
    await seated(table, BLUE)
    await live(red)
    assert not waiting.exists()
    assert (table.host.folder / f"{table.match}.fplog").exists()


@pytest.mark.campaign("F8")
async def test_f8_who_enrolled_and_left_is_waited_for(table: Room) -> None:
    red = table.peer(RED)
    await until(lambda: table.house.rooms[table.match].missing == (BLUE,))
    await red.close()
    blue = table.peer(BLUE)
    await until(lambda: "Ada (Red)'s part" in blue.status.reason)
    again = table.peer(RED)
    await live(again, blue)


async def test_the_secrets_of_a_seat_are_private(table: Room) -> None:
    red, blue = await seated(table)
    for peer in (red, blue):
        path = peer.copy.path.with_suffix(".party")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_seat_cannot_go_on_without_its_secrets(table: Room) -> None:
    red, _ = await seated(table)
    await red.close()
    elsewhere = table.peer(RED, place="elsewhere")
    await until(lambda: elsewhere.status.link is Link.STOPPED)
    assert "go on where it was taken first" in elsewhere.status.reason
    again = table.peer(RED)
    await live(again)


async def test_nobody_enrols_a_seat_twice(table: Room) -> None:
    red = table.peer(RED)
    await until(lambda: table.house.rooms[table.match].missing == (BLUE,))
    await red.close()
    elsewhere = table.peer(RED, place="elsewhere")
    blue = table.peer(BLUE)
    await until(lambda: elsewhere.status.link is Link.STOPPED)
    assert "go on where it was taken first" in elsewhere.status.reason
    assert not blue.is_ready


# -- whole games


@pytest.mark.parametrize(
    ("plain", "workers"),
    [
        pytest.param(True, 1, id="plain", marks=pytest.mark.full),
        pytest.param(False, 1, id="tls", marks=pytest.mark.full),
        pytest.param(False, 2, id="workers"),
    ],
)
async def test_every_copy_of_a_whole_game_verifies(
    tmp_path: Path, *, plain: bool, workers: int
) -> None:
    async with room(tmp_path, chance=JOINT, plain=plain, workers=workers) as made:
        peers = await seated(made)
        watcher = made.peer(None)
        await finish(made, *peers)
        await until(lambda: is_over(watcher))
        assert len(links_of(watcher)) > 1
        name = made.match
    found = verified(tmp_path)
    assert set(found.values()) == {"ok"}
    assert {f"{name}.red.fplog", f"{name}.red.full.fplog", f"{name}.blue.full.fplog"} <= set(found)
    assert f"{name}.spectator.full.fplog" not in found


async def test_the_whole_record_comes_in_a_match_of_the_hosts_chance_too(tmp_path: Path) -> None:
    async with room(tmp_path, plain=True) as made:
        peers = await seated(made)
        await finish(made, *peers)
        host = (made.host.folder / f"{made.match}.fplog").read_bytes()
        assert [peer.copy.full_path.read_bytes() for peer in peers] == [host, host]


@pytest.mark.full
async def test_six_seats_make_chance_together(tmp_path: Path) -> None:
    async with room(tmp_path, "short", chance=JOINT, plain=True, players=SIX_PLAYERS) as made:
        peers = await seated(made, *SIX_PLAYERS)
        await finish(made, *peers)
        assert all(len(record.links) == 6 for record in links_of(peers[0]))  # type: ignore[arg-type]  # it is there
    assert set(verified(tmp_path).values()) == {"ok"}


async def test_takebacks_have_the_consent_of_all(table: Room) -> None:
    red, blue = await seated(table)
    await step(3, 1, red, blue)
    await red.propose(Matter.TAKEBACK, 1)
    await until(lambda: blue.offer is not None)
    await blue.answer_offer(agree=True)
    await until(lambda: red.copy.record(red.seq).kind == "takeback" and blue.seq == red.seq)
    consents = red.copy.record(red.seq).consents
    assert isinstance(consents, tuple)
    assert [consent.role for consent in consents] == [RED, BLUE]
    await finish(table, red, blue)
    assert set(verified(table.folder).values()) == {"ok"}


# -- interruptions, F8


@pytest.mark.campaign("F8")
async def test_f8_an_absent_seat_is_named_and_awaited(table: Room) -> None:
    giver, other = await rolling(*await seated(table))
    role, seq = other.role, giver.seq
    assert role is not None
    await other.close()
    given = roll(giver)
    await until(lambda: giver.status.waiting_for == (role,))
    (standing,) = (await table.host.standings()).values()
    assert standing.heading.endswith(f"waits for {NAMES[role]}'s part of the chance")
    with pytest.raises(UnavailableError, match=f"the game waits for {NAMES[role].split()[0]}"):
        await giver.submit(Hold())
    with pytest.raises(NetworkError, match="the game waits for"):
        await giver.propose(Matter.TAKEBACK, 0)
    await giver.say("where are you?")
    back = table.peer(role)
    record = await given
    assert (record.seq, record.kind) == (seq + 1, "command")
    assert len(record.links) == 2  # type: ignore[arg-type]  # it is there
    await until(lambda: back.seq >= record.seq and giver.status.waiting_for == ())


@pytest.mark.campaign("F8")
async def test_f8_a_throw_survives_the_host(table: Room) -> None:
    giver, other = await rolling(*await seated(table))
    await other.close()
    given = roll(giver)
    await until(lambda: missing(table) == (other.role,))
    await table.restart()
    await until(lambda: missing(table) == (other.role,))
    back = table.peer(other.role)
    record = await given
    await until(lambda: back.seq >= record.seq)
    await finish(table, giver, back)
    assert set(verified(table.folder).values()) == {"ok"}


@pytest.mark.campaign("F8")
async def test_f8_a_throw_survives_its_giver(table: Room) -> None:
    giver, other = await rolling(*await seated(table))
    seq = giver.seq + 1
    await other.close()
    given = roll(giver)
    await until(lambda: missing(table) == (other.role,))
    given.cancel()
    await giver.close()
    back = table.peer(other.role)
    await until(lambda: back.seq >= seq)
    again = table.peer(giver.role)
    await until(lambda: again.seq >= seq)
    assert again.copy.record(seq).role == giver.role


@pytest.mark.campaign("F8")
@pytest.mark.parametrize("restarts", [False, True], ids=["at-once", "after-a-restart"])
async def test_f8_a_match_may_end_while_a_throw_waits(table: Room, *, restarts: bool) -> None:
    giver, other = await rolling(*await seated(table))
    role, seq = other.role, giver.seq + 1
    await other.close()
    given = roll(giver)
    await until(lambda: missing(table) == (role,))
    if restarts:
        await table.restart()
        await until(lambda: missing(table) == (role,))
        await live(giver)
    await giver.propose(Matter.RESIGNATION)
    with pytest.raises(NetworkError, match="ended"):
        await given
    back = table.peer(role)
    await until(lambda: giver.is_done and back.is_done)
    assert [giver.copy.record(number).kind for number in (seq, seq + 1)] == ["ending", "reveal"]
    assert missing(table) == ()
    with pytest.raises(FairPlayError, match="the match was ended"):
        giver.copy.check_throw(next_throw(giver))
    assert set(verified(table.folder).values()) == {"ok"}


def next_throw(peer: Peer) -> Throw:
    """A throw as a host would ask for that uses the link of the dropped one again."""
    follower = peer.copy._follower
    assert follower is not None
    place = {"seq": peer.seq + 1, "prev": peer.copy.chain, "index": follower.pledges.count}
    return Throw(**place, role=RED, digest=bytes(32))  # type: ignore[arg-type]  # as the fields are


async def test_a_draw_while_a_throw_waits(table: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    giver, other = await rolling(*await seated(table))
    seq, opening = giver.seq + 1, Sync._open

    async def tight(self: Sync, line: Asking) -> None:
        if self is not other:
            await opening(self, line)

    monkeypatch.setattr(Sync, "_open", tight)
    given = roll(giver)
    await until(lambda: missing(table) == (other.role,))
    with pytest.raises(NetworkError, match="waits for"):
        await other.propose(Matter.ADJOURNMENT)
    await other.propose(Matter.DRAW)
    await until(lambda: giver.must_answer)
    await giver.answer_offer(agree=True)
    with pytest.raises(NetworkError, match="ended"):
        await given
    await until(lambda: giver.is_done and other.is_done)
    assert giver.copy.record(seq).kind == "ending"
    assert set(verified(table.folder).values()) == {"ok"}


@pytest.mark.campaign("F8")
@pytest.mark.parametrize(("dies", "moment"), DEATHS)
async def test_f8_a_seat_that_dies_in_a_throw_goes_on(
    table: Room, monkeypatch: pytest.MonkeyPatch, dies: str, moment: str
) -> None:
    giver, other = await rolling(*await seated(table))
    victim, witness = (giver, other) if dies == "giver" else (other, giver)
    seq, role = giver.seq + 1, victim.role
    died = asyncio.Event()
    opening = Sync._open

    async def dying(self: Sync, line: Asking) -> None:
        call = self._call
        if self is not victim or call is None:
            await opening(self, line)
            return
        if moment == "before-link":
            assert self.party is not None
            self.party.promise(call.throw)
        elif moment == "after-link":
            await opening(self, line)
        died.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Sync, "_open", dying)
    given = roll(giver)
    await died.wait()
    given.cancel()
    await victim.close()
    again = table.peer(role)
    await until(lambda: again.seq >= seq and witness.seq >= seq)
    await finish(table, again, witness)
    assert set(verified(table.folder).values()) == {"ok"}


async def test_the_giver_hears_that_his_command_waits_and_gives_it_on(
    table: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netplay.commands.HOLD_SECONDS", 0.05)
    giver, other = await rolling(*await seated(table))
    await other.close()
    given = roll(giver)
    await until(lambda: giver.status.waiting_for == (other.role,))
    assert not given.done()
    table.peer(other.role)
    assert (await given).role == giver.role


async def test_house_bots_take_part(tmp_path: Path) -> None:
    players = {RED: "Ada", BLUE: "bot:random"}
    async with room(tmp_path, chance=JOINT, plain=True, players=players) as made:
        keep_invite(made.host.folder, made.invites[BLUE])
        made.host.play(made.match)
        (red,) = await seated(made, RED)
        party = made.host.folder / "bots" / f"{made.match}.blue.party"
        assert stat.S_IMODE(party.stat().st_mode) == 0o600
        await finish(made, red)
    assert set(verified(tmp_path).values()) == {"ok"}


async def test_what_a_bot_says_stands_after_its_command(table: Room) -> None:
    red, blue = await seated(table)
    bots = asyncio.gather(run_bot(blue, Talking()), run_bot(red, new_bot("random", "toy")))
    await asyncio.wait_for(bots, PATIENCE)
    records = table.host.tables[table.match].match.records
    remarks = [record for record in records if record.kind == "remark"]
    assert remarks
    assert all(records[one.seq - 1].role == BLUE == one.role for one in remarks)
    assert all(records[one.seq - 1].kind == "command" for one in remarks)


async def test_a_command_that_got_its_chance_between_two_questions_is_not_stale(
    table: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netplay.commands.HOLD_SECONDS", 0.0)
    giver, other = await rolling(*await seated(table))
    await other.close()
    deliver = Peer._deliver

    async def slowly(self: Peer, order: Order, given: Given | None = None) -> Verdict:
        asked = await greeting.ask(self._line, order, 8.0) if self._line is not None else None
        assert isinstance(asked, Refused)
        assert asked.code == PENDING
        table.peer(other.role)
        await until(lambda: judged(table).seq == seq)
        monkeypatch.setattr(self, "_done", lambda _: monkeypatch.undo())
        return await deliver(self, order, given)

    seq = giver.seq + 1
    monkeypatch.setattr(Peer, "_deliver", slowly)
    assert (await giver.submit(Roll())).seq == seq


async def test_one_person_with_several_roles_signs_with_each(tmp_path: Path) -> None:
    players = {role: ("Ann", "Bob")[place % 2] for place, role in enumerate(SIX_PLAYERS)}
    async with room(tmp_path, "short", chance=JOINT, plain=True, players=players) as made:
        peers = await seated(made, *players)
        ann, bob = PeerSession(*peers[::2]), PeerSession(*peers[1::2])
        giver = next(peer for peer in peers if peer.is_asked)
        first = await giver.submit(giver.decision().options[0])  # type: ignore[union-attr]  # it is asked
        await until(lambda: all(peer.seq >= first.seq for peer in peers))
        session, other = (ann, bob) if giver in ann.peers else (bob, ann)
        await session.take_back()
        await until(lambda: bool(other.offer_question()))
        await other.answer_offer(agree=True)
        await until(lambda: peers[0].copy.record(peers[0].seq).kind == "takeback")
        consents = peers[0].copy.record(peers[0].seq).consents
        assert isinstance(consents, tuple)
        assert [consent.role for consent in consents] == list(players)


async def test_a_record_that_the_disk_refuses_after_the_throw_is_written_later(
    table: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    giver, other = await rolling(*await seated(table))
    keeper = table.host.tables[table.match].ledger._keeper
    keep = keeper.keep
    refused: list[Record] = []

    async def keep_later(draft: Draft[Any]) -> Record:
        if not refused:
            refused.append(draft.record)
            raise StorageError("the disk is full")
        return await keep(draft)

    monkeypatch.setattr(keeper, "keep", keep_later)
    record = await giver.submit(Roll())
    await until(lambda: other.seq >= record.seq)
    assert [record.chain] == [one.chain for one in refused], "nobody throws again"


async def test_a_command_that_later_rules_refuse_is_explained(
    table: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    giver, other = await rolling(*await seated(table))
    await other.close()
    given = roll(giver)
    await until(lambda: missing(table) == (other.role,))
    drafting = judged(table).draft_command

    def refuse(*args: Any) -> Draft[Any]:  # noqa: ANN401  # as the drafts themselves
        if len(args) == WITH_LINKS:
            raise IllegalCommandError("roll", ())
        return drafting(*args)

    monkeypatch.setattr(judged(table), "draft_command", refuse)
    table.peer(other.role)
    parley = table.host.tables[table.match].parley
    await until(lambda: any("the version of the program" in line.text for line in parley.chat))
    given.cancel()
