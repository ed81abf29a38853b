"""What must hold between the values of the data, beyond the types of the fields.

Each check yields its problems as file, path and sentence, so that all of them can be reported at once.
"""

from collections.abc import Iterator
from typing import TypeAlias

from engine.cbps.data.check_charts import chart_problems
from engine.cbps.data.check_counters import counter_problems
from engine.cbps.data.check_map import map_problems
from engine.cbps.data.check_scenarios import scenario_problems
from engine.cbps.data.reading import Sources

Problem: TypeAlias = tuple[str, str, str]
"""File, path to the field, and what is wrong there."""


def problems(sources: Sources) -> Iterator[Problem]:
    """Yield everything that is wrong, in the order of the files; of scenarios only when all they name is sound."""
    found = (
        *chart_problems(sources.tables.tables),
        *map_problems(sources.map),
        *counter_problems(sources.counters),
    )
    yield from found
    if not found:
        yield from scenario_problems(sources)
