"""Classifies disk errors as full, read-only or other."""

import errno
from typing import Final, Literal, TypeAlias

Trouble: TypeAlias = Literal["", "full", "read-only", "refuses"]
"""A disk problem; empty if there is no problem. ``refuses`` means any problem other than a full or read-only disk."""

_TROUBLE_BY_ERRNO: Final[dict[int | None, Trouble]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EROFS: "read-only",
}


def disk_trouble(error: BaseException) -> Trouble:
    """Return the disk problem that an error or one of its causes reports; ``refuses`` if the problem is unknown."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError):
            return _TROUBLE_BY_ERRNO.get(cause.errno, "refuses")
        cause = cause.__cause__
    return "refuses"
