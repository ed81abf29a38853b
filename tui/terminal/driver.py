"""A terminal driver that ends the program when the terminal is closed (robustness M18, S3)."""

import codecs
import io
import os
import selectors
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Final, cast

from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.messages import InBandWindowResize
from typing_extensions import override

from play.signals import TERMINATION_SIGNALS
from tui.terminal.size import screen_size

if TYPE_CHECKING:
    from textual.app import App

_POLL_SECONDS: Final = 0.1
_CHUNK_BYTES: Final = 4096
_GRACE_SECONDS: Final = 1.2
"""Seconds allowed for restoring the terminal after a signal. After that, even a blocked process is killed."""
_SIGNAL_STATUS: Final = 128
_TERMINAL_DESCRIPTORS: Final = (2, 0)
"""File descriptors of the terminal: first for screen output, then for keyboard input."""


class TerminalWriter(io.TextIOBase):
    """The terminal as a UTF-8 text file. Output is discarded once the terminal has been closed."""

    def __init__(self, descriptor: int, on_close: Callable[[], None]) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._on_close = on_close
        self._is_closed = False

    @override
    def fileno(self) -> int:
        return self._descriptor

    @override
    def isatty(self) -> bool:
        return True

    @override
    def write(self, text: str) -> int:
        """Write the text. If the terminal has been closed, discard the text."""
        data = memoryview(text.encode("utf-8", "replace"))
        while data and not self._is_closed:
            try:
                # os.write may write only the first part of the bytes.
                data = data[os.write(self._descriptor, data) :]
            except OSError:
                self._is_closed = True
                self._on_close()
        return len(text)


class HangUpDriver(LinuxDriver):
    """Textual's driver, extended to end the program on hang-up, a termination signal or end of input."""

    def __init__(
        self,
        app: "App[object]",
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Set up Textual's driver, and install the signal handlers."""
        super().__init__(app, debug=debug, mouse=mouse, size=size or self._get_terminal_size())
        self._listening = threading.Event()
        assert self._file is not None, "the launcher must have checked the terminal"
        self._file = cast("io.TextIOWrapper", TerminalWriter(self._file.fileno(), self._shut_down))
        self._previous_handlers = {
            number: signal.signal(number, self._on_signal)
            # In raw mode, Ctrl+C arrives as a key, so a SIGINT always comes from another process.
            for number in (signal.SIGINT, *TERMINATION_SIGNALS)
        }

    @override
    def close(self) -> None:
        super().close()
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)

    @override
    def _get_terminal_size(self) -> tuple[int, int]:
        """Return the size of the terminal that shows the screen."""
        return screen_size(*_TERMINAL_DESCRIPTORS)

    @override
    def process_message(self, message: Message) -> None:
        """Forward all input except the terminal's size reports. The operating system signals size changes."""
        if not isinstance(message, InBandWindowResize):
            super().process_message(message)

    def listen(self) -> None:
        """Start reading keys. Called as soon as there is a screen to handle them."""
        self._listening.set()

    @override
    def run_input_thread(self) -> None:
        """Read keys until the program stops or the terminal is closed. Keys typed before `listen` are kept."""
        while not self._listening.wait(_POLL_SECONDS) and not self.exit_event.is_set():
            pass
        parser = XTermParser(self._debug)
        # The decoder is incremental, because a chunk can end in the middle of a character.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        is_first = True
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                text = ""
                if selector.select(_POLL_SECONDS):
                    try:
                        data = os.read(self.fileno, _CHUNK_BYTES)
                    except OSError:
                        data = b""
                    # Textual's own loop ignores the end of input and then polls continuously, which
                    # uses a whole core.
                    if not data:
                        self._shut_down()
                        return
                    text = decoder.decode(data)
                    if is_first:  # before raw mode, Enter was read as a newline
                        text, is_first = text.replace("\n", "\r"), False
                try:
                    self._forward_text(parser, text)
                except (ParseError, ArithmeticError, LookupError, ValueError, RuntimeError):
                    parser = XTermParser(self._debug)  # garbled input: continue with a new parser

    def _forward_text(self, parser: XTermParser, text: str) -> None:
        if text:
            for message in parser.feed(text):
                self.process_message(message)
        # `tick` ends a sequence that has timed out. Before that, an Escape could begin a longer
        # sequence.
        for message in parser.tick():
            self.process_message(message)

    @override
    def _query_in_band_window_resize(self) -> None:
        """Do not query the size. Otherwise, input that resembles the reply would resize the screen."""

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._shut_down(_SIGNAL_STATUS + number)

    def _shut_down(self, status: int = _SIGNAL_STATUS + signal.SIGHUP) -> None:
        """End the program within the grace period, even if the terminal no longer accepts output."""
        watchdog = threading.Timer(_GRACE_SECONDS, os._exit, (status,))
        watchdog.daemon = True  # a daemon thread does not delay a normal exit
        watchdog.start()
        # This runs in a signal handler or in the input thread, which must not use the app directly.
        self._loop.call_soon_threadsafe(self._app.exit, None, status)
