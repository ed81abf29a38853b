"""Defines the errors for records that are damaged, locked, read-only, or inconsistent with the rules."""

import os
from pathlib import Path
from typing import ClassVar

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.protocol6.parties import Throw


class UnreadableError(FlagplotError):
    """The bytes do not have the expected structure."""

    exit_code: ClassVar[int] = 3


class CorruptLogError(FlagplotError):
    """A record file is damaged in a way that an interrupted write cannot explain."""

    exit_code: ClassVar[int] = 3

    def __init__(self, file: str, offset: int, record: int, problem: str) -> None:
        """Store the location of the damage.

        Args:
            file: The file's name.
            offset: Offset of the first damaged byte. Everything before it is intact.
            record: Number of the damaged record, or -1 for the file's header.
            problem: What is damaged.
        """
        self.file = file
        self.offset = offset
        self.record = record
        self.problem = problem
        location = "the head" if record < 0 else f"record {record}"
        # If the header or record 0 is damaged, no records can be salvaged.
        hint = "" if record <= 0 else "; 'flagplot log salvage' copies the records before it"
        super().__init__(f"{file}: {location} at byte {offset} is damaged: {problem}{hint}")


class LogInUseError(FlagplotError):
    """The record file is already open for writing, in this process or another one."""

    exit_code: ClassVar[int] = 3

    def __init__(self, path: Path, process: int = 0) -> None:
        """Store the file and the id of the process that has it open, or 0 if the process is unknown."""
        self.path = path
        self.process = process
        if process == os.getpid():
            super().__init__(f"{path} is already open in this program; close it there first")
            return
        process_text = f" (process {process})" if process else ""
        advice = f", or end that program with 'kill {process}' ('kill -9 {process}' if it hangs)"
        super().__init__(
            f"{path} is in use by another program{process_text}; quit the game there{advice if process else ''}."
            " Everything played so far is saved"
        )


class StorageError(FlagplotError):
    """A disk operation failed. Nothing more is written to the file until the file is reopened."""

    exit_code: ClassVar[int] = 3


class LibraryError(FlagplotError):
    """The installed version of a library has a known bug."""

    exit_code: ClassVar[int] = 3


class BrokenChainError(FlagplotError):
    """A record does not continue this copy of the game."""

    def __init__(self, seq: int, problem: str, event: int | None = None) -> None:
        """Store the record number, the problem and, if the problem concerns one event, the event's index."""
        self.seq = seq
        self.problem = problem
        self.event = event
        super().__init__(f"record {seq} does not continue this game: {problem}")


class StaleCommandError(FlagplotError):
    """A command was given for an outdated position, because another record has been added since."""

    def __init__(self, expected_seq: int, last_seq: int) -> None:
        """Store two record numbers: the last record that the sender had seen, and the latest record."""
        self.expected_seq = expected_seq
        self.last_seq = last_seq
        super().__init__(
            f"the command answers record {expected_seq}, but the last record is now {last_seq}"
        )


class MatchError(FlagplotError):
    """The request is not possible in the match's current state, such as a reveal before the end of the match."""


class RedactedCopyError(MatchError):
    """A redacted copy was supplied, but the full copy is required."""

    exit_code: ClassVar[int] = 3


class ComparisonError(FlagplotError):
    """Two copies cannot be compared, because one must be redacted and the other one full."""

    exit_code: ClassVar[int] = 2


class FairPlayError(FlagplotError):
    """A party sent invalid data, or sent no data at all. The error names the party."""

    def __init__(self, role: Role, problem: str) -> None:
        """Store the party's role (empty if the error concerns all parties) and a sentence that names the party."""
        self.role = role
        self.problem = problem
        super().__init__(problem)


class LinksNeededError(FlagplotError):
    """A decision needs a random result, so every party must first reveal its next hash-chain link."""

    def __init__(self, throw: Throw) -> None:
        """Store the throw to request from the parties."""
        self.throw = throw
        super().__init__(f"record {throw.seq} needs link {throw.index} from every party")


class FalseRecordError(FlagplotError):
    """A record is well-formed but contradicts the rules or a commitment."""

    def __init__(self, record: int, problem: str, event: int | None = None) -> None:
        """Store the record number (-1 for the header), the problem, and the index of the event affected, if any."""
        self.record = record
        self.event = event
        self.problem = problem
        super().__init__(problem)


class RulesDisagreeError(FalseRecordError):
    """A record is well-formed, but the current rules would not produce it. Older rules may have produced it."""


class OlderRulesError(FlagplotError):
    """A match was played under other rules, and this program's rules resolve part of the match differently."""

    exit_code: ClassVar[int] = 6

    def __init__(self, theirs: str, ours: str) -> None:
        """Create the error with a message that names both rules versions."""
        super().__init__(
            f"the match has {theirs}, but this program has {ours} or different data;"
            " complete it with the version that played it"
        )


class WorkerDiedError(FlagplotError):
    """A worker process exited before it returned a result."""

    exit_code: ClassVar[int] = 3

    def __init__(self) -> None:
        """Create the error with advice to retry with fewer processes."""
        super().__init__(
            "a worker process was killed, possibly because memory ran out; try again with --jobs 1"
        )
