"""A whole turn of Quartermaster General played only with keys, and one only in line mode, in both scenarios."""

from pathlib import Path
from typing import Any

import pytest

from engine.kernel.ids import Role
from engine.qmg.view import QmgView
from play import games
from play.local_session import LocalSession
from saves.match import Match
from tests.sizes import sampled
from tests.tui.apps import app
from tui.console.game import PlainGame
from tui.presenter.presenter import load_presenter
from tui.screens.dialogs.prompt import ConfirmDialog
from tui.screens.match.play import PlayScreen

SCENARIOS = ["base", "total-war"]


def _view(session: LocalSession) -> QmgView:
    view = session.view()
    assert isinstance(view, QmgView)
    return view


def _round(session: LocalSession) -> int:
    return _view(session).round


@pytest.fixture(params=sampled(SCENARIOS, 1))
def session(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> LocalSession:
    monkeypatch.setattr(games, "new_secret", lambda: bytes(range(32)))
    others = ("uk", "japan", "ussr", "italy", "usa")
    new = games.NewGame(
        game="qmg",
        scenario=request.param,
        bots=dict.fromkeys(map(Role, others), "random"),
        seat=Role("germany"),
    )
    return games.create_game(new, tmp_path / "game.fplog")


@pytest.mark.full
async def test_turn_is_played_by_keys_alone(session: LocalSession, tmp_path: Path) -> None:
    screen = PlayScreen(session, load_presenter(session.ruleset))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        for press in range(400):
            if _round(session) > 1 or session.outcome() is not None:
                break
            if session.decision() is None:
                await pilot.press("c")
            elif press % 4 == 3:
                await pilot.press("tab", "right", "enter", "n", "d")
            else:
                await pilot.press("n", "d")
            await pilot.pause()
            if isinstance(program.screen, ConfirmDialog):
                await pilot.press("y")
            await program.workers.wait_for_complete()
        assert _round(session) > 1 or session.outcome() is not None
    again: Match[Any] = Match.resume(tmp_path / "game.fplog")
    assert again.seq > 10
    again.close()


async def test_turn_is_played_in_line_mode(session: LocalSession) -> None:
    printed: list[str] = []
    asked = 0

    async def read(prompt: str) -> str:
        nonlocal asked
        asked += 1
        printed.append(prompt)
        if asked > 600 or _round(session) > 1 or session.outcome() is not None:
            raise EOFError
        if session.decision() is None:
            return "commit"
        pick = str(1 + asked // 8 % 5)
        lines = (pick, "map", "1", "hex ukr", "hand", "page f", "rules 7.1", "find moscow")
        return lines[asked % len(lines)]

    await PlainGame(session, load_presenter(session.ruleset), read, printed.append).run()
    assert _round(session) > 1 or session.outcome() is not None
    text = "\n".join(printed)
    assert "\x1b" not in text
    for words in ("Play step", "[GER*]", "Ukraine (UKR), land", "Build Army", "Cards on the table"):
        assert words in text
    await session.close()


@pytest.mark.full
async def test_withdrawing_a_piece_asks_for_confirmation(
    session: LocalSession, tmp_path: Path
) -> None:
    screen = PlayScreen(session, load_presenter(session.ruleset))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        for _ in range(40):
            if any(line.is_any_time for line in screen.panel.shown_choices):
                break
            await pilot.press(*(("n", "d") if session.decision() is not None else ("c",)))
            await pilot.pause()
            await program.workers.wait_for_complete()
        withdraw = next(line for line in screen.panel.shown_choices if line.is_any_time).children[0]
        assert withdraw.title == "Withdraw the German Army from Germany"
        await pilot.press("p", "d", "d")
        await pilot.pause()
        assert program.screen is screen, "the bar is on no line: d does not withdraw a piece"
        await pilot.press("n", "d")
        await pilot.pause()
        assert isinstance(program.screen, ConfirmDialog)
        await pilot.press("n")
        await pilot.pause()
        assert "germany" in _view(session).pieces["germany"].army
        await pilot.press("d")
        await pilot.pause()
        await pilot.press("y")
        await pilot.pause()
        await program.workers.wait_for_complete()
        if session.draft.commands:
            await pilot.press("c")
            await pilot.pause()
            await program.workers.wait_for_complete()
        assert "germany" not in _view(session).pieces
