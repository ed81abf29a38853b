"""The application behind a door: it begins and ends with one player's matches and opens nothing else."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from textual.screen import Screen

from netplay.door import place_of, seats_of
from tui.app import FlagplotApp
from tui.screens.door import DoorScreen
from tui.terminal import Terminal

_SETTINGS: Final = "settings.json"
_COPIES: Final = "joined"


class DoorApp(FlagplotApp):
    """Shows one player's matches in place of the menu."""

    def __init__(
        self, terminal: Terminal, name: str, place: Path, door: Callable[[], Screen[None]]
    ) -> None:
        """Prepare the program.

        Args:
            terminal: What the terminal can show.
            name: The player.
            place: Folder of his settings.
            door: Makes the screen of his matches.
        """
        self._door = door
        self.player = name
        super().__init__(terminal, place / _SETTINGS)

    def get_default_screen(self) -> Screen[None]:
        """Return the player's matches."""
        return self._door()


def door_app(terminal: Terminal, name: str, folder: Path, invites: Path, keep: Path) -> DoorApp:
    """Return the application for a player.

    Args:
        terminal: What the terminal can show.
        name: The player.
        folder: Where the host keeps its matches.
        invites: Where their invites lie.
        keep: Where the copies and settings of all players are.

    Raises:
        DataError: The name cannot be that of a folder.
    """
    place = place_of(keep, name)
    find = partial(seats_of, folder, invites, name)
    return DoorApp(terminal, name, place, lambda: DoorScreen(name, find, place / _COPIES))
