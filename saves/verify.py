"""Verifies record files. Each file has one verdict. For a false file, the verdict names the first false record."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from engine import registry
from engine.kernel.errors import DataError
from engine.kernel.memo import CachedState
from saves.codec import AnyGame
from saves.copy_verifier import CopyComparison, RedactedCopyVerifier
from saves.errors import (
    ComparisonError,
    CorruptLogError,
    FalseRecordError,
    RulesDisagreeError,
    StorageError,
    WorkerDiedError,
)
from saves.headers import FULL, rules_differ
from saves.logfile import Log, parse_log, read_log
from saves.memory_limit import is_out_of_memory
from saves.protocol6.party_commitments import opened_seeds
from saves.record_verifier import RecordVerifier
from saves.records import Record
from saves.revealed_secret import find_position, find_secret, is_revealed
from saves.segment_verifier import LONG_RECORDS, verify_in_segments
from saves.terms import current_terms
from saves.timeline import FOLD_ERRORS, convert_errors, view_digest
from saves.topic_proofs import TopicProof, topic_proofs
from saves.verdict_notes import VerdictNote, notes_about
from saves.verdicts import Finding, GameOutcome, Status, Verdict, crash_sentence
from saves.workers import map_in_workers

if TYPE_CHECKING:
    from saves.fair.copy_comparison import FairComparison
    from saves.fair.record_verifier import FairRecordVerifier

Checker: TypeAlias = "RecordVerifier[CachedState] | RedactedCopyVerifier[CachedState] | FairRecordVerifier[CachedState]"
_UNSIGNED_DIFFERENCE: Final = (
    "the other copy has different unsigned records, such as remarks; the host can change them, and"
    " all signed records agree"
)
ProgressCallback: TypeAlias = Callable[[int], None]


def _ignore_progress(count: int) -> None:
    """Ignore a progress report."""


def verify_files(
    paths: Sequence[Path],
    against: Path | None,
    jobs: int,
    on_progress: ProgressCallback = _ignore_progress,
) -> Iterator[Verdict]:
    """Yield the verdicts on files, in order.

    The number of processes does not affect the verdicts. A long file is split into segments that all processes share,
    so that it does not keep one process busy after the others have finished.

    Args:
        paths: Record files.
        against: The copy to compare with; see :func:`verify_file`.
        jobs: Number of processes.
        on_progress: Called with the number of bytes verified since the last call.

    Raises:
        WorkerDiedError: A worker process exited before it returned a result.
    """
    if jobs == 1:
        for path in paths:
            yield verify_file(path, against=against, on_progress=on_progress)
        return
    verdicts_by_path = {
        path: verify_file(path, on_progress=on_progress, jobs=jobs)
        for path in _long_files(paths, jobs, against)
    }
    remaining = [(path, None, against) for path in paths if path not in verdicts_by_path]
    with closing(map_in_workers(min(jobs, len(remaining)), verify_file, remaining)) as verdicts:
        for path in paths:
            if path in verdicts_by_path:
                yield verdicts_by_path[path]
            else:
                yield next(verdicts)
                on_progress(size_of(path))


def _long_files(paths: Sequence[Path], jobs: int, against: Path | None) -> Iterator[Path]:
    """Yield the files that exceed one process's fair share of the remaining bytes, largest first."""
    sizes = {path: size_of(path) for path in paths}
    if against is None:
        for path in sorted(sizes, key=lambda path: -sizes[path]):
            if sizes[path] * jobs <= sum(sizes.values()):
                return
            yield path
            del sizes[path]


def size_of(path: Path) -> int:
    """Return a file's size in bytes, or 0 if the file cannot be read. Its verdict will report the error."""
    with suppress(OSError):
        return path.stat().st_size
    return 0


def check_comparison(paths: Sequence[Path], against: Path) -> None:
    """Check that the files can be compared with the given copy.

    Damaged files are skipped here, because their verdicts report the damage. Before protocol 7, ``against`` must be the
    full copy, and the files must be seats' or spectators' copies.

    Raises:
        ComparisonError: A file is of the wrong kind.
        CorruptLogError: The copy to compare with is damaged.
        StorageError: The copy to compare with cannot be read.
    """
    header = read_log(against).header
    if header.audience != FULL and header.fair is msgspec.UNSET:
        raise ComparisonError(f"{against} is not the full copy, which --against requires")
    if header.fair is not msgspec.UNSET:
        return
    for path in paths:
        with suppress(CorruptLogError, StorageError):
            if read_log(path).header.audience == FULL:
                raise ComparisonError(
                    f"{path} is a full copy; --against checks copies of seats and spectators"
                )


def verify_file(
    path: Path,
    ruleset: AnyGame | None = None,
    against: Path | None = None,
    on_progress: ProgressCallback = _ignore_progress,
    jobs: int = 1,
) -> Verdict:
    """Verify a file. File contents never make this function raise an error.

    Args:
        path: A record file, full or redacted.
        ruleset: The rules; None uses the rules named in the file.
        against: Another copy of the same match: any copy in protocol 7, otherwise the full copy. None for no
            comparison.
        on_progress: Called with the number of bytes verified since the last call.
        jobs: Number of processes that may verify the segments of a long full copy.

    Raises:
        WorkerDiedError: A worker process exited before it returned a result.
    """
    return _verdict(path, partial(read_log, path), ruleset, against, on_progress, jobs)


def verify_content(path: Path, content: bytes, ruleset: AnyGame) -> Verdict:
    """Verify a record file's content before it is saved. Never raises, whatever the content.

    Args:
        path: The path for the verdict. The file is not read, and need not exist.
        content: The file's content.
        ruleset: The game's rules.
    """
    return _verdict(
        path, partial(parse_log, path.name, content), ruleset, None, _ignore_progress, 1
    )


def _verdict(
    path: Path,
    read: Callable[[], Log],
    ruleset: AnyGame | None,
    against: Path | None,
    on_progress: ProgressCallback,
    jobs: int,
) -> Verdict:
    """Verify the content that ``read`` returns. The other arguments are the same as for :func:`verify_file`."""
    try:
        return _verify_readable(path, read, ruleset, against, on_progress, jobs)
    except WorkerDiedError:
        raise
    except Exception as error:
        # A lack of memory says nothing about the file, so it must not lead to a verdict.
        if is_out_of_memory(error):
            raise
        return _unreadable(path, None, None, crash_sentence(error))


def _verify_readable(
    path: Path,
    read: Callable[[], Log],
    ruleset: AnyGame | None,
    against: Path | None,
    on_progress: ProgressCallback,
    jobs: int,
) -> Verdict:
    """Verify a file. If its content makes the rules raise an exception, the exception propagates to the caller."""
    try:
        log = read()
    except CorruptLogError as error:
        return _unreadable(path, error.record, error.offset, error.problem)
    except StorageError as error:
        return _unreadable(path, None, None, str(error))
    try:
        game = registry.ruleset(log.header.game) if ruleset is None else ruleset
        if game.game != log.header.game:
            return _unreadable(path, -1, 0, f"this is a game of '{log.header.game}'")
        full_log = None if against is None else _read_full_log(against, game)
    except (DataError, FalseRecordError) as error:
        return _unreadable(path, None, None, str(error))
    return _verify(path, log, game, full_log, on_progress, jobs)


def _verify(
    path: Path,
    log: Log,
    game: AnyGame,
    full_log: Log | None,
    on_progress: ProgressCallback,
    jobs: int,
    disagreement: Finding | None = None,
) -> Verdict:
    """Verify a file's records.

    ``disagreement`` is a difference between a record and the current rules that was found earlier. If it is given,
    check only commitments.
    """
    finding: Finding | None = None
    seq, reported_offset = -1, 0
    checker: Checker | None = None
    comparison: _Comparison | FairComparison[CachedState] | None = None
    try:
        with convert_errors(-1):
            checker = _make_checker(game, log, full_log, decides=disagreement is None)
            comparison = (
                None
                if full_log is None
                else _make_comparison(game, full_log, log, decides=disagreement is None)
            )
        # Segments are always verified by replaying decisions, so use one process once the rules
        # have disagreed with the file.
        for seq in _verified_records(checker, comparison, log, jobs if disagreement is None else 1):
            on_progress(log.record_offsets[seq] - reported_offset)
            reported_offset = log.record_offsets[seq]
    except FalseRecordError as error:
        offset = log.record_offsets[error.record] if error.record >= 0 else 0
        finding = Finding(
            record=error.record, event=error.event, offset=offset, problem=error.problem
        )
        if isinstance(error, RulesDisagreeError) and rules_differ(game, log.header):
            # The first pass stopped at the disagreement. The second pass checks the commitments of
            # all records.
            return _verify(path, log, game, full_log, _ignore_progress, jobs, disagreement=finding)
        # Progress is reported by whole segments, so some correct records before the false one may
        # not have been counted yet.
        seq = max(seq, error.record - 1)
    on_progress(log.intact_bytes - reported_offset)
    view, outcome = "", None
    try:
        if checker is not None and seq >= 0:
            state = _state_after(checker, seq)
            # The digest of a seat's own view would let everyone who sees it test guesses of the hand.
            view = view_digest(game, state, None).hex()
            outcome = None if finding is not None else _outcome(game, log, state)
    except FOLD_ERRORS as error:
        problem = f"the rules cannot show the position after it: {error!r}"
        finding = finding or Finding(
            record=seq, event=None, offset=log.record_offsets[seq], problem=problem
        )
        seq -= 1
    verified_records = log.records[: seq + 1]
    status = _status(log, finding, disagreement, outcome)
    is_correct = status != "false"
    unfinished = (outcome is None or not is_revealed(log)) if is_correct else None
    notes = tuple(
        notes_about(
            log,
            verified_records,
            full_log,
            game,
            status,
            outcome,
            has_secret=_has_secret(checker),
            has_unchecked_parts=_has_unchecked_parts(checker, disagreement),
        )
    )
    if comparison is not None and comparison.differs_unsigned:
        notes += (VerdictNote(_UNSIGNED_DIFFERENCE),)
    is_accusing = status == "false" and log.header.fair is not msgspec.UNSET
    return Verdict(
        file=str(path),
        status=status,
        game=log.header.game,
        match_id=log.header.match_id,
        audience=log.header.audience,
        records=len(verified_records),
        commands=sum(record.kind == "command" for record in verified_records),
        chain=verified_records[-1].chain.hex() if verified_records else "",
        view=view,
        outcome=outcome if is_correct else None,
        unfinished=unfinished,
        dropped_bytes=0 if log.torn is None else log.torn.dropped_bytes,
        finding=finding or disagreement,
        notes=tuple(note.text for note in notes),
        gaps=tuple(note.text for note in notes if note.is_gap) if is_correct else (),
        proofs=_proofs(log, full_log, checker, verified_records, decided=disagreement is None),
        evidence=_evidence(log, full_log, game) if is_accusing else (),
    )


def _outcome(game: AnyGame, log: Log, state: CachedState) -> GameOutcome | None:
    """Return the outcome of the game in a file, or None if it has not ended."""
    terms = current_terms(game, log.header, log.records)
    outcome = terms.outcome(state)
    if outcome is None:
        return None
    return GameOutcome(
        winner=outcome.winner_name,
        level=outcome.level,
        score=outcome.score,
        how="rules" if terms.ending is None else terms.ending.how,
    )


def _status(
    log: Log, finding: Finding | None, disagreement: Finding | None, outcome: GameOutcome | None
) -> Status:
    """Return the status of a file whose records have been checked."""
    if finding is not None:
        return "false"
    if disagreement is not None:
        return "older"
    if log.header.fair is msgspec.UNSET or not log.records:
        return "ok"
    from saves.fair.record_verifier import missing_seeds as unopened  # noqa: PLC0415  # most files need no ciphers

    if is_revealed(log):
        return "unproven" if unopened(log.header, log.records) else "ok"
    return "ok" if outcome is None else "awaited"


def _proofs(
    log: Log,
    full_log: Log | None,
    checker: "Checker | None",
    records: Sequence[Record],
    *,
    decided: bool,
) -> tuple[TopicProof, ...]:
    if log.header.fair is msgspec.UNSET:
        return topic_proofs(log.header, records, decided=decided, compared=full_log is not None)
    from saves.fair.record_verifier import FairRecordVerifier  # noqa: PLC0415
    from saves.fair.topic_proofs import Findings, explain_fair  # noqa: PLC0415  # most files need no ciphers

    if not isinstance(checker, FairRecordVerifier):
        return ()
    findings = Findings(
        decided=decided,
        is_ended=checker.is_ended,
        unproven=checker.unproven,
        has_secret=checker.has_secret,
        compared=0 if full_log is None else min(len(full_log.records), len(records)),
    )
    return explain_fair(log.header, records, findings)


def _has_secret(checker: "Checker | None") -> bool:
    """Return whether a dealing host's secret was used to check a protocol 7 match."""
    from saves.fair.record_verifier import FairRecordVerifier  # noqa: PLC0415  # most files need no ciphers

    return isinstance(checker, FairRecordVerifier) and checker.has_secret


def _has_unchecked_parts(checker: "Checker | None", disagreement: Finding | None) -> bool:
    """Return whether a copy shows something that no commitment, signature or rule has confirmed."""
    if isinstance(checker, RedactedCopyVerifier):
        return checker.has_unchecked_entries
    # The rules have checked everything before the disagreement, and only they can check an opening.
    return disagreement is not None and disagreement.record == 0


def _evidence(log: Log, full_log: Log | None, game: AnyGame) -> tuple[str, ...]:
    from saves.fair.accusations import accusations  # noqa: PLC0415  # most files need no ciphers

    other_records = () if full_log is None else full_log.records
    return tuple(
        str(accusation.verdict)
        for accusation in accusations(game, log.header, log.records, other_records)
    )


def _state_after(checker: Checker, seq: int) -> CachedState:
    """Return the state after a record. For the last record, no records are replayed."""
    timeline = checker.timeline
    return timeline.state if seq == timeline.seq else timeline.state_at(seq)


def _verified_records(
    checker: Checker,
    comparison: "_Comparison | FairComparison[CachedState] | None",
    log: Log,
    jobs: int,
) -> Iterator[int]:
    """Yield the number of each correct record. If segments are verified in parallel, some numbers are skipped.

    Raises:
        FalseRecordError: A record is not correct; the error names the first such record.
    """
    is_long = jobs > 1 and len(log.records) >= LONG_RECORDS
    # If the parties dealt the cards, a draw depends on all earlier records, so a worker with only
    # one segment cannot replay it.
    if (
        is_long
        and comparison is None
        and isinstance(checker, RecordVerifier)
        and checker.cards is None
    ):
        yield from verify_in_segments(checker, log, jobs)
        return
    for record, next_record in zip(log.records, [*log.records[1:], None], strict=True):
        try:
            if isinstance(checker, RecordVerifier):
                checker.add(record, next_record)
            else:
                checker.add(record)
            if comparison is not None:
                with convert_errors(record.seq):
                    comparison.add(record.seq, checker.timeline.state)
        except Exception as error:
            # crash_sentence() includes this note in the sentence for the player.
            error.add_note(f"record {record.seq}")
            raise
        yield record.seq


def _make_checker(game: AnyGame, log: Log, full_log: Log | None, *, decides: bool) -> Checker:
    if log.header.fair is not msgspec.UNSET:
        from saves.fair.record_verifier import FairRecordVerifier  # noqa: PLC0415  # most files need no ciphers

        secret = find_secret(log, full_log)
        return FairRecordVerifier(
            game,
            log.header,
            decides=decides,
            seeds=opened_seeds(log.records),
            secret=secret,
            position=find_position(log, full_log, secret),
        )
    if log.header.audience == FULL:
        return RecordVerifier(game, log.header, decides=decides, seeds=opened_seeds(log.records))
    return RedactedCopyVerifier(game, log.header, opened_seeds(log.records))


def _make_comparison(
    game: AnyGame, full_log: Log, log: Log, *, decides: bool
) -> "_Comparison | FairComparison[CachedState]":
    if log.header.fair is msgspec.UNSET:
        return _Comparison(game, full_log, log, decides=decides)
    from saves.fair.copy_comparison import FairComparison  # noqa: PLC0415  # most files need no ciphers

    return FairComparison(game, full_log, log)


class _Comparison:
    """Verifies the full copy, and compares a redacted copy with the full copy."""

    def __init__(self, game: AnyGame, full_log: Log, redacted: Log, *, decides: bool) -> None:
        self._comparison: CopyComparison[CachedState] = CopyComparison(
            game, full_log.header, redacted.header
        )
        self._checker: RecordVerifier[CachedState] = RecordVerifier(
            game, full_log.header, decides=decides, seeds=opened_seeds(full_log.records)
        )
        self._full = full_log
        self._redacted = redacted
        self.differs_unsigned = False
        """Always False, because records of such a match are not compared by their signatures."""

    def add(self, seq: int, redacted_state: CachedState) -> None:
        """Verify a record in the full copy, and compare it with the same record in the redacted copy."""
        if seq >= len(self._full.records):
            raise FalseRecordError(seq, "the full copy ends before it")
        full_log = self._full.records[seq]
        try:
            self._checker.add(full_log)
        except FalseRecordError as error:
            problem = f"the full copy is wrong here: {error.problem}"
            raise type(error)(seq, problem, error.event) from error
        self._comparison.compare(full_log, self._redacted.records[seq])
        self._comparison.compare_views(seq, self._checker.timeline.state, redacted_state)


def _read_full_log(path: Path, game: AnyGame) -> Log:
    try:
        log = read_log(path)
    except (CorruptLogError, StorageError) as error:
        raise FalseRecordError(-1, f"the file to compare with is invalid: {error}") from error
    if log.header.game != game.game:
        raise FalseRecordError(-1, f"the file to compare with is a game of '{log.header.game}'")
    return log


def _unreadable(path: Path, record: int | None, offset: int | None, problem: str) -> Verdict:
    finding = Finding(record=record, event=None, offset=offset, problem=problem)
    return Verdict(file=str(path), status="unreadable", finding=finding)
