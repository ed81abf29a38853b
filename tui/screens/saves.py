"""The record files of a folder, to resume or to replay."""

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from play.games import Saved, saved_games
from tui.clean import clean
from tui.screens.base import FlagScreen

_CELLS = 110


class SavesScreen(FlagScreen):
    """Lists saved games; Enter does what the screen was opened for."""

    HEADING = "Saved games"
    DEFAULT_CSS = """
    SavesScreen OptionList { height: 1fr; padding: 0 1; }
    SavesScreen .folder { height: 1; padding: 0 1; }
    """
    BINDINGS = [
        Binding("escape", "app.pop_screen", "Back"),
        Binding("r", "resume", "Resume"),
        Binding("v", "replay", "Replay"),
    ]

    def __init__(self, folder: Path, *, replay: bool) -> None:
        """Show a folder; Enter replays or resumes."""
        super().__init__()
        self._folder = folder
        self._replay = replay
        self._games: tuple[Saved, ...] = ()

    def body(self) -> ComposeResult:
        """Compose folder and list."""
        yield Static(Content(clean(f"in {self._folder}", _CELLS)), classes="folder", markup=False)
        yield OptionList(markup=False)

    def on_mount(self) -> None:
        """Read the folder."""
        self._games = saved_games(self._folder)
        rows = self.query_one(OptionList)
        rows.add_options(Option(Content(_row(saved))) for saved in self._games)
        rows.focus()
        if self._games:
            rows.highlighted = 0
        else:
            self.tell("There are no saved games yet.")

    def _chosen(self) -> Saved | None:
        place = self.query_one(OptionList).highlighted
        return self._games[place] if place is not None else None

    @on(OptionList.OptionSelected)
    async def selected(self, event: OptionList.OptionSelected) -> None:
        """Do what the screen was opened for."""
        event.stop()
        await self.run_action("replay" if self._replay else "resume")

    @on(OptionList.OptionHighlighted)
    def highlighted(self) -> None:
        """Tell what is wrong with a file."""
        saved = self._chosen()
        self.tell(saved.problem if saved is not None else "")

    async def action_resume(self) -> None:
        """Go on with the game."""
        saved = self._chosen()
        if saved is None:
            return
        if not saved.can_resume:
            self.tell(saved.problem or "this is a copy of somebody else's game; replay it with v")
            return
        self.app.open_saved(saved.path)  # type: ignore[attr-defined]  # the one app that shows this screen

    async def action_replay(self) -> None:
        """Step through the game."""
        saved = self._chosen()
        if saved is not None and saved.header is not None:
            self.app.open_replay(saved.path)  # type: ignore[attr-defined]  # the one app that shows this screen


def _row(saved: Saved) -> str:
    state = f"{saved.records} records" if saved.header is not None else "DAMAGED"
    return clean(f"{saved.title}  ({state})", _CELLS)
