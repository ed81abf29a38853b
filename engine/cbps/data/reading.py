"""Reads the packaged JSON files as typed data and computes their digest."""

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple, TypeVar

import msgspec

from engine.cbps.data import map_file, orbat_file, scenarios_file, tables_file
from engine.cbps.data.map_file import MapFile
from engine.cbps.data.orbat_file import OrbatFile
from engine.cbps.data.scenarios_file import ScenariosFile
from engine.cbps.data.tables_file import TablesFile
from engine.kernel import data_files

T = TypeVar("T")
PACKAGE: Final = "engine.cbps.data"
PARTS: Final[Mapping[str, tuple[str, type[msgspec.Struct]]]] = {
    "tables": (tables_file.FILE, TablesFile),
    "map": (map_file.FILE, MapFile),
    "counters": (orbat_file.FILE, OrbatFile),
    "scenarios": (scenarios_file.FILE, ScenariosFile),
}
"""The file name and schema of each part of the data."""


class Sources(NamedTuple):
    """The contents of the four data files as typed data."""

    tables: TablesFile
    map: MapFile
    counters: OrbatFile
    scenarios: ScenariosFile


@cache
def data_digest() -> str:
    """Return a 32-byte digest, in hex, of all data files in a fixed order."""
    return data_files.digest(PACKAGE, tuple(file for file, _ in PARTS.values()))


def read_plain(component: str) -> dict[str, object]:
    """Decode a packaged file as plain data. Each call returns a new copy."""
    parts: dict[str, object] = msgspec.json.decode(
        data_files.read_data_file(PACKAGE, PARTS[component][0]), type=dict[str, object]
    )
    return parts


def convert_sources(documents: Mapping[str, Mapping[str, object]]) -> Sources:
    """Convert the plain data of all four files to typed data.

    Raises:
        DataError: A file does not match its schema. The error names the file and the path to the field.
    """
    return Sources(
        _convert("tables", documents, TablesFile),
        _convert("map", documents, MapFile),
        _convert("counters", documents, OrbatFile),
        _convert("scenarios", documents, ScenariosFile),
    )


def convert_part(component: str, content: Mapping[str, object]) -> object:
    """Convert the plain data of one file to typed data.

    Raises:
        DataError: The file does not match its schema.
    """
    return _convert(component, {component: content}, PARTS[component][1])


def _convert(component: str, documents: Mapping[str, Mapping[str, object]], kind: type[T]) -> T:
    content = documents[component]
    if component == "tables":
        content = add_chart_ids(content)
    return data_files.decode(PARTS[component][0], msgspec.json.encode(content), kind)


def add_chart_ids(tables: Mapping[str, object]) -> Mapping[str, object]:
    """Return the contents of `tables.json`, adding each chart's key as its id."""
    charts = tables.get("tables")
    if not isinstance(charts, dict):
        return tables
    rows_with_ids = {
        key: {**chart, "id": key} if isinstance(chart, dict) else chart
        for key, chart in charts.items()
    }
    return {**tables, "tables": rows_with_ids}
