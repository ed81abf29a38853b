"""One transition of the search."""

from typing import NamedTuple

from docs.model.messages import Msg


class Step(NamedTuple):
    """One transition: the kind of event, the seat that it affects, and the message if there is one."""

    action: str
    seat: str
    message: Msg | None = None
    number: int = -1
    """Index of the last message in the image from which a seat was restored."""
