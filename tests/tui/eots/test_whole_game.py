"""A game of 1943 played only with keys, and the same commands in line mode, give the same record (S9)."""

import re
from pathlib import Path

import pytest

from engine.bots.random_player import RandomPlayer
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from play.local_session import LocalSession
from saves.codec import AnyGame
from saves.entries import decode_command
from saves.logfile import LogWriter, read_log
from saves.match import Match
from tests.saves.play import SECRET, new_eots
from tests.sizes import chosen, sized
from tests.tui.apps import app
from tests.tui.hostile import is_clean
from tui.console.game import PlainGame
from tui.eots.presenter import EotsPresenter
from tui.screens.dialogs.prompt import ConfirmDialog
from tui.screens.match.play import PlayScreen

ALLIED, JAPAN = Role("allied"), Role("japan")
MOST_PRESSES = sized(0, 1_500, of="presses of keys at most")
"""Enough for a whole game, or for the beginning of one."""
RULES: AnyGame = EOTS


def table(path: Path) -> LocalSession:
    """Return a game against a bot that always answers the same question in the same way."""
    match: Match[State] = new_eots(LogWriter.create(path))
    return LocalSession(match, {JAPAN: RandomPlayer(DerivedDice(SECRET, 1 << 20))}, ALLIED)


async def by_keys(folder: Path) -> Path:
    path = folder / "keys.fplog"
    session = table(path)
    program = app(folder, PlayScreen(session, EotsPresenter(EOTS)))
    async with program.run_test(size=(80, 24)) as pilot:
        for press in range(MOST_PRESSES):
            if session.outcome() is not None:
                break
            keys = ("c",) if session.decision() is None else ("p", "d") if press % 4 else ("d",)
            await pilot.press(*keys)
            await pilot.pause()
            if isinstance(program.screen, ConfirmDialog):
                await pilot.press("y")
            await program.workers.wait_for_complete()
    await session.close()
    return path


async def by_lines(folder: Path, lines: list[str]) -> tuple[Path, list[str]]:
    path = folder / "lines.fplog"
    session = table(path)
    left, printed, given = iter(lines), list[str](), ""

    async def read(prompt: str) -> str:
        nonlocal given
        is_doubted = printed[-1].endswith("Repeat the command to confirm.")
        printed.append(prompt)
        if session.decision() is None:
            return "commit"
        if not is_doubted:
            given = next(left, "")
        if not given:
            raise EOFError
        return given

    await PlainGame(session, EotsPresenter(EOTS), read, printed.append).run()
    assert next(left, None) is None
    await session.close()
    return path, printed


@pytest.mark.full
@pytest.mark.series("S9")
async def test_s9_keys_and_lines_write_the_same_record(tmp_path: Path) -> None:
    keys = await by_keys(tmp_path)
    records = read_log(keys).records
    commands = [
        decode_command(EOTS, record.command)
        for record in records
        if record.role == ALLIED and record.command is not None
    ]
    lines = [RULES.notation.line(command) for command in commands if command is not None]
    assert len(lines) > 20
    path, printed = await by_lines(tmp_path, lines)
    assert read_log(path).records[-1].chain == records[-1].chain
    is_over = records[-1].kind == "reveal"
    assert is_over or chosen() == "quick"
    assert any(" victory, " in line for line in printed) is is_over
    for line in "\n".join(printed).split("\n"):  # only text: no colour and no cursor
        assert is_clean(line) or "  " in line
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line)
