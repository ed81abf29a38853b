"""Options that do not go together: what one of them would make of no effect is refused by name."""

from collections.abc import Collection

import click
from click.core import ParameterSource


def is_given(name: str) -> bool:
    """Return whether a parameter of the present command stands on the command line, by its name in the program."""
    context = click.get_current_context()
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse_given(names: Collection[str], why: str) -> None:
    """Accept a command line without these parameters.

    Args:
        names: By their names in the program.
        why: Follows the name of the option in the sentence.

    Raises:
        UsageError: It has one of them.
    """
    for param in click.get_current_context().command.params:
        if param.name in names and is_given(param.name):
            raise click.UsageError(f"{_shown(param)} {why}.")


def refuse_others(names: Collection[str], why: str) -> None:
    """Accept a command line with no other parameters than these, as :func:`refuse_given` does."""
    params = click.get_current_context().command.params
    refuse_given({param.name for param in params if param.name} - set(names), why)


def _shown(param: click.Parameter) -> str:
    """Return a parameter as it is typed."""
    return (
        max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name
    )
