"""Errors that stop a seat in a protocol 7 match. These errors extend the hierarchy in ``engine.kernel.errors``."""

from typing import ClassVar

from engine.kernel.errors import FlagplotError
from saves.errors import LogInUseError


class SeatInUseError(FlagplotError):
    """Another program is using this seat's private file or has acted for the seat."""

    exit_code: ClassVar[int] = 3

    def __init__(self, text: str, in_use: LogInUseError | None = None) -> None:
        """Create the error. If another program holds the seat's lock, the message includes the error about the lock."""
        self.in_use = in_use
        super().__init__(text if in_use is None else f"{text}: {in_use}")


class SlotUsedError(FlagplotError):
    """The seat was about to sign a second message for a slot. Nothing was signed."""


class SeatHaltedError(FlagplotError):
    """The seat has stopped. It will not sign anything until its program is restarted."""


class SeatResumingError(FlagplotError):
    """The seat must not sign anything until the other seats have reported their progress."""
