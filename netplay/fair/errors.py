"""Why a seat of a match of protocol 7 stops; leaves of the tree in ``engine.kernel.errors``."""

from typing import ClassVar

from engine.kernel.errors import FlagplotError
from saves.errors import LogInUseError


class SeatInUseError(FlagplotError):
    """Another program has the private file of this seat, or has acted for it."""

    exit_code: ClassVar[int] = 3

    def __init__(self, text: str, in_use: LogInUseError | None = None) -> None:
        """Keep the sentence, and which file is locked."""
        self.in_use = in_use
        super().__init__(text if in_use is None else f"{text}: {in_use}")


class SlotUsedError(FlagplotError):
    """The seat was about to sign a second message for a slot; nothing was signed."""


class SeatHaltedError(FlagplotError):
    """The seat has stopped, and signs nothing before its program is started again."""


class SeatResumingError(FlagplotError):
    """The seat signs nothing before the other seats have answered how far the match goes."""
