"""The startup screen: buffers keys and shows a saved picture of the game while the program loads.

Loading the rules and screens takes most of a second. Meanwhile, a picture saved by an earlier game is shown: the header
and the map, without hidden information. The pictures are cached per account. A picture is not shown if it is missing or
damaged, or if it was made for another position, program version, terminal size or palette.
"""

import os
import sys
import termios
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from saves.files import FILES, read_file, replace_file
from saves.folders import pictures_folder
from tui.terminal.settings import settings_path
from tui.terminal.size import clamp_size

_ENVIRONMENT_VARIABLES: Final = ("TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG")
_DIGEST_BYTES: Final = 32
_NAME_BYTES: Final = 8
_MAX_BYTES: Final = 1 << 30
_ROOT: Final = Path(__file__).resolve().parents[2]
_INPUT_DESCRIPTOR, _OUTPUT_DESCRIPTOR = 0, 2
"""File descriptors of the terminal. The screens use the same ones."""
_IFLAG, _LFLAG = 0, 3
"""Indexes of the input and local modes in the list that `termios.tcgetattr` returns."""
LOADING: Final = "Loading the rules; your keys are queued."


class Drawing(NamedTuple):
    """A picture of the screen, stored as terminal output."""

    size: tuple[int, int]
    """Columns and rows of the terminal when the picture was made."""
    content: bytes
    """Bytes that draw the picture when written to an empty terminal."""


class CachedPicture:
    """A picture cached on disk. Its key shows whether it is still valid."""

    def __init__(self, path: Path, subject: tuple[object, ...]) -> None:
        """Compute the picture's cache key for this terminal.

        Args:
            path: The picture file, which may contain a picture made for another key.
            subject: Identifies the subject of the picture. Subjects are compared by their ``repr``.
        """
        self.path = path
        environ = [os.environ.get(name) for name in _ENVIRONMENT_VARIABLES]
        inputs = (environ, _read_or_empty(settings_path()), subject, sorted(_source_files()))
        self._key = repr(inputs).encode()

    def _digest(self, drawing: Drawing) -> bytes:
        # The digest covers both the key and the content, so it detects stale and damaged pictures.
        size = repr(tuple(drawing.size)).encode()
        return blake2b(self._key + size + drawing.content, digest_size=_DIGEST_BYTES).digest()

    def read(self) -> bytes:
        """Return the bytes to write to this terminal; empty if the file contains no valid picture."""
        data = _read_or_empty(self.path)
        digest, content = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
        try:
            drawing = Drawing(clamp_size(*os.get_terminal_size(_OUTPUT_DESCRIPTOR)), content)
        except OSError:
            return b""
        return content if content and digest == self._digest(drawing) else b""

    def write(self, drawing: Drawing) -> None:
        """Save a drawing. Errors are ignored, because the game does not depend on the picture."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(FILES, self.path, self._digest(drawing) + drawing.content)
        except OSError:
            return


def _read_or_empty(path: Path) -> bytes:
    try:
        return read_file(path, _MAX_BYTES)
    except OSError:
        return b""


def _source_files() -> Iterator[tuple[str, int, int]]:
    """Yield the path, modification time and size of every file that affects the appearance of a game."""
    for folder in (_ROOT / "tui", *_ROOT.glob("tui/*/"), *_ROOT.glob("engine/*/data/")):
        for entry in os.scandir(folder):
            if entry.is_file():
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size


def opening_picture(
    game: str, scenario: str, options: tuple[str, ...], files: tuple[Path | None, ...] = ()
) -> CachedPicture:
    """Return the cached picture for a new game.

    Its key covers the command-line arguments and the contents of the files.
    """
    contents = tuple(_read_or_empty(path) if path is not None else b"" for path in files)
    subject = (game, scenario, options, contents)
    name = blake2b(repr((game, scenario)).encode(), digest_size=_NAME_BYTES).hexdigest()
    return CachedPicture(pictures_folder() / name, subject)


def record_picture(record: Path) -> CachedPicture:
    """Return the picture for resuming a game. Only the game that was left most recently has a picture."""
    content = blake2b(_read_or_empty(record)).digest()
    return CachedPicture(pictures_folder() / "last", (str(record.resolve()), content))


class StartupScreen:
    """Controls the terminal from the command line until the screens are ready."""

    def __init__(self, opening: CachedPicture | None, record: Path | None) -> None:
        """Load the picture without showing it.

        Args:
            opening: The cached picture of the start of the game; None if a game is certainly resumed.
            record: Record of the game to resume; None for a new game.
        """
        self._opening = opening
        picture = opening if record is None else record_picture(record)
        self._picture = b"" if picture is None else picture.read()
        self._saved_attributes: list[Any] | None = None
        self._is_shown = False
        self._pending_lines: list[str] = []

    def __enter__(self) -> Self:
        """Buffer typed keys without echo and show the picture. Ctrl+C still works."""
        if os.isatty(_INPUT_DESCRIPTOR):
            self._saved_attributes = termios.tcgetattr(_INPUT_DESCRIPTOR)
            _enable_cbreak_mode()
        if self._picture:
            self._is_shown = True
            # Show the picture on the alternate screen, without a cursor.
            os.write(_OUTPUT_DESCRIPTOR, b"\x1b[?1049h\x1b[?25l" + self._picture)
        return self

    def print_later(self, sentence: str) -> None:
        """Store a message and print it to standard error once the terminal has been restored."""
        self._pending_lines.append(sentence)

    def hand_over(self, app: object) -> None:
        """Hand the terminal over to the application, which will restore the terminal on exit."""
        del app
        self._is_shown = False

    def save_pictures(self, opening: Drawing | None, closing: Drawing | None, record: Path) -> None:
        """Save the pictures of the beginning and the end of this session for the next launch."""
        if opening is not None and self._opening is not None:
            self._opening.write(opening)
        if closing is not None:
            record_picture(record).write(closing)

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the terminal."""
        if self._is_shown:
            os.write(_OUTPUT_DESCRIPTOR, b"\x1b[?25h\x1b[?1049l")
        if self._saved_attributes is not None:
            # Use TCSANOW to keep the keys typed so far. TCSAFLUSH would discard them.
            termios.tcsetattr(_INPUT_DESCRIPTOR, termios.TCSANOW, self._saved_attributes)
        for sentence in self._pending_lines:
            sys.stderr.write(f"{sentence}\n")


def _enable_cbreak_mode() -> None:
    """Pass keys through unchanged and without echo, one at a time."""
    attributes = termios.tcgetattr(_INPUT_DESCRIPTOR)
    # Leave ISIG set, so that Ctrl+C still ends the program.
    attributes[_LFLAG] &= ~(termios.ECHO | termios.ICANON)
    # Textual expects Enter as a carriage return, and Ctrl+S must not stop the output.
    attributes[_IFLAG] &= ~(termios.ICRNL | termios.INLCR | termios.IXON)
    termios.tcsetattr(_INPUT_DESCRIPTOR, termios.TCSANOW, attributes)
