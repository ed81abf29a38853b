"""Why a disk takes no records, as far as players need to know."""

import errno
from typing import Final, Literal, TypeAlias

Trouble: TypeAlias = Literal["", "full", "read-only", "refuses"]
"""Empty while all is well; ``refuses`` stands for every other reason."""

_TROUBLES: Final[dict[int | None, Trouble]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EROFS: "read-only",
}


def trouble_of(error: BaseException) -> Trouble:
    """Return what is wrong with the disk, by an error or by what caused it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError):
            return _TROUBLES.get(cause.errno, "refuses")
        cause = cause.__cause__
    return "refuses"
