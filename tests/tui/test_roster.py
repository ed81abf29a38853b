"""The roster of every game: all units in columns that fit; sorting, filtering, and details."""

import pytest
from rich.cells import cell_len

from engine.eots.view import EotsView
from tests.sizes import sampled
from tests.tui.hostile import is_clean
from tests.tui.plans import SCENARIOS, position
from tui.drawing.colour_roles import TextRole
from tui.panels.roster import (
    Roster,
    RosterCell,
    RosterColumn,
    RosterEntry,
    Sorting,
    find_column,
    roster_rows,
    sorted_matches,
)
from tui.panels.status_segments import row_text
from tui.presenter.presenter import Selection
from tui.terminal.output_filter import to_ascii

ROSTER = Roster(
    columns=(
        RosterColumn("Unit"),
        RosterColumn("Strength", 1),
        RosterColumn("Where", 2),
        RosterColumn("Nothing"),
    ),
    entries=tuple(
        RosterEntry(
            id=name,
            cells=(
                RosterCell(name),
                RosterCell(str(size), TextRole.DIM, size),
                RosterCell(at),
                RosterCell(""),
            ),
        )
        for name, size, at in (
            ("CV Enterprise", 8, "Noumea"),
            ("XI Corps", 22, ""),
            ("CA Kent", 3, "Townsville"),
        )
    ),
)
PLACES = pytest.mark.parametrize(("game", "scenario", "role"), SCENARIOS)


def ids(words: str = "", sorting: Sorting = Sorting()) -> list[str]:  # noqa: B008  (a constant)
    return [entry.id for entry in sorted_matches(ROSTER, words, sorting)]


def test_filter_matches_words_as_in_the_lists() -> None:
    assert ids("xi c") == ["XI Corps"]
    assert ids("ntrprs") == ["CV Enterprise"]
    assert ids("no such unit") == []
    assert row_text(roster_rows(ROSTER, 78, "zzz")[0]) == "No line contains these words."


def test_numbers_are_sorted_as_numbers_and_empty_cells_last() -> None:
    assert ids(sorting=Sorting(1)) == ["CA Kent", "CV Enterprise", "XI Corps"]
    assert ids(sorting=Sorting(1, is_reversed=True)) == ["XI Corps", "CV Enterprise", "CA Kent"]
    assert ids(sorting=Sorting(2)) == ["CV Enterprise", "CA Kent", "XI Corps"]
    assert ids(sorting=Sorting(2, is_reversed=True))[-1] == "XI Corps"


def test_choosing_a_column_again_reverses_then_resets_the_sorting() -> None:
    once = Sorting().after_choosing(1)
    assert once == Sorting(1)
    assert once.after_choosing(1) == Sorting(1, is_reversed=True)
    assert once.after_choosing(1).after_choosing(1) == Sorting()
    assert once.after_choosing(2) == Sorting(2)


def test_narrow_roster_drops_minor_and_empty_columns() -> None:
    wide, narrow = (row_text(roster_rows(ROSTER, width)[0]) for width in (78, 30))
    assert wide.split() == ["Unit", "Strength", "Where"]
    assert narrow.split() == ["Unit", "Strength"]


def test_column_is_found_by_its_first_letters() -> None:
    assert find_column(ROSTER, "str") == 1
    assert find_column(ROSTER, "colour") == -1


@PLACES
@pytest.mark.parametrize("width", sampled([76, 110, 196], 8))
def test_every_roster_fits_and_is_clean(game: str, scenario: str, role: str, width: int) -> None:
    presenter, view = position(game, scenario, role)
    roster = presenter.roster(view)
    lines = [row_text(row) for row in roster_rows(roster, width)]
    assert len(lines) == len(roster.entries) + 1
    assert max(map(cell_len, lines)) <= width
    assert all(is_clean(line) and "_" not in line for line in lines)
    assert all(to_ascii(line).isascii() for line in lines)
    assert len({entry.id for entry in roster.entries}) == len(roster.entries)


@PLACES
def test_roster_entries_lead_to_places_on_the_map(game: str, scenario: str, role: str) -> None:
    presenter, view = position(game, scenario, role)
    scene = presenter.scene(view, Selection())
    assert scene is not None
    places = {entry.place for entry in presenter.roster(view).entries} - {""}
    assert places
    assert places <= scene.cells.keys()


@PLACES
def test_calendar_lists_upcoming_events(game: str, scenario: str, role: str) -> None:
    presenter, view = position(game, scenario, role)
    lines = [row_text(row) for row in presenter.calendar(view)]
    assert lines
    assert all(is_clean(line) and "_" not in line for line in lines)


def test_every_counter_is_in_the_roster_with_its_hq_and_state() -> None:
    presenter, view = position("eots", "1942", "allied")
    assert isinstance(view, EotsView)
    roster = presenter.roster(view)
    assert {entry.id for entry in roster.entries} == {unit.id for unit in view.units}
    sides = [entry.cells[0].text[1] for entry in roster.entries]
    assert sides == sorted(sides), "the own side stands first"
    words = {cell.text for entry in roster.entries for cell in entry.cells}
    assert {"supplied", "naval", "arrives by an event"} <= words
    hqs = find_column(roster, "hq")
    assert any(entry.cells[hqs].text.startswith("South") for entry in roster.entries)


def test_pieces_show_supply_and_points() -> None:
    presenter, view = position("qmg", "total-war", "uk")
    words = {cell.text for entry in presenter.roster(view).entries for cell in entry.cells}
    assert {"2 VP", "supplied", "Moscow"} <= words


def test_ships_and_units_show_their_location() -> None:
    presenter, view = position("cbps", "9", "us")
    roster = presenter.roster(view)
    found = {entry.cells[0].text.strip(): entry for entry in roster.entries}
    hornet = found["Hornet"]
    assert (hornet.cells[1].text, hornet.cells[3].text) == ("CV", "TG 58.1")
    assert "Hornet, " in found["Hornet B1"].cells[3].text
