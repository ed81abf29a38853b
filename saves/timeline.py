"""Computes a game's state by folding its records, including takebacks."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Generic

import msgspec

from engine.kernel.errors import HiddenError
from engine.kernel.ids import Role
from saves.codec import AnyGame, Game, S, codec
from saves.commitments import digest
from saves.decoding import canonical
from saves.errors import BrokenChainError, FairPlayError, FalseRecordError, UnreadableError
from saves.records import Record
from saves.statements import TAGS, read_statement

_CHECKPOINT_INTERVAL = 64

# Exceptions that the rules may raise for an event that cannot be folded. In a copy from another
# program, these exceptions indicate invalid input.
FOLD_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    HiddenError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


@contextmanager
def attribute_errors(seq: int) -> Iterator[None]:
    """Convert errors that the rules raise for a record from another program to an error that names the record.

    Raises:
        BrokenChainError: The rules could not process the record.
    """
    try:
        yield
    except UnreadableError as error:
        raise BrokenChainError(seq, f"it is unreadable: {error}") from error
    except FOLD_ERRORS as error:
        problem = f"the rules cannot process it: {error!r}"
        raise BrokenChainError(seq, problem) from error


@contextmanager
def convert_errors(seq: int) -> Iterator[None]:
    """Convert all errors that a record can cause, including errors in the rules, to a single type.

    Raises:
        FalseRecordError: The record is wrong.
    """
    try:
        with attribute_errors(seq):
            yield
    except BrokenChainError as error:
        raise FalseRecordError(seq, error.problem, error.event) from error
    except FairPlayError as error:
        raise FalseRecordError(seq, error.problem) from error


def view_digest(game: AnyGame, state: object, role: Role | None) -> bytes:
    """Return the digest of a role's view.

    The host and the seat compare digests after each record to detect diverging states.
    """
    return digest(canonical(game.project(state, role)), b"flagplot-view")


def fold_record(game: Game[S], state: S, record: Record) -> S:
    """Return the state after a record's events.

    Raises:
        BrokenChainError: An event cannot be decoded or folded.
    """
    decode_event, evolve = codec(game).event, game.evolve
    for number, entry in enumerate(record.events):
        try:
            if entry.body is not None:
                state = evolve(state, decode_event(entry.tag, entry.v, entry.body))
        except UnreadableError as error:
            problem = f"event {number} is unreadable: {error}"
            raise BrokenChainError(record.seq, problem, number) from error
        except FOLD_ERRORS as error:
            problem = f"event {number} ({entry.tag}) cannot be applied: {error!r}"
            raise BrokenChainError(record.seq, problem, number) from error
    return state


_CONSENT_KINDS = frozenset({"takeback", "ending", "adjournment"})
"""Record kinds that parties can consent to by signing."""


def check_shape(record: Record) -> None:
    """Check that a record's fields fit its kind.

    Raises:
        BrokenChainError: A field is missing, or is not allowed in this kind of record.
    """
    unset = msgspec.UNSET
    # This shortcut must accept only records that pass every check below.
    is_plain = (
        record.takeback_to is None
        and record.secret is None
        and record.consents is unset
        and record.seeds is unset
        and record.seq
    )
    if is_plain and record.kind == "command" and record.command is not None:
        return  # the common case
    if (record.kind == "opening") != (record.seq == 0):
        raise BrokenChainError(record.seq, "exactly record 0 is the opening")
    is_statement = record.kind in TAGS
    if (is_statement or record.kind == "command") != (record.command is not None):
        raise BrokenChainError(record.seq, f"a {record.kind} with a wrong command field")
    if (record.kind == "takeback") != (record.takeback_to is not None):
        raise BrokenChainError(record.seq, f"a {record.kind} with a wrong takeback field")
    if (record.kind == "reveal") != (record.secret is not None):
        raise BrokenChainError(record.seq, f"a {record.kind} with a wrong secret field")
    if record.links is not unset and record.kind not in {"opening", "command"}:
        raise BrokenChainError(record.seq, f"a {record.kind} with links from the parties")
    if record.signature is not unset and record.kind != "command":
        raise BrokenChainError(record.seq, f"a {record.kind} with a signature")
    if record.consents is not unset and record.kind not in _CONSENT_KINDS:
        raise BrokenChainError(record.seq, f"a {record.kind} with consents")
    if record.seeds is not unset and record.kind != "reveal":
        raise BrokenChainError(record.seq, f"a {record.kind} with the card seeds of the parties")
    if record.sealed is not unset and record.kind not in {"opening", "command"}:
        raise BrokenChainError(record.seq, f"a {record.kind} with sealed boxes")
    if is_statement:
        _check_statement(record)
    if (is_statement or record.kind in {"takeback", "reveal"}) and record.events:
        raise BrokenChainError(record.seq, f"a {record.kind} with events")
    if record.takeback_to is not None and record.takeback_to >= record.seq:
        raise BrokenChainError(record.seq, "it takes back to itself or a later record")


def _check_statement(record: Record) -> None:
    """Check that a statement is visible and well-formed.

    Raises:
        BrokenChainError: The statement is missing, hidden or malformed.
    """
    entry, kind = record.command, record.kind
    if entry is None or entry.tag != kind or entry.body is None or entry.salt is None:
        raise BrokenChainError(
            record.seq, f"a record of kind {kind} without a statement, or with a hidden one"
        )
    try:
        read_statement(kind, entry.body)
    except UnreadableError as error:
        raise BrokenChainError(record.seq, f"the {kind} is unreadable: {error}") from error


def mainline(records: Sequence[Record]) -> tuple[int, ...]:
    """Return the numbers of all records that no takeback has undone, in order. Takebacks are not included."""
    numbers: list[int] = []
    seq = len(records) - 1
    # The loop ends, because check_shape() accepts a takeback only to an earlier record.
    while seq >= 0:
        takeback_to = records[seq].takeback_to
        if takeback_to is None:
            numbers.append(seq)
            seq -= 1
        else:
            seq = takeback_to
    return tuple(reversed(numbers))


class Timeline(Generic[S]):
    """All records in one copy, and the state after the last record."""

    def __init__(self, game: Game[S]) -> None:
        """Start with the state before record 0."""
        self._game = game
        self._records: list[Record] = []
        self._state: S = game.initial_state()
        self._checkpoints: dict[int, S] = {}
        self._origins: list[int] = []
        """For each record, the record after which the state was last the same: itself, except for takebacks."""

    @property
    def records(self) -> Sequence[Record]:
        """Return all records. Callers must not modify the sequence."""
        return self._records

    @property
    def state(self) -> S:
        """Return the state after the last record."""
        return self._state

    @property
    def seq(self) -> int:
        """Return the number of the last record, or -1 if there are no records."""
        return len(self._records) - 1

    def load(self, records: Sequence[Record], cached_state: tuple[int, S] | None = None) -> None:
        """Load a file's records without folding those that a takeback has undone.

        Args:
            records: All records, starting with record 0. Their shape and chain values have already been checked.
            cached_state: The number of a record and the state after it; None if no state is cached.

        Raises:
            BrokenChainError: An event cannot be decoded or folded.
        """
        self._records = list(records)
        self._origins = []
        for record in self._records:
            self._add_origin(record)
        self._checkpoints = {} if cached_state is None else dict([cached_state])
        if self._records:
            self._state = self.state_at(self.seq)

    def state_after(self, record: Record) -> S:
        """Compute the state after one more record without adding that record.

        Raises:
            BrokenChainError: The record is malformed, or its events cannot be folded.
        """
        check_shape(record)
        if record.takeback_to is not None:
            return self.state_at(record.takeback_to)
        return fold_record(self._game, self._state, record)

    def add(self, record: Record, state: S) -> None:
        """Append a record with the state that :meth:`state_after` returned for it."""
        self._records.append(record)
        self._add_origin(record)
        self._state = state
        self._keep_checkpoint(record.seq, state)

    def state_at(self, seq: int) -> S:
        """Return the state after a record.

        Raises:
            BrokenChainError: An event cannot be decoded or folded.
        """
        # Go back to the nearest checkpoint, and skip records that a takeback has undone.
        unfolded: list[int] = []
        state = self._game.initial_state()
        while seq >= 0:
            if seq in self._checkpoints:
                state = self._checkpoints[seq]
                break
            if self._origins[seq] == seq:
                unfolded.append(seq)
                seq -= 1
            else:
                seq = self._origins[seq]
        for count, number in enumerate(reversed(unfolded), 1):
            state = fold_record(self._game, state, self._records[number])
            self._keep_checkpoint(number, state)
            # Takebacks can undo every record with a regular checkpoint, so long runs get their own.
            if count % _CHECKPOINT_INTERVAL == 0:
                self._checkpoints[number] = state
        return state

    def _add_origin(self, record: Record) -> None:
        # check_shape() accepts a takeback only to an earlier record.
        target = record.takeback_to
        self._origins.append(record.seq if target is None else self._origins[target])

    def _keep_checkpoint(self, seq: int, state: S) -> None:
        if seq % _CHECKPOINT_INTERVAL == 0:
            self._checkpoints[seq] = state
