"""The interface of a screen that shows playbacks."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from textual.timer import Timer

from play.session import Session
from tui.presenter.presenter import Presenter

if TYPE_CHECKING:
    from tui.drawing.colour_roles import TextRole
    from tui.maps.map_view import AnyMapView


class PlaybackScreen(Protocol):
    """The methods that a screen must provide for the playback controller."""

    session: Session
    presenter: Presenter

    @property
    def map(self) -> "AnyMapView":
        """The map."""
        ...

    @property
    def is_in_front(self) -> bool:
        """True if no dialog covers the screen."""
        ...

    def set_timer(self, delay: float, callback: "Callable[[], None]") -> Timer:
        """Call a function after a delay in seconds."""
        ...

    def show_all(self) -> None:
        """Show the current state of the session."""
        ...

    def leave_question(self) -> None:
        """Hide the open question, because its options would tell what happens next."""
        ...

    def return_to_question(self) -> None:
        """Show the open question, and scroll back to its places, because playback may have moved the map."""
        ...

    def describe_choice(self) -> None:
        """Describe the highlighted option again, because the place panel has described other places."""
        ...

    def show_message(self, sentence: str) -> None:
        """Show a sentence in the message line."""
        ...

    def show_page(self, title: str, lines: "Sequence[str | tuple[str, TextRole]]") -> None:
        """Show a page in front of the table screen."""
        ...
