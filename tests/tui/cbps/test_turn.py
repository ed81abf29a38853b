"""Carrier Battle played only with keys and only in line mode, and a replayed record."""

from pathlib import Path

import pytest

from engine.cbps.commands import Done, Launch
from engine.cbps.prose.names import display_name
from engine.cbps.view import CbpsView
from play import games
from play.choices import OptionState
from play.local_session import LocalSession
from play.questions import build_question
from play.replay_session import ReplaySession
from tests.tui.apps import app, reached
from tests.tui.cbps.battles import PRESENTER, US
from tui.console.game import PlainGame
from tui.screens.dialogs.prompt import ConfirmDialog
from tui.screens.match.play import PlayScreen
from tui.screens.reference.page import PageScreen
from tui.screens.replay.replay import ReplayScreen
from tui.screens.table.board_panel import BoardScreen
from tui.widgets.lines import Lines


def view_of(session: LocalSession | ReplaySession) -> CbpsView:
    view = session.view()
    assert isinstance(view, CbpsView)
    return view


def begun(scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalSession:
    monkeypatch.setattr(games, "new_secret", lambda: bytes(range(32)))
    new = games.NewGame(game="cbps", scenario=scenario, bots={}, seat=US)
    return games.create_game(new, tmp_path / "game.fplog")


@pytest.mark.full
@pytest.mark.parametrize("scenario", ["1", "2"])
async def test_scenario_is_played_by_keys_alone(
    scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begun(scenario, tmp_path, monkeypatch)
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        for press in range(300):
            if session.outcome() is not None:
                break
            if session.decision() is None:
                await pilot.press("c")
            elif screen.panel.rows.highlighted is None:
                await pilot.press("1")  # each answer is final, so Enter chooses none
            elif press % 3 == 1:
                await pilot.press("k", "D")
            else:
                await pilot.press("G" if press % 3 else "enter")
            await pilot.pause()
            if isinstance(program.screen, ConfirmDialog):
                await pilot.press("y")  # fuel is used, or a strike stays aloft
                await pilot.pause()
            if isinstance(program.screen, BoardScreen):
                await pilot.press("escape")
            await program.workers.wait_for_complete()
        assert session.outcome() is not None
        assert screen.panel.words.startswith(("US victory, ", "Japanese victory, ", "Draw, "))


@pytest.mark.full
async def test_3_1_reports_are_beside_the_log_and_open_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begun("1", tmp_path, monkeypatch)
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(120, 40)) as pilot:
        await reached(pilot, lambda: view_of(session).segment == "us-air-movement")
        await pilot.press("escape", "k", "D", "c", "escape")
        await reached(pilot, lambda: view_of(session).segment == "operations")
        await pilot.press("k", "D", "c", "escape")
        await reached(pilot, lambda: view_of(session).phase == 3)
        await reached(pilot, lambda: bool(screen._report_lines))
        assert "Raid I flies over" in screen.query_one("#seen", Lines).text
        assert "CAP 58.1     2 F6F" in screen.query_one("#dock", Lines).text
        await pilot.press("B")
        await reached(pilot, lambda: isinstance(program.screen, PageScreen))


@pytest.mark.full
async def test_two_phases_are_played_in_line_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begun("1", tmp_path, monkeypatch)
    printed: list[str] = []
    lines = iter(
        ["help", "fly intercept-1 1110", "hand", "hex 58.1", "page f", "find guam", "map 1109", "?"]
        + ["1", "commit", "done", "commit"] * 6
        + ["quit"]
    )

    async def read(prompt: str) -> str:
        return next(lines)

    await PlainGame(session, PRESENTER, read, printed.append).run()
    text = "\n".join(printed)
    assert "Raid I: 9 points, at 1214, against TG 58.1, 5 hexes away, there 1050/1 day" in text
    assert "Move the air missions (US Air Movement) (4.4)" in text
    assert "TG 58.1 at 1109, CAP 2/3, with TF 58" in text
    assert "Intercept 1: 2 F6F, CAP of TG 58.1, no fuel used" in text
    assert "1407  Guam 1407" in text
    assert "hand        the situation: clock, fleet, flights, the enemy" in text
    assert "hex 1109    describe a place on the map" in text
    assert "cards" not in text, "there are none"
    assert all(line.isascii() for line in printed)


@pytest.mark.full
async def test_record_is_replayed_from_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begun("1", tmp_path, monkeypatch)
    for _ in range(4):
        decision = session.decision()
        assert decision is not None
        await session.give(decision.options[0])
        if session.draft.commands:
            await session.commit()
    await session.close()
    replay = ReplaySession.open(tmp_path / "game.fplog")
    screen = ReplayScreen(replay, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(120, 40)) as pilot:
        for _ in range(3):
            await pilot.press("right_square_bracket")
        assert replay.seq > 1
        await pilot.press("k")
        await reached(pilot, lambda: isinstance(program.screen, BoardScreen))
        front = program.screen
        assert isinstance(front, BoardScreen)
        assert not front.panel.view.board.actions
        await pilot.press("c", "u", "enter", "escape")
        await reached(pilot, lambda: program.screen is screen)
        await pilot.press("less_than_sign")
        assert view_of(replay).phase == 2


async def test_one_key_ends_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begun("1", tmp_path, monkeypatch)
    program = app(tmp_path, PlayScreen(session, PRESENTER))
    async with program.run_test(size=(120, 40)) as pilot:
        await pilot.press("escape", "D")
        await program.workers.wait_for_complete()
        await pilot.pause()
        assert view_of(session).segment == "operations"


async def test_list_headings_are_updated_after_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begun("1", tmp_path, monkeypatch)
    while not any(isinstance(one, Launch) for one in session.offered_commands()):
        if session.decision() is None:
            await session.commit()
        else:
            await session.give(
                next(one for one in session.offered_commands() if isinstance(one, Done))
            )
    launch = next(one for one in session.offered_commands() if isinstance(one, Launch))
    before = build_question(session, PRESENTER, session.view())
    await session.give(launch)
    after = build_question(session, PRESENTER, session.view())
    assert before.key == after.key
    new = f"a new intercept, {display_name(launch.mission)}"  # a box to launch into, or for CAP
    told = [one for line in after.lines for one in (line, *line.children)]
    groups = {one.group for one in told if one.group}
    groups |= {one.title for one in told if one.state is not OptionState.TICKED}
    assert any(new in words for line in before.lines for words in (line.title, line.group))
    assert not any(new in words for words in groups)
