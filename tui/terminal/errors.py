"""Errors of the user interface."""

from typing import ClassVar

from engine.kernel.errors import FlagplotError


class TerminalError(FlagplotError):
    """The terminal cannot show the screens."""

    exit_code: ClassVar[int] = 5


class NoInputError(FlagplotError):
    """The input ended before the first line."""

    exit_code: ClassVar[int] = 3
