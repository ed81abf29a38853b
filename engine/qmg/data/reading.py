"""Loads the packaged map and cards, which the rulebooks omit, from JSON and computes their digest (18.3)."""

from functools import cache
from typing import Final, TypeVar

from engine.kernel import data_files

T = TypeVar("T")
_PACKAGE: Final = "engine.qmg.data"


def load(file: str, kind: type[T]) -> T:
    """Return the contents of a packaged file.

    Raises:
        DataError: The file is missing or does not contain such data. The error's path names the location.
    """
    return data_files.decode(file, data_files.content(_PACKAGE, file), kind)


@cache
def data_digest() -> str:
    """Return the hex digest (32 bytes) of the data files in a fixed order."""
    return data_files.digest(_PACKAGE, ("cards.json", "map.json"))
