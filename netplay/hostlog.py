"""Where the program's own log goes: JSON lines for a headless host, a file while a screen runs."""

import logging
from pathlib import Path
from typing import TextIO

import structlog

from saves.errors import StorageError
from saves.files import make_folder


def log_json(stream: TextIO) -> None:
    """Write every log line as one JSON object to a stream."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )


def log_to_file(path: Path) -> None:
    """Append every log line to a file, because a screen has the terminal.

    Raises:
        StorageError: The file cannot be written.
    """
    make_folder(path.parent)
    try:
        log_json(path.open("a", encoding="utf-8", buffering=1))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
