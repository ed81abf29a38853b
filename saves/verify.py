"""Verify record files: one verdict per file, naming the first false record."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from engine import registry
from engine.kernel.errors import DataError
from engine.kernel.memo import Remembering
from saves.clocks import clock_words, face
from saves.codec import AnyGame
from saves.comparing import Audit, Witness
from saves.errors import (
    ComparisonError,
    CorruptLogError,
    FalseRecordError,
    RulesDisagreeError,
    StorageError,
    WorkerDiedError,
)
from saves.explaining import Proof, explain
from saves.headers import FULL, rules_differ, rules_words
from saves.judging import Judge
from saves.logfile import Log, read_log
from saves.protocol6.pledges import missing_seeds, opened_seeds
from saves.records import Record
from saves.segments import LONG, judge_in_segments
from saves.shortage import is_shortage
from saves.terms import ending_words, terms_of
from saves.timeline import CANNOT_FOLD, checked, view_digest
from saves.workers import in_workers

if TYPE_CHECKING:
    from saves.fair.comparing import FairComparison
    from saves.fair.witness import FairWitness

Checker: TypeAlias = "Judge[Remembering] | Witness[Remembering] | FairWitness[Remembering]"
Tell: TypeAlias = Callable[[int], None]
Status: TypeAlias = Literal[
    "ok", "unfinished", "incomplete", "awaited", "unproven", "older", "false", "unreadable"
]
EXIT_CODES: dict[Status, int] = {
    "ok": 0,
    "unfinished": 8,
    "incomplete": 8,
    "awaited": 7,
    "unproven": 7,
    "older": 6,
    "false": 1,
    "unreadable": 3,
}
"""Exit codes by status, the worst last.

``unfinished`` and ``incomplete``: a caller demands more than a right record (``saves.demands``).
``awaited``: a match of protocol 7 has ended, and card seeds may still arrive. ``unproven``: it is closed without one.
``older``: everything that was promised holds, but the game was made by other rules, and today's decide it otherwise.
"""

_PROVED = "proved: "
"""Begins the note that nothing is missing."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The first thing that is wrong."""

    record: int | None
    """None when it is about the file as a whole, -1 for its header."""
    event: int | None
    """Place in the record, from 0; None when it is not about one event."""
    offset: int | None
    """Byte of the file where the record begins."""
    problem: str

    def __str__(self) -> str:
        """Return the sentence for the report."""
        if self.record is None:
            return self.problem
        place = "header" if self.record < 0 else f"record {self.record}"
        if self.event is not None:
            place += f", event {self.event}"
        if self.offset is not None:
            place += f" (byte {self.offset})"
        return f"{place}: {self.problem}"


class GameOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a game ended."""

    winner: str
    """The winning side, ``nobody`` for a draw, ``game`` when everybody lost to it."""
    level: str
    """Degree of victory; empty when there are no degrees."""
    score: int | None
    """Victory points; None when they are not counted."""
    how: Literal["rules", "resigned", "time", "draw", "stopped"]

    def __str__(self) -> str:
        """Return the winner with the degree of victory, and how it ended if not by the rules."""
        how = "" if self.how == "rules" else f"({self.how})"
        return " ".join(filter(None, (self.winner, self.level, how)))


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What was found about one file."""

    file: str
    status: Status
    game: str = ""
    match_id: str = ""
    audience: str = ""
    """``*`` for the full copy, ``-`` for a host's who reads no hand, empty for a spectator's, else the role."""
    records: int = 0
    """Records that are right, counted from the start."""
    commands: int = 0
    chain: str = ""
    """Chain value of the last right record, in hex."""
    view: str = ""
    """Digest of what the audience sees at the end, in hex; of the spectator's view for the judge's."""
    outcome: GameOutcome | None = None
    """None while the game is not over, and in a file that is false or unreadable."""
    unfinished: bool | None = None
    """Whether the record ends before the end of the game or before the secret is opened; None as for ``outcome``."""
    dropped_bytes: int = 0
    """Bytes behind the last whole record, which an interrupted write left there."""
    finding: Finding | None = None
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    """Those of the notes that tell what was dropped or stays unchecked."""
    proofs: tuple[Proof, ...] = ()
    """What the copy proves and what not, as far as its records are right; empty where none is."""
    evidence: tuple[str, ...] = ()
    """Of a false copy of protocol 7: what evidence it contains, as charge, message, author and problem."""

    @property
    def exit_code(self) -> int:
        """Return the exit code of the status."""
        return EXIT_CODES[self.status]


def _nobody_told(count: int) -> None:
    """Tell nobody about the progress."""


def verify_files(
    paths: Sequence[Path], against: Path | None, jobs: int, tell: Tell = _nobody_told
) -> Iterator[Verdict]:
    """Yield the verdicts about files in their order, the same ones with any number of processes.

    A file that would keep one process busy after all others are done is judged in segments by all of them.

    Args:
        paths: Record files.
        against: The full copy, as for :func:`verify_file`.
        jobs: How many processes.
        tell: Hears how many more bytes of the files are done.

    Raises:
        WorkerDiedError: A worker process ended before its answer.
    """
    if jobs == 1:
        for path in paths:
            yield verify_file(path, against=against, tell=tell)
        return
    known = {path: verify_file(path, tell=tell, jobs=jobs) for path in _long(paths, jobs, against)}
    rest = [(path, None, against) for path in paths if path not in known]
    with closing(in_workers(min(jobs, len(rest)), verify_file, rest)) as verdicts:
        for path in paths:
            if path in known:
                yield known[path]
            else:
                yield next(verdicts)
                tell(size_of(path))


def _long(paths: Sequence[Path], jobs: int, against: Path | None) -> Iterator[Path]:
    """Yield the files that are longer than the share of one process in what is left."""
    sizes = {path: size_of(path) for path in paths}
    if against is None:
        for path in sorted(sizes, key=lambda path: -sizes[path]):
            if sizes[path] * jobs <= sum(sizes.values()):
                return
            yield path
            del sizes[path]


def size_of(path: Path) -> int:
    """Return the bytes of a file, 0 when it cannot be read, which is for its verdict to say."""
    with suppress(OSError):
        return path.stat().st_size
    return 0


def check_comparison(paths: Sequence[Path], against: Path) -> None:
    """Accept the full copy to compare with, and copies of seats and spectators; bad files get their verdict.

    Raises:
        ComparisonError: A file is a copy of the other kind.
        CorruptLogError: The copy to compare with is damaged.
        StorageError: It cannot be read.
    """
    header = read_log(against).header
    if header.audience != FULL and header.fair is msgspec.UNSET:
        raise ComparisonError(f"{against} is not the full copy, which --against compares with")
    if header.fair is not msgspec.UNSET:
        return
    for path in paths:
        with suppress(CorruptLogError, StorageError):
            if read_log(path).header.audience == FULL:
                raise ComparisonError(
                    f"{path} is the full copy; --against checks those of seats and spectators"
                )


def verify_file(
    path: Path,
    ruleset: AnyGame | None = None,
    against: Path | None = None,
    tell: Tell = _nobody_told,
    jobs: int = 1,
) -> Verdict:
    """Return the verdict about a file; never raises for what is in it.

    Args:
        path: A record file, the judge's or a redacted one.
        ruleset: The rules; None takes those that the file names.
        against: The full copy of the same match, to check what a redacted copy was told.
        tell: Hears how many more bytes of the file are done.
        jobs: How many processes may judge segments of a long full copy.

    Raises:
        WorkerDiedError: A worker process ended before its answer.
    """
    try:
        return _verdict(path, ruleset, against, tell, jobs)
    except WorkerDiedError:
        raise
    except Exception as error:
        if is_shortage(error):
            raise
        return _unreadable(path, None, None, crash_sentence(error))


def crash_sentence(error: Exception) -> str:
    """Return the sentence about an error that no check expects, with its place in the record and in the program."""
    place = extract_tb(error.__traceback__)[-1]
    record = "".join(f" at {note}" for note in getattr(error, "__notes__", ()))
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return f"the program failed{record}: {error!r} in {where}; please report this"


def _verdict(
    path: Path, ruleset: AnyGame | None, against: Path | None, tell: Tell, jobs: int
) -> Verdict:
    """Return the verdict about a file; arguments are those of :func:`verify_file`."""
    try:
        log = read_log(path)
    except CorruptLogError as error:
        return _unreadable(path, error.record, error.offset, error.problem)
    except StorageError as error:
        return _unreadable(path, None, None, str(error))
    try:
        game = registry.ruleset(log.header.game) if ruleset is None else ruleset
        if game.game != log.header.game:
            return _unreadable(path, -1, 0, f"this is a game of '{log.header.game}'")
        truth = None if against is None else _truth(against, game)
    except (DataError, FalseRecordError) as error:
        return _unreadable(path, None, None, str(error))
    return _verify(path, log, game, truth, tell, jobs)


def _verify(
    path: Path,
    log: Log,
    game: AnyGame,
    truth: Log | None,
    tell: Tell,
    jobs: int,
    parting: Finding | None = None,
) -> Verdict:
    """Return the verdict about a file; with the place where other rules parted from today's, only promises count."""
    finding: Finding | None = None
    seq, told = -1, 0
    judge: Checker | None = None
    try:
        with checked(-1):
            judge = _checker(game, log, truth, decides=parting is None)
            audit = None if truth is None else _compared(game, truth, log, decides=parting is None)
        for seq in _right(judge, audit, log, jobs if parting is None else 1):
            tell(log.starts[seq] - told)
            told = log.starts[seq]
    except FalseRecordError as error:
        place = log.starts[error.record] if error.record >= 0 else 0
        finding = Finding(
            record=error.record, event=error.event, offset=place, problem=error.problem
        )
        if isinstance(error, RulesDisagreeError) and rules_differ(game, log.header):
            return _verify(path, log, game, truth, _nobody_told, jobs, parting=finding)
        seq = max(seq, error.record - 1)
    tell(log.good - told)
    role = None if judge is None or isinstance(judge, Judge) else judge.role
    view, outcome = "", None
    try:
        if judge is not None and seq >= 0:
            state = _after(judge, seq)
            view = view_digest(game, state, role).hex()
            outcome = None if finding is not None else _outcome(game, log, state)
    except CANNOT_FOLD as error:
        problem = f"the rules cannot show where the game stands after it: {error!r}"
        finding = finding or Finding(
            record=seq, event=None, offset=log.starts[seq], problem=problem
        )
        seq -= 1
    good = log.records[: seq + 1]
    status = _status(log, finding, parting, outcome)
    is_right = status != "false"
    unfinished = (outcome is None or not _is_opened(log)) if is_right else None
    is_accusing = status == "false" and log.header.fair is not msgspec.UNSET
    return Verdict(
        file=str(path),
        status=status,
        game=log.header.game,
        match_id=log.header.match_id,
        audience=log.header.audience,
        records=len(good),
        commands=sum(record.kind == "command" for record in good),
        chain=good[-1].chain.hex() if good else "",
        view=view,
        outcome=outcome if is_right else None,
        unfinished=unfinished,
        dropped_bytes=0 if log.torn is None else log.torn.dropped,
        finding=finding or parting,
        notes=_notes(log, truth, game, status, outcome),
        gaps=tuple(_gaps(log, truth, status)) if is_right else (),
        proofs=_proofs(log, truth, judge, good, decided=parting is None),
        evidence=_evidence(log, truth, game) if is_accusing else (),
    )


def _outcome(game: AnyGame, log: Log, state: Remembering) -> GameOutcome | None:
    """Return how the game of a file ended, None if it goes on."""
    terms = terms_of(game, log.header, log.records)
    outcome = terms.outcome(state)
    if outcome is None:
        return None
    return GameOutcome(
        winner=outcome.winner_word,
        level=outcome.level,
        score=outcome.score,
        how="rules" if terms.ending is None else terms.ending.how,
    )


def _is_opened(log: Log) -> bool:
    """Return whether the last record opens the secret, after which nothing follows."""
    return bool(log.records) and log.records[-1].kind == "reveal"


def _status(
    log: Log, finding: Finding | None, parting: Finding | None, outcome: GameOutcome | None
) -> Status:
    """Return the status of a file whose records were checked."""
    if finding is not None:
        return "false"
    if parting is not None:
        return "older"
    if log.header.fair is msgspec.UNSET or not log.records:
        return "ok"
    from saves.fair.witness import missing_seeds as unopened  # noqa: PLC0415  # most files need no ciphers

    if _is_opened(log):
        return "unproven" if unopened(log.header, log.records) else "ok"
    return "ok" if outcome is None else "awaited"


def _proofs(
    log: Log,
    truth: Log | None,
    judge: "Checker | None",
    records: Sequence[Record],
    *,
    decided: bool,
) -> tuple[Proof, ...]:
    if log.header.fair is msgspec.UNSET:
        return explain(log.header, records, decided=decided, compared=truth is not None)
    from saves.fair.explaining import Findings, explain_fair  # noqa: PLC0415  # most files need no ciphers
    from saves.fair.witness import FairWitness  # noqa: PLC0415

    if not isinstance(judge, FairWitness):
        return ()
    findings = Findings(
        decided=decided,
        is_ended=judge.is_ended,
        unproven=judge.unproven,
        has_secret=decided and _secret_of(log, truth) is not None,
        compared=0 if truth is None else min(len(truth.records), len(records)),
    )
    return explain_fair(log.header, records, findings)


def _evidence(log: Log, truth: Log | None, game: AnyGame) -> tuple[str, ...]:
    from saves.fair.accusing import accusations  # noqa: PLC0415  # most files need no ciphers

    other = () if truth is None else truth.records
    return tuple(str(one.verdict) for one in accusations(game, log.header, log.records, other))


def _after(judge: Checker, seq: int) -> Remembering:
    """Return the state after a record, which is at hand for the last one."""
    timeline = judge.timeline
    return timeline.state if seq == timeline.seq else timeline.state_at(seq)


def _right(
    judge: Checker,
    audit: "_Comparison | FairComparison[Remembering] | None",
    log: Log,
    jobs: int,
) -> Iterator[int]:
    """Yield the number of each right record, or only of some where segments are judged side by side.

    Raises:
        FalseRecordError: The first one that is not.
    """
    is_long = jobs > 1 and len(log.records) >= LONG
    if is_long and audit is None and isinstance(judge, Judge) and judge.cards is None:
        yield from judge_in_segments(judge, log, jobs)
        return
    for record, coming in zip(log.records, [*log.records[1:], None], strict=True):
        try:
            if isinstance(judge, Judge):
                judge.add(record, coming)
            else:
                judge.add(record)
            if audit is not None:
                with checked(record.seq):
                    audit.add(record.seq, judge.timeline.state)
        except Exception as error:
            error.add_note(f"record {record.seq}")
            raise
        yield record.seq


def _checker(game: AnyGame, log: Log, truth: Log | None, *, decides: bool) -> Checker:
    if log.header.fair is not msgspec.UNSET:
        from saves.fair.witness import FairWitness  # noqa: PLC0415  # most files need no ciphers

        return FairWitness(
            game,
            log.header,
            decides=decides,
            seeds=opened_seeds(log.records),
            secret=_secret_of(log, truth),
            position=None if truth is None else truth.header.position,
        )
    if log.header.audience == FULL:
        return Judge(game, log.header, decides=decides, seeds=opened_seeds(log.records))
    return Witness(game, log.header, opened_seeds(log.records))


def _secret_of(log: Log, truth: Log | None = None) -> bytes | None:
    """Return the secret of the host in a file or in the one to compare it with; None if it proves nothing here.

    With a position or data of the players' own one of them must be the full copy.
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


def _compared(
    game: AnyGame, truth: Log, log: Log, *, decides: bool
) -> "_Comparison | FairComparison[Remembering]":
    if log.header.fair is msgspec.UNSET:
        return _Comparison(game, truth, log, decides=decides)
    from saves.fair.comparing import FairComparison  # noqa: PLC0415  # most files need no ciphers

    return FairComparison(game, truth, log)


class _Comparison:
    """Folds the full copy beside a redacted one."""

    def __init__(self, game: AnyGame, truth: Log, told: Log, *, decides: bool) -> None:
        self._audit: Audit[Remembering] = Audit(game, truth.header, told.header)
        self._judge: Judge[Remembering] = Judge(
            game, truth.header, decides=decides, seeds=opened_seeds(truth.records)
        )
        self._truth = truth
        self._told = told

    def add(self, seq: int, told_state: Remembering) -> None:
        """Compare one record; the full copy must be right as well."""
        if seq >= len(self._truth.records):
            raise FalseRecordError(seq, "the full copy ends before it")
        truth = self._truth.records[seq]
        try:
            self._judge.add(truth)
        except FalseRecordError as error:
            problem = f"the full copy is false here: {error.problem}"
            raise type(error)(seq, problem, error.event) from error
        self._audit.compare(truth, self._told.records[seq])
        self._audit.compare_views(seq, self._judge.timeline.state, told_state)


def _truth(path: Path, game: AnyGame) -> Log:
    try:
        log = read_log(path)
    except (CorruptLogError, StorageError) as error:
        raise FalseRecordError(-1, f"the file to compare with is bad: {error}") from error
    if log.header.game != game.game:
        raise FalseRecordError(-1, f"the file to compare with is of '{log.header.game}'")
    return log


def _unreadable(path: Path, record: int | None, offset: int | None, problem: str) -> Verdict:
    finding = Finding(record=record, event=None, offset=offset, problem=problem)
    return Verdict(file=str(path), status="unreadable", finding=finding)


def _notes(
    log: Log, truth: Log | None, game: AnyGame, status: Status, outcome: GameOutcome | None
) -> tuple[str, ...]:
    notes = []
    header = log.header
    if log.torn is not None:
        notes.append(str(log.torn))
    if rules_differ(game, header):
        notes.append(
            f"began under {rules_words(header)}; checked with {rules_words(game)},"
            f" {_data(header.data_digest, game)}"
        )
    if header.audience == FULL and not header.scenario:
        notes.append("begins from a position of the players' own")
    if header.own_data is not msgspec.UNSET:
        notes.append(f"played with data of the players' own, digest {header.own_data}")
    notes.extend(_agreed(log, game))
    notes.extend(_seed_notes(log, truth, status))
    if status in {"ok", "older"} and outcome is None:
        notes.append("unfinished: the game is not over")
    elif status in {"ok", "older"} and not _is_opened(log):
        notes.append("unfinished: the last record is missing, which opens the secret")
    return tuple(notes)


def _gaps(log: Log, truth: Log | None, status: Status) -> Iterator[str]:
    """Yield what was dropped or stays unchecked."""
    if log.torn is not None:
        yield str(log.torn)
    yield from (note for note in _seed_notes(log, truth, status) if not note.startswith(_PROVED))


def _seed_notes(log: Log, truth: Log | None, status: Status) -> Iterator[str]:
    """Yield what stays unchecked because seeds, the secret or another copy are missing."""
    if log.header.fair is not msgspec.UNSET:
        yield from _fair_notes(log, truth, status)
        return
    missing = missing_seeds(log.header, opened_seeds(log.records))
    if missing and _is_opened(log):
        who = " and ".join(missing)
        yield f"{who} did not open the card seed; what it did with the cards stays unproven"
    if log.header.audience != FULL and not _is_opened(log) and truth is None:
        yield "hidden parts stay unchecked until the full copy is compared (--against)"


def _fair_notes(log: Log, truth: Log | None, status: Status) -> Iterator[str]:
    """Yield what is missing of a match of protocol 7, or that it is proved."""
    from saves.fair.witness import missing_seeds as unopened  # noqa: PLC0415  # most files need no ciphers

    missing = unopened(log.header, log.records)
    is_dealt = (
        log.header.fair is not msgspec.UNSET and log.header.fair.dealer_key is not msgspec.UNSET
    )
    if missing:
        yield f"unproven: {' and '.join(missing)} has not opened its card seed"
    elif status in {"false", "older"}:
        return
    elif status == "awaited":
        yield f"ended, {'secret of the host' if is_dealt else 'card seeds'} awaited"
    elif is_dealt:
        if _secret_of(log, truth) is None and _is_opened(log):
            yield "dice, draws and hidden commands are checked beside the full copy only (--against)"
        elif _secret_of(log, truth) is None:
            yield "dice, draws and hidden commands stay unchecked until the host has opened its secret"
        else:
            yield f"{_PROVED}everything follows from the commands, the reveals and the secret of the host"
    elif _is_opened(log):
        yield f"{_PROVED}every card seed is open, and everything follows from them"


def _agreed(log: Log, game: AnyGame) -> Iterator[str]:
    """Yield what was agreed about the match that its rules do not tell."""
    terms = terms_of(game, log.header, log.records)
    if terms.ending is not None:
        yield f"ended before its rules end it: {ending_words(game, terms.ending)}"
    if terms.adjourned:
        yield "adjourned"
    if terms.dials is not None:
        left = ", ".join(f"{role} {face(time)}" for role, time in terms.dials.left.items())
        yield f"clock: {clock_words(terms.dials.clock)}; left: {left}"
        yield "the times are what the host measured while a role was asked; nothing proves that its clock was right"


def _data(digest: str, game: AnyGame) -> str:
    return "same data" if digest == game.data_digest else "other data"
