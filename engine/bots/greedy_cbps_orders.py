"""Selects the options of one kind of command for the greedy Carrier Battle bot."""

from typing import TypeAlias, TypeVar

from engine.cbps import commands as orders

K = TypeVar("K", bound=orders.CbpsCommand)
Options: TypeAlias = tuple[orders.CbpsCommand, ...]
Answer: TypeAlias = orders.CbpsCommand | None


def options_of_kind(options: Options, kind: type[K]) -> list[K]:
    """Return the options that are commands of one kind."""
    return [option for option in options if type(option) is kind]
