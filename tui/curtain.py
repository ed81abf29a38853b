"""The terminal before its first frame: typed keys wait, and the game is shown as it was drawn last.

Rules and screens take most of a second to load. Until they stand, a picture that an earlier game left is in front:
header and map as anybody may see them. It is a cache of this account: one that is missing, damaged, of another
position, program, size or palette is not shown, and nothing else changes.
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
from tui.settings import settings_path
from tui.size import bounded

_ENVIRON: Final = ("TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG")
_DIGEST_BYTES: Final = 32
_NAME_BYTES: Final = 8
_LARGEST: Final = 1 << 30
_ROOT: Final = Path(__file__).resolve().parents[1]
_INPUT, _OUTPUT = 0, 2
"""The terminal, as the screens use it."""
_IFLAG, _LFLAG = 0, 3
LOADING: Final = "The rules are being loaded; keys wait."


class Drawing(NamedTuple):
    """What a game looks like."""

    size: tuple[int, int]
    """Columns and rows of the terminal."""
    content: bytes
    """What shows it on an empty terminal."""


class Picture:
    """A drawing on the disk, and what it must show to be used."""

    def __init__(self, path: Path, subject: tuple[object, ...]) -> None:
        """Name a picture for the terminal of this process.

        Args:
            path: Its file, which may hold a picture of something else.
            subject: What it shows; what prints alike looks alike.
        """
        self.path = path
        environ = [os.environ.get(name) for name in _ENVIRON]
        seen = (environ, _read(settings_path()), subject, sorted(_sources()))
        self._key = repr(seen).encode()

    def _digest(self, drawing: Drawing) -> bytes:
        size = repr(tuple(drawing.size)).encode()
        return blake2b(self._key + size + drawing.content, digest_size=_DIGEST_BYTES).digest()

    def read(self) -> bytes:
        """Return what to send to this terminal; empty when there is no such picture."""
        found = _read(self.path)
        digest, content = found[:_DIGEST_BYTES], found[_DIGEST_BYTES:]
        try:
            drawing = Drawing(bounded(*os.get_terminal_size(_OUTPUT)), content)
        except OSError:
            return b""
        return content if content and digest == self._digest(drawing) else b""

    def write(self, drawing: Drawing) -> None:
        """Keep a drawing; a disk that refuses costs nothing but the picture."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(FILES, self.path, self._digest(drawing) + drawing.content)
        except OSError:
            return


def _read(path: Path) -> bytes:
    try:
        return read_file(path, _LARGEST)
    except OSError:
        return b""


def _sources() -> Iterator[tuple[str, int, int]]:
    """Yield name, time and length of every file that the look of a game depends on."""
    for folder in (_ROOT / "tui", *_ROOT.glob("tui/*/"), *_ROOT.glob("engine/*/data/")):
        for entry in os.scandir(folder):
            if entry.is_file():
                found = entry.stat()
                yield entry.path, found.st_mtime_ns, found.st_size


def opening_picture(
    game: str, scenario: str, options: tuple[str, ...], files: tuple[Path | None, ...] = ()
) -> Picture:
    """Return the picture of a game that begins; all arguments as they were typed, the files by what they hold."""
    contents = tuple(_read(path) if path is not None else b"" for path in files)
    subject = (game, scenario, options, contents)
    name = blake2b(repr((game, scenario)).encode(), digest_size=_NAME_BYTES).hexdigest()
    return Picture(pictures_folder() / name, subject)


def record_picture(record: Path) -> Picture:
    """Return the picture of a game that goes on; there is one for the game that was left last."""
    content = blake2b(_read(record)).digest()
    return Picture(pictures_folder() / "last", (str(record.resolve()), content))


class Curtain:
    """The terminal between the command line and the screens."""

    def __init__(self, opening: Picture, record: Path | None) -> None:
        """Prepare; nothing is shown yet.

        Args:
            opening: The picture of the game when it begins.
            record: A game that goes on instead.
        """
        self._opening = opening
        self._picture = (record_picture(record) if record is not None else opening).read()
        self._before: list[Any] | None = None
        self._is_up = False
        self._said: list[str] = []

    def __enter__(self) -> Self:
        """Let typed keys wait for the screens, unseen, and show the picture; the interrupt key still works."""
        if os.isatty(_INPUT):
            self._before = termios.tcgetattr(_INPUT)
            _as_typed()
        if self._picture:
            self._is_up = True
            os.write(_OUTPUT, b"\x1b[?1049h\x1b[?25l" + self._picture)
        return self

    def say(self, sentence: str) -> None:
        """Print a sentence on the standard error output once the terminal is as it was before."""
        self._said.append(sentence)

    def lift(self, app: object) -> None:
        """Leave the terminal to an application, which puts it in order when it ends."""
        del app
        self._is_up = False

    def keep(self, opening: Drawing | None, left: Drawing | None, record: Path) -> None:
        """Keep what the game looked like at its beginning and in the end, for the next time."""
        if opening is not None:
            self._opening.write(opening)
        if left is not None:
            record_picture(record).write(left)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        """Give the terminal back as it was."""
        if self._is_up:
            os.write(_OUTPUT, b"\x1b[?25h\x1b[?1049l")
        if self._before is not None:
            termios.tcsetattr(_INPUT, termios.TCSANOW, self._before)
        for sentence in self._said:
            sys.stderr.write(f"{sentence}\n")


def _as_typed() -> None:
    """Keep keys as they are typed, without showing them."""
    now = termios.tcgetattr(_INPUT)
    now[_LFLAG] &= ~(termios.ECHO | termios.ICANON)
    now[_IFLAG] &= ~(termios.ICRNL | termios.INLCR | termios.IXON)
    termios.tcsetattr(_INPUT, termios.TCSANOW, now)
