"""What a caller demands of records besides that they are right: a finished game, nothing dropped or unchecked."""

from typing import Final

import msgspec

from saves.verdicts import Finding, Status, Verdict

_NOT_OVER: Final = "the record ends before the end of the game"
_NOT_OPENED: Final = "the record ends before its last part, which opens the secret"


class Demands(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``flagplot verify`` that change which verdicts pass."""

    finished: bool = False
    """A game that is not finished does not pass."""
    strict: bool = False
    """A file with dropped bytes or unchecked parts does not pass."""
    allow_older: bool = False
    """A record passes although older rules made it and today's decide otherwise."""


NO_DEMANDS: Final = Demands()


def demanded(verdict: Verdict, demands: Demands) -> Verdict:
    """Return a verdict, changed to ``unfinished`` or ``incomplete`` if its record does not meet a demand."""
    if not passes(verdict.status, demands):
        return verdict
    if demands.finished and verdict.unfinished:
        problem = _NOT_OVER if verdict.outcome is None else _NOT_OPENED
        return _changed(verdict, "unfinished", problem)
    if demands.strict and verdict.gaps:
        return _changed(verdict, "incomplete", "; ".join(verdict.gaps))
    return verdict


def passes(status: Status, demands: Demands) -> bool:
    """Return whether a status counts as success."""
    return status == "ok" or (status == "older" and demands.allow_older)


def _changed(verdict: Verdict, status: Status, problem: str) -> Verdict:
    finding = Finding(record=None, event=None, offset=None, problem=problem)
    return msgspec.structs.replace(verdict, status=status, finding=finding)
