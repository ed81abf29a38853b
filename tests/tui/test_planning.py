"""Roster, goals and notes at the table: keys, mouse, small and plain terminals."""

from pathlib import Path

import pytest
from textual.widgets import DataTable, OptionList, Static, TextArea
from typing_extensions import override

from play.notes import Notebook
from tests.sizes import sampled
from tests.tui.apps import GOOD, app, reached
from tests.tui.eots.still import StillSession, still_view
from tests.tui.test_roster import ROSTER
from tui.app.app import FlagplotApp
from tui.console.reports import PlainReports
from tui.drawing.capabilities import Depth, Terminal
from tui.drawing.palette import PLAIN_PALETTE
from tui.eots.presenter import EotsPresenter
from tui.maps.enums import NOTE
from tui.maps.hexmap.scene import HexScene
from tui.screens.dialogs.notes import NotesScreen
from tui.screens.match.play import PlayScreen
from tui.screens.table.roster_screen import RosterScreen
from tui.widgets.lines import Lines

SMALL = Terminal(dumb=False, depth=Depth.NONE, unicode=False)


class Noting(StillSession):
    """A table that stores notes."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(still_view())
        self._private = Notebook(path)

    @property
    @override
    def notes(self) -> Notebook:
        return self._private


def _table(session: StillSession) -> PlayScreen:
    return PlayScreen(session, EotsPresenter(session.ruleset))


def _shown(program: FlagplotApp) -> list[str]:
    """Return the names in the rows from the top."""
    tables = program.screen.query(DataTable)
    return [str(table.get_row_at(row)[0]) for table in tables for row in range(table.row_count)]


@pytest.mark.parametrize(
    ("size", "terminal"),
    sampled(
        [
            pytest.param((80, 24), SMALL, id="80x24-ascii-monochrome"),
            pytest.param((120, 40), GOOD, id="120x40"),
        ],
        1,
    ),
)
async def test_the_roster_is_sorted_and_filtered_by_keys_and_mouse(
    tmp_path: Path, size: tuple[int, int], terminal: Terminal
) -> None:
    program = app(tmp_path, terminal=terminal)
    answers: list[str | None] = []
    usual = [entry.id for entry in ROSTER.entries]
    async with program.run_test(size=size) as pilot:
        program.push_screen(RosterScreen(ROSTER, ("Turn 6",), PLAIN_PALETTE), answers.append)
        await reached(pilot, lambda: isinstance(program.screen, RosterScreen))
        await reached(pilot, lambda: _shown(program) == usual)
        await pilot.press("2")
        await reached(pilot, lambda: _shown(program)[0] == "CA Kent")
        await pilot.press("2")
        await reached(pilot, lambda: _shown(program)[0] == "XI Corps")
        await pilot.click(DataTable, offset=(22, 0))
        await reached(pilot, lambda: _shown(program) == usual)
        await pilot.press("tab")
        assert isinstance(program.focused, Lines)
        assert program.screen.query_one("#calendar", Lines).text == "Turn 6"
        await pilot.press("tab", "x", "i")
        await reached(pilot, lambda: _shown(program) == ["XI Corps"])
        await pilot.press("enter")
        await pilot.pause()
        told = str(program.screen.query_one(".keys", Static).render())
        assert told == "It is not on the map."
        await pilot.press("escape")
        await reached(pilot, lambda: _shown(program) == usual)
        await pilot.press("escape")
        await reached(pilot, lambda: bool(answers))
    assert answers == [None]


@pytest.mark.full
async def test_notes_are_shown_in_panel_and_map_and_opened_from_the_roster(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.notes"
    screen = _table(Noting(path))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("r")
        await reached(pilot, lambda: isinstance(program.screen, RosterScreen))
        await pilot.press(*"entrpr", "enter")
        await reached(pilot, lambda: program.screen is screen)
        assert (screen.map.cursor, screen.map.has_focus) == ("4828", True)
        await pilot.press("N")
        await reached(pilot, lambda: isinstance(program.screen, NotesScreen))
        await pilot.press(*"go round", "tab", *"Plan", "escape")
        await reached(pilot, lambda: program.screen is screen)
        await pilot.pause()
        assert f"{NOTE} go round" in screen.query_one("#hex", Lines).text
        scene = screen.map.scene
        assert isinstance(scene, HexScene)
        assert scene.cells["4828"].symbols.endswith(NOTE)
        screen.map.point_at("4021")
        await pilot.press("N")
        await reached(pilot, lambda: isinstance(program.screen, NotesScreen))
        assert program.screen.query_one(TextArea).text == "Plan"
        program.screen.query_one(OptionList).focus()
        await pilot.press("enter")
        await reached(pilot, lambda: screen.map.cursor == "4828")
    again = Notebook(path)
    assert (dict(again.places), again.page) == ({"4828": "go round"}, "Plan")


@pytest.mark.full
async def test_damaged_notes_file_is_reported_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "a.notes"
    path.write_text("scribbles")
    screen = _table(Noting(path))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("N")
        await pilot.pause()
        assert "a.notes contains no valid notes" in str(
            screen.query_one(".status", Static).render()
        )
        assert program.screen is screen
    assert path.read_text() == "scribbles"


def test_plain_mode_shows_goals_and_roster_and_saves_notes() -> None:
    session = Noting()
    reading = PlainReports(session, EotsPresenter(session.ruleset))

    def answer(line: str) -> list[str]:
        word, _, rest = line.partition(" ")
        return list(reading.answer(word, rest) or ())

    assert " How Japan wins" in answer("goals")
    assert [line for line in answer("roster enterpr") if "CV Enterprise" in line]
    assert len(answer("roster by values cv")) > len(answer("roster by values cvl"))
    assert answer("roster by nothing")[0].startswith("Sort by one of these: unit, type, values")
    assert "Turn 6  May-Aug 43" in answer("calendar")
    assert answer("note 4828 fleet base") == ["Note saved."]
    assert answer("note beat the clock") == ["Note saved."]
    assert answer("hex 4828")[0] == "Note: fleet base"
    assert answer("note 4828") == ["Note: fleet base"]
    assert answer("notes") == ["  beat the clock", "  4828 Nouméa: fleet base"]
    assert answer("note 4828 -") == ["Note deleted."]
    assert answer("note -") == ["Note deleted."]
    assert answer("notes") == ["There are no notes."]


@pytest.mark.parametrize("word", ["note 4828 x", "notes"])
def test_spectator_cannot_keep_notes(word: str) -> None:
    session = StillSession(still_view())
    reading = PlainReports(session, EotsPresenter(session.ruleset))
    command, _, rest = word.partition(" ")
    assert list(reading.answer(command, rest) or ()) == [
        "You can keep notes only in your own games."
    ]
