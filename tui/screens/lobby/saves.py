"""The screen that lists the saved games in a folder, and resumes, replays or manages them."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from play.games import SavedGame, saved_games
from play.save_files import copy_game, delete_game, export_game, rename_game
from tui.screens.dialogs.prompt import ConfirmDialog, LineDialog
from tui.terminal.sanitising import sanitise_line
from tui.widgets.base_screens import BaseScreen
from tui.widgets.game_preview import GamePreview

_CELLS: Final = 110
_NAME_CELLS: Final = 80


class SavesScreen(BaseScreen):
    """Lists saved games. Depending on how the screen was opened, Enter resumes or replays the highlighted game."""

    HEADING = "Saved games"
    DEFAULT_CSS = """
    SavesScreen Horizontal { padding: 1 1 0 1; }
    SavesScreen OptionList { width: 1fr; height: 1fr; }
    SavesScreen GamePreview { width: 1fr; padding: 0 1; }
    SavesScreen .folder { height: 1; padding: 0 1; }
    """
    BINDINGS = [
        Binding("escape", "app.pop_screen", "Back"),
        Binding("r", "resume", "Resume"),
        Binding("v", "replay", "Replay"),
        Binding("n", "rename", "Rename"),
        Binding("c", "copy", "Copy"),
        Binding("d", "delete", "Delete"),
        Binding("e", "export", "Export"),
        Binding("slash", "search", "Search"),
    ]

    def __init__(self, folder: Path, *, replay: bool) -> None:
        """Create the screen for a folder. With `replay`, Enter replays a game instead of resuming it."""
        super().__init__()
        self._folder = folder
        self._replays_on_enter = replay
        self._all_games: tuple[SavedGame, ...] = ()
        self._games: tuple[SavedGame, ...] = ()
        """The games that match the search."""
        self._query = ""

    @override
    def body(self) -> ComposeResult:
        """Compose the folder's name, the list and a picture of the game."""
        yield Static("", classes="folder", markup=False)
        with Horizontal():
            yield OptionList(markup=False)
            yield GamePreview()

    def on_mount(self) -> None:
        """Read the folder."""
        self.query_one(OptionList).focus()
        self._read()

    def _read(self, chosen_path: Path | None = None) -> None:
        """Reread the folder, and highlight the given file if it exists."""
        self._all_games = saved_games(self._folder)
        self._show(chosen_path)
        if not self._all_games:
            self.show_message("There are no saved games yet.")

    def _show(self, chosen_path: Path | None = None) -> None:
        words = self._query.casefold().split()
        self._games = tuple(
            saved_game
            for saved_game in self._all_games
            if all(word in saved_game.title.casefold() for word in words)
        )
        filter_text = f", with {self._query}" if words else ""
        title = sanitise_line(f"in {self._folder}{filter_text}", _CELLS)
        self.query_one(".folder", Static).update(Content(title))
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options(Option(Content(_game_row(saved_game))) for saved_game in self._games)
        paths = [saved_game.path for saved_game in self._games]
        if paths:
            rows.highlighted = paths.index(chosen_path) if chosen_path in paths else 0

    def _selected_entry(self) -> SavedGame | None:
        index = self.query_one(OptionList).highlighted
        return self._games[index] if index is not None and index < len(self._games) else None

    @on(OptionList.OptionSelected)
    async def handle_selection(self, event: OptionList.OptionSelected) -> None:
        """Resume or replay the game."""
        event.stop()
        await self.run_action("replay" if self._replays_on_enter else "resume")

    @on(OptionList.OptionHighlighted)
    def highlighted(self) -> None:
        """Show a picture of the game. If the game's file cannot be read, show the problem instead."""
        saved_game = self._selected_entry()
        self.show_message(saved_game.problem if saved_game is not None else "")
        if saved_game is not None and not saved_game.problem:
            self.query_one(GamePreview).show(saved_game.path)

    async def action_resume(self) -> None:
        """Resume the game."""
        saved_game = self._selected_entry()
        if saved_game is None:
            return
        if not saved_game.can_resume:
            self.show_message(
                saved_game.problem
                or "this game was not played at this keyboard; press v to replay it"
            )
            return
        self.app.open_saved(saved_game.path)  # type: ignore[attr-defined]  # the one app that shows this screen

    async def action_replay(self) -> None:
        """Replay the game."""
        saved_game = self._selected_entry()
        if saved_game is not None and saved_game.header is not None:
            self.app.open_replay(saved_game.path)  # type: ignore[attr-defined]  # the one app that shows this screen

    @work
    async def action_rename(self) -> None:
        """Ask for a new name, and rename the file."""
        saved_game = self._selected_entry()
        if saved_game is None:
            return
        name = await self._ask_file_name(
            f"New name of {saved_game.path.stem}", saved_game.path.stem
        )
        if name:
            self._apply_change(lambda: rename_game(saved_game.path, name), "Renamed to")

    @work
    async def action_copy(self) -> None:
        """Ask for a name, and copy the file, for example to continue the game differently."""
        saved_game = self._selected_entry()
        if saved_game is None:
            return
        name = await self._ask_file_name(
            f"Name of the copy of {saved_game.path.stem}", f"{saved_game.path.stem}-copy"
        )
        if name:
            self._apply_change(lambda: copy_game(saved_game.path, name), "Copied to")

    @work
    async def action_delete(self) -> None:
        """After confirmation, delete the file permanently."""
        saved_game = self._selected_entry()
        if saved_game is None:
            return
        question = f"Delete {sanitise_line(saved_game.path.name, _NAME_CELLS)} permanently?"
        if await self.app.push_screen_wait(ConfirmDialog(question)):
            self._apply_change(lambda: delete_game(saved_game.path), "Deleted")

    @work
    async def action_export(self) -> None:
        """Export the record as readable text."""
        saved_game = self._selected_entry()
        if saved_game is None or saved_game.header is None:
            return
        target = saved_game.path.with_suffix(".txt")
        question = f"Write the log to {sanitise_line(target.name, _NAME_CELLS)} in the same folder?"
        if await self.app.push_screen_wait(ConfirmDialog(question)):
            self._apply_change(lambda: export_game(saved_game.path, target), "Written to")

    async def _ask_file_name(self, title: str, text: str) -> str:
        return await self.app.push_screen_wait(LineDialog(title, text, limit=_NAME_CELLS)) or ""

    def _apply_change(self, change: Callable[[], Path], word: str) -> None:
        """Apply a change to the folder, and report the result."""
        try:
            path = change()
        except (FlagplotError, OSError) as error:
            self.show_message(str(error))
            return
        self._read(path)
        self.show_message(f"{word} {path.name}.")

    @work
    async def action_search(self) -> None:
        """Ask for words, and show only the games whose titles contain all of them."""
        dialog = LineDialog("Show games that contain these words; leave empty for all", self._query)
        words = await self.app.push_screen_wait(dialog)
        if words is not None:
            self._query = words
            self._show()
            if not self._games:
                self.show_message(f"No saved game contains '{words}'.")


def _game_row(saved_game: SavedGame) -> str:
    status = saved_game.age if saved_game.header is not None else "DAMAGED"
    return sanitise_line(f"{saved_game.path.stem:<24}  {status}", _CELLS)
