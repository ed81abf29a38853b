"""Matches whose seats deal the cards and decide what they give: over TLS, with bots' programs in the seats."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.fair.ordered_match import OrderedMatch
from netplay.host.host import Host
from netplay.host.match_creation import CreatedMatch
from netplay.peer.fair_duties import FairDuties
from netplay.peer.peer import Peer
from netplay.session.bot_peer import play_seat
from netplay.session.peer_session import PeerSession
from netplay.transport import handshake
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ConnectionLostError, NetworkError, UnavailableError
from netplay.wire.messages import Answer, PostPart, WireMessage
from netplay.wire.modes import FAIR, JOINT, Chance
from netplay.workers.host_bots import save_bot_invite
from netplay.workers.match_server import MatchServer
from play.bots import create_seat_bot
from play.offers import OfferKind
from saves.clocks import Clock
from saves.errors import StaleCommandError
from saves.fair.terms import TimeLimits
from saves.headers import SPECTATOR
from saves.logfile import SUFFIX, LogWriter
from saves.match import Match
from saves.verify import verify_file
from tests.netplay import test_qmg_whole as qmg_whole
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.patience import PATIENCE
from tests.saves.faulty_files import FaultyFiles
from tests.sizes import sampled, sized

NO_LIMITS = TimeLimits()


class Hall:
    """A host with one fair match, and peers in its seats."""

    def __init__(
        self,
        folder: Path,
        game: str,
        scenario: str,
        players: Mapping[Role, str],
        position: Any = None,  # noqa: ANN401  # of any game
        chance: Chance = FAIR,
        workers: int = 1,
        *,
        clock: Clock | None = None,
        limits: TimeLimits = NO_LIMITS,
    ) -> None:
        self.clock = clock
        self.limits = limits
        self.folder = folder
        self.chance = chance
        self.position = position
        self.game = game
        self.scenario = scenario
        self.players = players
        self.port = 0
        self.host = Host(folder / "host", workers=workers)
        self.opened: CreatedMatch
        self.peers: dict[Role | None, Peer] = {}

    async def open(self) -> None:
        self.port = await self.host.start("127.0.0.1", 0)
        self.opened = self.host.open_match(
            self.game,
            self.scenario,
            {},
            self.players,
            position=self.position,
            chance=self.chance,
            clock=self.clock,
            limits=self.limits,
        )
        await self.host.wait_until_open(self.opened.match)

    async def restart(self) -> None:
        """Stop the host without a word, and start another one on the same folder and port."""
        await self.host.stop()
        self.host = Host(self.folder / "host")
        await self.host.start("127.0.0.1", self.port)

    def seat(self, role: Role | None) -> Peer:
        peer = Peer(self.opened.invites[role], self.folder / str(role), window_seconds=0.0)
        peer.start()
        self.peers[role] = peer
        return peer

    async def live(self) -> None:
        await until(lambda: all(each.is_live and each.is_ready for each in self.peers.values()))

    @property
    def house(self) -> MatchServer:
        assert self.host.server is not None, "the matches are held in this process"
        return self.host.server

    @property
    def match(self) -> OrderedMatch[Any]:
        match = self.judged
        assert isinstance(match, OrderedMatch)
        return match

    @property
    def judged(self) -> Match[Any]:
        """Return the host's match in any mode."""
        return self.host.tables[self.opened.match].match

    async def level(self) -> None:
        """Wait until every copy has all records."""
        await until(lambda: self.opened.match in self.host.tables)
        await until(
            lambda: all(each.copy.chain == self.judged.chain for each in self.peers.values())
        )

    async def close(self) -> None:
        for each in self.peers.values():
            await each.close()
        await self.host.stop()


@contextlib.asynccontextmanager
async def hall(
    folder: Path,
    game: str,
    scenario: str,
    players: Mapping[Role, str],
    position: Any = None,  # noqa: ANN401  # of any game
    *,
    waits: bool = True,
    chance: Chance = FAIR,
    clock: Clock | None = None,
    limits: TimeLimits = NO_LIMITS,
) -> AsyncIterator[Hall]:
    made = Hall(folder, game, scenario, players, position, chance, clock=clock, limits=limits)
    await made.open()
    try:
        async with asyncio.timeout(5 * PATIENCE):
            for role in (*players, None):
                made.seat(role)
            if waits:
                await made.live()
            yield made
    finally:
        await made.close()


EOTS_PLAYERS = {ALLIED: "Ada", JAPAN: "Bob"}


async def give(table: Hall, count: int) -> None:
    """Let whoever is asked give random commands."""
    bots = {role: LastingBot(table.game) for role in table.players}
    for _ in range(count):
        await table.level()
        asked = [role for role in table.players if table.peers[role].is_asked]
        if not asked:
            return
        peer = table.peers[asked[0]]
        decision = peer.decision()
        assert decision is not None
        with contextlib.suppress(StaleCommandError):  # what was given before a kill goes first
            await peer.submit(bots[asked[0]].choose(peer.view(), decision))


async def test_only_the_owner_knows_its_hand_in_a_fair_match(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        await give(table, sized(6, 60, of="commands of a fair match on a network"))
        await table.level()
        assert table.match.header.audience == SPECTATOR
        rules = ruleset("eots")
        for role in (ALLIED, JAPAN):
            known = rules.hidden_pile(table.peers[role].state, role, "hand")
            seen = rules.hidden_pile(table.match.state, role, "hand")
            assert len(known) == len(seen)
            assert not set(known) & set(seen)


async def play_out(table: Hall, bots: Mapping[Role, Any]) -> None:
    """Let bots play to the end, and until every seat has everything."""
    running = [play_seat(table.peers[role], bots[role]) for role in table.players]
    await asyncio.wait_for(asyncio.gather(*running), 4 * PATIENCE)
    await table.level()


@pytest.mark.full
async def test_a_whole_fair_game_of_1943_can_be_played(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        await play_out(table, {role: create_seat_bot("random", "eots") for role in table.players})
        assert table.match.is_revealed
        assert len(table.match.records[-1].seeds) == 2  # type: ignore[arg-type]  # it is there


@pytest.mark.full
@pytest.mark.parametrize("scenario", ["base", "total-war"])
@pytest.mark.parametrize("players", [qmg_whole.TWO, qmg_whole.SIX], ids=["two", "six"])
async def test_a_whole_fair_game_of_six_roles_can_be_played(
    tmp_path: Path, scenario: str, players: Mapping[Role, str]
) -> None:
    async with hall(tmp_path, "qmg", scenario, players) as table:
        bots = {role: qmg_whole.Steady(place) for place, role in enumerate(players)}
        await play_out(table, bots)
        assert table.match.is_revealed
        assert len(table.match.records[-1].seeds) == len(players)  # type: ignore[arg-type]  # it is there


@pytest.mark.full
@pytest.mark.parametrize("fault", sampled(["EIO-sync", "ENOSPC"], 1))
@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1))
async def test_a_match_begins_when_the_disk_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, chance: Chance
) -> None:
    disks: list[FaultyFiles] = []
    create = LogWriter.create

    def on_a_bad_disk(path: Path) -> LogWriter:
        if len(disks) == 2 or path.parent.name != "host":
            return create(path)
        disks.append(FaultyFiles(0, fault))
        return create(path, disks[-1])

    monkeypatch.setattr("netplay.match.pending_match.LogWriter.create", on_a_bad_disk)
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance) as table:
        assert len(disks) == 2
        await give(table, 2)
        await table.level()


# -- interruptions, F8


class Fuse:
    """Stops a seat, or the host, at one of the messages with which programs deal and decide."""

    def __init__(self, table: Hall, at: int, *, after: bool, host: bool) -> None:
        self._table = table
        self._left = at
        self._after = after
        self._host = host
        self._ask = handshake.ask
        self.blown: asyncio.Future[Role | None] = asyncio.get_running_loop().create_future()
        """Whose program stopped; nobody's where the host did."""

    async def ask(self, line: RequestChannel, message: WireMessage, seconds: float) -> Answer:
        """Ask the host, or stop."""
        if not isinstance(message, PostPart) or self.blown.done():
            return await self._ask(line, message, seconds)
        self._left -= 1
        if self._left:
            return await self._ask(line, message, seconds)
        if self._after:
            await self._ask(line, message, seconds)
        if self._host:
            self.blown.set_result(None)
            raise ConnectionLostError("the host was killed")
        task = asyncio.current_task()
        peers = self._table.peers.values()
        peer = next(
            each
            for each in peers
            if each.replicator._channel is line or each.replicator._task is task
        )
        self.blown.set_result(peer.role)
        await asyncio.Event().wait()
        raise AssertionError("nothing comes after the end")

    async def mend(self) -> None:
        """Start again what has stopped."""
        role = await self.blown
        if role is None:
            await self._table.restart()
            return
        await self._table.peers[role].close()
        self._table.seat(role)


KILLS = sampled(
    [
        (at, after, host)
        for at in (*range(1, 30), 35, 40, 50, 60, 80)
        for after in (False, True)
        for host in (False, True)
    ],
    3,
    40,
    of="kills of a seat or the host in a fair match",
)


SIX_KILLS = sampled(
    [
        (at, after, host)
        for at in (5, 15, 25, 45, 70, 100, 130, 160, 190, 220, 260, 300, 340, 400)
        for after, host in ((False, True), (True, False), (False, False))
    ],
    1,
    8,
    of="kills of one of six seats or the host in a fair match",
)


@pytest.mark.series("F8")
@pytest.mark.parametrize(("at", "after", "host"), sampled(KILLS, 1, of="kills of a fair match"))
async def test_f8_a_fair_match_resumes_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, *, after: bool, host: bool
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, waits=False) as table:
        await kill_and_go_on(table, monkeypatch, at, after=after, host=host)


@pytest.mark.full
@pytest.mark.series("F8")
@pytest.mark.parametrize(("at", "after", "host"), SIX_KILLS)
async def test_f8_a_fair_match_of_six_resumes_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, *, after: bool, host: bool
) -> None:
    async with hall(tmp_path, "qmg", "base", qmg_whole.SIX, waits=False) as table:
        await kill_and_go_on(table, monkeypatch, at, after=after, host=host)


async def kill_and_go_on(
    table: Hall, monkeypatch: pytest.MonkeyPatch, at: int, *, after: bool, host: bool
) -> None:
    """Kill the host, or who says it, at a message, start that again, and play on."""
    fuse = Fuse(table, at, after=after, host=host)
    monkeypatch.setattr(handshake, "ask", fuse.ask)
    mended = asyncio.create_task(fuse.mend())
    while not mended.done():
        one = asyncio.create_task(one_more(table))
        both = asyncio.FIRST_COMPLETED
        await asyncio.wait([mended, one], timeout=PATIENCE, return_when=both)
        one.cancel()  # a program that was stopped answers nobody
        await asyncio.gather(one, return_exceptions=True)
    await mended
    await give(table, 3)
    await table.level()
    assert table.match.seq >= 3


async def one_more(table: Hall) -> None:
    """Let somebody give a command, if nobody's program stops meanwhile."""
    with contextlib.suppress(NetworkError, StopAsyncIteration, KeyError):
        await table.live()
        await give(table, 1)


@pytest.mark.full
@pytest.mark.series("F9")
@pytest.mark.parametrize(
    ("game", "scenario", "players"),
    [("eots", "south-pacific", EOTS_PLAYERS), ("qmg", "base", qmg_whole.SIX)],
)
async def test_f9_every_record_verifies_after_the_end(
    tmp_path: Path, game: str, scenario: str, players: Mapping[Role, str]
) -> None:
    async with hall(tmp_path, game, scenario, players) as table:
        await give(table, sized(8, 10_000, of="commands before the end of a fair match"))
        if table.match.outcome is None:
            await table.peers[next(iter(players))].propose(OfferKind.RESIGNATION)
        await until(lambda: all(each.replicator.is_done for each in table.peers.values()))
        for role in players:
            copy = table.peers[role].copy
            assert verify_file(copy.path).status == "ok"
            assert verify_file(copy.full_path).status == "ok"
            assert verify_file(copy.path, against=copy.full_path).status == "ok"
            assert verify_file(host_file(table), against=copy.path).status == "ok"


def host_file(table: Hall) -> Path:
    return table.folder / "host" / f"{table.opened.match}{SUFFIX}"


def waited_for(table: Hall) -> tuple[Role, ...]:
    return table.host.tables[table.opened.match].commands.missing_roles


async def stuck(
    table: Hall, monkeypatch: pytest.MonkeyPatch
) -> tuple[Peer, "asyncio.Task[Any]", Role]:
    """Play until a command waits for the other seat, then disconnect that seat.

    Each command is the default, which needs the other seat after few commands; random ones take up to a hundred.

    Returns:
        The peer that gave the command, its task, and the role of the seat that is away.
    """
    deaf: list[FairDuties] = []
    posting = FairDuties.send_due

    async def may_post(self: FairDuties, line: RequestChannel) -> None:
        if self not in deaf:
            await posting(self, line)

    monkeypatch.setattr(FairDuties, "send_due", may_post)
    while True:
        await table.level()
        giver = next(role for role in table.players if table.peers[role].is_asked)
        away = next(role for role in table.players if role != giver)
        deaf[:] = [table.peers[away].replicator.fair_duties]
        peer = table.peers[giver]
        decision = peer.decision()
        assert decision is not None, "this seat is asked"
        given = asyncio.create_task(peer.submit(decision.default))
        await until(partial(_is_settled, table, given, away))
        if not given.done():
            await table.peers[away].close()
            return peer, given, away
        await given


def _is_settled(table: Hall, given: "asyncio.Task[Any]", away: Role) -> bool:
    # While its messages are being stored, the time for which the match has waited starts again.
    is_stored = not table.host.tables[table.opened.match].commands.is_record_due
    return given.done() or (is_stored and waited_for(table) == (away,))


@pytest.mark.full
@pytest.mark.series("F8")
async def test_f8_an_absent_seat_is_named_and_the_match_can_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        giver, given, away = await stuck(table, monkeypatch)
        await until(lambda: giver.reporter.status.waiting_for == (away,))
        seq = giver.seq + 1
        with pytest.raises(NetworkError, match="waits for"):
            await giver.propose(OfferKind.TAKEBACK, 0)
        await giver.propose(OfferKind.RESIGNATION)
        with pytest.raises(UnavailableError, match="ended"):
            await given
        assert giver.copy.record(seq).kind == "ending"
        await until(lambda: waited_for(table) == giver.reporter.status.waiting_for == (away,))
        assert not table.match.is_revealed, "the secrets of one seat are missing"
        back = table.seat(away)
        await until(lambda: back.replicator.is_done and giver.replicator.is_done)
        assert table.match.is_revealed


@pytest.mark.full
@pytest.mark.series("F8")
async def test_f8_a_command_waiting_for_an_absent_seat_survives_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        giver, given, away = await stuck(table, monkeypatch)
        seq = giver.seq + 1
        await table.restart()
        await until(lambda: giver.is_live and table.opened.match in table.host.tables)
        await until(lambda: waited_for(table) == (away,))  # the giver has opened its part again
        back = table.seat(away)
        record = await given
        assert (record.seq, record.role) == (seq, giver.role)
        await until(lambda: back.seq >= seq)
        await give(table, 2)


@pytest.mark.full
async def test_fair_match_commands_are_taken_back_with_consent(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        await give(table, 6)
        await table.level()
        allied, japan = table.peers[ALLIED], table.peers[JAPAN]
        await allied.propose(OfferKind.TAKEBACK, 1)
        await until(lambda: japan.must_answer)
        await japan.answer_offer(agree=True)
        await until(lambda: allied.copy.record(allied.seq).kind == "takeback")
        await give(table, sized(6, 30, of="commands after a takeback in a fair match"))
        await table.level()


@pytest.mark.full
async def test_a_host_bot_takes_part_in_the_deal(tmp_path: Path) -> None:
    players = {ALLIED: "Ada", JAPAN: "bot:random"}
    made = Hall(tmp_path, "eots", "1943", players)
    await made.open()
    try:
        save_bot_invite(made.host.folder, made.opened.invites[JAPAN])
        made.host.start_bots(made.opened.match)
        allied = made.seat(ALLIED)
        await made.live()
        bot = asyncio.create_task(play_seat(allied, LastingBot("eots")))
        most = sized(8, 40, of="records against a bot of the house in a fair match")
        await until(lambda: allied.seq >= most or bot.done())
        bot.cancel()
        await asyncio.gather(bot, return_exceptions=True)
        records = [allied.copy.record(seq) for seq in range(most)]
        assert {record.role for record in records} >= {ALLIED}
        assert (made.host.folder / "bots" / f"{made.opened.match}.{JAPAN}.seat7").exists()
    finally:
        await made.close()


@pytest.mark.full
async def test_every_copy_of_a_fair_match_shows_the_same_safety_words(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        await table.level()
        words = {peer.copy.safety_words for peer in table.peers.values()}
        assert len(words) == 1
        assert len(words.pop().split()) == 5
        for role in (ALLIED, JAPAN):
            session = PeerSession(table.peers[role])
            assert any("safety words: " in line.text for line in session.log())


async def test_a_discarded_fair_match_leaves_no_files(tmp_path: Path) -> None:
    table = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS)
    await table.open()
    try:
        folder, match = table.folder / "host", table.opened.match
        assert (folder / f"{match}.host7").exists()
        await table.host.wait_until_open(match)
        await table.host.discard_match(match)
        assert not list(folder.glob(f"{match}*"))
    finally:
        await table.close()
