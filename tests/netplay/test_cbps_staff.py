"""Two commanders of Carrier Battle over TLS: both asked at once, one leaves and returns, and a spectator watches."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.cbps.commands import Done, Fly, HoldSearch
from engine.cbps.frames import AirMovementFrame, PhaseFrame, SearchChoiceFrame, TurnFrame
from engine.cbps.position import Position
from engine.cbps.ruleset import CBPS
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.host.host_command import HostPlan
from netplay.peer.peer import Peer
from netplay.session.auto_responder import AutoResponder
from netplay.session.bot_peer import play_seat
from netplay.session.peer_session import PeerSession
from play.opening import resolve_match_start
from play.seating import assign_players
from play.standing_orders import ORDERS_SUFFIX, OrderBook, StandingOrders, standing_answer
from saves.records import Record
from saves.verify import verify_file
from tests.engine.cbps.battle import with_frame
from tests.engine.cbps.fleet_at import air_movement, cap, operations, strike
from tests.netplay.mail.post import Post
from tests.netplay.tables import until
from tests.netplay.test_staff import Table
from tests.patience import PATIENCE

SECRET: Final = bytes(range(32))
TWO: Final = {"staff": "two"}
US, SECOND = Role("us"), Role("us-2")
SOME: Final = 25
"""Number of records after which a commander leaves."""


@contextlib.asynccontextmanager
async def staff(
    folder: Path,
    scenario: str,
    *,
    names: tuple[str, ...] = ("Ann", "Bob"),
    plain: bool = False,
    position: Position | None = None,
) -> AsyncIterator[Table]:
    """Host a scenario for two commanders."""
    info = resolve_match_start(CBPS, scenario, TWO).info
    plan = HostPlan(
        host="127.0.0.1",
        port=0,
        plain=plain,
        folder=folder / "host",
        invites=folder / "invites",
        game="cbps",
        scenario=scenario,
        options=TWO,
        players=assign_players(info, names, {}),
        position=position,
    )
    made = Table(folder, plan, ruleset)
    made.running = await made.hosting.start()
    try:
        yield made
    finally:
        await made.close()


def player(place: int) -> Any:  # noqa: ANN401  # a player of any game
    return RandomPlayer(DerivedDice(SECRET, place), Habit.BUSY)


@pytest.mark.full
async def test_two_commanders_play_over_tls_and_one_reconnects(tmp_path: Path) -> None:
    async with staff(tmp_path, "3") as made:
        (ann,), (bob,), (watcher,) = [await made.sit(who) for who in ("us", "us-2", "spectator")]
        assert {ann.role, bob.role, watcher.role} == {US, SECOND, None}
        for peer in (ann, bob, watcher):
            assert peer.ruleset.roles(peer.state) == (US, SECOND)
        first = asyncio.ensure_future(play_seat(ann, player(1)))
        gone = asyncio.ensure_future(play_seat(bob, player(2)))
        await until(lambda: made.match.seq >= SOME)
        gone.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await gone
        await bob.close()
        (bob,) = await made.sit("us-2")
        assert bob.seq >= SOME
        await asyncio.wait_for(asyncio.gather(first, play_seat(bob, player(3))), PATIENCE)
        await until(lambda: all(one.copy.is_revealed for one in (ann, bob, watcher)))
        for peer in (ann, bob, watcher):
            assert peer.copy.chain == made.match.chain
            assert peer.copy.digest() == made.match.view_digest(peer.role)
            shown = CBPS.project(peer.state, None)
            assert shown == CBPS.project(made.match.state, None)
        given = {record.role for record in made.match.records if record.kind == "command"}
        assert given == {US, SECOND}
        full, copies = made.record, [peer.copy.path for peer in (ann, bob, watcher)]
    assert verify_file(full).status == "ok"
    for copy in copies:
        found = verify_file(copy, against=full)
        assert found.status == "ok", str(found.finding)


async def both_asked(made: Table, one: Peer, other: Peer) -> None:
    """Wait until both commanders are asked and their peers show it."""
    await until(lambda: all(peer.is_asked and peer.seq == made.match.seq for peer in (one, other)))


async def test_6_1_both_commanders_answer_simultaneously(tmp_path: Path) -> None:
    async with staff(tmp_path, "6", plain=True) as made:
        (ann,), (bob,) = [await made.sit(who) for who in ("us", "us-2")]
        await both_asked(made, ann, bob)
        for _ in range(6):
            questions = {peer: peer.decision() for peer in (ann, bob)}
            given = [
                peer.submit(one.options[0]) for peer, one in questions.items() if one is not None
            ]
            before = made.match.seq
            records = await asyncio.gather(*given)
            assert sorted(record.seq for record in records) == [before + 1, before + 2]
            await both_asked(made, ann, bob)


async def test_6_1_a_commander_who_is_done_waits_for_the_other(tmp_path: Path) -> None:
    async with staff(tmp_path, "6", plain=True) as made:
        ann, bob = [PeerSession(*(await made.sit(who))) for who in ("us", "us-2")]
        await until(lambda: bob.decision() is not None and ann.decision() is not None)
        await bob.give(Done())
        await bob.commit()
        await until(lambda: ann.seq == bob.seq == made.match.seq)
        assert CBPS.active_roles(made.match.state) == (US,)
        assert bob.decision() is None
        assert ann.decision() is not None
        for session in (ann, bob):
            await session.close()


async def test_6_1_a_draft_is_kept_while_the_other_commander_acts(tmp_path: Path) -> None:
    async with staff(tmp_path, "6", plain=True) as made:
        ann, bob = [PeerSession(*(await made.sit(who))) for who in ("us", "us-2")]
        await until(lambda: bob.decision() is not None and ann.decision() is not None)
        question = ann.decision()
        assert question is not None
        await ann.give(question.options[0])
        other = bob.decision()
        assert other is not None
        await bob.give(other.options[0])
        await bob.commit()
        await until(lambda: ann.seq == made.match.seq == 1)
        assert [*ann.draft.commands] == [question.options[0]]
        assert await ann.commit() == 1
        given = [record.role for record in made.match.records if record.kind == "command"]
        assert given == [SECOND, US]
        for session in (ann, bob):
            await session.close()


async def test_standing_orders_do_not_answer_segment_decisions(tmp_path: Path) -> None:
    async with staff(tmp_path, "6", plain=True) as made:
        (ann,), (bob,) = [await made.sit(who) for who in ("us", "us-2")]
        responders = [AutoResponder(peer, StandingOrders) for peer in (ann, bob)]
        for responder in responders:
            responder.start()
        await both_asked(made, ann, bob)
        await bob.submit(Done())
        await until(lambda: ann.seq == bob.seq == 1)
        assert made.match.seq == 1
        assert ann.is_asked
        for responder in responders:
            responder.stop()


UNITS: Final = ("hornet-f1", "hornet-t1")
ORDER: Final = f"strike-1 to home least 1 by day units {','.join(UNITS)}"


def in_flight() -> Position:
    """Return the US Air Movement of two commanders, with a strike of the first one on its way home."""
    state = air_movement(
        at=(4, 1),
        units=dict.fromkeys(UNITS, "strike-1"),
        missions={"strike-1": strike(hex="1110", is_flipped=True)},
        options=TWO,
    )
    frames = (TurnFrame(step="phase"), PhaseFrame(segment=3), AirMovementFrame())
    return CBPS.to_position(with_frame(state, *frames))


def flown(records: Sequence[Record]) -> list[tuple[Role | None, str]]:
    """Return the kind of each command, with its giver."""
    return [
        (one.role, one.command.tag)
        for one in records
        if one.kind == "command" and one.command is not None
    ]


async def test_4_4_a_course_order_flies_only_its_own_commanders_mission_over_tls(
    tmp_path: Path,
) -> None:
    async with staff(tmp_path, "6", position=in_flight()) as made:
        ann, bob, watcher = [
            PeerSession(*(await made.sit(who))) for who in ("us", "us-2", "spectator")
        ]
        bob.orders.shown_book.set_courses((ORDER,))
        bob.peers[0].reporter.wake()
        ann.orders.give_course(ann.peers[0].state, US, ORDER)
        ann.peers[0].reporter.wake()
        await until(lambda: made.match.seq > 0)
        # The order may give further commands at any time, so all copies are compared in one step.
        await until(
            lambda: all(
                one.peers[0].copy.digest() == made.match.view_digest(one.peers[0].role)
                for one in (ann, bob, watcher)
            )
        )
        given = flown(made.match.records)
        assert given[0] == (US, "fly")
        assert SECOND not in {role for role, _ in given}
        assert made.match.state_at(1).missions["strike-1"].hex == "1109"
        for session in (ann, bob, watcher):
            await session.close()
        full, copy = made.record, ann.peers[0].copy.path
    assert verify_file(copy, against=full).status == "ok"


async def test_4_4_a_course_order_by_mail_flies_only_its_own_commanders_mission(
    tmp_path: Path,
) -> None:
    players = {US: "Ann", SECOND: "Bob"}
    post = Post(tmp_path, "cbps", "6", players, None, in_flight(), ruleset)
    for role in players:
        await post.to_seat(role, await post.from_judge(role))

    async def orders_of(role: Role) -> Path:
        async with post.seat(role) as peer:
            return peer.copy.path.with_suffix(ORDERS_SUFFIX)

    foreign = await orders_of(SECOND)
    hostile = {"courses": [ORDER, ORDER.replace("home", "\x1b[2J"), "strike-1 to", "\x00" * 200]}
    for data in (b"[" * 60_000, msgspec.json.encode(hostile)):
        foreign.write_bytes(data)
        await post.to_judge(await post.from_seat(SECOND))
        async with post.desk() as desk:
            assert desk.table.match.seq == 0
    OrderBook(await orders_of(US)).set_courses((ORDER,))
    await post.to_judge(await post.from_seat(US))
    async with post.desk() as desk:
        match = desk.table.match
        given = flown(match.records)
        assert given[0] == (US, "fly")
        assert SECOND not in {role for role, _ in given}
        assert match.state_at(1).missions["strike-1"].hex == "1109"


def test_4_4_a_course_order_answers_only_for_its_own_commander() -> None:
    state = air_movement(
        at=(4, 1),
        units=dict.fromkeys(UNITS, "strike-1"),
        missions={"strike-1": strike(hex="1110", is_flipped=True)},
    )
    orders = StandingOrders().with_courses((ORDER,))
    wire = msgspec.msgpack.decode(msgspec.msgpack.encode(orders), type=StandingOrders)
    assert wire == orders
    assert b"courses" not in msgspec.json.encode(StandingOrders())
    for role, answer in ((US, Fly(mission="strike-1", hex="1109")), (SECOND, None)):
        peer: Any = SimpleNamespace(
            ruleset=CBPS, state=state, role=role, seq=1, decision=lambda: CBPS.decision(state, US)
        )
        assert AutoResponder(peer, lambda: wire).answer() == answer


def test_8_22_orders_for_the_other_commanders_units_have_no_effect_by_mail() -> None:
    """The host answers with the orders in a player's move file, which may name anything."""
    hold = with_frame(
        operations(at=(4, 1), units={"hornet-t1": "ready"}, options=TWO), SearchChoiceFrame()
    )
    patrol = air_movement(
        at=(3, 1), units={"hornet-f1": "intercept-1"}, missions={"intercept-1": cap()}, options=TWO
    )
    orders = StandingOrders().with_courses(
        ("hornet-t1 search 300 units hornet-t1", "cap-58.1 until 5 size 1")
    )
    for state, answer in ((hold, HoldSearch()), (patrol, Done())):
        assert standing_answer(CBPS, state, US, orders) == answer
        assert CBPS.course_answer(state, SECOND, orders.course_lines) is None
