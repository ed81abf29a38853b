"""Playback at a table: start and end, keys, speeds, marks, card."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.timer import Timer
from textual.widgets import Static
from typing_extensions import override

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from play.event_history import SeenEvent
from play.local_negotiation import LocalNegotiation
from play.local_session import LocalSession
from play.log_lines import collapse_repeats
from tests.golden_games.corpus import read
from tests.play.tables import First, toy_match
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY, Hold
from tests.tui.apps import QUIET, app, reached
from tests.tui.playback.records import CBPS, EOTS, QMG, presenter, session
from tui.app.app import FlagplotApp
from tui.drawing.colour_roles import OverlayRole
from tui.panels.overlay_pages import BattleBoard
from tui.panels.playback_step import News, PlaybackStep
from tui.playback.controller import SECONDS, PlaybackController
from tui.presenter.presenter import Presenter
from tui.screens.dialogs.prompt import CoverDialog
from tui.screens.match.play import PlayScreen
from tui.screens.reference.page import PageScreen
from tui.terminal.settings import Playback, Settings
from tui.widgets.bars.status_bar import StatusBar

BY_KEY = Settings(reduced_motion=True, news=False)
"""Steps without timers."""


class Watched(PlayScreen):
    """A table over a record that grows when the test adds to it."""

    def grow(self, seq: int) -> PlaybackController:
        self.session.go_to_record(seq)  # type: ignore[attr-defined]  # a replay
        self.poll()
        assert self.playback is not None
        return self.playback


class Telling(Presenter):
    """Has a caption for every event, and a path to it."""

    @override
    def playback_steps(
        self, seen_events: Sequence[SeenEvent], before: View, after: View
    ) -> tuple[PlaybackStep, ...]:
        del before, after
        return tuple(
            PlaybackStep(text=f"Record {fact.seq}", event_count=number)
            for number, fact in enumerate(seen_events, 1)
        )


class Remote(LocalNegotiation):
    has_chat = True


class Distant(LocalSession):
    """A game with remote players, in which every question is an open window."""

    _negotiation_type = Remote

    @override
    def decision(self) -> Decision[Any] | None:
        found = super().decision()
        return None if found is None else replace(found, is_window=True)


def runs(director: PlaybackController) -> bool:
    return director.is_running


def shows(director: PlaybackController) -> bool:
    return bool(director.playback_panel.display)


def _table(name: str, role: str, at: int, last: int) -> Watched:
    return Watched(session(name, role, at, last), presenter(name))


def _toy(kind: type[LocalSession] = LocalSession) -> PlayScreen:
    return PlayScreen(kind(toy_match(), {BLUE: First()}), Telling(TOY))


async def _settled(program: FlagplotApp, pilot: Pilot[int]) -> None:
    await pilot.pause()
    await program.workers.wait_for_complete()
    await pilot.pause()


async def _committed(program: FlagplotApp, pilot: Pilot[int]) -> PlaybackController:
    """Give a command, let the other player move, and return what plays that back."""
    await _settled(program, pilot)
    for key in ("escape", "d", "c"):  # Escape ends the playback of the other player's first move
        await pilot.press(key)
        await _settled(program, pilot)
    screen = program.screen
    assert isinstance(screen, PlayScreen)
    assert screen.playback is not None
    return screen.playback


@pytest.mark.full
async def test_an_offensive_is_played_back_step_by_step(tmp_path: Path) -> None:
    screen = _table(EOTS, "allied", 8, 42)
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        director = screen.grow(34)
        await _settled(program, pilot)
        seen = [director.playback_panel.text]
        assert "Japan plays J-48" in seen[0]
        assert screen.heading() != screen.session.heading()
        await pilot.press("space", "space")
        cells = screen.map.scene.cells
        assert (cells["2814"].tint, cells["3319"].tint) == (OverlayRole.PATH, OverlayRole.SELECTED)
        old = cells["3720"].counters
        await pilot.press("enter")
        cell = screen.map.scene.cells["3720"]
        assert cell.counters != old
        assert (cell.tint, cell.highlight.value) == (OverlayRole.CHANGED, "@"), "it is active, too"
        screen.prepare_send()
        screen.grow(38)
        assert screen.battle_pages() == (), "no battle was fought up to this step"
        docked: list[BattleBoard] = []
        while runs(director):
            seen.append(director.playback_panel.text)
            docked += [board for board in screen.battle_pages() if isinstance(board, BattleBoard)]
            await pilot.press("space")
        stages = [sum(len(party.rolls) for party in board.sides) for board in docked]
        assert stages[:4] == [0, 1, 2, 2], "the docked board follows"
        boards = [text for text in seen if "Battle of 2813" in text]
        assert [text.count("Strength") for text in boards] == [0, 1, 2, 2]
        assert "eliminated" in boards[-1]
        assert not shows(director)
        assert screen.map.scene.cells["3720"].tint is not OverlayRole.CHANGED, (
            "own commands take marks off"
        )
        await pilot.press("B")
        assert director.playback_panel.text.startswith("┌─ 1/")
        await pilot.press("B")
        assert isinstance(program.screen, PageScreen)
        assert not runs(director)


@pytest.mark.full
async def test_enter_and_escape_jump_to_the_end(tmp_path: Path) -> None:
    program = app(tmp_path, _toy(), settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        assert runs(director)
        for key in ("enter", "escape"):
            await pilot.press("B")
            if not runs(director):  # the second B shows it as a page
                await pilot.press("escape", "B")
            await pilot.press(key)
            assert not runs(director)
        assert director.playback_panel.text == ""


@pytest.mark.parametrize(
    "keys", sampled([("enter", "enter"), ("space", "space"), ("space", "enter")], 1)
)
async def test_keys_mashed_during_playback_choose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, str]
) -> None:
    monkeypatch.setattr("tui.playback.key_debounce.IGNORE_SECONDS", 1000.0)
    screen = _toy()
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        skip, mashed = keys
        while runs(director):
            await pilot.press(skip)
        at = screen.session.seq
        screen.panel.rows.focus()
        await pilot.press(mashed, mashed)
        await _settled(program, pilot)
        assert (screen.session.seq, screen.session.draft.commands) == (at, ())
        assert not screen.panel.rows.is_lit, "the bar tells that Enter does not take its line"
        assert "this key was ignored" in str(screen.query_one(".status", Static).render())
        director.stop_ignoring_keys()
        await reached(pilot, lambda: screen.panel.rows.is_lit)
        await pilot.press("enter")
        await _settled(program, pilot)
        assert screen.session.draft.commands or screen.session.seq > at


@pytest.mark.full
async def test_different_key_chooses_immediately_after_playback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.playback.key_debounce.IGNORE_SECONDS", 1000.0)
    screen = _toy()
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        await pilot.press("enter")
        at = screen.session.seq
        await pilot.press("d")
        await _settled(program, pilot)
        assert screen.session.draft.commands or screen.session.seq > at
        assert runs(director) or not director.handles_key("stage_enter")


@pytest.mark.full
async def test_playback_off_shows_the_end_and_offers_a_page(tmp_path: Path) -> None:
    program = app(tmp_path, _toy(), settings=QUIET)
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        assert not runs(director)
        await pilot.press("B")
        assert isinstance(program.screen, PageScreen)


@pytest.mark.full
async def test_speed_sets_the_duration_of_a_step(tmp_path: Path) -> None:
    waits: list[float] = []

    class Timed(PlayScreen):
        @override
        def set_timer(self, delay: float, callback: Callable[[], None], **_: object) -> Timer:  # type: ignore[override]  # as called
            waits.append(delay)
            return super().set_timer(60, callback)

    screen = Timed(LocalSession(toy_match(), {BLUE: First()}), Telling(TOY))
    program = app(tmp_path, screen, settings=Settings(playback=Playback.SLOW, news=False))
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        for speed in SECONDS:
            waits.clear()
            director.apply_settings(replace(director.settings, playback=speed))
            if not runs(director):
                director.play_again()
            await pilot.press("space")
            assert waits[-1:] == [SECONDS[speed]] or not runs(director)
            assert set(waits) <= {SECONDS[speed]}


@pytest.mark.full
async def test_playback_ends_without_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECONDS, Playback.FAST, 0.001)
    screen = _table(QMG, "germany", 25, 40)
    program = app(tmp_path, screen, settings=Settings(playback=Playback.FAST, news=False))
    async with program.run_test(size=(80, 24)) as pilot:
        director = screen.grow(33)
        assert runs(director)
        await reached(pilot, lambda: not runs(director))
        assert screen.map.scene.cells["north_sea"].tint is OverlayRole.CHANGED
        await reached(pilot, lambda: screen.panel.rows.is_lit)
        assert not director.handles_key("stage_enter"), "Enter is the list's again"


@pytest.mark.full
async def test_new_records_continue_the_running_playback(tmp_path: Path) -> None:
    screen = _table(QMG, "germany", 25, 60)
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        director = screen.grow(26)
        await _settled(program, pilot)
        assert "The UK plays Build Navy" in director.playback_panel.text
        screen.grow(35)
        await _settled(program, pilot)
        assert "The UK plays Build Navy" in director.playback_panel.text
        await pilot.press("space")
        assert "The UK builds a Navy" in director.playback_panel.text


@pytest.mark.full
async def test_next_hotseat_player_sees_earlier_events(tmp_path: Path) -> None:
    screen = PlayScreen(LocalSession(toy_match(), {}), Telling(TOY))
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settled(program, pilot)
        for key in "dc":
            await pilot.press(key)
            await pilot.pause()
        await reached(pilot, lambda: isinstance(program.screen, CoverDialog))
        assert screen.playback is not None
        await pilot.press("enter")
        await reached(pilot, lambda: not isinstance(program.screen, CoverDialog))
        await _settled(program, pilot)
        assert runs(screen.playback)
        assert "Record 1" in screen.playback.playback_panel.text


@pytest.mark.full
async def test_consecutive_commands_are_played_back_together(tmp_path: Path) -> None:
    screen = _table(QMG, "germany", 25, 60)
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        assert screen.playback is not None
        screen.playback.suspend()
        for seq in (26, 30, 35):
            screen.prepare_send()
            director = screen.grow(seq)
            await _settled(program, pilot)
            assert not runs(director)
        director.resume()
        assert "The UK builds a Navy" in director.playback_panel.text


@pytest.mark.full
@pytest.mark.parametrize("kind", sampled([LocalSession, Distant], 1))
async def test_open_response_window_of_remote_players_ends_playback(
    tmp_path: Path, kind: type[LocalSession]
) -> None:
    program = app(tmp_path, _toy(kind), settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        assert runs(director) is (kind is LocalSession)
        assert shows(director) is runs(director)


@pytest.mark.full
async def test_a_command_ends_the_playback(tmp_path: Path) -> None:
    screen = _toy()
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        assert runs(director)
        text = director.playback_panel.text
        await pilot.press(
            "colon",
            *screen.session.ruleset.notation.complete("", screen.session.offered_commands())[0],
        )
        await pilot.press("enter")
        await _settled(program, pilot)
        assert director.playback_panel.text != text


@pytest.mark.parametrize("key", sampled(["d", "1", "D", "n", "A"], 1))
async def test_a_playback_hides_the_question_and_a_choosing_key_only_shows_it(
    tmp_path: Path, key: str
) -> None:
    screen = _toy()
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        assert runs(director)
        assert screen.controller.lines, "a question is open"
        assert (screen.panel.shown_choices, screen.highlighted_command) == ((), None)
        assert "Watch what happens" in screen.panel.words
        at = screen.session.seq
        await pilot.press(key)
        await _settled(program, pilot)
        assert not runs(director)
        assert (screen.session.seq, screen.session.draft.commands) == (at, ())
        assert screen.panel.shown_choices == screen.controller.lines
        await pilot.press("B")
        await _settled(program, pilot)
        assert runs(director)
        assert not screen.panel.shown_choices, "watched again, the game is again as of the step"
        log = screen.latest_lines()
        await pilot.press("l")
        assert isinstance(program.screen, PageScreen)
        assert len(log) < len(list(collapse_repeats(screen.session.log()))), (
            "the log page ends at the step, too"
        )


@pytest.mark.full
async def test_recap_card_jumps_to_its_places_and_closes(tmp_path: Path) -> None:
    screen = _table(QMG, "germany", 25, 60)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        director = screen.grow(40)
        await _settled(program, pilot)
        news = (News("Points"), News("A Navy", "north_sea"), News("An Army", "szechuan"))
        director.queue_popup("Since your move", news)
        assert "- An Army" in director.playback_panel.text
        home = screen.map.cursor
        for place in ("north_sea", "szechuan"):
            assert "Enter there" in director.playback_panel.text
            await pilot.press("enter")
            assert screen.map.cursor == place
        assert "Enter close" in director.playback_panel.text
        await pilot.press("enter")
        assert not shows(director)
        assert screen.map.cursor == home != "szechuan", "the question is in view again"
        for close in (lambda: pilot.press("escape"), None):
            director.queue_popup("Since your move", news)
            assert shows(director)
            if close is None:
                screen.prepare_send()
            else:
                await close()
            assert not shows(director)


async def test_space_continues_in_a_popup_as_in_a_playback(tmp_path: Path) -> None:
    screen = _toy()
    program = app(tmp_path, screen, settings=BY_KEY)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settled(program, pilot)
        director = screen.playback
        assert director is not None
        director.finish()
        director.queue_popup("Since your move", (News("Points"),))
        assert "Enter close" in director.playback_panel.text
        await pilot.press("space")
        assert not shows(director)


class Elsewhere(LocalSession):
    """A game whose other player is remote."""

    @property
    @override
    def people(self) -> tuple[Role, ...]:
        return (RED,)


@pytest.mark.full
async def test_returning_player_sees_the_recap_once(tmp_path: Path) -> None:
    table = Elsewhere(toy_match(scenario="middle"), {}, RED)
    for role in (RED, BLUE):
        table.submit(role, Hold())
    screen = PlayScreen(table, Telling(TOY))
    program = app(tmp_path, screen, settings=Settings(playback=Playback.OFF))
    async with program.run_test(size=(80, 24)) as pilot:
        await _settled(program, pilot)
        log = [line for line in table.log() if line.seq > table.records.last_own_seq()]
        assert f"l: {len(log)} new" in str(screen.query_one(".status", Static).render())
        assert screen.playback is not None
        assert "Since your move" in screen.playback.playback_panel.text
        await pilot.press("escape")
        assert not shows(screen.playback)
        screen.queue_popups()
        assert not shows(screen.playback), "it is told once"


@pytest.mark.full
async def test_recap_card_covers_events_since_own_move(tmp_path: Path) -> None:
    table = Elsewhere(toy_match(scenario="middle"), {}, RED)
    screen = PlayScreen(table, Telling(TOY))
    program = app(tmp_path, screen, settings=Settings(playback=Playback.OFF))
    async with program.run_test(size=(80, 24)) as pilot:
        director = await _committed(program, pilot)
        assert not shows(director), "nobody else has moved"
        table.submit(BLUE, Hold())
        screen.poll()
        await _settled(program, pilot)
        assert "Since your move" in director.playback_panel.text
        await pilot.press("escape")
        assert not shows(director)


@pytest.mark.full
async def test_result_is_shown_after_the_playback(tmp_path: Path) -> None:
    last = len(read(CBPS)[1]) - 1
    table = _table(CBPS, "us", last - 3, last)
    program = app(tmp_path, table, settings=BY_KEY)
    async with program.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        director = table.grow(last)
        await pilot.pause()
        assert runs(director)
        assert table.session.outcome() is not None
        assert table.panel.words == "Watch what happens. Space shows the next step, Enter the end."
        assert "PLAYBACK" in table.query_one(StatusBar).render_line(0).text
        await pilot.press("enter")
        await pilot.pause()
        assert not runs(director)
        assert "Japanese victory" in table.panel.words
        assert "PLAYBACK" not in table.query_one(StatusBar).render_line(0).text


@pytest.mark.full
async def test_area_map_cursor_follows_the_playback_step(tmp_path: Path) -> None:
    table = _table(QMG, "germany", 0, 40)
    program = app(tmp_path, table, settings=BY_KEY)
    async with program.run_test(size=(120, 40)) as pilot:
        director = table.grow(40)
        await pilot.pause()
        steps = 0
        while runs(director):
            show = director._run
            assert show is not None
            if show.playback_step is not None and show.playback_step.visible_places:
                assert table.map.cursor == show.playback_step.visible_places[0]
                steps += 1
            await pilot.press("space")
        assert steps
