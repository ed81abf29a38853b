"""Typed reading of the packaged JSON files: a wrong file is named with the path to the field."""

from collections.abc import Collection
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TypeVar

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.words import Names, problems

T = TypeVar("T")

PACKAGE = "engine.eots.data"
FILES = ("cards.json", "map.json", "scenarios.json", "units.json")


def content(file: str) -> bytes:
    """Return the bytes of one packaged data file.

    Raises:
        DataError: The file is missing.
    """
    try:
        return files(PACKAGE).joinpath(file).read_bytes()
    except OSError as cause:
        raise DataError(file, "$", "the file cannot be read") from cause


def decode(file: str, text: bytes, kind: type[T], *, path: str = "$") -> T:
    """Return the content of a data file, or of the part of it at a path, as a typed value.

    Raises:
        DataError: The text is no JSON or does not fit the type; `path` names the field.
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError as cause:  # also the parent of ValidationError
        problem, _, field = str(cause).partition(" - at ")
        raise DataError(file, path + field.strip("`").removeprefix("$"), problem) from cause


def require(file: str, path: str, *, holds: bool, problem: str) -> None:
    """Check one statement about the data.

    Raises:
        DataError: The statement does not hold.
    """
    if not holds:
        raise DataError(file, path, problem)


def require_known(file: str, value: msgspec.Struct, path: str, names: Names) -> None:
    """Check that every name inside typed data refers to something that exists.

    Raises:
        DataError: A name is unknown; the first one is quoted.
    """
    for where, problem in problems(value, path, names):
        raise DataError(file, where, problem)


def known(file: str, path: str, names: Collection[str], known_names: Collection[str]) -> None:
    """Check that every name of a list refers to something that exists.

    Raises:
        DataError: A name is unknown; the first one is quoted.
    """
    for name in names:
        if name not in known_names:
            raise DataError(file, path, f"unknown reference {name!r}")


@cache
def data_digest() -> str:
    """Return the hex digest (32 bytes) over the data files in a fixed order, so that a record names its data."""
    digest = blake2b(digest_size=32)
    for name in FILES:
        text = content(name)
        digest.update(len(text).to_bytes(8, "big"))
        digest.update(text)
    return digest.hexdigest()
