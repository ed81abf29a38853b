"""The forecast page: bars, columns and words, and the key that opens it in every game."""

from fractions import Fraction
from pathlib import Path

import pytest
from rich.cells import cell_len

from engine import registry
from engine.kernel.chances import uniform
from engine.kernel.ids import Role
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tests.tui.apps import app, reached
from tests.tui.hostile import is_clean
from tui.console.reports import PlainReports
from tui.drawing.colour_roles import TextRole
from tui.panels.forecast import (
    Bar,
    ForecastPage,
    ForecastSection,
    NamedValue,
    Sentence,
    SideHeading,
    benefit_tone,
    count_bars,
    risk_tone,
    titled_column,
)
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen
from tui.screens.table.forecast_screen import ForecastScreen
from tui.screens.table.overlay_page_view import OverlayPageView
from tui.terminal.output_filter import to_ascii

HALF = Fraction(1, 2)
SHEET = ForecastPage(
    title="Battle of 4021 Rabaul",
    sections=(
        ForecastSection(
            items=(Sentence("Counting 2 units that are activated and not in a battle yet."),)
        ),
        ForecastSection(
            "Chances",
            heads=("", "wins air-naval", "loss"),
            rows=(
                ("surprise", Bar("", HALF, TextRole.WARN), "0.5 steps"),
                ("intercepted", Bar("", Fraction(0), TextRole.BAD), "2 steps"),
            ),
        ),
        ForecastSection(
            "Air-naval",
            sides=(
                (
                    SideHeading("The Allies attack"),
                    NamedValue("CV Enterprise", "12"),
                    Bar("6 hits", HALF),
                ),
                titled_column(
                    "Hits", (Bar("10 hits, critical", Fraction(1, 3)), Bar("5 hits", HALF))
                ),
            ),
        ),
    ),
)
PLACES = {"eots": "4415", "qmg": "germany", "cbps": "1108"}
SCENARIOS = {"eots": "1943", "qmg": "base", "cbps": "6"}


def session(game: str) -> LocalSession:
    rules = registry.ruleset(game)
    assert game in SCENARIOS, "add the game to SCENARIOS and PLACES"
    scenario = SCENARIOS[game]
    roles = rules.scenario_info(scenario, {}).roles
    seats = [Seat(role=Role(role), player=role, seat_id=role) for role in roles]
    position = rules.position(scenario, {})
    match = Match.create(rules, position, scenario, {}, seats, bytes(range(32)))
    return LocalSession(match, {}, rules.active_roles(match.state)[0])


@pytest.mark.parametrize("width", [24, 36, 60, 76, 96, 160])
def test_no_line_is_wider_than_its_box(width: int) -> None:
    for line in SHEET.lines(width):
        text = "".join(piece.text for piece in line)
        assert is_clean(text)
        assert len(to_ascii(text)) == cell_len(text) <= width


def test_two_sides_are_side_by_side_if_there_is_room() -> None:
    wide = ["".join(piece.text for piece in line) for line in SHEET.lines(76)]
    assert any("The Allies attack" in line and "Hits" in line for line in wide)
    narrow = ["".join(piece.text for piece in line) for line in SHEET.lines(40)]
    assert not any("The Allies attack" in line and "Hits" in line for line in narrow)


def test_bar_length_is_proportional_to_probability() -> None:
    texts = ["".join(piece.text for piece in line) for line in SHEET.lines(40)]
    half = next(text for text in texts if text.startswith("6 hits"))
    assert half.count("▮") == half.count("▯")
    assert half.endswith("50%")


def test_plain_lines_have_no_bars() -> None:
    told = list(SHEET.plain_lines(76))
    assert told[0] == SHEET.title
    assert all(is_clean(line) and line.isascii() for line in told)
    assert "  surprise: wins air-naval 50%, loss 0.5 steps" in told
    assert "    10 hits, critical: 33%" in told


def test_a_few_numbers_have_a_bar_each() -> None:
    assert count_bars(uniform((0, 1, 1, 2)), TextRole.BAD) == (
        Bar("0", Fraction(1, 4), TextRole.DIM),
        Bar("1", HALF, TextRole.BAD),
        Bar("2", Fraction(1, 4), TextRole.BAD),
    )


def test_many_numbers_are_grouped_with_a_tail() -> None:
    bars = count_bars(uniform((*range(100), 400)), TextRole.GOOD)
    assert bars[0] == Bar("0", Fraction(1, 101), TextRole.DIM)
    assert len(bars) <= 6
    assert bars[-1].name.endswith("or more")
    assert sum(bar.chance for bar in bars) == 1


def test_colours_show_benefit_and_risk() -> None:
    assert [benefit_tone(Fraction(tenth, 10)) for tenth in (9, 5, 1)] == [
        TextRole.GOOD,
        TextRole.WARN,
        TextRole.BAD,
    ]
    assert risk_tone(Fraction(9, 10)) is TextRole.BAD


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=() if game == "eots" else pytest.mark.full)
        for game in registry.games()
    ],
)
async def test_key_opens_the_forecast_for_the_place(game: str, tmp_path: Path) -> None:
    table = PlayScreen(session(game), load_presenter(registry.ruleset(game)))
    program = app(tmp_path, table)
    async with program.run_test(size=(80, 24)) as pilot:
        await reached(pilot, lambda: table in program.screen_stack)
        await pilot.press("escape")  # the briefing, if there is one
        await reached(pilot, lambda: program.screen is table)
        table.map.point_at(PLACES[game], is_centred=True)
        table.map.focus()
        await pilot.press("o")
        await reached(pilot, lambda: isinstance(program.screen, ForecastScreen))
        assert program.screen.query_one(OverlayPageView).text.strip()
        await pilot.press("o")
        await reached(pilot, lambda: program.screen is table)


@pytest.mark.parametrize("game", registry.games())
def test_plain_mode_prints_the_same_forecast(game: str) -> None:
    playing = session(game)
    reading = PlainReports(playing, load_presenter(playing.ruleset))
    lines = list(reading.answer("forecast", PLACES[game]) or ())
    assert len(lines) > 2
    assert all(is_clean(line) for line in lines)
