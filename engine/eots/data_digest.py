"""The digest of the data files: a record names it, so that nobody verifies a game against other data."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Final

_FILES: Final = ("cards.json", "map.json", "scenarios.json", "units.json")


@cache
def data_digest() -> str:
    """Return the hex digest (32 bytes) over the data files in a fixed order."""
    digest = blake2b(digest_size=32)
    for name in _FILES:
        text = (files("engine.eots.data") / name).read_bytes()
        digest.update(len(text).to_bytes(8, "big"))
        digest.update(text)
    return digest.hexdigest()
