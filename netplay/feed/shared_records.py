"""Shares records between several copies in one process, because most records are identical for every seat.

Records are immutable. They are looked up by their encoded bytes, so a seat receives only what its own encoded record
contains.
"""

from collections import OrderedDict
from typing import Final

from saves.records import Record, decode_record

_MAX_RECORDS: Final = 256
"""Maximum number of cached records.

A small cache is enough, because all copies of a match read a new record at almost the same time.
"""


class SharedRecords:
    """The latest records from the matches in one process, by their encoded bytes."""

    def __init__(self) -> None:
        """Create an empty cache."""
        self._records: OrderedDict[bytes, Record] = OrderedDict()

    def add(self, frame: bytes, record: Record) -> None:
        """Cache a record.

        Args:
            frame: The encoded record.
            record: The decoded record.
        """
        self._records[frame] = record
        if len(self._records) > _MAX_RECORDS:
            self._records.popitem(last=False)

    def read(self, frame: bytes) -> Record:
        """Return the record for these bytes, decoding it if it is not cached.

        Raises:
            UnreadableError: The bytes are not an encoded record.
        """
        record = self._records.get(frame)
        if record is None:
            record = decode_record(frame)
            self.add(frame, record)
        return record
