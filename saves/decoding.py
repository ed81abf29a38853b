"""Defines the canonical encoding and the only function that decodes untrusted bytes.

All decoder failures are converted to a single error type.
"""

from typing import Any, Final, Protocol, TypeVar

import msgspec

from saves.errors import UnreadableError

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

# Random bytes can make decoders raise any of these. Catching only msgspec's own errors would miss
# about a third of them.
DECODE_ERRORS: Final = (
    msgspec.MsgspecError,
    UnicodeDecodeError,
    ValueError,
    RecursionError,
    OverflowError,
    MemoryError,
)


canonical: Final = msgspec.msgpack.Encoder(order="deterministic").encode
"""Encodes a value in canonical MessagePack: every value in its shortest form, and map keys and sets sorted."""


class Decoder(Protocol[T_co]):
    """The decoder method that :func:`decode` needs."""

    def decode(self, data: bytes | memoryview, /) -> T_co:
        """Decode one value."""
        ...


def decode(decoder: Decoder[T], data: bytes | memoryview, limit: int) -> T:
    """Decode untrusted bytes.

    Args:
        decoder: A msgspec decoder for MessagePack or JSON.
        data: Untrusted bytes.
        limit: Maximum length; longer data is rejected before decoding.

    Raises:
        UnreadableError: The data is too long or does not have the expected structure.
    """
    if len(data) > limit:
        raise UnreadableError(f"{len(data)} bytes exceed the limit of {limit}")
    try:
        return decoder.decode(data)
    except DECODE_ERRORS as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UnreadableError(reason) from error


def convert(value: object, kind: Any) -> Any:  # noqa: ANN401 - a union has no static type
    """Convert plain data to a type, which may be a union.

    Raises:
        UnreadableError: The data does not fit the type.
    """
    try:
        return msgspec.convert(value, kind)
    except DECODE_ERRORS as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UnreadableError(reason) from error
