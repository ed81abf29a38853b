"""A seat's response times in windows, and its messages, reveal nothing about its hidden cards (F7)."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.kernel.ids import Role
from netplay.host.host_command import HostPlan, HostRunner
from netplay.peer.peer import Peer
from netplay.session.auto_responder import AutoResponder
from netplay.transport.listener import ConnectionRequest
from netplay.wire.answer_delay import AnswerDelay
from netplay.wire.messages import Submit, decode_request
from play.standing_orders import StandingOrders
from tests.netplay.tables import SIX_PLAYERS, Room, live, room, until
from tests.sizes import sized
from tests.toy_six import GEM, SIX, LetPass, Rest, SetTrap, Spring, Strike, Trade

WINDOWS = sized(20, 100, of="windows")
WINDOW_SECONDS = 0.02
LEAST_P = 0.001
"""Two samples of one distribution are distinguished at most once in a thousand runs."""


def ks_p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the probability of such a difference between two samples of one distribution (Kolmogorov-Smirnov)."""
    values = sorted([*first, *second])
    one, two = sorted(first), sorted(second)
    distance = max(abs(_share(one, value) - _share(two, value)) for value in values)
    size = len(one) * len(two) / (len(one) + len(two))
    scaled = (math.sqrt(size) + 0.12 + 0.11 / math.sqrt(size)) * distance
    if scaled < 0.2:  # here the series below does not converge, and the result is 1
        return 1.0
    terms = ((-1.0) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, 101))
    return min(1.0, max(0.0, 2 * math.fsum(terms)))


def _share(ordered: Sequence[float], value: float) -> float:
    return sum(one <= value for one in ordered) / len(ordered)


class Watch:
    """Records what the host receives from gem and when, for each window."""

    def __init__(self, table: Room, clock: Callable[[], float] = time.monotonic) -> None:
        self.table = table
        self.clock = clock
        self.match = table.host.tables[table.match].match
        self.seconds: dict[bool, list[float]] = {True: [], False: []}
        self.sizes: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
        self.kinds: dict[bool, Counter[tuple[str, ...]]] = {True: Counter(), False: Counter()}
        self._heard: list[tuple[float, bytes]] = []
        listener = table.host._listener
        inner = listener._handler

        async def listen(request: ConnectionRequest) -> bytes | None:
            self._heard.append((clock(), request.data))
            return await inner(request)

        listener._handler = listen

    async def give(self, role: Role, command: Any) -> None:  # noqa: ANN401  # of the game of six
        """Let another role act on the host itself."""
        self.match.submit(role, command, self.match.seq)
        await self.table.host.tables[self.table.match].recorder.on_record_added()

    async def windows(self, count: int, answer: Callable[[], None]) -> None:
        """Strike at gem, whose trap stays, until this number of windows was answered by a pass, or the game is over."""
        while sum(map(len, self.seconds.values())) < count:
            state = self.match.state
            if not SIX.active_roles(state):
                return
            await self._settle()
            role = SIX.active_roles(state)[0]
            mine = [card for card in state.hands[role] if card is not None]
            if role == GEM and not state.traps[GEM]:
                await self.give(GEM, SetTrap(card=mine[0]))
            elif role in {"ash", "elm", "fir"}:
                await self._window(role, mine, answer)
            else:
                await self.give(role, Rest())

    async def _window(self, role: Role, mine: list[Any], answer: Callable[[], None]) -> None:
        trap = self.match.state.traps[GEM]
        if not trap:
            await self.give(role, Rest())
            return
        wanted = len(self.seconds[True]) <= len(self.seconds[False])
        fitting = [card for card in mine if (int(card[1:]) - int(trap[0][1:])) % 2 != wanted]
        if not fitting:  # another hand is needed, or the three of them would rest until the end
            is_traded = role in self.match.state.traded
            await self.give(role, Rest() if is_traded else Trade(card=mine[0]))
            return
        self._heard.clear()
        start = self.clock()
        await self.give(role, Strike(card=fitting[0]))
        options = SIX.decision(self.match.state, GEM).options
        could = any(isinstance(option, Spring) for option in options)
        assert could == wanted
        answer()
        await until(lambda: self.match.state.strike is None)
        await self._settle()
        self._note(could, start)

    def _note(self, could: bool, start: float) -> None:  # the first argument selects the sample
        questions = [(at, len(data), decode_request(data)) for at, data in self._heard]
        given = [(at, size, one) for at, size, one in questions if isinstance(one, Submit)]
        assert len(given) == 1
        at, size, _ = given[0]
        self.seconds[could].append(at - start)
        self.sizes[could][size] += 1
        self.kinds[could][tuple(type(one).__name__ for _, _, one in questions)] += 1

    async def _settle(self) -> None:
        """Wait until gem has received everything and its next poll is waiting."""
        table = self.table.host.tables[self.table.match]
        peer = self.table.peers[0]
        await until(
            lambda: (
                peer.seq == self.match.seq
                and any(one.is_polling for one in table.sessions.values())
            )
        )


WAYS = pytest.mark.parametrize(
    "way", [pytest.param("by itself", marks=pytest.mark.full), "at once by hand"]
)


async def watched(folder: Path, way: str) -> Watch:
    """Return the recorded messages of gem, which answers every window automatically or immediately by hand."""
    async with room(folder, "long", plain=True, players=SIX_PLAYERS) as table:
        gem = table.peer(GEM, window_seconds=WINDOW_SECONDS)
        await live(gem)
        watch = Watch(table)
        responder = AutoResponder(gem, lambda: StandingOrders(nevers=("spring",)))
        tasks: set[asyncio.Task[Any]] = set()

        def by_hand() -> None:
            tasks.add(asyncio.create_task(_pass(gem)))

        if way == "by itself":
            responder.start()
        await watch.windows(WINDOWS, (lambda: None) if way == "by itself" else by_hand)
        responder.stop()
        await asyncio.gather(*tasks)
    return watch


@pytest.mark.series("F7")
@WAYS
async def test_f7_answer_sizes_and_kinds_do_not_depend_on_the_hand(
    tmp_path: Path, way: str
) -> None:
    watch = await watched(tmp_path, way)
    usable, useless = watch.seconds[True], watch.seconds[False]
    assert len(usable) + len(useless) >= WINDOWS // 2, "the game was over too soon"
    assert min(*usable, *useless) >= WINDOW_SECONDS
    assert set(watch.sizes[True]) == set(watch.sizes[False])
    assert len(watch.sizes[True]) == 1
    assert watch.kinds[True].most_common(1)[0][0] == watch.kinds[False].most_common(1)[0][0]


@pytest.mark.nightly  # two samples of one clock sometimes differ
@pytest.mark.series("F7")
@WAYS
async def test_f7_answer_times_are_indistinguishable(tmp_path: Path, way: str) -> None:
    seconds = (await watched(tmp_path, way)).seconds
    assert ks_p_value(seconds[True], seconds[False]) > LEAST_P


async def _pass(peer: Peer) -> None:
    await peer.reporter.wait_for(lambda: peer.is_asked)
    await peer.submit(LetPass())


@pytest.mark.full
@pytest.mark.series("F7")
async def test_timing_measure_detects_a_seat_that_answers_faster_without_a_card(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, "long", plain=True, players=SIX_PLAYERS) as table:
        gem = table.peer(GEM, window_seconds=0.0)
        await live(gem)
        now = [0.0]
        watch = Watch(table, lambda: now[0])
        tasks: set[asyncio.Task[Any]] = set()

        async def leak() -> None:
            await gem.reporter.wait_for(lambda: gem.is_asked)
            decision = gem.decision()
            assert decision is not None
            now[0] += 0.06 * len(decision.options)
            await gem.submit(LetPass())

        await watch.windows(60, lambda: tasks.add(asyncio.create_task(leak())))
        await asyncio.gather(*tasks)
    assert ks_p_value(watch.seconds[True], watch.seconds[False]) < LEAST_P


@pytest.mark.series("F7")
def test_a_host_can_only_lengthen_the_answer_delay() -> None:
    now = [10.0]
    for own, wanted, found in ((0.25, 8.0, 8.0), (0.25, 0.0, 0.25), (0.0, 8.0, 0.0)):
        pace = AnswerDelay(SIX, own, lambda: now[0])
        pace.raise_minimum(wanted)
        assert pace.remaining_seconds() == found


@pytest.mark.series("F7")
async def test_peers_use_the_answer_delay_set_by_the_host(tmp_path: Path) -> None:
    plan = HostPlan(
        host="127.0.0.1",
        port=0,
        plain=True,
        folder=tmp_path,
        invites=tmp_path,
        window_seconds=40.0,
    )
    async with room(tmp_path, "long", plain=True, players=SIX_PLAYERS) as table:
        hosted = HostRunner(plan).host.server
        assert hosted is not None
        table.house.config = hosted.config
        gem = table.peer(GEM)
        await live(gem)
        assert 0.15 < gem._answer_delay.remaining_seconds() <= 40
        assert gem._answer_delay._seconds == 40


def test_the_answer_delay_depends_only_on_public_state() -> None:
    """With the same history and other hidden cards, the clock starts at the same moments."""
    moments: list[float] = []
    now = [0.0]
    for trap in ("c01", "c02"):
        state = SIX.initial_state()
        pace = AnswerDelay(SIX, 1.0, lambda: now[0])
        hands: dict[Any, Any] = dict.fromkeys(SIX.roles(state), ("c05", "c06"))
        traps: dict[Any, Any] = dict.fromkeys(SIX.roles(state), ()) | {GEM: (trap,)}
        state = msgspec.structs.replace(state, rounds=2, hands=hands, traps=traps, deck_left=9)
        now[0] = 10.0
        pace.on_state(state, is_own=False)
        now[0] = 10.4
        asked = msgspec.structs.replace(state, strike="c03", waiting=(GEM,))
        pace.on_state(asked, is_own=False)
        now[0] = 10.9
        pace.on_state(asked, is_own=False)
        moments.append(pace.remaining_seconds())
    assert moments[0] == moments[1] == pytest.approx(0.5)
