"""Refuses combinations of options in which one would have no effect."""

from collections.abc import Collection

import click
from click.core import ParameterSource


def is_given(name: str) -> bool:
    """Return whether the user typed a parameter of the running command.

    Args:
        name: The parameter's name in Python, such as ``reply_limit``.
    """
    context = click.get_current_context()
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse_given(names: Collection[str], why: str) -> None:
    """Refuse the command line if the user typed one of these parameters.

    Args:
        names: The parameters' names in Python.
        why: The rest of the sentence, after the name of the option.

    Raises:
        UsageError: One of them was typed.
    """
    for param in click.get_current_context().command.params:
        if param.name in names and is_given(param.name):
            raise click.UsageError(f"{_shown(param)} {why}.")


def refuse_others(names: Collection[str], why: str) -> None:
    """Refuse the command line if the user typed any parameter but these; see :func:`refuse_given`."""
    params = click.get_current_context().command.params
    refuse_given({param.name for param in params if param.name} - set(names), why)


def _shown(param: click.Parameter) -> str:
    """Return a parameter as the user types it."""
    return (
        max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name
    )
