"""The host's secret, which a match's records reveal once the match is over."""

import msgspec

from saves.logfile import Log


def is_opened(log: Log) -> bool:
    """Return whether the last record reveals the secret. No record follows a reveal."""
    return bool(log.records) and log.records[-1].kind == "reveal"


def secret_of(log: Log, truth: Log | None = None) -> bytes | None:
    """Return the host's secret from a file or from the copy to compare with; None if it is unknown or proves nothing.

    With a custom position or custom data, one of the two must be the full copy.
    """
    logs = (log,) if truth is None else (log, truth)
    fair = log.header.fair
    is_own = fair is not msgspec.UNSET and fair.setup is not msgspec.UNSET
    if is_own and all(one.header.position is None for one in logs):
        return None
    for one in logs:
        last = one.records[-1].secret if one.records else None
        if one.header.secret is not None or last is not None:
            return one.header.secret or last
    return None
