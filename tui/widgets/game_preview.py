"""A preview of a saved game or a scenario: a picture of its map and a short summary."""

from pathlib import Path
from typing import NamedTuple

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static
from textual.worker import get_current_worker
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from play.save_summary import SaveSummary, opening_summary, save_summary
from play.serialised_loading import READING
from tui.drawing.palette import PLAIN, Palette
from tui.presenter import Presenter, Scene, Selection, load_presenter
from tui.terminal.sanitising import sanitise_line
from tui.widgets.picture import MapPicture

_CELLS = 200


def summary_lines(standing: SaveSummary, presenter: Presenter) -> tuple[str, ...]:
    """Summarise a saved game: its title, its progress, the side to move and the opponents."""
    title = ", ".join(part for part in (standing.rules.title, standing.scenario) if part)
    if not standing.records:
        return title, standing.heading
    lines = [title, standing.heading.replace(" | ", ", ")]
    if standing.outcome is not None:
        lines.append(_result(standing, presenter))
        if standing.ended:
            lines.append(standing.ended)
    elif standing.is_adjourned:
        lines.append("Adjourned")
    elif standing.roles_to_move:
        own = [role for role in standing.roles_to_move if role in standing.people]
        names = ", ".join(presenter.role_phrase(role) for role in own or standing.roles_to_move)
        is_alone = len(standing.people) == 1
        lines.append("Your move" if own and is_alone else f"To move: {names}")
    if standing.bots:
        lines.append(f"Against {', '.join(standing.bots)}")
    return tuple(lines)


def _result(standing: SaveSummary, presenter: Presenter) -> str:
    outcome = standing.outcome
    assert outcome is not None
    level = f" ({outcome.level})" if outcome.level else ""
    if outcome.is_lost:
        return f"Lost{level}"
    winner = (
        "a draw" if outcome.winner is None else f"won by {presenter.role_phrase(outcome.winner)}"
    )
    return f"Over: {winner}{level}"


class _Subject(NamedTuple):
    """The subject of a preview, and the time its file was last written."""

    name: Path | str
    """A record file, or ``GAME/SCENARIO`` for the opening position of a scenario."""
    written: int
    """Time when the file was last written, in nanoseconds; 0 for an opening position."""


def _modified_time(subject: Path | str) -> int:
    try:
        return subject.stat().st_mtime_ns if isinstance(subject, Path) else 0
    except OSError:
        return 0


class GamePreview(Vertical):
    """Previews one game at a time. A thread reads the files, so that keys are never blocked."""

    DEFAULT_CSS = """
    GamePreview .words { height: auto; min-height: 4; padding: 1 0 0 0; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        """Create an empty panel."""
        super().__init__(id=id)
        self._requested: _Subject | None = None
        self._cache: dict[_Subject, tuple[Scene | None, tuple[str, ...]]] = {}
        self.is_shown = False
        """True once the game last requested is on the screen."""

    @override
    def compose(self) -> ComposeResult:
        """Create the picture and the text below it."""
        yield MapPicture()
        yield Static("", classes="words", markup=False)

    def on_mount(self) -> None:
        """Show an empty picture."""
        self.query_one(MapPicture).show(None, self._palette, has_blocks=True)

    @property
    def _palette(self) -> Palette:
        return getattr(self.app, "palette", PLAIN)

    def show(self, subject: Path | str) -> None:
        """Preview a record file or the opening of ``GAME/SCENARIO``. A game id alone refers to its first scenario."""
        asked = _Subject(subject, _modified_time(subject))
        if asked == self._requested:
            return
        self._requested, self.is_shown = asked, False
        if asked in self._cache:
            self._fill(asked)
        else:
            self._read(asked)

    def repaint(self) -> None:
        """Repaint after a change of theme."""
        if self._requested in self._cache:
            self._fill(self._requested)
        else:
            self.query_one(MapPicture).show(None, self._palette, has_blocks=True)

    @work(thread=True, exclusive=True, group="standing")
    def _read(self, asked: "_Subject") -> None:
        worker, (subject, _) = get_current_worker(), asked
        # Two threads must not use a game's types for the first time at once.
        with READING:
            found = None if worker.is_cancelled else self._found(subject)
        if found is not None and not worker.is_cancelled:
            self._cache[asked] = found
            self.app.call_from_thread(self._fill, asked)

    def _found(self, subject: Path | str) -> tuple[Scene | None, tuple[str, ...]]:
        """Load a game and return its map and summary; on an error, return no map and the error message."""
        try:
            standing = (
                save_summary(subject) if isinstance(subject, Path) else opening_summary(subject)
            )
            presenter = load_presenter(standing.rules)
            home = presenter.home(standing.view)
            scene = presenter.scene(standing.view, Selection(cursor=home))
        except FlagplotError as error:
            return None, (str(error),)
        return scene, summary_lines(standing, presenter)

    def _fill(self, asked: "_Subject") -> None:
        if asked != self._requested or not self.is_attached:
            return
        scene, words = self._cache[asked]
        is_ascii = getattr(self.app, "is_ascii", False)
        self.query_one(MapPicture).show(scene, self._palette, has_blocks=not is_ascii)
        self.query_one(".words", Static).update(
            Content("\n".join(sanitise_line(line, _CELLS) for line in words))
        )
        self.is_shown = True
