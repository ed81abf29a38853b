"""The report words of line-by-line play, which print information.

Each report yields lines that are not yet sanitised.
"""

from collections.abc import Iterator
from typing import Final

from engine.kernel.docstrings import DOCSTRINGS_STRIPPED
from engine.kernel.errors import FlagplotError
from engine.kernel.numerals import is_count
from engine.kernel.rulings import option_lines
from play.log_lines import collapse_repeats
from play.notes import NO_NOTES, NotesError
from play.session import Session
from tui.panels.forecast import NOTHING_TO_FORECAST
from tui.panels.goals import goal_rows
from tui.panels.overlay_pages import page_text
from tui.panels.roster import Sorting, find_column, roster_rows
from tui.panels.status_segments import row_text
from tui.playback.recap import NO_BATTLE, TurnRecap, battle_pages
from tui.presenter.presenter import Presenter, map_text
from tui.text.markdown import heading, printed_number, strip_markup, terminal_width, wrap_markdown

_MAX_LINES: Final = 40
"""Maximum number of search results printed at once."""
_MAP_SIZE: Final = (78, 22)
# The player's word is used as a method name, so only these methods may be reachable.
_REPORT_WORDS: Final = frozenset(
    {
        *("why", "hand", "log", "since", "battle", "hex", "map", "find", "page", "rules", "verbs"),
        *("forecast", "roster", "calendar", "goals", "note", "notes"),
    }
)
_BOARD_WIDTH: Final = 76
_DELETE_TEXT: Final = "-"
"""Text that deletes a note."""


class PlainReports:
    """Prints reports.

    Each report word has a method, which receives the words after it. Only ``note`` changes any data.
    """

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the reports for one session."""
        self._session = session
        self._presenter = presenter
        self.recap = TurnRecap(session, presenter)

    def answer(self, word: str, argument: str) -> Iterator[str] | None:
        """Return the lines for a word; None if the word is not a report."""
        return getattr(self, word)(argument) if word in _REPORT_WORDS else None

    def why(self, argument: str) -> Iterator[str]:
        """Yield the rules that forbid a command."""
        try:
            command = self._session.parse(argument)
        except FlagplotError as error:
            yield str(error)
            return
        refusals = self._session.refusals(command)
        for refusal in refusals:
            yield f"  {refusal}"
        if not refusals:
            yield (
                "Nothing forbids it."
                if self._session.decision()
                else "You have no decision to make now."
            )

    def hand(self, argument: str) -> Iterator[str]:
        """Yield the player's own cards with their text."""
        del argument
        yield from self._presenter.hand_lines(self._session.view())

    def log(self, argument: str) -> Iterator[str]:
        """Yield the latest log sentences."""
        count = int(argument) if is_count(argument) else 20
        for line in list(collapse_repeats(self._session.log()))[-count:]:
            yield f"  {'~ ' if line.is_draft else ''}{line.text}"

    def since(self, argument: str) -> Iterator[str]:
        """Yield the events since the player's own last move."""
        del argument
        news = tuple(self.recap.lines())
        for line in news:
            yield f"  {line}"
        if not news:
            yield "Nobody has moved since your last move."

    def battle(self, argument: str) -> Iterator[str]:
        """Yield the boards of all current and declared battles or, if there are none, the board of the last battle."""
        del argument
        boards = battle_pages(self._session, self._presenter)
        for board in boards:
            yield from page_text(board, _BOARD_WIDTH)
        if not boards:
            yield NO_BATTLE

    def forecast(self, argument: str) -> Iterator[str]:
        """Yield forecasts for the battle or attack at a place, and for the battles already declared."""
        session, presenter = self._session, self._presenter
        view = session.view()
        named_place = presenter.place_named(view, argument) if argument else presenter.focus(view)
        place = named_place or presenter.home(view)
        forecast_pages = presenter.forecast(view, place, None)
        for forecast_page in forecast_pages:
            yield from forecast_page.plain_lines(_BOARD_WIDTH)
        if not forecast_pages:
            yield NOTHING_TO_FORECAST

    def hex(self, argument: str) -> Iterator[str]:
        """Yield all that is known about a place on the map."""
        view = self._session.view()
        place = self._presenter.place_named(view, argument)
        if not place:
            # The name of a unit, or of anything else that has a hex, selects that hex.
            hits = self._presenter.find(view, argument) if argument else ()
            place = next((hit.hex_id for hit in hits if hit.hex_id), argument)
        yield from (*self._note_line(place), *self._presenter.hex_lines(view, place))

    def map(self, argument: str) -> Iterator[str]:
        """Yield the map around a place."""
        view = self._session.view()
        lines = map_text(self._presenter, view, argument or self._presenter.home(view), _MAP_SIZE)
        yield from lines or ("There is no such hex.",)

    def find(self, argument: str) -> Iterator[str]:
        """Yield places, units and cards whose names match."""
        hits = self._presenter.find(self._session.view(), argument)
        for hit in hits[:_MAX_LINES]:
            yield f"  {hit.hex_id:<6}{hit.title}"
            for line in hit.text.splitlines() if len(hits) == 1 else ():
                yield f"      {line}"
        if not hits:
            yield "Nothing has that name."

    def page(self, argument: str) -> Iterator[str]:
        """Yield one of the presenter's pages, or the names of all pages."""
        pages = self._presenter.pages(self._session.view())
        for key, name, lines in pages:
            if key == argument:
                yield name
                for line in lines:
                    yield f"  {line}"
                return
        yield "Pages: " + ", ".join(f"{key} {name}" for key, name, _ in pages)

    # -- planning

    def goals(self, argument: str) -> Iterator[str]:
        """Yield every side's victory conditions and what each side still needs."""
        del argument
        goals = self._presenter.goals(self._session.view())
        yield from map(row_text, goal_rows(goals) or ("This game lists no goals.",))

    def roster(self, argument: str) -> Iterator[str]:
        """Yield the units that match the words. Without words, yield all units. A leading ``by STATE`` sorts them."""
        roster = self._presenter.roster(self._session.view())
        sorting, query = Sorting(), argument
        if argument.lower().startswith("by "):
            _, title, *query_words = argument.split()
            sorting, query = Sorting(find_column(roster, title)), " ".join(query_words)
        if sorting.column < 0 and query is not argument:
            titles = ", ".join(column.title.split()[0].lower() for column in roster.columns)
            yield f"Sort by one of these: {titles}."
            return
        yield from map(row_text, roster_rows(roster, _BOARD_WIDTH, query, sorting))

    def calendar(self, argument: str) -> Iterator[str]:
        """Yield upcoming events with their times."""
        del argument
        lines = self._presenter.calendar(self._session.view())
        yield from map(row_text, lines or ("No arrivals.",))

    def note(self, argument: str) -> Iterator[str]:
        """Save a note on a place or, if the first word is not a place, on the game. A dash deletes the note."""
        notebook = self._session.notes
        if notebook is None:
            yield NO_NOTES
            return
        word, _, text = argument.partition(" ")
        place = self._presenter.place_named(self._session.view(), word) if word else ""
        text = text.strip()
        try:
            if place and text:
                notebook.write_place_note(place, "" if text == _DELETE_TEXT else text)
            elif argument and not place:
                lines = (notebook.page, argument) if notebook.page else (argument,)
                notebook.write_page("" if argument == _DELETE_TEXT else "\n".join(lines))
        except NotesError as error:
            yield f"{error}."
            return
        if argument and (text or not place):
            yield "Note deleted." if _DELETE_TEXT in (text, argument) else "Note saved."
            return
        note_lines = self._note_line(place)
        yield from note_lines or (
            "note HEX TEXT writes a note about a hex, note TEXT one about the game.",
        )

    def notes(self, argument: str) -> Iterator[str]:
        """Yield all of the player's notes."""
        del argument
        notebook = self._session.notes
        if notebook is None or notebook.problem:
            yield NO_NOTES if notebook is None else f"{notebook.problem}."
            return
        for line in notebook.page.splitlines():
            yield f"  {line}"
        for place, text in sorted(notebook.places.items()):
            yield f"  {self._presenter.place_name(place)}: {text}"
        if not notebook.page and not notebook.places:
            yield "There are no notes."

    def _note_line(self, place: str) -> tuple[str, ...]:
        """Return the note on a place as a line; empty if the place has no note."""
        notebook = self._session.notes
        text = "" if notebook is None else notebook.places.get(place, "")
        return (f"Note: {text}",) if text else ()

    # -- rules

    def rules(self, argument: str) -> Iterator[str]:
        """Yield the rules paragraph with a given number, or the titles of paragraphs that contain the given words."""
        from engine import registry

        reference = registry.reference(self._session.ruleset.game)
        paragraphs = reference.find(argument)
        if not paragraphs:
            hits = reference.search(argument) if argument else ()
            for hit in hits[:_MAX_LINES]:
                yield f"  {printed_number(hit):<8} {strip_markup(hit.title)}"
            if not hits:
                yield "No paragraph has that number or contains these words."
            return
        for paragraph in paragraphs:
            yield heading(paragraph)
            options = option_lines(self._session.ruleset.options(), paragraph.number)
            text = wrap_markdown(paragraph.text, terminal_width() - 2)
            for line in (*text.splitlines(), *options):
                yield f"  {line}"

    def verbs(self, argument: str) -> Iterator[str]:
        """Yield every command of the notation."""
        del argument
        verbs = self._session.ruleset.notation.verbs()
        for verb in verbs:
            words = " ".join([verb.word, *(name.upper() for name in verb.fields)])
            yield f"  {words:<28} {verb.summary}".rstrip()
        if not all(verb.summary for verb in verbs):
            yield DOCSTRINGS_STRIPPED
