"""Reads, from one person's copies, the records of a match played on a network host."""

from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import override

from engine.kernel.ruleset import Event
from netplay.peer.peer import Peer
from play.event_history import EventCursor
from play.record_reader import RecordReader, merge_versions
from saves.records import Record


class PeerRecordReader(RecordReader):
    """Reads the records in the copy for the role on display, and adds what the person's other copies reveal."""

    def __init__(
        self, peers: tuple[Peer, ...], shown_peer: Callable[[], Peer], seq: Callable[[], int]
    ) -> None:
        """Create a reader for the copies' records.

        Args:
            peers: The person's peers, one per role, or a spectator's only peer.
            shown_peer: Returns the peer for the role on display.
            seq: Returns the number of the last record on display.
        """
        own_roles = tuple(peer.role for peer in peers if peer.role is not None)
        super().__init__(peers[0].ruleset, lambda: own_roles)
        self._peers = peers
        self._shown_peer = shown_peer
        self._seq = seq
        self._events_by_seq: dict[int, Sequence[Event]] = {}
        """The events of each record, combined from all copies. They can be cached, because they never change.
        """

    def clear_cache(self) -> None:
        """Clear the cached events. Called when a copy has returned to an earlier record."""
        self._events_by_seq.clear()

    @override
    def records_after(self, seq: int) -> Sequence[Record]:
        copy = self._shown_peer().copy
        return tuple(copy.record(number) for number in range(seq + 1, self._seq() + 1))

    @override
    def _merged_record(self, record: Record) -> Record:
        seq = record.seq
        return merge_versions([peer.copy.record(seq) for peer in self._peers if peer.seq >= seq])

    @override
    def events_of(self, record: Record) -> Sequence[Event]:
        if record.seq not in self._events_by_seq:
            self._events_by_seq[record.seq] = super().events_of(record)
        return self._events_by_seq[record.seq]

    @override
    def event_cursor(self, after: int) -> EventCursor[Any]:
        """Return a cursor over the events as seen by the role on display."""
        copy = self._shown_peer().copy
        return EventCursor(self._ruleset, after, copy.record, copy.state_at)
