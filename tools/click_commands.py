"""Click command classes that keep their help under ``python -OO`` and reject invalid values."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

import click
from typing_extensions import override

from engine.kernel.docstrings import DOCSTRINGS_STRIPPED, docstring

_HELP_NAMES = "-h", "--help"
_EMPTY = "must not be empty"
_NOT_UTF_8 = "is not valid UTF-8"


class DocumentedCommand(click.Command):
    """A command whose help works even under ``python -OO``, which strips docstrings."""

    def __init__(self, *words: Any, **attributes: Any) -> None:  # noqa: ANN401 - click's own
        """Read the help from the source file if the compiled code has no docstring, and let ``-h`` print it."""
        attributes.setdefault("context_settings", {})["help_option_names"] = [*_HELP_NAMES]
        super().__init__(*words, **attributes)
        if self.help is None and self.callback is not None:
            self.help = docstring(self.callback) or DOCSTRINGS_STRIPPED

    @override
    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return both names. Click remembers them from the first context, even from one without settings."""
        ctx.help_option_names = [*_HELP_NAMES]
        return super().get_help_option_names(ctx)

    @override
    def get_help(self, ctx: click.Context) -> str:
        """Return the help, formatted by Cloup, which is imported only now because start-up must stay fast."""
        from cloup.formatting import HelpFormatter

        ctx.formatter_class = HelpFormatter
        return super().get_help(ctx)


class CheckedCommand(DocumentedCommand):
    """A command that checks its argument values before using them.

    Empty values, text that is not UTF-8, and non-finite numbers are refused. An empty value almost always comes from an
    unset shell variable. As a path, it would mean the current folder.
    """

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Check the values on the command line, then parse them."""
        # shell completion parses incomplete command lines, which must not be checked
        if not ctx.resilient_parsing:
            values, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for param in dict.fromkeys(order):
                for value in _strings(values.get(param.name or "")):
                    _check(ctx, param, value)
        return super().parse_args(ctx, args)


class CheckedGroup(DocumentedCommand, click.Group):
    """A group whose commands check their argument values."""

    command_class = CheckedCommand


class SuggestingChoice(click.Choice[str]):
    """A choice whose error message suggests the most similar value."""

    @override
    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """Return the message for a value that is not one of the choices."""
        from engine.kernel.lexicon import suggestion

        message = super().get_invalid_choice_message(value, ctx)
        hint = suggestion(str(value), self.choices)
        return f"{message.removesuffix('.')}{hint}" if hint else message


def _strings(value: object) -> Iterator[str]:
    """Yield the strings in a value. The value of a repeatable option may be a nested list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


def _check(ctx: click.Context, param: click.Parameter, value: str) -> None:
    """Check that a string is a valid value.

    Raises:
        BadParameter: The string is not valid.
    """
    if not value:
        raise click.BadParameter(_EMPTY, ctx, param)
    if not isinstance(param.type, click.Path) and not _is_utf_8(value):
        raise click.BadParameter(_NOT_UTF_8, ctx, param)
    if isinstance(param.type, click.types.FloatParamType) and _is_nan_or_infinite(value):
        raise click.BadParameter(f"'{value}' is not a number", ctx, param)


def _is_utf_8(value: str) -> bool:
    """Return whether an argument is valid UTF-8. Callers exempt paths, because a path may contain any bytes."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_nan_or_infinite(value: str) -> bool:
    """Return whether an argument is ``nan`` or infinite, which a range check might accept."""
    try:
        return not isfinite(float(value))
    except ValueError:
        return False  # click itself reports values that are not numbers
