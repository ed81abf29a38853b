"""The tutorials: the records that their scripts produce are valid and short enough to read."""

import re
from pathlib import Path

import pytest
from textual.content import Content
from textual.widgets import Static

from engine import registry
from engine.scripts.script import ScriptFailure
from play.replay_session import ReplaySession
from saves.entries import remark_text
from saves.logfile import read_log
from saves.verify import verify_file
from tests.sizes import sampled
from tests.tui.apps import app
from tools.dev.tutorials import build_record, source, with_secret
from tui.presenter.presenter import load_presenter
from tui.screens.replay.replay import ReplayScreen

LONGEST = 320
"""Maximum number of characters in a comment."""
GAMES = pytest.mark.parametrize("game", registry.games())


@GAMES
def test_record_matches_its_script(game: str) -> None:
    text = source(game).read_text(encoding="utf-8")
    made = build_record(game, text)
    assert made == registry.tutorial(game).read_bytes(), "run python -m tools.dev.tutorials"


@GAMES
def test_record_verifies(game: str) -> None:
    assert verify_file(registry.tutorial(game)).status == "ok"


@GAMES
def test_comments_are_short_and_of_moderate_number(game: str) -> None:
    records = read_log(registry.tutorial(game)).records
    comments = [text for record in records if (text := remark_text(record))]
    assert 30 <= len(comments) <= 60
    assert [text for text in comments if len(text) > LONGEST] == []


@GAMES
def test_rules_named_in_comments_are_in_the_reference(game: str) -> None:
    reference = registry.reference(game)
    text = " ".join(map(remark_text, read_log(registry.tutorial(game)).records))
    numbers = {
        number
        for named in re.findall(r"\(([^()]*)\)", text)
        for number in re.findall(r"\b\d+\.\d+\b", named)
    }
    assert len(numbers) > 15
    assert [number for number in sorted(numbers) if not reference.find(number)] == []


@GAMES
@pytest.mark.parametrize("size", sampled([(80, 24), (120, 40), (200, 60)], 1))
async def test_every_comment_is_fully_visible(
    tmp_path: Path, game: str, size: tuple[int, int]
) -> None:
    replay = ReplaySession.open(registry.tutorial(game), follows_mover=True)
    screen = ReplayScreen(replay, load_presenter(replay.ruleset))
    async with app(tmp_path, screen).run_test(size=size):
        panel = screen.query_one("#remark", Static)
        room = panel.content_size
        assert panel.region.bottom <= size[1] - 2
        count, goes_on = 0, True
        while goes_on:
            screen.show_remark()
            comment = replay.remark()
            assert comment is not None
            assert str(panel.visual) == comment.text
            assert Content(comment.text).get_height({}, room.width) <= room.height
            count, total = count + 1, comment.total
            goes_on = replay.step_remark(1)
        assert count == total


@pytest.mark.full
async def test_map_shows_the_place_named_by_the_comment_or_next_command(
    tmp_path: Path,
) -> None:
    replay = ReplaySession.open(registry.tutorial("eots"), follows_mover=True)
    screen = ReplayScreen(replay, load_presenter(replay.ruleset))
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        while "(4828)" not in str(screen.query_one("#remark", Static).visual):
            await pilot.press("n")
        assert screen.map.cursor == "4828"
        while "The battleships enter" not in str(screen.query_one("#remark", Static).visual):
            await pilot.press("n")
        assert screen.map.cursor == "4828"
        await pilot.press("right_square_bracket", "right_square_bracket", "right_square_bracket")
        assert screen.map.cursor == "4322"
        await pilot.press("n")
        assert screen.map.cursor == "4423"


def test_secret_search_finds_the_first_secret_that_satisfies_all_lines() -> None:
    text = """game eots
scenario 1943
secret 5
setup turn 6
setup phase strategic-warfare
until 4.22
expect said draws one card fewer
"""
    found = with_secret("eots", text)
    number = int(found.splitlines()[2].split()[1])
    build_record("eots", found)
    for below in range(number):
        with pytest.raises(ScriptFailure):
            build_record("eots", text.replace("secret 5", f"secret {below}"))
