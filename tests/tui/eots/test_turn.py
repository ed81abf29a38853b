"""A whole turn of Empire of the Sun played only with keys, and one only in line mode."""

from pathlib import Path
from typing import Any

import pytest

from engine.eots.view import EotsView
from engine.kernel.ids import Role
from play import games
from play.local_session import LocalSession
from saves.match import Match
from tests.tui.apps import app
from tui.console.game import PlainGame
from tui.eots.presenter import EotsPresenter
from tui.screens.dialogs.prompt import ConfirmDialog
from tui.screens.match.play import PlayScreen

NEW = games.NewGame(game="eots", scenario="1943", bots={Role("japan"): "random"})


def _turn(session: LocalSession) -> int:
    view = session.view()
    assert isinstance(view, EotsView)
    return view.turn


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalSession:
    monkeypatch.setattr(games, "new_secret", lambda: bytes(range(32)))
    return games.create_game(NEW, tmp_path / "game.fplog")


@pytest.mark.full
async def test_turn_is_played_by_keys_alone(session: LocalSession, tmp_path: Path) -> None:
    screen = PlayScreen(session, EotsPresenter(session.ruleset))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        first = _turn(session)
        for press in range(400):
            if _turn(session) != first or session.outcome() is not None:
                break
            if session.decision() is None:
                await pilot.press("c")
            elif screen.panel.rows.highlighted is None:
                await pilot.press("1")  # each answer is final, so "d" chooses none
            elif press % 3 == 2:
                await pilot.press("D")  # if the step can end: the bar may be on a barred line
            elif press % 3:
                await pilot.press("d")
            else:
                await pilot.press("p", "d")
            await pilot.pause()
            if isinstance(program.screen, ConfirmDialog):
                await pilot.press("y")
            await program.workers.wait_for_complete()
        assert _turn(session) > first or session.outcome() is not None
    again: Match[Any] = Match.resume(tmp_path / "game.fplog")
    assert again.seq > 5
    again.close()


@pytest.mark.full
async def test_turn_is_played_in_line_mode(session: LocalSession) -> None:
    first = _turn(session)
    printed: list[str] = []
    asked = 0

    async def read(prompt: str) -> str:
        nonlocal asked
        asked += 1
        printed.append(prompt)
        if asked > 600 or _turn(session) != first or session.outcome() is not None:
            raise EOFError
        if session.decision() is None:
            return "commit"
        if "Repeat the command to confirm" in "".join(printed[-2:-1]):
            return "done"
        return ("1", "2", "map", "done", "hand", "page T", "1")[asked % 7]

    await PlainGame(session, EotsPresenter(session.ruleset), read, printed.append).run()
    assert _turn(session) > first or session.outcome() is not None
    text = "\n".join(printed)
    assert "\x1b" not in text
    assert "Offensives" in text
    await session.close()


@pytest.mark.full
async def test_place_lookup_in_line_mode_works_when_no_hex_is_asked_for(
    session: LocalSession,
) -> None:
    lines, printed = ["hex 4423", "hex guad", "quit"], list[str]()

    async def read(prompt: str) -> str:
        printed.append(prompt)
        return lines.pop(0)

    await PlainGame(session, EotsPresenter(session.ruleset), read, printed.append).run()
    text = "\n".join(printed)
    assert text.count("4423 Guadalcanal") >= 2
    assert "Not now" not in text
