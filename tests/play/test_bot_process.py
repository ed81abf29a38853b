"""Bots that think in a separate process: their time, and what happens if the process dies, hangs or is abandoned."""

import multiprocessing
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from engine.bots.greedy_qmg import GreedyQmg
from engine.bots.player import Thought, known_position, last_reason
from engine.bots.strong_qmg import StrongQmg
from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.qmg.ruleset import QMG
from play.bot_process import BotProcess
from play.bot_worker import BotAnswer, BotRequest, search_best
from play.games import NewGame, create_game
from play.local_session import LocalSession
from tests.engine.bots.test_lookahead import play_step, question_of
from tests.engine.random_games import derived
from tests.patience import PATIENCE
from tests.play.tables import First, toy_match
from tests.toy_game import BLUE, RED, Hold

UK = Role("uk")
STATE = play_step()
PYTHON = (sys.executable, "-c")


def ask(seconds: float, number: int = 1) -> BotRequest:
    position = msgspec.json.encode(known_position(QMG, STATE, UK))
    return BotRequest(
        number=number,
        player="one",
        bot="strong",
        game="qmg",
        role=UK,
        seconds=seconds,
        known=msgspec.Raw(position),
    )


class Slow(StrongQmg):
    """Yields the options in order, with a clock that advances by one second for each."""

    def __init__(self) -> None:
        super().__init__(derived("slow"))
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    @override
    def search(
        self, known: msgspec.Struct, role: Role, decision: Decision[Command]
    ) -> Iterator[Thought]:
        for number in range(100):
            yield Thought(decision.options[number % len(decision.options)], str(number))
            self.now += 1.0


@pytest.mark.parametrize(
    ("seconds", "last"),
    [
        pytest.param(0.0, "0", id="no-time"),
        pytest.param(1.0, "1", id="a-step-that-begins-in-time"),
        pytest.param(4.5, "4", id="no-step-that-would-end-too-late"),
        pytest.param(1_000.0, "99", id="no-more-thoughts"),
    ],
)
def test_search_ends_when_its_time_is_up(seconds: float, last: str) -> None:
    slow = Slow()
    assert search_best(slow, ask(seconds), clock=slow.clock).reason == last
    assert last_reason(slow) == last


def test_search_ends_when_interrupted() -> None:
    slow = Slow()
    assert search_best(slow, ask(9.0), lambda: slow.now > 1, slow.clock).reason == "2"


@contextmanager
def mind(seconds: float, *program: str, grace: float = PATIENCE) -> Iterator[BotProcess]:
    found = BotProcess(seconds, program, grace) if program else BotProcess(seconds, grace=grace)
    try:
        yield found
    finally:
        found.close()


@pytest.mark.full
async def test_bot_searches_in_a_separate_process() -> None:
    player = StrongQmg(derived("one"))
    with mind(0.05) as thinking:
        command = await thinking.choose(QMG, STATE, UK, player, "match")
        assert thinking._process is not None
        process = thinking._process
        assert command in question_of(STATE, UK).options
        assert thinking.pop_problem() == ""
    assert process.returncode is not None


@pytest.mark.full
async def test_bot_process_ignores_interrupt_and_quit_signals() -> None:
    player = StrongQmg(derived("one"))
    with mind(0.05) as thinking:
        await thinking.choose(QMG, STATE, UK, player, "match")
        process = thinking._process
        assert process is not None
        for key in (signal.SIGINT, signal.SIGQUIT):
            process.send_signal(key)
        command = await thinking.choose(QMG, STATE, UK, player, "match")
        assert command in question_of(STATE, UK).options
        assert thinking.pop_problem() == ""
        assert thinking._process is process


@pytest.mark.full
@pytest.mark.parametrize(
    ("program", "grace"),
    [
        pytest.param("", PATIENCE, id="dies"),
        pytest.param("import time; time.sleep(1000)", 0.05, id="hangs"),
        pytest.param(
            "import sys; from multiprocessing.connection import Connection as C\n"
            "c = C(int(sys.argv[1])); c.recv_bytes(); c.send_bytes(b'[]')",
            PATIENCE,
            id="talks-nonsense",
        ),
    ],
)
async def test_greedy_choice_replaces_a_failed_search_and_is_reported_once(
    program: str, grace: float
) -> None:
    player = StrongQmg(derived("one"))
    greedy = GreedyQmg(derived("one")).choose(QMG.project(STATE, UK), question_of(STATE, UK))
    with mind(0.0, *PYTHON, program, grace=grace) as thinking:
        assert await thinking.choose(QMG, STATE, UK, player, "match") == greedy
        assert thinking._process is None
        assert "could not look ahead" in thinking.pop_problem()
        assert await thinking.choose(QMG, STATE, UK, player, "match") == greedy
        assert thinking.pop_problem() == ""


@contextmanager
def process() -> Iterator[tuple["subprocess.Popen[bytes]", Connection]]:
    """Run the process in which bots think, with this end of its connection."""
    ours, theirs = multiprocessing.Pipe()
    with theirs:
        found = subprocess.Popen(
            [sys.executable, "-P", "-m", "play.bot_worker", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
        )
    try:
        yield found, ours
    finally:
        ours.close()
        found.kill()
        found.wait()


def test_bot_process_ends_with_the_program_even_during_a_search() -> None:
    with process() as (running, line):
        line.send_bytes(msgspec.json.encode(ask(0.0, 1)))
        assert line.poll(PATIENCE)
        answer = msgspec.json.decode(line.recv_bytes(), type=BotAnswer)
        assert (answer.number, answer.problem) == (1, "")
        line.send_bytes(msgspec.json.encode(ask(1_000.0, 2)))
        line.close()
        assert running.wait(PATIENCE) == 0


def test_bot_process_reports_an_error_and_continues() -> None:
    with process() as (_, line):
        broken = msgspec.structs.replace(ask(0.0, 1), known=msgspec.Raw(b"{}"))
        for each in (broken, ask(0.0, 2)):
            line.send_bytes(msgspec.json.encode(each))
            assert line.poll(PATIENCE)
            answer = msgspec.json.decode(line.recv_bytes(), type=BotAnswer)
            assert (answer.number, bool(answer.problem)) == (each.number, each is broken)


# -- at a table


class Waiting(BotProcess):
    """Lets a test do something while a bot thinks."""

    def __init__(self, session: LocalSession) -> None:
        super().__init__()
        self._session = session
        self.roles_to_move = 0

    @override
    async def choose(self, *args: object) -> Command:
        self.roles_to_move += 1
        if self.roles_to_move == 1:
            await self.meanwhile()
        return Hold()

    async def meanwhile(self) -> None:
        raise NotImplementedError


class TakenBack(Waiting):
    @override
    async def meanwhile(self) -> None:
        await self._session.negotiation.take_back()


class Trying(Waiting):
    @override
    async def meanwhile(self) -> None:
        await self._session.give(Hold())


async def test_answer_to_an_obsolete_question_is_dropped() -> None:
    session = LocalSession(toy_match(), {BLUE: First()})
    session._bot_process = thinking = TakenBack(session)
    await session.give(Hold())
    await session.commit()
    assert await session.advance()
    assert session.match.records[-1].kind == "takeback"
    assert thinking.roles_to_move == 1


async def test_bot_answer_waits_until_the_player_has_no_draft() -> None:
    session = LocalSession(toy_match(), {BLUE: First()})
    session._bot_process = thinking = Trying(session)
    before = session.seq
    assert session.waiting_for() == (RED, BLUE)
    assert not await session.advance()
    assert session.seq == before
    session.draft.undo()
    assert await session.advance()
    assert (session.seq, thinking.roles_to_move) == (before + 1, 1)


@pytest.mark.full
async def test_closing_a_session_ends_the_bot_process(tmp_path: Path) -> None:
    bots = dict.fromkeys(QMG.roles(QMG.initial_state()), "strong")
    session = create_game(NewGame(game="qmg", scenario="base", bots=bots), tmp_path / "one.fplog")
    session.set_bot_seconds(0.0)
    for _ in range(20):
        assert await session.advance()
    running = session._bot_process._process
    assert running is not None
    assert session.pop_problem() == ""
    await session.close()
    assert running.returncode is not None
