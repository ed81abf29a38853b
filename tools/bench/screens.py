"""Response times of the screens, measured on a pseudo-terminal."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from engine.eots.ruleset import EOTS
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, measure
from tools.bench.processes import KeyResponse, TerminalProgram, python_seconds
from tools.bench.records import long_game, sample_repeatedly, save

MENU: Final = "from tui.app.launch import launch\nraise SystemExit(launch())\n"
PLAY: Final = (
    "from tools.cli import main\nmain(['play', 'eots', '--scenario', '1943', '--hotseat'])\n"
)
PLAYBACK: Final = """
import asyncio
import os
from tui.app.launch import launch

os.environ["SSH_CONNECTION"] = "192.0.2.1 50000 192.0.2.2 22"

def first():
    from engine.bots.registry import create_bot
    from engine.eots.ruleset import EOTS
    from engine.kernel.dice import DerivedDice
    from play.local_session import LocalSession
    from saves.match import Match
    from tui.eots.presenter import EotsPresenter
    from tui.playback.controller import SECONDS
    from tui.screens.match.play import PlayScreen
    from tui.terminal.settings import Playback

    SECONDS[Playback.FAST] = 0.15
    secret = bytes(range(32))
    match = Match.create(EOTS, EOTS.position("1942", {}), "1942", {}, (), secret)
    chance = DerivedDice(secret, 1 << 20)
    bots = {role: create_bot("greedy", "eots", chance) for role in EOTS.roles(match.state)}

    class Watched(LocalSession):
        may_move = has_begun = False

        async def advance(self):
            is_begun = "offensive," in self.heading()
            if not self.may_move or self.has_begun and not is_begun:
                return False
            self.has_begun = is_begun
            return await super().advance()

    class Held(PlayScreen):
        BINDINGS = [("k", "let_move", "Let the others move")]

        def action_let_move(self):
            self.session.may_move = True
            self.run_bots()

    session = Watched(match, bots)
    def is_card_play():
        return any(EOTS.decision(match.state, one).rule == "4.22" for one in session.waiting_for())

    async def begin():
        while not is_card_play():
            await LocalSession.advance(session)
    asyncio.run(begin())
    return Held(session, EotsPresenter(EOTS))

raise SystemExit(launch(first))
"""
"""A program that plays back a greedy bot's first offensive when ``k`` is pressed."""
REPLAY: Final = "from tools.cli import main\nmain(['replay', {path!r}])\n"
HELP: Final = "from tools.cli import main\nmain(['verify', '--help'])\n"
MOVES: Final = (b"\x1b[C", b"\x1b[C", b"\x1b[B", b"\x1b[D", b"\x1b[A", b"\x1b[D")
"""Cursor keys: right, right, down, left, up, left."""
REPAINT: Final = b"\x0c"
OTHER_PANEL: Final = b"\t"
ENTER: Final = b"\r"
LET_OTHERS_MOVE_KEY: Final = b"k"
QUIT_KEY: Final = b"\x11"
_JUMPS: Final = (b">", b"(", b">", b"<")
"""Keys that jump to the end, back to the start of the last turn, to the end again, and to the beginning."""
WIDE_SIZE: Final = (200, 60)
TALL_SIZE: Final = (120, 40)
SMALL_SIZE: Final = (80, 24)
ROUNDS: Final = 20
STARTS: Final = 7
REPAINTS: Final = 10
JUMPS: Final = 10
REPLAYED: Final = 3_000
"""Number of records in the replayed game."""
_MENU_WORDS: Final = b"New game"
_GAME_WORDS: Final = b"Jan-Apr 43"
_TABLE_WORDS: Final = b"Decision"
_REPLAY_WORDS: Final = b"What happened"
_LIST_WORDS: Final = b"(Esc:"


def keys() -> Iterator[BenchmarkResult]:
    """Yield the time from a key press to the resulting frame, and the number of bytes per frame."""
    with TemporaryDirectory() as name:
        with _open_table(Path(name) / "wide", WIDE_SIZE) as screen:
            answers = _move_cursor(screen)
        yield measure(
            "key-to-frame", "ms", [answer.seconds * 1000 for answer in answers],
            f"{ROUNDS * len(MOVES)} arrow keys over the map at 200x60, set-up of 1943, from the key to the last"
            " byte of the frame on a pseudo terminal",
            BenchmarkTarget(first=50, aim=16, at=95),
        )  # fmt: skip
        with _open_table(Path(name) / "small", SMALL_SIZE) as screen:
            answers = _move_cursor(screen)
            repaints = [screen.press(REPAINT) for _ in range(REPAINTS)]
        yield measure(
            "bytes-per-move", "bytes", [len(answer.data) for answer in answers],
            f"{ROUNDS * len(MOVES)} arrow keys over the map at 80x24, set-up of 1943",
            BenchmarkTarget(first=2_000, aim=800, at=95),
        )  # fmt: skip
        yield measure(
            "bytes-per-repaint", "bytes", [len(answer.data) for answer in repaints],
            f"{REPAINTS} full repaints (Ctrl+L) at 80x24, set-up of 1943",
            BenchmarkTarget(first=30_000, aim=15_000, at=95),
        )  # fmt: skip
    yield from playback()


def playback() -> Iterator[BenchmarkResult]:
    """Yield the number of bytes written while a whole offensive is played back."""
    with TemporaryDirectory() as name:
        home = Path(name)
        settings = home / "config" / "flagplot" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"playback": "fast"}')
        with TerminalProgram(PLAYBACK, home, SMALL_SIZE) as screen:
            screen.seconds_until(_TABLE_WORDS)
            screen.read_until_quiet(2.0)
            answer = screen.press(LET_OTHERS_MOVE_KEY, quiet=2.0)
    yield measure(
        "bytes-per-playback", "bytes", [len(answer.data)],
        "a greedy player's first offensive of 1942 played back at 80x24 over SSH, 256 colours: card, activation,"
        " moves, battles",
        BenchmarkTarget(first=80_000, aim=40_000, at=95),
    )  # fmt: skip


def replay() -> Iterator[BenchmarkResult]:
    """Yield the time that a jump takes in the replay of a long game."""
    with TemporaryDirectory() as name:
        home = Path(name)
        path = save(long_game(EOTS, "short-campaign", REPLAYED), home / "long.fplog")
        with TerminalProgram(REPLAY.format(path=str(path)), home, TALL_SIZE) as screen:
            screen.seconds_until(_REPLAY_WORDS)
            screen.read_until_quiet(2.0)
            answers = [screen.press(key) for _ in range(JUMPS) for key in _JUMPS]
    assert all(answer.data for answer in answers), "a key caused no jump"
    yield measure(
        "replay-jump", "ms", [answer.seconds * 1000 for answer in answers],
        f"jumps to the end, the last turn and the beginning of a game of {REPLAYED:,} records at 120x40, from the key"
        " to the last byte of the frame on a pseudo terminal",
        BenchmarkTarget(first=150, aim=100, at=95),
    )  # fmt: skip


def _open_table(home: Path, size: tuple[int, int]) -> TerminalProgram:
    """Start a 1943 game on a terminal. Wait for the first frame, then focus the map."""
    screen = TerminalProgram(PLAY, home, size)
    screen.seconds_until(_GAME_WORDS)
    screen.read_until_quiet(2.0)
    screen.press(OTHER_PANEL)  # the list of options has the initial focus
    return screen


def _move_cursor(screen: TerminalProgram) -> list[KeyResponse]:
    """Move the cursor over the map with arrow keys and return the output."""
    answers = [screen.press(key) for _ in range(ROUNDS) for key in MOVES]
    assert all(answer.data for answer in answers), "the keys did not reach the map"
    return answers


def start() -> Iterator[BenchmarkResult]:
    """Yield the times to the first frame of the menu and of a game, and the time to show the help for `verify`."""
    with TemporaryDirectory() as name:
        folders = iter(range(1_000))

        def seconds_to_text(code: str, words: bytes) -> float:
            with TerminalProgram(code, Path(name) / str(next(folders)), SMALL_SIZE) as screen:
                return screen.seconds_until(words)

        yield measure(
            "first-frame", "s", sample_repeatedly(STARTS, lambda: seconds_to_text(MENU, _MENU_WORDS)),
            "from starting the interpreter to the menu on a pseudo terminal of 80x24",
            BenchmarkTarget(first=1.0, aim=0.4, at=95),
        )  # fmt: skip
        yield measure(
            "first-frame-of-a-game", "s", sample_repeatedly(STARTS, lambda: seconds_to_text(PLAY, _GAME_WORDS)),
            "from starting the interpreter to the map of a new 1943 game, 80x24; first game of an account",
            BenchmarkTarget(first=1.0, aim=0.4, at=95),
        )  # fmt: skip
        home = Path(name) / "again"
        with _open_table(home, SMALL_SIZE) as screen:
            screen.press(QUIT_KEY)
            screen.read_until_quiet()

        def seconds_to_resume(keys: bytes, words: bytes) -> float:
            with TerminalProgram(PLAY, home, SMALL_SIZE) as screen:
                screen.type(keys)
                return screen.seconds_until(words)

        yield measure(
            "first-frame-again", "s", sample_repeatedly(STARTS, lambda: seconds_to_resume(b"", _GAME_WORDS)),
            "the same for the next game of an account: the cached map, shown while the rules load",
            BenchmarkTarget(first=0.3, aim=0.2, at=95),
        )  # fmt: skip
        yield measure(
            "first-key", "s", sample_repeatedly(STARTS, lambda: seconds_to_resume(ENTER, _LIST_WORDS)),
            "the same, until the response to a key that was typed immediately",
            BenchmarkTarget(first=1.0, aim=0.4, at=95),
        )  # fmt: skip
    yield measure(
        "verify-help", "s", sample_repeatedly(15, lambda: python_seconds(HELP)),
        "`flagplot verify --help` in a fresh interpreter", BenchmarkTarget(first=0.3, aim=0.12, at=95),
    )  # fmt: skip
