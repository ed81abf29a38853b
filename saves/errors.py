"""The failures of records: damaged, in use, refused by the disk, or not what the judge expects."""

import os
from pathlib import Path
from typing import ClassVar

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.protocol6.parties import Throw


class UnreadableError(FlagplotError):
    """Bytes that are not a message of the expected shape."""

    exit_code: ClassVar[int] = 3


class CorruptLogError(FlagplotError):
    """A record file is damaged in a way that no interrupted write explains."""

    exit_code: ClassVar[int] = 3

    def __init__(self, file: str, offset: int, record: int, problem: str) -> None:
        """Keep the place of the damage.

        Args:
            file: Name of the file.
            offset: Byte where the damaged part begins; everything before it is good.
            record: Sequence number of the damaged record, -1 for the head of the file.
            problem: What is wrong there.
        """
        self.file = file
        self.offset = offset
        self.record = record
        self.problem = problem
        where = "the head" if record < 0 else f"record {record}"
        rescue = "" if record <= 0 else "; 'flagplot log salvage' copies the records before it"
        super().__init__(f"{file}: {where} at byte {offset} is damaged: {problem}{rescue}")


class LogInUseError(FlagplotError):
    """Another process writes this record, or this program does already."""

    exit_code: ClassVar[int] = 3

    def __init__(self, path: Path, process: int = 0) -> None:
        """Keep the file and the process, 0 if that is not known."""
        self.path = path
        self.process = process
        if process == os.getpid():
            super().__init__(f"{path} is open in this program already; leave it there first")
            return
        who = f" (process {process})" if process else ""
        end = f", or end that program with 'kill {process}' ('kill -9 {process}' if it hangs)"
        super().__init__(
            f"{path} is in use by another program{who}; leave the game there{end if process else ''}."
            " What was played is kept"
        )


class StorageError(FlagplotError):
    """The disk refused; nothing more is written to this record until it is opened again."""

    exit_code: ClassVar[int] = 3


class LibraryError(FlagplotError):
    """A library that the program depends on has a known fault."""

    exit_code: ClassVar[int] = 3


class BrokenChainError(FlagplotError):
    """A record does not continue this copy of the game."""

    def __init__(self, seq: int, problem: str, event: int | None = None) -> None:
        """Keep the number of the record, what is wrong with it, and the event that it is about."""
        self.seq = seq
        self.problem = problem
        self.event = event
        super().__init__(f"record {seq} does not continue this game: {problem}")


class StaleCommandError(FlagplotError):
    """A command was given on an older position than the current one."""

    def __init__(self, expected_seq: int, last_seq: int) -> None:
        """Keep the record that the sender saw last and the one that is last now."""
        self.expected_seq = expected_seq
        self.last_seq = last_seq
        super().__init__(
            f"the command answers record {expected_seq}, but record {last_seq} is the last one now"
        )


class MatchError(FlagplotError):
    """The match is in no condition for this request, such as a reveal before the end."""


class RedactedCopyError(MatchError):
    """A seat's or spectator's copy where only the judge's will do."""

    exit_code: ClassVar[int] = 3


class ComparisonError(FlagplotError):
    """Two copies of which one is not what a comparison takes: a seat's or spectator's copy, and the judge's."""

    exit_code: ClassVar[int] = 2


class FairPlayError(FlagplotError):
    """What a party gave, or did not give, is not what it had to be; names the party."""

    def __init__(self, role: Role, problem: str) -> None:
        """Keep the role of the party, empty when it is about all of them, and a sentence that names it."""
        self.role = role
        self.problem = problem
        super().__init__(problem)


class LinksNeededError(FlagplotError):
    """A decision needs chance: it can be made when every party has opened its link for this throw."""

    def __init__(self, throw: Throw) -> None:
        """Keep the throw to ask for."""
        self.throw = throw
        super().__init__(f"record {throw.seq} needs link {throw.index} of every party")


class FalseRecordError(FlagplotError):
    """A whole record that is not what rules and promises make of the game."""

    def __init__(self, record: int, problem: str, event: int | None = None) -> None:
        """Keep the place: the record, -1 for the header, and the event within it."""
        self.record = record
        self.event = event
        self.problem = problem
        super().__init__(problem)


class RulesDisagreeError(FalseRecordError):
    """A whole record that today's rules would not make; no proof against one that older rules made."""


class OlderRulesError(FlagplotError):
    """A match has other rules than this program, which decide something in it differently."""

    exit_code: ClassVar[int] = 6

    def __init__(self, theirs: str, ours: str) -> None:
        """Say which rules the match and this program have."""
        super().__init__(
            f"the match has {theirs}, and this program {ours}, or other data;"
            " complete it with the version that played it"
        )


class WorkerDiedError(FlagplotError):
    """A worker process ended before its answer."""

    exit_code: ClassVar[int] = 3

    def __init__(self) -> None:
        """Say what the user can do."""
        super().__init__(
            "a worker process was ended from outside, maybe for want of memory; try again with --jobs 1"
        )
