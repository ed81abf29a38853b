"""The page at the end of a game: it fits every size, opens after the last playback and leads on from there."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from play import games
from play.game_summary import ScoreSource
from play.offers import OfferKind
from play.replay_session import ReplaySession
from saves.logfile import log_bytes
from tests.golden_games.corpus import read
from tests.play.test_game_summary import GAMES, created, full_summary
from tests.sizes import sampled
from tests.tui.apps import app, reached
from tests.tui.cbps.battles import PRESENTER
from tui.drawing.colour_roles import TextRole
from tui.panels.end_page import end_page, marked_sources
from tui.panels.status_segments import row_text
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen
from tui.screens.replay.replay import ReplayScreen
from tui.screens.table.end_screen import EndScreen
from tui.terminal.output_filter import to_ascii
from tui.widgets.bars.key_line import KeyLine
from tui.widgets.lines import Lines

SIZES = ((80, 24), (120, 40), (160, 46), (40, 12), (200, 60))


@pytest.mark.parametrize("name", sampled(GAMES, 1))
def test_every_line_fits_and_the_verdict_is_shown(name: str) -> None:
    summary = full_summary(name)
    for width, height in SIZES:
        lines = [row_text(row) for row in end_page(summary, (width, height), record="g.fplog")]
        assert max(map(cell_len, lines)) <= width
        text = " ".join(" ".join(lines).split())
        assert summary.headline.upper() in text
        assert "The battle that decided it" in text
        assert "g.fplog" in text
        assert to_ascii("\n".join(lines)).isascii()


def test_numbers_follow_the_order_of_the_record() -> None:
    summary = full_summary("cbps-9-busy-first")
    marked = marked_sources(summary)
    assert len(marked) == 9
    assert [source.seq for source in marked] == sorted(source.seq for source in marked)


def test_the_chart_takes_the_free_rows() -> None:
    """With fewer values than rows, a value takes several rows but is labelled once."""
    summary = full_summary("eots-1943-greedy-first")
    lines = [row_text(row) for row in end_page(summary, (118, 38), record="g.fplog")]
    assert 35 <= len(lines) <= 38
    labels = [line[:3].strip() for line in lines[3 : lines.index("") if "" in lines else None]]
    values = [int(label) for label in labels if label.isdecimal()]
    assert values == list(range(10, -1, -1))


def test_chart_of_two_scores_shows_who_leads() -> None:
    summary = full_summary("qmg-base-greedy-first")
    rows = end_page(summary, (120, 40), record="g.fplog")
    (at,) = (
        number for number, row in enumerate(rows) if row_text(row).strip().startswith("Set-up")
    )
    turns, leads = row_text(rows[at]), row_text(rows[at + 1])
    axis, allies = summary.samples[-1].values
    leader = "Axis" if axis > allies else "Allies"
    assert leads.split()[0] == "level"
    assert leads.rindex(leader) == turns.rindex("Round")
    tones = {piece[1] for row in rows[:at] for piece in row if isinstance(piece, tuple)}
    assert tones & {TextRole.BAND_ONE, TextRole.BAND_TWO}


def test_points_that_the_enemy_lost_count_as_help_in_the_total() -> None:
    summary = full_summary("qmg-base-greedy-first")
    own = sum(source.points for source in summary.earned)
    lost = ScoreSource(points=-18, text="Cards missing", rule="9.4", seq=0, turn="Round 9")
    summary = replace(summary, earned=(*summary.earned, lost))
    lines = [row_text(row) for row in end_page(summary, (40, 60), record="g.fplog")]
    (heading,) = (line for line in lines if line.startswith("What helped"))
    assert heading.rstrip().endswith(f" {own + 18} points")


@pytest.mark.full
async def test_the_page_opens_from_the_replay_and_jumps_to_the_battle(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    path.write_bytes(log_bytes(*read("eots-1943-greedy-first")))
    replay = ReplaySession.open(path)
    screen = ReplayScreen(replay, load_presenter(replay.ruleset))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("V")
        page = program.screen
        assert isinstance(page, EndScreen)
        assert page.summary.battle is not None
        assert page.query_one(Lines).text.startswith("ALLIED DECISIVE VICTORY")
        assert "Enter watch the battle" in page.query_one(KeyLine).text
        await pilot.press("enter")
        assert program.screen is screen
        assert replay.seq == page.summary.battle.seq
        assert screen.step is not None
        assert "Dimasur" in screen.step.title
        await pilot.press("V", "1")
        assert replay.seq == marked_sources(page.summary)[0].seq
        await pilot.press("V", "r")
        assert replay.seq == 0


async def test_page_opens_at_the_end_and_starts_the_game_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    started: list[games.NewGame] = []
    session = created(tmp_path, "cbps", "1")
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    monkeypatch.setattr(program, "play_again", started.append)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape", "V")
        assert program.screen is screen
        await session.negotiation.propose(OfferKind.RESIGNATION)
        await reached(pilot, lambda: isinstance(program.screen, EndScreen))
        await pilot.press("m")
        assert program.screen is screen
        screen.poll()
        await pilot.pause()
        assert program.screen is screen, "it opens by itself only once"
        await pilot.press("V", "n")
        await reached(pilot, lambda: bool(started))
    assert started[0].scenario == "1"


async def test_a_finished_game_reopens_at_its_end_page(tmp_path: Path) -> None:
    session = created(tmp_path, "cbps", "1")
    path = session.record_path
    assert path is not None
    await session.negotiation.propose(OfferKind.RESIGNATION)
    await session.close()
    screen = PlayScreen(games.resume(path), PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await reached(pilot, lambda: isinstance(program.screen, EndScreen))
        page = program.screen
        assert path.name in page.query_one(Lines).text
        keys = page.query_one(KeyLine).text
        assert "replay" in keys
        assert "play again" in keys
        await pilot.press("m")
        assert program.screen is screen


@pytest.mark.full
async def test_end_page_waits_for_the_playback(tmp_path: Path) -> None:
    session: Any = created(tmp_path, "cbps", "1")
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        assert screen.playback is not None
        screen.playback.is_running = True
        screen.leave_question()
        await session.negotiation.propose(OfferKind.RESIGNATION)
        screen.poll()
        await pilot.pause()
        assert program.screen is screen
        assert screen.panel.words.startswith("Watch what happens")
        screen.playback.is_running = False
        screen.poll()
        await reached(pilot, lambda: isinstance(program.screen, EndScreen))
        await pilot.press("m")
        assert screen.panel.words == "Japanese victory. US resigned."
