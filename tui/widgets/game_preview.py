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
from play.loading_lock import LOADING_LOCK
from play.save_summary import opening_summary, save_summary
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.presenter.presenter import Scene, Selection, load_presenter
from tui.presenter.save_lines import summary_lines
from tui.terminal.sanitising import sanitise_line
from tui.widgets.picture import MapPicture

_MAX_CELLS = 200


class _Subject(NamedTuple):
    """The subject of a preview, and the modification time of its file."""

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
        """True once the most recently requested game is displayed."""

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
        return getattr(self.app, "palette", PLAIN_PALETTE)

    def show(self, subject: Path | str) -> None:
        """Preview a record file or the opening of ``GAME/SCENARIO``. A game id alone refers to its first scenario."""
        request = _Subject(subject, _modified_time(subject))
        if request == self._requested:
            return
        self._requested, self.is_shown = request, False
        if request in self._cache:
            self._fill(request)
        else:
            self._load_in_thread(request)

    def repaint(self) -> None:
        """Repaint after a theme change."""
        if self._requested in self._cache:
            self._fill(self._requested)
        else:
            self.query_one(MapPicture).show(None, self._palette, has_blocks=True)

    @work(thread=True, exclusive=True, group="preview")
    def _load_in_thread(self, request: "_Subject") -> None:
        worker, (subject, _) = get_current_worker(), request
        # Two threads must not initialise a game's types at the same time.
        with LOADING_LOCK:
            preview = None if worker.is_cancelled else self._load_preview(subject)
        if preview is not None and not worker.is_cancelled:
            self._cache[request] = preview
            self.app.call_from_thread(self._fill, request)

    def _load_preview(self, subject: Path | str) -> tuple[Scene | None, tuple[str, ...]]:
        """Load a game and return its map and summary. If loading fails, return None and the error message."""
        try:
            summary = (
                save_summary(subject) if isinstance(subject, Path) else opening_summary(subject)
            )
            presenter = load_presenter(summary.rules)
            home = presenter.home(summary.view)
            scene = presenter.scene(summary.view, Selection(cursor=home))
        except FlagplotError as error:
            return None, (str(error),)
        return scene, summary_lines(summary, presenter)

    def _fill(self, request: "_Subject") -> None:
        if request != self._requested or not self.is_attached:
            return
        scene, lines = self._cache[request]
        is_ascii = getattr(self.app, "is_ascii", False)
        self.query_one(MapPicture).show(scene, self._palette, has_blocks=not is_ascii)
        self.query_one(".words", Static).update(
            Content("\n".join(sanitise_line(line, _MAX_CELLS) for line in lines))
        )
        self.is_shown = True
