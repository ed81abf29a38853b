"""The first screen: what to do."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.screens.base import FlagScreen

_ENTRIES = (
    ("n", "new_game", "New game", "against a bot, hotseat, or both seats yourself"),
    ("r", "resume", "Resume", "a saved game"),
    ("h", "host", "Host", "a game on the local network"),
    ("j", "join", "Join", "a hosted game with an invite"),
    ("w", "watch", "Watch", "a hosted game without a seat"),
    ("v", "replay", "Replay", "step through a record"),
    ("l", "learn", "Learn", "the first turns of a game, with comments"),
    ("b", "rules", "Rules", "the rules reference"),
    ("s", "settings", "Settings", "palette, ASCII, motion, name"),
    ("q", "quit", "Quit", ""),
)
_TITLE = Content("flagplot: board wargames in the terminal, with every rule enforced")


class MenuScreen(FlagScreen):
    """The main menu."""

    HEADING = "flagplot"
    DEFAULT_CSS = """
    MenuScreen .intro { padding: 1 2; height: auto; }
    MenuScreen OptionList { height: auto; padding: 0 2; }
    """
    BINDINGS = [
        Binding(key, f"app.{action}", name, show=False) for key, action, name, _ in _ENTRIES
    ]

    def body(self) -> ComposeResult:
        """Compose the introduction and the list."""
        yield Static(_TITLE, classes="intro", markup=False)
        yield OptionList(
            *(
                Option(Content(f"{key}  {name:<10}{text}"), id=action)
                for key, action, name, text in _ENTRIES
            ),
            markup=False,
        )

    def on_mount(self) -> None:
        """Tell the keys."""
        self.query_one(".keys", Static).update(
            Content("Up/Down Enter choose   letters choose   F1 rules   ? keys   Ctrl+P commands")
        )
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    async def choose(self, event: OptionList.OptionSelected) -> None:
        """Do what the entry says."""
        event.stop()
        if event.option_id:
            await self.run_action(f"app.{event.option_id}")
