"""One transition of the search."""

from typing import NamedTuple

from docs.model.messages import Msg


class Step(NamedTuple):
    """One transition: what happened, to which seat, with which message."""

    action: str
    seat: str
    message: Msg | None = None
    number: int = -1
    """Index of the last message in the image that a seat was restored from."""
