"""The table of a guided lesson: its card, its keys, and a lesson played only with keys."""

import asyncio
from pathlib import Path

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from engine import registry
from engine.kernel.ruleset import Command
from play.lesson import Lesson, LessonStepKind, load_lesson
from play.lesson_session import LessonSession
from play.lesson_store import begin_lesson, play_on
from play.local_session import LocalSession
from tests.play.test_lesson import lesson_texts, taught, walk
from tests.sizes import sampled, sized
from tests.tui.apps import app, reached
from tui.console.lesson import PlainLesson
from tui.presenter.player_labels import waiting_text
from tui.presenter.presenter import load_presenter
from tui.screens.match.lesson import POINTER, LessonCard, LessonScreen
from tui.screens.match.play import PlayScreen
from tui.screens.reference.page import PageScreen
from tui.terminal.output_filter import to_ascii
from tui.terminal.settings import Playback, Settings

GAMES = pytest.mark.parametrize("game", registry.games())
MENU = "or q for the menu."
"""The end of what the card says after the last step."""
LINES = 7
"""Maximum number of lines on a card: the map keeps half of the smallest screen."""
INSIDE = 78
"""Number of columns of a card on the smallest screen."""


def screen_of(session: LessonSession) -> LessonScreen:
    return LessonScreen(session, load_presenter(session.ruleset))


def part(screen: LessonScreen, name: str) -> Static:
    return screen.query_one(LessonCard).query_one(f".{name}", Static)


async def settle(pilot: Pilot[int]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def height(text: str) -> int:
    return Content(text).get_height({}, INSIDE)


@GAMES
def test_every_lesson_card_leaves_half_of_the_smallest_screen_to_the_map(game: str) -> None:
    session = begin_lesson(load_lesson(game))
    presenter = load_presenter(session.ruleset)
    session.format_command = lambda command: presenter.label(session.view(), command)
    told: list[str] = []

    async def look() -> None:
        while session.step is not None:
            before = session.step_index, len(session.draft.commands)
            todo = session.instruction()
            assert height(f"{POINTER} {todo}") <= 2
            if height(session.text) + height(f"{POINTER} {todo}") > LINES - 1:
                told.append(session.text)
            await walk(session, session.step_index + 1)
            if (session.step_index, len(session.draft.commands)) == before:
                await session.commit()

    asyncio.run(look())
    assert told == []


async def take(pilot: Pilot[int], screen: LessonScreen, command: Command) -> None:
    """Go to the line of a command and choose it, using only keys."""
    is_heading = True
    if not screen.panel.has_keys:
        await pilot.press("tab")
    while is_heading:
        lines = screen.panel.shown_choices
        row = next(row for row, line in enumerate(lines) if command in line.commands())
        is_heading = lines[row].is_heading
        await pilot.press("home", *["down"] * row, "enter")
        await settle(pilot)


async def test_lesson_is_played_by_keys_alone(tmp_path: Path) -> None:
    session = begin_lesson(load_lesson("qmg"))
    most = sized(4, len(session.lesson.steps))
    screen = screen_of(session)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        while session.step_index < most and (step := session.step) is not None:
            card = screen.query_one(LessonCard)
            assert card.region.bottom <= 22
            assert str(part(screen, "text").visual) == session.with_key_names(session.text)
            assert str(part(screen, "do").visual) == f"{POINTER} {session.instruction()}"
            match step.kind:
                case LessonStepKind.TELL:
                    await pilot.press("space")
                case LessonStepKind.PRESS:
                    at = session.step_index
                    await pilot.press(screen.key_of(step.action))
                    await reached(pilot, lambda at=at: session.step_index > at)  # type: ignore[misc]  # one of each round
                    if isinstance(program.screen, PageScreen):
                        await pilot.press("escape")
                case LessonStepKind.COMMIT:
                    await pilot.press("c")
                case LessonStepKind.GIVE:
                    await take(pilot, screen, session.expected_commands[0])
            await settle(pilot)
        is_over = session.step is None
        assert is_over is (MENU in str(part(screen, "do").visual))
        assert session.step_index >= most


@pytest.mark.full
async def test_wrong_command_is_answered_on_the_card_and_loses_nothing(tmp_path: Path) -> None:
    session = taught()
    screen = screen_of(session)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        parse = session.ruleset.notation.parse
        await take(pilot, screen, parse("play de_land_battle#1"))
        assert str(part(screen, "no").visual) == "! Not yet. First:"
        assert part(screen, "no").display
        assert not session.draft.commands
        await take(pilot, screen, parse("play de_build_army#1"))
        assert session.draft.commands
        assert not part(screen, "no").display
        await pilot.press("u")
        await settle(pilot)
        assert session.step_index == 0
        await pilot.press("ctrl+z", "y")
        await settle(pilot)
        assert session.seq == 0


@pytest.mark.full
async def test_key_step_waits_and_can_be_skipped(tmp_path: Path) -> None:
    session = taught()
    screen = screen_of(session)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for line in ("play de_build_army#1", "build germany army western_europe"):
            await take(pilot, screen, session.ruleset.notation.parse(line))
        assert str(part(screen, "do").visual) == f"{POINTER} Press h."
        await pilot.press("space")
        await settle(pilot)
        assert "skip it" in str(screen.query_one(".status", Static).render())
        at = session.step_index
        await pilot.press("enter")
        await settle(pilot)
        assert session.step_index == at + 1
        await take(pilot, screen, session.ruleset.notation.parse("done"))
        assert "The others." in str(part(screen, "text").visual)
        await pilot.click("#lesson")
        await reached(pilot, lambda: session.step is None)


@pytest.mark.full
async def test_playback_is_shown_before_the_lesson_card_changes(tmp_path: Path) -> None:
    session = taught()
    screen = screen_of(session)
    settings = Settings(playback=Playback.SLOW)
    async with app(tmp_path, screen, settings=settings).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await walk(session, 4)
        screen.show_question()
        await pilot.pause()
        before = str(part(screen, "text").visual)
        assert session.mark_read()
        screen.run_bots()
        await reached(pilot, lambda: screen.is_playing_back)
        assert session.step is None
        assert "Space shows the next step" in str(part(screen, "do").visual)
        assert str(part(screen, "text").visual) == before
        await pilot.press("enter")
        await reached(pilot, lambda: MENU in str(part(screen, "do").visual))


@pytest.mark.full
async def test_map_and_list_point_to_the_next_choice(tmp_path: Path) -> None:
    session = begin_lesson(load_lesson("qmg"))
    screen = screen_of(session)
    india = next(
        place for place, step in enumerate(session.lesson.steps) if "in India" in step.instruction
    )
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await walk(session, india)
        screen.show_question()
        await settle(pilot)
        await pilot.press("tab" if screen.panel.has_keys else "escape")
        await settle(pilot)
        assert screen.map.cursor == "india"
        rows = screen.panel.rows
        shown = ["".join(piece.text for piece in rows.render_line(y)) for y in range(3)]
        assert any(POINTER in line and "India" in line for line in shown)
        assert to_ascii(POINTER) == ">"


@pytest.mark.full
@GAMES
async def test_expected_line_is_visible_at_every_step(tmp_path: Path, game: str) -> None:
    session = begin_lesson(load_lesson(game))
    screen = screen_of(session)
    missing: list[str] = []
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        while session.step is not None:
            is_asked = session.step.role == session.lesson.learner
            if (
                session.step.kind is LessonStepKind.GIVE
                and is_asked
                and not await session.advance()
            ):
                screen.show_question()
                await settle(pilot)
                rows = screen.panel.rows
                shown = (rows.render_line(y) for y in range(rows.size.height))
                if not any(POINTER in "".join(one.text for one in line) for line in shown):
                    missing.append(f"{session.step_index + 1}: {session.step.instruction}")
            before = session.step_index, len(session.draft.commands)
            await walk(session, session.step_index + 1)
            if (session.step_index, len(session.draft.commands)) == before:
                await session.commit()
    assert missing == []


@pytest.mark.full
@pytest.mark.parametrize("game", sampled(("eots", "qmg", "cbps"), 1))
def test_every_key_of_a_lesson_exists_on_its_table(tmp_path: Path, game: str) -> None:
    told: Lesson = load_lesson(game)
    actions = {step.action for step in told.steps if step.action}
    for text in lesson_texts(told):
        actions |= {part.partition("}")[0] for part in text.split("{")[1:]}
    screen = screen_of(begin_lesson(told))

    async def keys() -> set[str]:
        async with app(tmp_path, screen).run_test(size=(80, 24)):
            return {action for action in actions if screen.key_of(action) == action}

    assert actions
    assert asyncio.run(keys()) == set()


@pytest.mark.parametrize("game", sampled(("qmg", "eots", "cbps"), 1))
def test_lesson_is_played_in_line_mode(game: str) -> None:
    session = begin_lesson(load_lesson(game))
    said: list[str] = []

    async def read(prompt: str) -> str:
        del prompt
        step = session.step
        if step is None:
            return "play"
        if step.kind is LessonStepKind.GIVE:
            return session.ruleset.notation.line(session.expected_commands[0])
        words = {
            LessonStepKind.TELL: "",
            LessonStepKind.COMMIT: "commit",
            LessonStepKind.PRESS: session.key_of(step.action),
        }
        return words[step.kind].strip("'")

    presenter = load_presenter(session.ruleset)
    lesson = PlainLesson(session, presenter, read, said.append, "")
    asyncio.run(lesson.run())
    assert session.step is None
    assert said[-2:] == [
        "The lesson is complete.",
        "-> Type 'play' to play on from here, or press Enter to leave.",
    ]
    assert lesson.plays_on
    assert any(line.startswith("-> Choose: ") for line in said)
    number, total = session.card_position
    assert number == total


@pytest.mark.full
@pytest.mark.parametrize("game", sampled(("cbps", "eots", "qmg"), 1))
async def test_game_continues_after_the_lesson(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    session = begin_lesson(load_lesson(game))
    await walk(session, len(session.lesson.steps))
    assert session.step is None
    screen = screen_of(session)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "Press Space to play on from here" in str(part(screen, "do").render())
        learned = session.view()
        await pilot.press("space")
        await reached(pilot, lambda: program.screen is not screen)
        await settle(pilot)
        table = program.screen
        assert isinstance(table, PlayScreen)
        assert not isinstance(table, LessonScreen)
        played = table.session
        assert played.role == session.lesson.learner
        assert played.records.last_own_seq() >= 0
        assert isinstance(played, LocalSession)
        first = played.match.records[: session.seq + 1]
        assert [record.command for record in first] == [
            record.command for record in session.match.records
        ]
        assert [record.events for record in first] == [
            record.events for record in session.match.records
        ], "the same dice"
        assert set(played.bots) == set(session.match.ruleset.roles(session.match.state)) - {
            session.lesson.learner
        }
        assert played.record_path is not None
        again = play_on(session, played.record_path.parent)
        assert again.record_path != played.record_path
        assert again.view() == learned
        await again.close()


async def test_a_card_names_a_unit_as_the_list_does_and_no_bot_seems_to_think(
    tmp_path: Path,
) -> None:
    session = begin_lesson(load_lesson("eots"))
    screen = screen_of(session)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        steps = session.lesson.steps
        line_of = session.ruleset.notation.line
        lines = [line_of(step.command) if step.command else "" for step in steps]
        await walk(session, lines.index("pick us-cv-enterprise"))
        assert session.instruction() == "Choose: CV Enterprise."
        while session.waiting_for() == (session.lesson.learner,):
            await walk(session, session.step_index + 1)
        assert session.step is not None
        assert session.step.kind is LessonStepKind.TELL
        waiting = waiting_text(session, screen.presenter, seconds=9)
        assert waiting == "Waiting for Japan (bot). Space continues."


def test_no_bot_seems_to_think_after_the_last_step() -> None:
    session = begin_lesson(load_lesson("eots"))

    async def play_to_the_end() -> None:
        while session.step is not None:
            before = session.step_index, len(session.draft.commands)
            await walk(session, session.step_index + 1)
            if (session.step_index, len(session.draft.commands)) == before:
                await session.commit()

    asyncio.run(play_to_the_end())
    waiting = waiting_text(session, load_presenter(session.ruleset), seconds=9)
    assert waiting == "Waiting for Japan (bot). The lesson is complete."


async def test_legend_does_not_call_the_places_of_a_lesson_battles(tmp_path: Path) -> None:
    session = begin_lesson(load_lesson("eots"))
    screen = screen_of(session)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        legend = [swatch.name for swatch in screen.map.scene.swatches]
        assert legend[0] == "see the lesson"
