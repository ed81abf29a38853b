"""Classify disk errors by what a player needs to know."""

import errno
from typing import Final, Literal, TypeAlias

Trouble: TypeAlias = Literal["", "full", "read-only", "refuses"]
"""Empty if nothing is wrong; ``refuses`` covers all other reasons."""

_TROUBLES: Final[dict[int | None, Trouble]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EROFS: "read-only",
}


def trouble_of(error: BaseException) -> Trouble:
    """Return what is wrong with the disk, judging by an error or the errors that caused it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError):
            return _TROUBLES.get(cause.errno, "refuses")
        cause = cause.__cause__
    return "refuses"
