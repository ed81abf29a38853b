"""Writes the log as JSON lines: to stderr for a host without a screen, or to a file while a screen is running.

The destination may be a full disk, a closed pipe, or a pipe that no process reads any more. Logging never blocks and
never raises an error, because the game is more important than its log.
"""

import atexit
import logging
import os
import queue
import threading
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Final

import msgspec
import structlog
from structlog.typing import EventDict

from netplay.wire.limits import Bucket
from saves.disk_trouble import disk_trouble
from saves.errors import StorageError
from saves.files import FILES, make_folder, write_all

_STDERR: Final = 2
_MAX_QUEUED: Final = 2_000
"""Maximum number of lines to queue for a slow destination. Further lines are dropped and counted."""
_BURST: Final = 20
_INTERVAL_SECONDS: Final = 6.0
"""Minimum time in seconds between two log lines of the same kind after a burst of ``_BURST`` lines."""
_MAX_KINDS: Final = 5_000
"""Maximum number of kinds of lines to track, so that the memory use of a host does not keep growing."""
_LAST_LINES_SECONDS: Final = 2.0
"""Maximum time in seconds that the program waits at exit for queued lines to be written."""


class LogOutput:
    """A ``structlog`` logger that passes lines to a thread, so that only that thread waits for the file."""

    def __init__(self, handle: int) -> None:
        """Create a logger that writes to an open file descriptor."""
        self._handle = handle
        self._queue: queue.Queue[bytes | None] = queue.Queue(_MAX_QUEUED)
        self._lock = threading.Lock()
        self._dropped = 0
        self._has_partial_line = False
        self._thread: threading.Thread | None = None

    def msg(self, line: str) -> None:
        """Queue a line, or drop it if the queue is full."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="flagplot-log", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            try:
                self._queue.put_nowait(line.encode("utf-8", "backslashreplace") + b"\n")
            except queue.Full:
                self._dropped += 1

    debug = info = warning = error = critical = msg

    def close(self, seconds: float = _LAST_LINES_SECONDS) -> None:
        """Wait for the queued lines to be written, up to a time limit.

        Call this last, because no line may be added afterwards.
        """
        if self._thread is not None:
            try:
                self._queue.put(None, timeout=seconds)
            except queue.Full:
                return
            self._thread.join(seconds)

    def _run(self) -> None:
        while (line := self._queue.get()) is not None:
            if not self._try_write(line):
                with self._lock:
                    self._dropped += 1
            elif self._dropped:
                self._log_dropped()

    def _log_dropped(self) -> None:
        """Log how many lines were dropped. The file must be writable again."""
        with self._lock:
            lost, self._dropped = self._dropped, 0
        event = {"event": "log_lines_dropped", "level": "warning", "count": lost}
        if not self._try_write(msgspec.json.encode(event) + b"\n"):
            with self._lock:
                self._dropped += lost

    def _try_write(self, line: bytes) -> bool:
        try:
            # An incomplete line is terminated first, so that it does not corrupt the next one.
            write_all(FILES, self._handle, b"\n" + line if self._has_partial_line else line)
        except OSError:
            self._has_partial_line = True
            return False
        self._has_partial_line = False
        return True


class RateLimitingFilter:
    """Limits how many lines of each kind are logged.

    The next line that is logged reports how many lines were omitted. Lines are of the same kind if they report the same
    event for the same match and seat. Lines about commands are never omitted, because each command has already required
    a disk write.
    """

    def __init__(self) -> None:
        """Create a filter that has not omitted any lines yet."""
        self._buckets: OrderedDict[tuple[object, ...], Bucket] = OrderedDict()
        self._suppressed: Counter[tuple[object, ...]] = Counter()

    def __call__(self, logger: object, method: str, line: EventDict) -> EventDict:
        """Return the line. If lines of its kind were omitted before it, add their number.

        Raises:
            structlog.DropEvent: The line must be omitted.
        """
        del logger, method
        if line["event"] == "command":
            return line
        kind = line["event"], line.get("match"), line.get("role")
        bucket = self._buckets.setdefault(kind, Bucket(1 / _INTERVAL_SECONDS, _BURST))
        self._buckets.move_to_end(kind)
        if len(self._buckets) > _MAX_KINDS:
            self._suppressed.pop(self._buckets.popitem(last=False)[0], None)
        if not bucket.take():
            self._suppressed[kind] += 1
            raise structlog.DropEvent
        omitted = self._suppressed.pop(kind, 0)
        if omitted:
            line["suppressed"] = omitted
        return line


def log_json(handle: int = _STDERR) -> LogOutput:
    """Configure logging to write JSON lines to a file descriptor, with a rate limit. Return the output."""
    log_output = LogOutput(handle)
    structlog.configure(
        processors=[
            RateLimitingFilter(),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: log_output,
        cache_logger_on_first_use=False,
    )
    return log_output


def log_to_file(path: Path) -> None:
    """Append log lines to a file while a screen uses the terminal. If the disk is full or read-only, log nothing.

    Raises:
        StorageError: The file cannot be written for another reason.
    """
    make_folder(path.parent)
    try:
        log_json(FILES.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT))
    except OSError as error:
        if disk_trouble(error) == "refuses":
            raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
        log_json(os.open(os.devnull, os.O_WRONLY))
