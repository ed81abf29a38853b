"""What a playback needs of the screen that it runs on."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from textual.timer import Timer

from play.session import Session
from tui.presenter import Presenter

if TYPE_CHECKING:
    from tui.tones import Tone
    from tui.widgets.mapview import AnyMapView


class Table(Protocol):
    """What the director needs of the screen."""

    session: Session
    presenter: Presenter

    @property
    def map(self) -> "AnyMapView":
        """Return the map."""
        ...

    @property
    def is_in_front(self) -> bool:
        """Return whether nothing stands before the table."""
        ...

    def set_timer(self, delay: float, callback: "Callable[[], None]") -> Timer:
        """Call back later."""
        ...

    def show_all(self) -> None:
        """Show the session as it stands now."""
        ...

    def come_back(self) -> None:
        """Point at what the player is asked about, after the map was led elsewhere."""
        ...

    def tell(self, sentence: str) -> None:
        """Show a sentence in the message line."""
        ...

    def read(self, title: str, lines: "Sequence[str | tuple[str, Tone]]") -> None:
        """Show a page above the table."""
        ...
