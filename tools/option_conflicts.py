"""Refuses combinations of options in which an option would have no effect."""

from collections.abc import Collection

import click
from click.core import ParameterSource


def is_given(name: str) -> bool:
    """Return whether a parameter was given on the command line.

    Args:
        name: Python name of the parameter, such as ``reply_limit``.
    """
    context = click.get_current_context()
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse_given(names: Collection[str], reason: str) -> None:
    """Refuse the command line if it contains any of these parameters.

    Args:
        names: Python names of the parameters.
        reason: Rest of the error message, after the option's name.

    Raises:
        UsageError: One of these parameters was given.
    """
    for param in click.get_current_context().command.params:
        if param.name in names and is_given(param.name):
            raise click.UsageError(f"{_option_name(param)} {reason}.")


def _option_name(param: click.Parameter) -> str:
    """Return a parameter's name as typed on the command line."""
    return (
        max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name
    )
