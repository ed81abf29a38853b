"""Errors of the screens."""

from typing import ClassVar

from engine.kernel.errors import FlagplotError


class TerminalError(FlagplotError):
    """The terminal cannot show the program."""

    exit_code: ClassVar[int] = 5


class NoInputError(FlagplotError):
    """The input ended before the first line."""

    exit_code: ClassVar[int] = 3
