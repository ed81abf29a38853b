"""Values that are invalid for every option and argument of any command."""

from collections.abc import Iterator

import click
import pytest

from tools.cli import COMMANDS, flagplot

NOT_UTF_8 = b"J\xe9r\xf4me".decode("utf-8", "surrogateescape")


def _commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command of the program by name, including those in groups."""
    for name in sorted(COMMANDS):
        command = flagplot.get_command(click.Context(flagplot), name)
        assert command is not None
        if isinstance(command, click.Group):
            for below in command.commands.values():
                yield f"{name} {below.name}", below
        else:
            yield name, command


def _values(command: click.Command) -> Iterator[click.Parameter]:
    """Yield the options and arguments of a command that take a value."""
    for param in command.params:
        if not (isinstance(param, click.Option) and (param.is_flag or param.count)):
            yield param


def _refusal(command: click.Command, param: click.Parameter, value: str) -> str:
    """Return the message of a command about a value of one of its options or arguments."""
    words = [value]
    if isinstance(param, click.Option):
        words = [param.opts[-1], value]
    else:
        before = [each.name for each in command.params if isinstance(each, click.Argument)]
        words = ["x"] * before.index(param.name) + words
    with pytest.raises(click.UsageError) as refused:
        command.make_context("flagplot", words)
    text = refused.value.format_message()
    name = param.opts[-1] if isinstance(param, click.Option) else param.make_metavar(_BARE)
    assert text.startswith(f"Invalid value for '{name}': "), text
    return text.partition(": ")[2]


_BARE = click.Context(click.Command("flagplot"))
COMMANDS_BY_WORDS = dict(_commands())


@pytest.mark.parametrize("words", COMMANDS_BY_WORDS)
def test_empty_value_is_refused_by_name(words: str) -> None:
    command = COMMANDS_BY_WORDS[words]
    for param in _values(command):
        assert _refusal(command, param, "") == "must not be empty"


@pytest.mark.parametrize("words", COMMANDS_BY_WORDS)
def test_non_utf_8_text_is_refused_except_in_paths(words: str) -> None:
    command = COMMANDS_BY_WORDS[words]
    for param in _values(command):
        if not isinstance(param.type, click.Path):
            assert _refusal(command, param, NOT_UTF_8) == "is not valid UTF-8"


@pytest.mark.parametrize("value", ["nan", "-NaN", "inf", "-inf", "infinity", "1e999"])
def test_non_finite_number_is_refused(value: str) -> None:
    found = 0
    for command in COMMANDS_BY_WORDS.values():
        for param in _values(command):
            if isinstance(param.type, click.types.FloatParamType):
                assert _refusal(command, param, value) == f"'{value}' is not a number"
                found += 1
    assert found >= 5


def test_every_repeated_option_and_argument_value_is_checked() -> None:
    for words, line in (
        ("play", ["--option", "hainan=yes", "--option", ""]),
        ("verify", ["tests", ""]),
        ("rules", ["eots", "x", ""]),
    ):
        with pytest.raises(click.BadParameter, match="must not be empty"):
            COMMANDS_BY_WORDS[words].make_context("flagplot", line)
