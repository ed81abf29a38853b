"""What ``flagplot`` without a subcommand opens: the menu, with a host at hand."""

from pathlib import Path

from tools import hosting
from tools.hostlog import log_to_file
from tui import launch
from tui.hosting import Hosting, Written


class MenuHosts:
    """Hosts that the menu has started; they end with the program."""

    def __init__(self, folder: Path) -> None:
        """Host from this folder."""
        self._folder = folder
        self._threads: list[hosting.HostThread] = []

    def open(self, wish: Hosting) -> tuple[Written, ...]:
        """Open a match in the background and return its invites.

        Raises:
            FlagplotError: The port is in use, the disk refuses, or the match cannot be opened.
        """
        log_to_file(self._folder / "host.log")
        plan = hosting.Plan(
            host="0.0.0.0",  # noqa: S104  # a LAN game is for the whole LAN; seats prove themselves by key
            port=wish.port,
            plain=False,
            folder=self._folder,
            invites=self._folder / "invites",
            game=wish.game,
            scenario=wish.scenario,
            options=wish.options,
            players=wish.players,
        )
        thread = hosting.HostThread(plan)
        running = thread.start()
        self._threads.append(thread)
        return tuple(
            Written(role=one.role, player=one.player, path=one.path) for one in running.invites
        )

    def stop(self) -> None:
        """End all hosts."""
        for thread in self._threads:
            thread.stop()


def open_menu() -> int:
    """Show the menu until the player leaves; returns the exit status.

    Raises:
        TerminalError: The terminal cannot show screens.
    """
    from saves.folders import hosted_folder

    launch.check_terminal()
    from tui.app import Services

    hosts = MenuHosts(hosted_folder())
    try:
        return launch.menu(Services(host=hosts.open))
    finally:
        hosts.stop()
