"""Several commanders of one side over the network: invites, simultaneous questions, custom data, a restart."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.host.host_command import HostPlan, HostRunner, RunningHost
from netplay.invites.invite import load_invites
from netplay.peer.peer import Peer
from netplay.session import peer_negotiation
from netplay.session.auto_responder import AutoResponder
from netplay.session.bot_peer import play_seat
from netplay.session.peer_group import create_peers
from netplay.session.peer_session import PeerSession
from play.opening import resolve_match_start
from play.seating import assign_players
from play.standing_orders import StandingOrders
from saves.headers import own_data_digest
from saves.logfile import read_log
from saves.match import Match
from saves.verify import verify_file
from tests.netplay.tables import Rulesets, copies_in, live, until
from tests.netplay.test_processes import Processes, the_log
from tests.patience import PATIENCE
from tests.play.test_staff import OWN_CHART, options
from tests.sizes import sampled
from tests.toy_staff import ROLES, SECOND, SIDE, THIRD, TOY_STAFF, US, Evade, Search, Stand, Stay

SECRET = bytes(range(32))


def rules(game: str) -> AnyRuleset:
    if game != "staff":
        raise DataError("game", "", f"there is no game '{game}'")
    return TOY_STAFF


class Table:
    """A host with commanders, and the peers of seated people."""

    def __init__(self, folder: Path, plan: HostPlan, rules: Rulesets = rules) -> None:
        self.folder = folder
        self.plan = plan
        self.rules = rules
        self.hosting = HostRunner(plan, rules)
        self.running: RunningHost
        self.peers: dict[Role | None, Peer] = {}

    @property
    def match(self) -> Match[Any]:
        (table,) = self.hosting.host.tables.values()
        return table.match

    @property
    def record(self) -> Path:
        return self.plan.folder / f"{self.match.header.match_id}.fplog"

    async def sit(self, who: str) -> tuple[Peer, ...]:
        """Take the seat of one of the invite files. Return the person's peers, which are live."""
        (path,) = (Path(one.path) for one in self.running.invites if one.role == who)
        party = create_peers(load_invites(path), self.folder / who, self.rules)
        for peer in party:
            peer.start()
            self.peers[peer.role] = peer
        await live(*party)
        return party

    async def restart(self) -> None:
        """Stop the host and start another one with the same folder and port, which has no plan."""
        await self.hosting.stop()
        again = HostPlan(
            host="127.0.0.1",
            port=self.running.port,
            plain=self.plan.plain,
            folder=self.plan.folder,
            invites=self.plan.invites,
        )
        self.hosting = HostRunner(again, self.rules)
        await self.hosting.start()

    async def close(self) -> None:
        for peer in self.peers.values():
            await peer.close()
        await self.hosting.stop()


@contextlib.asynccontextmanager
async def table(
    folder: Path,
    count: int,
    names: tuple[str, ...] = (),
    bots: Mapping[str, str] | None = None,
    *,
    scenario: str = "drill",
    plain: bool = True,
    data: bytes = b"",
) -> AsyncIterator[Table]:
    """Host a game with the given number of commanders."""
    info = resolve_match_start(TOY_STAFF, scenario, options(count)).info
    plan = HostPlan(
        host="127.0.0.1",
        port=0,
        plain=plain,
        folder=folder / "host",
        invites=folder / "invites",
        game="staff",
        scenario=scenario,
        options=options(count),
        players=assign_players(info, names, bots or {}),
        data=data,
    )
    made = Table(folder, plan)
    made.running = await made.hosting.start()
    try:
        yield made
    finally:
        await made.close()


async def bots_play(peers: list[Peer]) -> None:
    players = [RandomPlayer(DerivedDice(SECRET, place)) for place in range(len(peers))]
    runs = [play_seat(peer, player) for peer, player in zip(peers, players, strict=True)]
    await asyncio.wait_for(asyncio.gather(*runs), PATIENCE)


@pytest.mark.full
@pytest.mark.parametrize(
    ("count", "names", "bots", "wanted"),
    sampled(
        [
            (1, ("Ann",), {}, {"us"}),
            (2, ("1", "Ann"), {}, {"us+second"}),
            (3, ("2", "Ann", "Bob"), {}, {"us+third", "second"}),
            (4, ("Ann", "Bob"), {"second": "random", "fourth": "random"}, {"us", "third"}),
        ],
        2,
    ),
)
async def test_the_staff_option_determines_invites_and_seats(
    tmp_path: Path, count: int, names: tuple[str, ...], bots: dict[str, str], wanted: set[str]
) -> None:
    async with table(tmp_path, count, names, bots) as made:
        assert {invite.role for invite in made.running.invites} == {*wanted, "spectator"}
        assert [seat.role for seat in made.match.header.seats] == list(ROLES[:count])
        ((watcher,), *parties) = [await made.sit(who) for who in ("spectator", *sorted(wanted))]
        assert watcher.ruleset.roles(watcher.state) == ROLES[:count]
        await bots_play([peer for party in parties for peer in party])
        await until(lambda: watcher.copy.is_revealed)
        full, copies = made.record, [peer.copy.path for peer in made.peers.values()]
    assert verify_file(full, TOY_STAFF).status == "ok"
    for copy in copies:
        assert verify_file(copy, TOY_STAFF, full).status == "ok"


@pytest.mark.full
async def test_two_commanders_with_custom_data_resume_after_host_restart(
    tmp_path: Path,
) -> None:
    chart = OWN_CHART + b" " * 300_000  # more than fits into one message
    async with table(
        tmp_path, 2, ("Ann", "Bob"), scenario="cruise", plain=False, data=chart
    ) as made:
        (ann,), (bob,), (watcher,) = [await made.sit(who) for who in ("us", "second", "spectator")]
        for peer in (ann, bob, watcher):
            header = peer.copy.header
            assert header is not None
            assert header.own_data == own_data_digest(chart)
            assert peer.state.at.chart == (9,) * 10
        await asyncio.gather(ann.submit(Search(sector=1)), bob.submit(Search(sector=5)))
        await made.restart()
        await live(ann, bob, watcher)
        assert made.match.seq == 2
        assert made.match.state.at.found == 18
        await bots_play([ann, bob])
        await until(lambda: watcher.copy.is_revealed)
        outcome = TOY_STAFF.outcome(watcher.state)
        assert outcome is not None
        assert outcome.winner == SIDE
        full, copies = made.record, [peer.copy.path for peer in (ann, bob, watcher)]
    for copy in copies:
        assert verify_file(copy, TOY_STAFF, full).status == "ok"
        assert read_log(copy).header.own_data == read_log(full).header.own_data


async def test_all_commanders_answer_simultaneously(tmp_path: Path) -> None:
    async with table(tmp_path, 4, scenario="war") as made:
        peers = {role: (await made.sit(role))[0] for role in ROLES}
        for _ in range(3):
            await until(lambda: all(peer.is_asked for peer in peers.values()))
            questions = [peers[role].decision() for role in ROLES]
            first = [one.options[0] for one in questions if one is not None]
            if made.match.state.at.raided:
                answers: list[Any] = [Evade(), Stand(), Evade(), Stand()]
            else:
                assert first == [Search(sector=sector) for sector in (1, 4, 7, 10)]
                answers = [first[0], first[1], Stay(), first[3]]
            before = made.match.seq
            given = [peers[role].submit(one) for role, one in zip(ROLES, answers, strict=True)]
            records = await asyncio.gather(*given)
            assert sorted(record.seq for record in records) == [*range(before + 1, before + 5)]
            await until(lambda: all(peer.seq == made.match.seq for peer in peers.values()))


@pytest.mark.full
async def test_standing_orders_of_every_commander_answer_one_raid(tmp_path: Path) -> None:
    async with table(tmp_path, 3, scenario="war") as made:
        peers = [(await made.sit(role))[0] for role in ROLES[:3]]
        orders = StandingOrders(uses=("evade",))
        responders = [AutoResponder(peer, lambda: orders) for peer in peers]
        for responder in responders:
            responder.start()
        try:
            while not _evading(made.match) and made.match.state.at.round < 100:
                await until(
                    lambda: all(one.is_asked and one.seq == made.match.seq for one in peers)
                )
                if made.match.state.at.raided:
                    await until(lambda: not made.match.state.at.raided)
                else:
                    await asyncio.gather(*(peer.submit(Stay()) for peer in peers))
        finally:
            for responder in responders:
                responder.stop()
        assert sorted(_evading(made.match)) == sorted(ROLES[:3])


def _evading(match: Match[Any]) -> list[Role]:
    """Return the commanders that have evaded, once for each raid."""
    given = (record for record in match.records if record.kind == "command")
    return [one.role for one in given if one.command and one.command.tag == "evade"]


async def test_a_player_with_several_commanders_has_a_draft_for_each(tmp_path: Path) -> None:
    async with table(tmp_path, 3, ("2", "Ann", "Bob")) as made:
        ann = PeerSession(*(await made.sit("us+third")))
        (bob,) = await made.sit("second")
        assert ann.own_roles == (US, THIRD)
        await ann.give(Search(sector=2))
        ann.view_as(THIRD)
        await ann.give(Stay())
        await bob.submit(Search(sector=4))  # another commander's command does not affect the drafts
        await until(lambda: ann.seq == made.match.seq)
        assert [*ann.draft.commands] == [Stay()]
        assert await ann.commit() == 1
        ann.view_as(US)
        assert [*ann.draft.commands] == [Search(sector=2)]
        await ann.commit()
        given = [record.role for record in made.match.records if record.kind == "command"]
        assert given == [SECOND, THIRD, US]
        await ann.close()


async def test_a_takeback_with_a_single_player_needs_no_consent(tmp_path: Path) -> None:
    async with table(tmp_path, 2, ("1", "Ann"), scenario="war") as made:
        ann = PeerSession(*(await made.sit("us+second")))
        await ann.give(Search(sector=1))
        await ann.commit()
        await ann.negotiation.take_back()
        await until(lambda: made.match.state.at.orders == {})
        assert made.match.records[-1].kind == "takeback"
        await ann.close()


async def test_a_player_with_two_roles_can_answer_their_own_takeback_offer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_negotiation, "_AGREEMENT_SECONDS", 0.0)
    monkeypatch.setattr(peer_negotiation, "_is_asked_for_offer", lambda *_: False)
    async with table(tmp_path, 2, ("1", "Ann"), scenario="war") as made:
        ann = PeerSession(*(await made.sit("us+second")))
        await ann.give(Search(sector=1))
        await ann.commit()
        await ann.negotiation.take_back()
        assert made.match.records[-1].kind != "takeback"
        await until(lambda: ann.negotiation.offer_question().startswith("Ann (us) asks"))
        await ann.negotiation.answer_offer(agree=True)
        await until(lambda: made.match.records[-1].kind == "takeback")
        await until(lambda: ann.negotiation.offer_question() == "")
        await ann.close()


@pytest.mark.full
def test_commanders_in_processes_play_with_a_custom_chart(tmp_path: Path) -> None:
    processes = Processes(tmp_path)
    chart = tmp_path / "chart.json"
    chart.write_bytes(OWN_CHART)
    words = ("--scenario", "drill", "--option", "staff=three", "--data", str(chart))
    try:
        host, invites = processes.host("staff", *words, "--seats", "2,Ann,Bob", "--once")
        assert set(invites) == {"us+third", "second", "spectator"}
        ends = [processes.bot(invites[who], who) for who in ("us+third", "second")]
        assert [end.wait(PATIENCE) for end in (*ends, host)] == [0, 0, 0]
        full = the_log(processes)
    finally:
        processes.end()
    header = read_log(full).header
    assert [seat.player for seat in header.seats] == ["Ann", "Bob", "Ann"]
    assert header.own_data == own_data_digest(OWN_CHART)
    copies = [*copies_in(tmp_path / "us+third"), *copies_in(tmp_path / "second")]
    assert len(copies) == 3
    for copy in copies:
        assert verify_file(copy, TOY_STAFF, full).status == "ok"


async def test_a_seat_excluded_by_the_staff_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no role 'third'"):
        async with table(tmp_path, 2, ("third=Ann",)):
            pass
