"""The application for SSH logins, which shows only one player's matches."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from textual.screen import Screen
from typing_extensions import override

from netplay.host.ssh_lobby import player_folder, seats_of
from tui.app.app import FlagplotApp
from tui.drawing.capabilities import Terminal
from tui.screens.lobby.ssh_lobby import SshLobbyScreen

_SETTINGS_NAME: Final = "settings.json"
_COPIES_FOLDER: Final = "joined"


class SshApp(FlagplotApp):
    """Shows one player's matches instead of the menu."""

    def __init__(
        self, terminal: Terminal, name: str, folder: Path, create_lobby: Callable[[], Screen[None]]
    ) -> None:
        """Create the application.

        Args:
            terminal: Capabilities of the terminal.
            name: Name of the player.
            folder: Folder for the player's settings.
            create_lobby: Creates the screen that lists the player's matches.
        """
        self._create_lobby = create_lobby
        self.player = name
        super().__init__(terminal, folder / _SETTINGS_NAME)

    @override
    def get_default_screen(self) -> Screen[None]:
        return self._create_lobby()


def create_ssh_app(
    terminal: Terminal, name: str, folder: Path, invites: Path, player_data: Path
) -> SshApp:
    """Create the application for a player.

    Args:
        terminal: Capabilities of the terminal.
        name: Name of the player.
        folder: Folder of the host's matches.
        invites: Folder of the players' invites.
        player_data: Folder of all players' copies and settings.

    Raises:
        DataError: The player's name cannot be used as a folder name.
    """
    own_folder = player_folder(player_data, name)
    find_seats = partial(seats_of, folder, invites, name)
    return SshApp(
        terminal,
        name,
        own_folder,
        lambda: SshLobbyScreen(name, find_seats, own_folder / _COPIES_FOLDER),
    )
