"""Saves and verifies evidence files. Every file gets a verdict, even a malformed one."""

import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
from typing_extensions import override

from engine import registry
from engine.kernel.errors import DataError
from saves.chain import public_header
from saves.errors import ComparisonError, StorageError, UnreadableError
from saves.fair.accusations import accusations, messages_of
from saves.fair.evidence import (
    SUFFIX,
    ConflictingOrders,
    Equivocation,
    Evidence,
    RefusedMessage,
    decode_evidence,
    encode_evidence,
    invalid_signature_index,
    is_authentic,
    recompute,
)
from saves.fair.fold import transcript_start
from saves.fair.messages import MAX_TRANSCRIPT_BYTES
from saves.fair.setup import match_setup
from saves.fair.state import MatchSetup
from saves.files import FILES, Files, replace_file
from saves.framing import MAGIC
from saves.headers import Header, decode_header, rules_differ, rules_words
from saves.logfile import read_intact, read_log
from saves.memory_limit import is_out_of_memory
from saves.records import Record
from saves.redaction import redact_header
from saves.verdicts import crash_sentence

Status: TypeAlias = Literal["holds", "older", "does not hold", "unreadable"]
EXIT_CODES: Final[dict[Status, int]] = {
    "holds": 0,
    "older": 6,
    "does not hold": 1,
    "unreadable": 3,
}
"""Exit codes by status, with the worst status last.

``older``: the accusation depends on the rules, and the match was played under other rules.
"""


class EvidenceVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one evidence file."""

    file: str
    status: Status
    game: str = ""
    match_id: str = ""
    header: str = ""
    """Hash of the header in the evidence, in hex. The accusation applies only to the keys in this header."""
    is_of_match: bool = False
    """True if a record file with this header was given to compare with."""
    charge: str = ""
    """E1 to E5 if the evidence holds, otherwise empty."""
    author: str = ""
    """The role at fault if the evidence holds; empty for the host."""
    message: int | None = None
    """Index of the message that proves the fault (-1 before the first message); None if the evidence does not hold."""
    problem: str = ""

    @property
    def exit_code(self) -> int:
        """Return 0 if the evidence holds, 1 if it is refuted, 3 if it is unreadable, and 6 if it needs other rules."""
        return EXIT_CODES[self.status]

    @override
    def __str__(self) -> str:
        if self.status == "holds":
            author = self.author or "the host"
            return (
                f"evidence holds: {self.charge}, message {self.message}, {author}: {self.problem}"
            )
        if self.status == "does not hold":
            return f"accusation does not hold: {self.problem}"
        if self.status == "older":
            return f"not judged: {self.problem}"
        return f"unreadable: {self.problem}"


class KnownCopy(NamedTuple):
    """A copy of the match that an accusation must be about."""

    header_hash: bytes
    records: Sequence[Record] = ()
    """The copy's intact records; empty if they are not known.

    They can refute an accusation based on an invalid signature.
    """


def known_copy(path: Path) -> KnownCopy:
    """Return the header hash of the match in a record file, and the file's intact records.

    Raises:
        ComparisonError: The file is not a record of a protocol 7 match.
        CorruptLogError: The file's header is damaged.
        StorageError: The file cannot be read.
    """
    scanned = read_intact(path)
    if scanned.header.fair is msgspec.UNSET:
        raise ComparisonError(
            f"{path} is not a protocol 7 record, so evidence cannot be about its match"
        )
    return KnownCopy(_header_hash(scanned.header), scanned.records)


def evidence_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the given files, and the evidence files in the given folders and their subfolders, sorted.

    If a folder contains no evidence files, yield the folder itself.
    """
    for path in paths:
        files = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else []
        yield from files or [path]


def save_accusations(path: Path, against: Path | None, folder: Path) -> tuple[Path, ...]:
    """Find the evidence in a copy of a protocol 7 match and save it.

    Args:
        path: The copy.
        against: Another copy of the match, which may have a different history; None to check only one copy.
        folder: Folder for the evidence files. Existing files are not overwritten.

    Returns:
        The paths of the evidence files; empty if there is no evidence.

    Raises:
        FlagplotError: A copy cannot be read, or its game is unknown.
        StorageError: The folder cannot be written to.
    """
    log = read_log(path)
    if log.header.fair is msgspec.UNSET:
        return ()
    other_records = () if against is None else read_log(against).records
    valid = accusations(registry.ruleset(log.header.game), log.header, log.records, other_records)
    # A stem of dots would lead out of the folder.
    name = path.stem if path.stem.strip(".") else path.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return save_evidence(folder / name, [accusation.evidence for accusation in valid])
    except OSError as error:
        raise StorageError(f"cannot write in {folder}: {error.strerror or error}") from error


def save_evidence(
    stem: Path, accusations: Sequence[Evidence], files: Files = FILES
) -> tuple[Path, ...]:
    """Save each accusation in its own file. Existing files are never overwritten, and identical files are reused.

    Args:
        stem: Path without a suffix. The first file is ``STEM.evidence7``, and the next is ``STEM.2.evidence7``.
        accusations: The accusations.
        files: File operations to use.

    Returns:
        The path of each accusation's file, in the same order.

    Raises:
        OSError: A file cannot be written.
    """
    return tuple(_save(stem, encode_evidence(evidence), files) for evidence in accusations)


def _save(stem: Path, data: bytes, files: Files) -> Path:
    copy_number = 1
    while True:
        partial_path = "" if copy_number == 1 else f".{copy_number}"
        path = stem.with_name(f"{stem.name}{partial_path}{SUFFIX}")
        if not path.exists():
            replace_file(files, path, data)
            return path
        if path.is_file() and path.read_bytes() == data:
            return path
        copy_number += 1


def verify_evidence(path: Path, known: KnownCopy | None = None) -> EvidenceVerdict:
    """Judge an evidence file. Never raises, whatever the file contains.

    Args:
        path: An evidence file.
        known: A copy of the match that the evidence must be about; None to accept any match.
    """
    try:
        evidence = decode_evidence(_read_content(path))
        header = decode_header(evidence.header)
    except UnreadableError as error:
        return _unreadable(path, str(error))
    except OSError as error:
        return _unreadable(path, error.strerror or str(error))
    try:
        return _judge(path, evidence, header, known)
    except Exception as error:
        # A lack of memory says nothing about the file, so it must not lead to a verdict.
        if is_out_of_memory(error):
            raise
        return _unreadable(path, crash_sentence(error))


def _read_content(path: Path) -> bytes:
    """Return the contents of an evidence file.

    Raises:
        UnreadableError: The path is not a regular file, or the file is too large or is a record file.
        OSError: The file cannot be read.
    """
    # Opening a pipe blocks until a writer opens it, and reading a device may never end.
    file_status = path.stat()
    if not stat.S_ISREG(file_status.st_mode):
        description = "a folder" if stat.S_ISDIR(file_status.st_mode) else "not a file"
        raise UnreadableError(f"this is {description}; evidence is a single file")
    if file_status.st_size > MAX_TRANSCRIPT_BYTES:
        problem = (
            f"{file_status.st_size} bytes exceed the limit of {MAX_TRANSCRIPT_BYTES} for evidence"
        )
        raise UnreadableError(problem)
    with path.open("rb") as file:
        magic = file.read(len(MAGIC))
        if magic == MAGIC:
            raise UnreadableError("this is a record, not evidence; check it with 'flagplot verify'")
        return magic + file.read(MAX_TRANSCRIPT_BYTES)


def _judge(
    path: Path, evidence: Evidence, header: Header, known: KnownCopy | None
) -> EvidenceVerdict:
    # No signature covers a position in the header, so anyone could have added a false one.
    header = redact_header(header, None)
    header_hash = _header_hash(header)
    template = EvidenceVerdict(
        file=str(path),
        status="does not hold",
        game=header.game,
        match_id=header.match_id,
        header=header_hash.hex(),
        is_of_match=known is not None and known.header_hash == header_hash,
    )
    replace = msgspec.structs.replace
    if header.fair is msgspec.UNSET:
        return replace(template, problem="its header is not a protocol 7 header")
    try:
        game = registry.ruleset(header.game)
    except DataError as error:
        return replace(template, status="unreadable", problem=str(error))
    # These two cases are proved by contradictory signatures, so the game's rules do not matter.
    needs_rules = not isinstance(evidence.case, (Equivocation, ConflictingOrders))
    if needs_rules and rules_differ(game, header):
        problem = f"the match has {rules_words(header)}; this program has {rules_words(game)} or different data"
        return replace(template, status="older", problem=problem)
    known_hash = None if known is None else known.header_hash
    evidence_result = recompute(evidence, lambda _: match_setup(game, header), known_hash)
    if evidence_result.charge is None:
        return replace(template, problem=evidence_result.problem)
    if known is not None and _is_refuted(evidence, match_setup(game, header), known.records):
        problem = (
            f"the copy contains the author's valid signature of message {evidence_result.position}"
        )
        return replace(template, problem=problem)
    return replace(
        template,
        status="holds",
        charge=evidence_result.charge,
        author=evidence_result.author,
        message=evidence_result.position,
        problem=evidence_result.problem,
    )


def _is_refuted(evidence: Evidence, setup: MatchSetup, records: Sequence[Record]) -> bool:
    """Return whether a copy holds a valid signature for a message whose signature in the evidence is invalid.

    The host signs the order of the messages, but not their signatures. So an invalid signature is no evidence if the
    valid one exists.
    """
    index = invalid_signature_index(setup, evidence.case)
    if index is None or not isinstance(evidence.case, RefusedMessage):
        return False
    signed_messages = messages_of(setup, records)[index : index + 1]
    return any(
        signed.data == evidence.case.messages[index].data and is_authentic(setup, signed)
        for signed in signed_messages
    )


def _header_hash(header: Header) -> bytes:
    return transcript_start(public_header(header))


def _unreadable(path: Path, problem: str) -> EvidenceVerdict:
    return EvidenceVerdict(file=str(path), status="unreadable", problem=problem)
