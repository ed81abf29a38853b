"""Commands that have their help under every interpreter, and refuse values that no option or argument can have."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

import click

from engine.kernel.docstrings import LEFT_OUT, docstring

_EMPTY = "it is empty"
_NOT_UTF_8 = "it is not UTF-8"


class Described(click.Command):
    """A command whose help is shown also under ``python -OO``, which leaves out docstrings."""

    def __init__(self, *words: Any, **attributes: Any) -> None:  # noqa: ANN401 - those of click
        """Take the help from the source where compiled code has none."""
        super().__init__(*words, **attributes)
        if self.help is None and self.callback is not None:
            self.help = docstring(self.callback) or LEFT_OUT


class Command(Described):
    """A command whose values are checked before anything is made of them.

    Empty ones, text that is not UTF-8, and NaN are refused. An empty word is almost always a shell variable that was
    not set. As a path it would mean the current folder.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Check the words of the command line, then read them."""
        # completion reads half a command line, on which nothing can be demanded
        if not ctx.resilient_parsing:
            values, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for param in dict.fromkeys(order):
                for value in _words(values.get(param.name or "")):
                    _check(ctx, param, value)
        return super().parse_args(ctx, args)


class Group(Described, click.Group):
    """A group whose commands are such."""

    command_class = Command


def _words(value: object) -> Iterator[str]:
    """Yield the words of a value, of which an option or argument may have several."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _words(each)


def _check(ctx: click.Context, param: click.Parameter, value: str) -> None:
    """Accept a word that can be a value.

    Raises:
        BadParameter: It cannot.
    """
    if not value:
        raise click.BadParameter(_EMPTY, ctx, param)
    if not isinstance(param.type, click.Path) and not _is_utf_8(value):
        raise click.BadParameter(_NOT_UTF_8, ctx, param)
    if isinstance(param.type, click.types.FloatParamType) and not _is_finite(value):
        raise click.BadParameter(f"'{value}' is not a number", ctx, param)


def _is_utf_8(value: str) -> bool:
    """Return whether a word of the command line had bytes that are text; a path may have any."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_finite(value: str) -> bool:
    """Return False for ``nan`` and ``inf``, which pass every check of a range or of its other end."""
    try:
        return isfinite(float(value))
    except ValueError:
        return True  # for its own sentence
