"""Code shared by the fuzzer and the arena, which play games without a screen."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

import click

from engine.kernel.errors import FlagplotError
from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset
from saves.timeline import FOLD_ERRORS
from tools.completion import complete_scenarios, complete_switches

F = TypeVar("F", bound=Callable[..., Any])

MAX_COMMANDS: Final = 20_000
"""Maximum number of commands in a game. A longer game counts as endless."""
FAULTS: Final = (FlagplotError, *FOLD_ERRORS)
"""Exceptions that faulty rules or players may raise."""

_OPTIONS: Final = (
    click.option(
        "--scenario",
        "scenarios",
        multiple=True,
        metavar="ID",
        help="Scenario to play; repeatable. Default: all.",
        shell_complete=complete_scenarios,
    ),
    click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a rule switch; repeatable.",
        shell_complete=complete_switches,
    ),
    click.option(
        "--seed",
        default=1,
        show_default=True,
        type=click.IntRange(0),
        help="First seed; each further game uses the next one.",
    ),
    click.option(
        "--jobs",
        metavar="N",
        default=0,
        type=click.IntRange(0, 64),
        help="Number of processes. Default: one per processor.",
    ),
)


def series_options(command: F) -> F:
    """Add the options ``--scenario``, ``--option``, ``--seed`` and ``--jobs`` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def chosen_scenarios(
    rules: AnyRuleset, names: Iterable[str], options: Mapping[str, str]
) -> tuple[ScenarioInfo, ...]:
    """Return the named scenarios, or all scenarios if none are named.

    Raises:
        DataError: The scenario, an option or a value is unknown.
    """
    scenario_ids = tuple(dict.fromkeys(names)) or tuple(info.id for info in rules.scenarios())
    for name in scenario_ids:
        rules.position(name, options)
    return tuple(rules.scenario_info(name, options) for name in scenario_ids)
