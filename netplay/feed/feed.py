"""Provides each seat's view of a log: redacted and encoded records, view digests, and the spectator delay."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, Final

from engine.kernel.ids import Role
from netplay.feed.shared_records import SharedRecords
from netplay.feed.spectator_delay import NO_DELAY, SpectatorDelay, delay_clock
from netplay.wire.messages import CHUNK_BYTES, RecordChunk
from saves.match import Match
from saves.records import encode_record
from saves.redaction import redact_record
from saves.timeline import view_digest

_CACHED_RECORDS: Final = 64
"""Maximum number of cached encoded records. The same limit applies to cached digests.

This is enough for the last few records of six seats and the spectators.
"""
_CACHED_STATES: Final = 8
_MAX_RECORDS: Final = 512
_TAIL_RECORDS: Final = 12
_FRAMING_BYTES: Final = 8
"""Number of extra bytes that each record needs in an encoded message."""


class Feed:
    """Provides a match's records and digests as each seat or spectator may see them."""

    def __init__(
        self,
        match: Match[Any],
        shared: SharedRecords | None = None,
        delay: SpectatorDelay = NO_DELAY,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create a feed for a match. The feed only reads; other code writes the records.

        Args:
            match: The match with its full, unredacted record.
            shared: Decoded records shared with other copies in this process; None if they are not shared.
            delay: The spectator delay.
            now: A monotonic clock, in seconds.
        """
        self._match = match
        self._delay = delay.amount
        self._now = delay_clock(delay, match, now)
        self._delay_values: deque[tuple[float, int]] = deque()
        """The time and number of each record that spectators may not see yet. The time is in the unit of the delay."""
        self._public = 0
        """Number of the last record that spectators may see. It is used only if there is a delay."""
        self._shared = shared
        self._frames: OrderedDict[tuple[Role | None, int], bytes] = OrderedDict()
        self._digests: OrderedDict[tuple[Role | None, int], bytes] = OrderedDict()
        self._states: OrderedDict[int, Any] = OrderedDict()
        self.cache_state()

    def cache_state(self) -> None:
        """Cache the current state, because most digests are requested right after a record."""
        self._states[self._match.seq] = self._match.state
        # Without a delay, entries would never be removed, and the queue would grow throughout the
        # match.
        if self._delay:
            self._delay_values.append((self._now(), self._match.seq))
        while len(self._states) > _CACHED_STATES:
            self._states.popitem(last=False)

    def is_delayed(self, role: Role | None) -> bool:
        """Return whether the spectator delay applies to this viewer at the moment."""
        return role is None and self._delay > 0 and not self._match.is_revealed

    def head(self, role: Role | None) -> int:
        """Return the number of the last record that this viewer may see. Spectators may always see the set-up."""
        if not self.is_delayed(role):
            return self._match.seq
        while self._delay_values and self._delay_values[0][0] + self._delay <= self._now():
            self._public = self._delay_values.popleft()[1]
        return min(self._public, self._match.seq)

    def chain_at(self, seq: int) -> bytes:
        """Return the chain value after a record; for -1, the chain value of the header."""
        records = self._match.records
        if seq >= 0:
            return records[seq].chain
        return records[0].prev if records else self._match.chain

    def digest_at(self, seq: int, role: Role | None) -> bytes:
        """Return the digest of a role's view after a record. Recent digests are cached."""
        return _get_or_compute(self._digests, (role, seq), self._make_digest)

    def _make_digest(self, role: Role | None, seq: int) -> bytes:
        # A host that does not know the hands cannot compute a seat's view, so it compares only
        # public views.
        if not self._match.knows_hands:
            role = None
        state = self._states.get(seq)
        if state is None:
            state = self._match.state_at(seq)
        return view_digest(self._match.ruleset, state, role)

    def records_after(
        self, role: Role | None, seq: int, offset: int
    ) -> tuple[tuple[bytes, ...], RecordChunk | None]:
        """Return the records after ``seq`` that fit in one message, or a chunk of the next record if it is too long.

        Args:
            role: The role whose copy needs an update.
            seq: The last record that the seat has.
            offset: If the next record is too long for one message, the number of bytes that the seat already has.
        """
        frames: list[bytes] = []
        free_bytes = CHUNK_BYTES
        for number in range(seq + 1, self.head(role) + 1):
            frame = self._frame(role, number)
            # A record that is too long for one message is sent on its own, after all earlier
            # records.
            if not frames and len(frame) > CHUNK_BYTES:
                start = min(offset, len(frame))
                data = frame[start : start + CHUNK_BYTES]
                return (), RecordChunk(seq=number, offset=start, total=len(frame), data=data)
            free_bytes -= len(frame) + _FRAMING_BYTES
            if free_bytes < 0 or len(frames) == _MAX_RECORDS:
                break
            frames.append(frame)
        return tuple(frames), None

    def tail(self, role: Role | None, seq: int) -> tuple[bytes, ...]:
        """Return as many records as fit in one message, ending with the given record."""
        frames: list[bytes] = []
        free_bytes = CHUNK_BYTES
        for number in range(seq, max(-1, seq - _TAIL_RECORDS), -1):
            frame = self._frame(role, number)
            free_bytes -= len(frame) + _FRAMING_BYTES
            if free_bytes < 0:
                break
            frames.append(frame)
        return tuple(reversed(frames))

    def _frame(self, role: Role | None, seq: int) -> bytes:
        """Return an encoded record, redacted for this seat."""
        return _get_or_compute(self._frames, (role, seq), self._make_frame)

    def _make_frame(self, role: Role | None, seq: int) -> bytes:
        record = self._match.records[seq]
        redacted = redact_record(self._match.ruleset, record, role)
        frame = encode_record(redacted)
        # The host's record may be shared with the seat's copy only if nothing in it is hidden from
        # the seat.
        if self._shared is not None and redacted == record:
            self._shared.add(frame, record)
        return frame


def _get_or_compute(
    cache: OrderedDict[tuple[Role | None, int], bytes],
    key: tuple[Role | None, int],
    compute: Callable[[Role | None, int], bytes],
) -> bytes:
    """Return the cached value for a role and a record, or compute it. If the cache is full, drop the oldest value."""
    value = cache.get(key)
    if value is None:
        value = cache[key] = compute(*key)
        if len(cache) > _CACHED_RECORDS:
            cache.popitem(last=False)
    return value
