"""Records that several copies in one process hold: nearly all are the same for every seat, and one object serves all.

Records never change. What is shared is found by its bytes, so that no seat gets what is not in its own.
"""

from collections import OrderedDict
from typing import Final

from saves.records import Record, decode_record

_MOST: Final = 256
"""Records at hand; the copies of a match take each one within a moment."""


class SharedRecords:
    """The latest records of the matches of a house, by their bytes."""

    def __init__(self) -> None:
        """Hold none yet."""
        self._known: OrderedDict[bytes, Record] = OrderedDict()

    def note(self, frame: bytes, record: Record) -> None:
        """Keep a record at hand.

        Args:
            frame: Its bytes.
            record: What they say.
        """
        self._known[frame] = record
        if len(self._known) > _MOST:
            self._known.popitem(last=False)

    def read(self, frame: bytes) -> Record:
        """Return what some bytes say.

        Raises:
            UnreadableError: It is not a record.
        """
        found = self._known.get(frame)
        if found is None:
            found = decode_record(frame)
            self.note(frame, found)
        return found
