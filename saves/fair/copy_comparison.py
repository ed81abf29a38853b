"""Compares two copies of a protocol 7 match.

Both copies must have the same history, and entries that are visible in both must be identical.
"""

from typing import Generic

from saves.codec import Game, S
from saves.commitments import check_openings
from saves.copy_verifier import CopyComparison
from saves.errors import FalseRecordError
from saves.fair.record_verifier import check_complete
from saves.headers import FULL
from saves.logfile import Log
from saves.timeline import Timeline, convert_errors, view_digest


class FairComparison(Generic[S]):
    """Compares a copy under verification with another copy, record by record. The copies may differ in length."""

    def __init__(self, game: Game[S], other: Log, log: Log) -> None:
        """Check that both copies belong to the same match.

        Args:
            game: The current rules.
            other: The copy to compare with, which is not verified itself.
            log: The copy being verified.

        Raises:
            FalseRecordError: The copies belong to different matches.
        """
        if other.header.match_id != log.header.match_id:
            raise FalseRecordError(-1, "the file to compare with is from a different match")
        self._game = game
        self._other = other
        self._log = log
        self._is_full = other.header.audience == FULL
        # Two redacted copies hide different entries, so only their messages can be compared.
        self._audit = CopyComparison(game, other.header, log.header) if self._is_full else None
        self._timeline: Timeline[S] = Timeline(game)

    def add(self, seq: int, state: S) -> None:
        """Compare one record and the resulting state.

        Raises:
            FalseRecordError: The histories differ, or the full copy shows different content.
        """
        if seq >= len(self._other.records):
            return
        record, other_record = self._log.records[seq], self._other.records[seq]
        if other_record.chain != record.chain:
            raise FalseRecordError(
                seq, "forked: the other copy has a different history from here on"
            )
        # The messages contain everything public except the opening.
        if self._audit is None and record.kind != "opening":
            return
        try:
            with convert_errors(seq):
                check_openings(other_record)
                if self._is_full:
                    check_complete(other_record)
                after = self._timeline.state_after(other_record)
        except FalseRecordError as error:
            problem = f"the other copy is wrong here: {error.problem}"
            raise FalseRecordError(seq, problem, error.event) from error
        if self._audit is None:
            if view_digest(self._game, after, None) != view_digest(self._game, state, None):
                raise FalseRecordError(seq, "the other copy begins with a different position")
            return
        self._timeline.add(other_record, after)
        self._audit.compare(other_record, record)
        self._audit.compare_views(seq, after, state)
