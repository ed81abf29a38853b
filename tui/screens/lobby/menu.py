"""The main menu, next to a picture of the most recent game."""

from pathlib import Path
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from play.save_files import newest_game
from saves.folders import games_folder
from tui.drawing.palette import Palette
from tui.terminal.settings import Settings
from tui.widgets.base_screens import BaseScreen
from tui.widgets.game_preview import GamePreview

_CONTINUE: Final = ("c", "continue_game", "Continue", "your last game")
_ENTRIES: Final = (
    ("l", "learn", "Learn", "your first game, guided step by step"),
    ("n", "new_game", "New game", "against a bot, or several people at this keyboard"),
    ("r", "resume", "Saved games", "continue, rename, copy or delete a game"),
    ("h", "host", "Host", "open a match for others, and send the invites"),
    ("j", "join", "Join", "a match on another machine; your invites"),
    ("w", "watch", "Watch", "watch a match with a spectator's invite"),
    ("v", "replay", "Replay", "step through a finished or saved game"),
    ("b", "rules", "Rules", "the rules of every game, by number or keyword"),
    ("s", "settings", "Settings", "theme, colours, motion, your name"),
    ("q", "quit", "Quit", "all your commands are already saved"),
)
_TITLE: Final = Content("Board wargames in the terminal, with every rule enforced")
_IDLE_SECONDS: Final = 0.25
"""Delay, in seconds, before the picture is drawn. Drawing requires loading a game's rules."""
FIRST_GAME: Final = "eots"
"""The game shown in the picture until a game has been played."""


class MenuScreen(BaseScreen):
    """The main menu."""

    HEADING = "flagplot"
    DEFAULT_CSS = """
    MenuScreen .intro { padding: 1 2 1 2; height: auto; }
    MenuScreen Horizontal { padding: 0 0 0 2; }
    MenuScreen OptionList { width: 20; height: 1fr; }
    MenuScreen GamePreview { width: 1fr; padding: 0 2; }
    """
    BINDINGS = [
        Binding(key, f"app.{action}", name, show=False)
        for key, action, name, _ in (_CONTINUE, *_ENTRIES)
    ]

    def __init__(self) -> None:
        """Create the menu."""
        super().__init__()
        self._newest_game: Path | None = None

    @override
    def body(self) -> ComposeResult:
        """Compose the introduction, the list and the picture."""
        yield Static(_TITLE, classes="intro", markup=False)
        with Horizontal():
            yield OptionList(markup=False)
            yield GamePreview()

    def on_mount(self) -> None:
        """Show the keys and fill the list."""
        self.query_one(".keys", Static).update(
            Content("Up/Down Enter choose   letters choose   F1 rules   ? keys   Ctrl+P commands")
        )
        self._fill()

    def on_screen_resume(self) -> None:
        """Refresh the list if a different game has been played in the meantime."""
        if newest_game(games_folder()) != self._newest_game:
            self._fill()
        self.set_timer(_IDLE_SECONDS, self.show_picture)

    def _fill(self) -> None:
        self._newest_game = newest_game(games_folder())
        entries = (_CONTINUE, *_ENTRIES) if self._newest_game is not None else _ENTRIES
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options(
            Option(Content(f"{key}  {name}"), id=action) for key, action, name, _ in entries
        )
        rows.highlighted = 0
        rows.focus()

    def apply_settings(self, settings: Settings, palette: Palette) -> None:
        """Apply new preferences."""
        del settings, palette
        self.query_one(GamePreview).repaint()

    def show_picture(self) -> None:
        """Show a picture of the most recent game. If no game has been played, show the default game."""
        if self.app.screen is self:
            self.query_one(GamePreview).show(self._newest_game or FIRST_GAME)

    @on(OptionList.OptionHighlighted)
    def highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Describe the highlighted entry."""
        event.stop()
        words = {action: text for _, action, _, text in (_CONTINUE, *_ENTRIES)}
        name = {action: name for _, action, name, _ in (_CONTINUE, *_ENTRIES)}
        chosen_id = event.option_id or ""
        self.show_message(f"{name[chosen_id]}: {words[chosen_id]}.")

    @on(OptionList.OptionSelected)
    async def choose(self, event: OptionList.OptionSelected) -> None:
        """Run the action of the chosen entry."""
        event.stop()
        if event.option_id:
            await self.run_action(f"app.{event.option_id}")
