"""Views for planning: the roster, the goals, and the player's notes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from textual import work
from textual.binding import Binding

from play.notes import NO_NOTES, NotesError
from tui.goals import goal_rows
from tui.marks import NOTE
from tui.ribbon import Row
from tui.roster import roster_rows
from tui.screens.reading import ReadingScreen
from tui.tones import Tone
from tui.widgets.pages import Page

GOALS: Final = ("t", "Goals")
ROSTER: Final = ("r", "Roster")
"""Key and name of the views listed among the pages on a large screen."""


class PlanningScreen(ReadingScreen):
    """A session with a roster, goals and notes."""

    BINDINGS = [
        Binding("r", "roster", "Roster of all units, and what comes", show=False),
        Binding("t", "goals", "Goals: what wins, and what is missing", show=False),
        Binding("N", "notes", "Notes on this place and on the game", show=False),
    ]

    def action_goals(self) -> None:
        """Show the victory conditions of every side."""
        goals = self.presenter.goals(self._view)
        self.read("Goals", goal_rows(goals) or ("This game tells no goals.",))

    def docked_pages(self, width: int) -> tuple[Page, ...]:
        """Return the pages for the extra column of a large screen, goals and roster first.

        Args:
            width: Width of the column in cells.
        """
        view, presenter = self._view, self.presenter
        goals = (*GOALS, lambda: goal_rows(presenter.goals(view)))
        roster = (*ROSTER, lambda: roster_rows(presenter.roster(view), width))
        return (goals, roster, *presenter.pages(view))

    @work
    async def action_roster(self) -> None:
        """Show the roster, then go to the place that the player chose."""
        from tui.screens.roster import RosterScreen

        view = self.seen_view
        screen = RosterScreen(
            self.presenter.roster(view), self.presenter.calendar(view), self._palette
        )
        place = await self.app.push_screen_wait(screen)
        if place:
            self.look_at(place)

    # -- notes

    @property
    def noted(self) -> Mapping[str, str]:
        """The player's notes by place."""
        book = self.session.notes
        return MappingProxyType({}) if book is None else book.places

    def note_rows(self, place: str) -> tuple[Row, ...]:
        """Return the player's note on a place as a panel line; empty if there is none."""
        text = self.noted.get(place, "")
        return (((f"{NOTE} ", Tone.KEY), (text, Tone.WARN)),) if text else ()

    @work
    async def action_notes(self) -> None:
        """Edit the notes on the place under the cursor and on the game."""
        from tui.screens.notes import NotesScreen

        book = self.session.notes
        if book is None:
            self.tell(NO_NOTES)
            return
        if book.problem:
            self.warn("No notes", book.problem)
            return
        place = self.map.cursor
        screen = NotesScreen(book, place, self.presenter.place_name)
        goal = await self.app.push_screen_wait(screen)
        for keep in screen.kept():
            try:
                keep()
            except NotesError as error:
                self.warn("Not kept", str(error))
        self.show_notes()
        if goal:
            self.look_at(goal)

    def warn(self, title: str, text: str) -> None:
        """Show an expected error; derived screens implement this."""

    def show_notes(self) -> None:
        """Redraw the notes; derived screens implement this."""
