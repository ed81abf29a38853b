"""Enter on a list that the player has not touched never commits, never gives anything up, and never asks."""

import random
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from engine.bots.player import Player
from engine.kernel.ids import Role
from play import games
from play.bots import create_seat_bot
from play.choices import Choice
from play.controller import Frontend, GameController
from play.local_session import LocalSession
from tests.sizes import sampled, sized
from tests.tui.apps import app
from tui.presenter.presenter import Presenter, load_presenter
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.match.play import PlayScreen
from tui.terminal.settings import Playback, Settings
from tui.widgets.lists.choice_lines import initial_row

T = TypeVar("T")
QUESTIONS = sized(40, 700, of="questions of a game")
PLAYERS = (
    ("eots", "1943", "greedy"),
    ("eots", "1942", "random"),
    ("qmg", "total-war", "greedy"),
    ("qmg", "base", "random"),
    ("cbps", "2", "greedy"),
    ("cbps", "5", "random"),
)


class _Silent:
    """A frontend that notes what it is asked, and says no."""

    def __init__(self) -> None:
        self.questions: list[str] = []

    async def confirm(self, question: str, about: object) -> bool:
        del about
        self.questions.append(question)
        return False

    async def deliver(self, request: Coroutine[Any, Any, T]) -> T:
        return await request

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_args, **_kwargs: None


async def _press_enter(controller: GameController, lines: tuple[Choice, ...]) -> str:
    """Take the initial row of a list, and of the lists that it opens. Return the title of the line that was given."""
    row = initial_row(lines, controller.is_safe)
    if row is None:
        return ""
    line = lines[row]
    if line.is_heading:
        return await _press_enter(controller, line.children)
    await controller.choose(line)
    return line.title


def _session(folder: Path, game: str, scenario: str) -> LocalSession:
    new = games.NewGame(game=game, scenario=scenario)
    return games.create_game(new, folder / f"{game}.fplog")


@pytest.mark.parametrize(("game", "scenario", "bot"), sampled(PLAYERS, 3))
async def test_enter_is_safe_at_every_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, scenario: str, bot: str
) -> None:
    monkeypatch.setattr(games, "new_secret", lambda: bytes(range(32)))
    session = _session(tmp_path, game, scenario)
    texts: Presenter = load_presenter(session.ruleset)
    player: Player = create_seat_bot(bot, game)
    silent = _Silent()
    frontend: Frontend = silent  # type: ignore[assignment]  # it answers every other call alike
    controller = GameController(session, texts, frontend, takes_only_option=False)
    safe_count = 0
    for _ in range(QUESTIONS):
        waiting = session.ruleset.active_roles(session.match.state)
        if not waiting:
            break
        role = random.Random(session.seq).choice(waiting)
        if session.role != role:
            session.switch_role(role)
        controller.update()
        decision, seq = controller.question.decision, session.seq
        if decision is not None and len(decision.options) > 1:
            losses = {
                line.command
                for line in controller.lines
                if line.command is not None
                and texts.consequence(controller.view, line.command, decision.options).loss
            }
            title = await _press_enter(controller, controller.lines)
            entries = [entry for entry in session.draft.entries if not entry.is_automatic]
            given = [entry.command for entry in entries]
            assert session.seq == seq, (title, "commits")
            assert not silent.questions, (title, "gives something up")
            assert losses.isdisjoint(given), (title, "gives something up")
            assert all(command in decision.options for command in given), (title, "at any time")
            safe_count += bool(title)
            while session.draft.commands:
                session.draft.undo()
        view = session.ruleset.project(session.match.state, role)
        session.submit(
            role, player.choose(view, session.ruleset.decision(session.match.state, role))
        )
    assert safe_count, "the bar starts on a line wherever it may"


@pytest.mark.full
async def test_no_line_is_highlighted_when_each_answer_is_final(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Discard step can only end the turn or throw a card away: Enter does neither, a digit or D ends it."""
    monkeypatch.setattr(games, "new_secret", lambda: bytes(range(32)))
    bots = dict.fromkeys(map(Role, ("uk", "japan", "ussr", "italy", "usa")), "random")
    new = games.NewGame(game="qmg", scenario="base", bots=bots, seat=Role("germany"))
    session = games.create_game(new, tmp_path / "game.fplog")
    screen = PlayScreen(session, load_presenter(session.ruleset))
    quiet = Settings(reduced_motion=True, news=False, playback=Playback.OFF)
    program = app(tmp_path, screen, settings=quiet)
    async with program.run_test(size=(80, 24)) as pilot:

        async def press(key: str) -> None:
            await pilot.press(key)
            await program.workers.wait_for_complete()
            await pilot.pause()

        for _ in range(20):
            decision = session.decision()
            if decision is not None and decision.rule == "8.4":
                break
            await press("enter")
        assert decision is not None
        assert decision.rule == "8.4"
        seq, drafted = session.seq, session.draft.commands
        assert screen.panel.rows.under_bar is None
        for _ in range(3):
            await press("enter")
        assert (session.seq, session.draft.commands) == (seq, drafted)
        assert not isinstance(program.screen, SureDialog)
        await press("down")
        assert screen.panel.rows.highlighted == 0
        await press("up")
        await press("1")
        assert session.seq > seq
