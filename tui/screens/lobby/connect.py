"""The screen shown while waiting for a host."""

from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static
from typing_extensions import override

from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.session.peer_group import is_ready, wait_ready
from tui.terminal.sanitising import sanitise_lines
from tui.widgets.base_screens import BaseScreen

_POLL_SECONDS = 0.2
_MAX_CELLS = 600
_WAITING_HINT = (
    "The table opens when everyone is here. You may leave now and take your seat later, with the same invite on this"
    " machine."
)


class ConnectScreen(BaseScreen):
    """Shows the connection status, and opens the table screen once the game has been received."""

    HEADING = "Connecting"
    DEFAULT_CSS = """
    ConnectScreen .link { padding: 1 2; height: auto; }
    """
    BINDINGS = [Binding("escape", "give_up", "Give up")]

    def __init__(self, peers: tuple[Peer, ...], source: Path) -> None:
        """Create the screen for the peers created from an invite file, one per role."""
        super().__init__()
        self._peers = peers
        self._source = source
        self._shown_text = ""

    @override
    def body(self) -> ComposeResult:
        yield Static("", classes="link", markup=False)

    def on_mount(self) -> None:
        """Start connecting."""
        for peer in self._peers:
            peer.start()
        self.open_when_ready()
        self.set_interval(_POLL_SECONDS, self.show_connection_status)
        self.show_connection_status()

    def show_connection_status(self) -> None:
        """Show the connection's progress."""
        pending_peer = next((peer for peer in self._peers if not peer.is_ready), self._peers[0])
        status = pending_peer.reporter.status
        if status.link is ConnectionState.WAITING:
            reason = f"{status.reason[:1].upper()}{status.reason[1:]}"
            mode = f"The mode is {status.mode}. " if status.mode else ""
            stopped_text = f"{status.stopped_openings}.\n\n" if status.stopped_openings else ""
            self._show(f"{reason}.\n\n{stopped_text}{mode}{_WAITING_HINT}")
            return
        addresses = ", ".join(pending_peer.invite.addresses)
        self._show(f"{status.link.value}: {addresses}  {status.reason}")

    def _show(self, text: str) -> None:
        if text != self._shown_text:
            self._shown_text = text
            self.query_one(".link", Static).update(
                Content("\n".join(sanitise_lines(text, _MAX_CELLS)))
            )

    @work
    async def open_when_ready(self) -> None:
        """Open the table screen once the game has been received."""
        await wait_ready(self._peers)
        if is_ready(self._peers):
            self.app.open_peers(self._peers)  # type: ignore[attr-defined]  # the one app that shows this screen
        else:
            self.show_connection_status()

    @work
    async def action_give_up(self) -> None:
        """Give up and close the connections."""
        for peer in self._peers:
            await peer.close()
        self.dismiss()
