"""Reads the packaged JSON files and their digest, and checks what they contain."""

from collections.abc import Collection
from functools import cache, partial

import msgspec

from engine.kernel import data_files
from engine.kernel.errors import DataError
from engine.kernel.vocabulary import ReferenceChecker

PACKAGE = "engine.eots.data"
content = partial(data_files.read_data_file, PACKAGE)
"""Return a packaged data file as bytes."""


@cache
def data_digest() -> str:
    """Return the digest of the data files in a fixed order: 32 bytes, as hexadecimal text."""
    return data_files.digest(PACKAGE, ("cards.json", "map.json", "scenarios.json", "units.json"))


def require(file: str, path: str, *, holds: bool, problem: str) -> None:
    """Check a condition that the data must meet.

    Raises:
        DataError: The condition is not met.
    """
    if not holds:
        raise DataError(file, path, problem)


def require_known(file: str, value: msgspec.Struct, path: str, words: ReferenceChecker) -> None:
    """Check that every name in decoded data refers to something that exists.

    Raises:
        DataError: A name is unknown. The error quotes the first unknown name.
    """
    for problem_path, problem in words.problems(value, path):
        raise DataError(file, problem_path, problem)


def check_known_names(
    file: str, path: str, names: Collection[str], known_names: Collection[str]
) -> None:
    """Check that every name in a list refers to something that exists.

    Raises:
        DataError: A name is unknown. The error quotes the first unknown name.
    """
    for name in names:
        if name not in known_names:
            raise DataError(file, path, f"unknown reference {name!r}")
