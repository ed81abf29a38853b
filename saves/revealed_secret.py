"""Reads the host's secret, which a match's records reveal once the match is over."""

import msgspec

from saves.commitments import is_secret_of, position_commitment
from saves.logfile import Log


def is_revealed(log: Log) -> bool:
    """Return whether the last record reveals the secret. No record follows a reveal."""
    return bool(log.records) and log.records[-1].kind == "reveal"


def find_position(log: Log, full_log: Log | None, secret: bytes | None) -> bytes | None:
    """Return the starting position from a file's comparison copy; None if the copy has none or nothing confirms it.

    The other copy has not been verified, so its position counts only if it matches its commitment.

    Args:
        log: The file.
        full_log: The comparison copy; None if there is none.
        secret: The host's secret from :func:`find_secret`; None if it is unknown.
    """
    position = None if full_log is None else full_log.header.position
    if position is None or secret is None:
        return None
    is_right = position_commitment(secret, position) == log.header.position_commitment
    return position if is_right else None


def find_secret(log: Log, full_log: Log | None = None) -> bytes | None:
    """Return the host's secret from a file or its comparison copy; None if the secret is unknown or proves nothing.

    In a game with a custom position or custom data, the secret proves nothing unless one of the files contains the
    position.
    """
    logs = (log,) if full_log is None else (log, full_log)
    fair = log.header.fair
    is_own = fair is not msgspec.UNSET and fair.setup is not msgspec.UNSET
    if is_own and all(candidate.header.position is None for candidate in logs):
        return None
    for candidate in logs:
        revealed = candidate.records[-1].secret if candidate.records else None
        secret = candidate.header.secret or revealed
        # The other copy has not been verified, so a secret from it counts only if it is the right one.
        if secret is not None and (candidate is log or is_secret_of(log.header, secret)):
            return secret
    return None
