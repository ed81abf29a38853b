"""An automatic replay, and every way to jump in it: slider, list, search, keys, words."""

from pathlib import Path

import pytest
from textual.geometry import Offset
from textual.widgets import Input

from engine.kernel.ids import Role
from play.replay_session import FULL_VIEW, ReplaySession
from saves.logfile import LogWriter
from tests.play.tables import toy_match
from tests.toy_game import BLUE, RED, TOY, Hold
from tests.tui.apps import app, lines_in_sight, reached
from tests.tui.playback.records import EOTS, QMG, presenter, session
from tests.tui.test_replay import talk
from tui.console.replay import PlainReplay
from tui.drawing.colour_roles import OverlayRole
from tui.playback.controller import SECONDS
from tui.playback.timeline import PartKind, ReplayTimeline
from tui.presenter.presenter import Presenter
from tui.presenter.replay_texts import hand_lines
from tui.screens.dialogs.lookup import FindDialog
from tui.screens.dialogs.prompt import ConfirmDialog
from tui.screens.reference.page import PageScreen
from tui.screens.replay.replay import ReplayScreen
from tui.terminal.settings import Playback, Settings

LAST = 120
"""Number of records in the replayed game."""
BY_KEY = Settings(reduced_motion=True, news=False)


def talk_screen(folder: Path) -> ReplayScreen:
    return ReplayScreen(talk(folder), Presenter(TOY))


def stage(screen: ReplayScreen) -> str:
    return screen.playback_panel.text if screen.playback_panel.display else ""


def plays(screen: ReplayScreen) -> bool:
    return screen.is_playing


def column(screen: ReplayScreen, seq: int) -> Offset:
    """Return the position of a record on the slider."""
    slider = screen.slider
    return Offset(4 + slider.track.column(seq), slider.size.height - 1)


@pytest.mark.full
async def test_the_slider_is_clicked_and_dragged(tmp_path: Path) -> None:
    screen = talk_screen(tmp_path)
    replay = screen.replay
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await pilot.click(screen.slider, offset=column(screen, 4))
        assert replay.seq == 4
        await pilot.mouse_down(screen.slider, offset=column(screen, 4))
        await pilot.hover(screen.slider, offset=column(screen, 3))
        await pilot.hover(screen.slider, offset=column(screen, 2))
        assert replay.seq == 2
        await pilot.mouse_up(screen.slider, offset=column(screen, 2))
        await pilot.hover(screen.slider, offset=column(screen, 4))
        assert replay.seq == 2, "the button is not held any more"
        assert "normal 2/4" in screen.slider.render_line(0).text
        assert not plays(screen)
        await pilot.click(screen.slider, offset=(1, 0))
        assert plays(screen)


@pytest.mark.full
async def test_replay_runs_automatically_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SECONDS, Playback.FAST, 0.001)
    screen = talk_screen(tmp_path)
    seen: list[int] = []
    settings = Settings(playback=Playback.FAST, news=False)
    async with app(tmp_path, screen, settings=settings).run_test(size=(80, 24)) as pilot:
        show = screen.go_to_step

        def keep(number: int) -> None:
            seen.append(number)
            show(number)

        monkeypatch.setattr(screen, "go_to_step", keep)
        await pilot.press("space")
        await reached(pilot, lambda: not plays(screen))
        assert screen.replay.seq == screen.replay.last_seq
        assert seen == [*range(len(screen.timeline.steps))]
        assert not stage(screen)


@pytest.mark.full
async def test_space_pauses_and_the_speed_can_be_changed(tmp_path: Path) -> None:
    screen = talk_screen(tmp_path)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        screen.replay.go_to_record(1)
        await pilot.press("space")
        assert plays(screen)
        assert "Space stop" in stage(screen)
        place = screen.replay.position
        await pilot.press("space")
        assert not plays(screen)
        assert "Space go on" in stage(screen)
        assert screen.replay.position == place
        speeds = []
        for _ in range(3):
            await pilot.press("F")
            speeds.append(screen.slider.render_line(0).text.split()[-2])
        assert speeds == ["fast", "slow", "normal"]
        await pilot.press("escape")
        assert not stage(screen)
        assert screen.replay.position == place


@pytest.mark.full
async def test_keys_advance_by_step_and_comment_without_animation(tmp_path: Path) -> None:
    screen = talk_screen(tmp_path)
    async with app(tmp_path, screen, settings=BY_KEY).run_test(size=(80, 24)) as pilot:
        kinds = []
        for _ in screen.timeline.steps:
            await pilot.press("space")
            assert screen.step is not None
            assert not plays(screen)
            kinds.append(screen.step.kind)
            assert bool(stage(screen)) is (screen.step.kind is not PartKind.COMMENT)
        assert kinds.count(PartKind.COMMENT) == 2
        assert set(kinds) == {PartKind.COMMENT, PartKind.MOVE}


@pytest.mark.full
async def test_search_jumps_to_battles_log_lines_and_names(tmp_path: Path) -> None:
    screen = ReplayScreen(session(EOTS, "japan", 40, LAST), presenter(EOTS))
    program = app(tmp_path, screen)
    async with program.run_test(size=(120, 40)) as pilot:
        battles = [part for part in screen.timeline.parts if part.kind is PartKind.BATTLE]
        ahead = [part for part in battles if part.at > screen.replay.position]
        await pilot.press("w")
        assert ahead[0].title.split(":")[0] in stage(screen)
        assert screen.map.scene.cells[ahead[0].places[0]].tint is OverlayRole.TARGET
        rows = screen.panel.rows
        assert rows.under_bar is not None
        assert rows.under_bar.command == ahead[0]
        await pilot.press("w", "W")
        assert screen.replay.position == ahead[0].at
        await pilot.press("tab", "up", "enter")
        assert screen.replay.position < ahead[0].at
        number = rows.highlighted
        line = next(y for y, one in enumerate(lines_in_sight(rows)) if one.row == number)
        await pilot.click(rows, offset=(6, line - 1))
        assert rows.highlighted == number - 1 if number is not None else False
        await pilot.press("slash")
        await reached(pilot, lambda: isinstance(program.screen, FindDialog))
        program.screen.query_one(Input).value = "rangoon"
        await pilot.press("enter")
        await reached(pilot, lambda: program.screen is screen)
        assert "Battle of 2008 Rangoon" in stage(screen)
        place = screen.replay.position
        screen.show_found(screen.search("attu")[0])
        assert (screen.map.cursor, screen.replay.position) == ("4600", place), "it never came up"
        await pilot.press("y", "y")
        await reached(pilot, lambda: isinstance(program.screen, ConfirmDialog))
        await pilot.press("y", "h")
        assert screen.replay.shown_role == FULL_VIEW
        assert isinstance(program.screen, PageScreen)
        assert str(screen.panel.border_title) == "Replay, seen by Judge"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("turn 3", "Turn 3, May-Aug 42"),
        ("t3", "Turn 3, May-Aug 42"),
        ("rangoon", "Battle of 2008 Rangoon: The Allies win"),
        ("2008", "Battle of 2008 Rangoon: The Allies win"),
        ("ants", "Japan plays J-73 Ants as an event"),
        ("general adachi", "Japan plays J-48 General Adachi as an event"),
        ("enterprise", "Battle of 4715 Kwajalein"),
        ("kwajlein", "Battle of 4715 Kwajalein"),
    ],
)
def test_search_finds_turns_battles_cards_units_and_places(words: str, expected: str) -> None:
    replay = session(EOTS, "japan", 40, 230)
    best = ReplayTimeline(replay, presenter(EOTS)).search(words, replay.position)[0]
    assert best.part.title.startswith(expected)


def test_equally_good_hits_list_the_next_one_first() -> None:
    replay = session(EOTS, "japan", 0, 230)
    story = ReplayTimeline(replay, presenter(EOTS))
    hits = story.search("battle", story.parts[60].at)
    kinds = [hit.part.kind for hit in hits]
    assert kinds[0] is PartKind.BATTLE
    ahead = [hit.part.at > story.parts[60].at for hit in hits if hit.part.kind is PartKind.BATTLE]
    assert ahead == sorted(ahead, reverse=True)
    assert story.search("", replay.position) == ()


def test_full_view_log_shows_more_than_a_seat_and_a_spectator() -> None:
    replay = session(EOTS, "japan", LAST, LAST)
    logs: dict[Role | None, list[str]] = {}
    for seat in (None, Role("japan"), FULL_VIEW):
        replay.switch_role(seat)
        logs[seat] = [line.text for line in replay.log()]
        assert logs[seat] == [line.text for line in replay.log()], "the second reading is the same"
    assert len({tuple(log) for log in logs.values()}) == 3
    assert len(hand_lines(replay, presenter(EOTS))) > 10


def test_takeback_is_shown_and_the_timeline_restarts_after_it(tmp_path: Path) -> None:
    path = tmp_path / "back.fplog"
    match = toy_match(LogWriter.create(path), scenario="middle")
    match.submit(RED, Hold(), match.seq)
    match.submit(BLUE, Hold(), match.seq)
    match.take_back(0, RED)
    match.submit(RED, Hold(), match.seq)
    match.close()
    replay = ReplaySession.open(path, TOY)
    stretches = [*replay.history_segments()]
    assert len(stretches) == 2
    assert stretches[0].view_before == stretches[1].view_before
    story = ReplayTimeline(replay, Presenter(TOY))
    assert [step.at for step in story.steps] == sorted(step.at for step in story.steps)
    assert story.steps[-1].at.seq == 4


# -- line mode


async def _told(name: str, *words: str) -> list[str]:
    lines: list[str] = []
    answers = iter((*words, "q"))

    async def read(prompt: str) -> str:
        del prompt
        return next(answers)

    replay = session(name, "japan" if name == EOTS else "germany", 0, 230)
    await PlainReplay(replay, presenter(name), read, lines.append).run()
    return lines


async def test_line_mode_jumps_in_the_replay() -> None:
    text = "\n".join(
        await _told(EOTS, "go turn 3", "back battle", "next turn", "next turn", "go nowhere at all")
    )
    assert "T3 May-Aug 42 | End of turn, record" in text
    assert "Battle of 2917 Menado" in text
    assert "There is no further turn in this direction." in text
    assert "Nothing in this record matches." in text


async def test_line_mode_lists_a_turn_and_changes_the_view() -> None:
    text = "\n".join(
        await _told(
            QMG, "next card", "list", "see judge", "see judge", "hand", "see nobody", "next wonder"
        )
    )
    assert "> Germany plays Forced Conscription." in text
    assert "Seen by: Judge." in text
    assert text.count("\nGermany\n") == 1
    assert "This record shows the view of: " in text
    assert "Unknown kind wonder. Choose one of: turn, battle, card, comment, move." in text
