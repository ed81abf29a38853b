"""Decodes packaged JSON files into typed values and computes their digests. Errors name the invalid field."""

from hashlib import blake2b
from importlib.resources import files
from typing import TypeVar

import msgspec

from engine.kernel.errors import DataError

T = TypeVar("T")


def read_data_file(package: str, file: str) -> bytes:
    """Return a packaged data file as bytes.

    Raises:
        DataError: The file cannot be read.
    """
    try:
        return files(package).joinpath(file).read_bytes()
    except OSError as cause:
        raise DataError(file, "$", "the file cannot be read") from cause


def decode(file: str, text: bytes, kind: type[T], *, path: str = "$") -> T:
    """Decode a data file, or the part at the given path, into a typed value.

    Raises:
        DataError: The text is not JSON or does not fit the type. The error's `path` names the field.
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError as cause:  # includes ValidationError, which is derived from it
        problem, _, field = str(cause).partition(" - at ")
        raise DataError(file, path + field.strip("`").removeprefix("$"), problem) from cause


def digest(package: str, names: tuple[str, ...]) -> str:
    """Return the hex digest (32 bytes) of the given data files, in the given order.

    Records contain the digest, which prevents a game from being verified against different data.
    """
    hasher = blake2b(digest_size=32)
    for name in names:
        text = read_data_file(package, name)
        # The length prefix makes the digest depend on where one file ends and the next begins.
        hasher.update(len(text).to_bytes(8, "big"))
        hasher.update(text)
    return hasher.hexdigest()
