"""Loads the packaged map and cards, which are not part of the rulebooks, and computes their digest (18.3)."""

from functools import cache
from typing import Final, TypeVar

from engine.kernel import data_files

T = TypeVar("T")
_PACKAGE: Final = "engine.qmg.data"


def load(file: str, kind: type[T]) -> T:
    """Return the contents of a packaged file.

    Raises: DataError: The file is missing or does not contain data of this kind. The error's path names the location.
    """
    return data_files.decode(file, data_files.read_data_file(_PACKAGE, file), kind)


@cache
def data_digest() -> str:
    """Return the digest of the data files, in a fixed order, as hexadecimal text for 32 bytes."""
    return data_files.digest(_PACKAGE, ("cards.json", "map.json"))
