"""Bytes of the packaged data files, and their digest."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Final, TypeVar

import msgspec

from engine.kernel.errors import DataError

T = TypeVar("T")
_FILES: Final = ("cards.json", "map.json")


def load(file: str, kind: type[T]) -> T:
    """Return the content of a packaged file.

    Raises:
        DataError: The file is missing or does not hold such data; the path names the place.
    """
    try:
        return msgspec.json.decode(files("engine.qmg.data").joinpath(file).read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as cause:
        problem, _, path = str(cause).partition(" - at ")
        raise DataError(file, path.strip("`") or "$", problem) from cause


@cache
def data_digest() -> str:
    """Return the hex digest (32 bytes) over the data files in a fixed order."""
    digest = blake2b(digest_size=32)
    for name in _FILES:
        text = files("engine.qmg.data").joinpath(name).read_bytes()
        digest.update(len(text).to_bytes(8, "big"))
        digest.update(text)
    return digest.hexdigest()
