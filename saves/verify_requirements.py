"""Applies the ``flagplot verify`` options that reject unfinished games or files with dropped or unchecked data."""

from typing import Final

import msgspec

from saves.verdicts import Finding, Status, Verdict

_NOT_OVER: Final = "the record ends before the end of the game"
_NOT_OPENED: Final = "the record ends before the entry that reveals the secret"


class Requirements(msgspec.Struct, frozen=True, kw_only=True):
    """``flagplot verify`` options that determine which verdicts pass."""

    finished: bool = False
    """True rejects a record whose game is not finished."""
    strict: bool = False
    """True rejects a file that has dropped bytes or unchecked parts."""
    allow_older: bool = False
    """True accepts a record made under older rules even if the current rules resolve it differently."""


NO_REQUIREMENTS: Final = Requirements()


def apply_requirements(verdict: Verdict, requirements: Requirements) -> Verdict:
    """Return the verdict, with its status downgraded to ``unfinished`` or ``incomplete`` if it fails a requirement."""
    if not is_success(verdict.status, requirements):
        return verdict
    if requirements.finished and verdict.unfinished:
        problem = _NOT_OVER if verdict.outcome is None else _NOT_OPENED
        return _failed(verdict, "unfinished", problem)
    if requirements.strict and verdict.gaps:
        return _failed(verdict, "incomplete", "; ".join(verdict.gaps))
    return verdict


def is_success(status: Status, demands: Requirements) -> bool:
    """Return whether a status counts as success."""
    return status == "ok" or (status == "older" and demands.allow_older)


def _failed(verdict: Verdict, status: Status, problem: str) -> Verdict:
    finding = Finding(record=None, event=None, offset=None, problem=problem)
    return msgspec.structs.replace(verdict, status=status, finding=finding)
