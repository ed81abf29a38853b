"""Checks that values are consistent with each other, which the field types alone cannot ensure.

Each check yields every problem with its file and path, so that all can be reported at once.
"""

from collections.abc import Iterator
from typing import TypeAlias

from engine.cbps.data.check_charts import chart_problems
from engine.cbps.data.check_counters import counter_problems
from engine.cbps.data.check_map import map_problems
from engine.cbps.data.check_scenarios import scenario_problems
from engine.cbps.data.reading import Sources

Problem: TypeAlias = tuple[str, str, str]
"""An error: the file, the path to the field, and a description."""


def problems(sources: Sources) -> Iterator[Problem]:
    """Yield all errors in the order of the files. Scenarios are checked only if all other data are correct."""
    problems_by_part = (
        *chart_problems(sources.tables.tables),
        *map_problems(sources.map),
        *counter_problems(sources.counters),
    )
    yield from problems_by_part
    if not problems_by_part:
        yield from scenario_problems(sources)
