"""The one canonical encoding, and the one way in for foreign bytes.

Every failure of a decoder becomes one kind of error.
"""

from typing import Any, Final, Protocol, TypeVar

import msgspec

from saves.errors import UnreadableError

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

# A decoder given random bytes raises all of these; catching only msgspec's own lets a third through.
FAULTS: Final = (
    msgspec.MsgspecError,
    UnicodeDecodeError,
    ValueError,
    RecursionError,
    OverflowError,
    MemoryError,
)


canonical: Final = msgspec.msgpack.Encoder(order="deterministic").encode
"""Returns the one MessagePack form of a value: shortest forms, map keys and sets in order."""


class Decoder(Protocol[T_co]):
    """What :func:`decode` needs of a decoder."""

    def decode(self, data: bytes | memoryview, /) -> T_co:
        """Return the decoded value."""
        ...


def decode(decoder: Decoder[T], data: bytes | memoryview, limit: int) -> T:
    """Return what the decoder reads.

    Args:
        decoder: A msgspec decoder of MessagePack or JSON.
        data: Bytes from outside.
        limit: More bytes than this are refused unread.

    Raises:
        UnreadableError: The bytes are too many or do not have the expected shape.
    """
    if len(data) > limit:
        raise UnreadableError(f"{len(data)} bytes are more than the {limit} allowed here")
    try:
        return decoder.decode(data)
    except FAULTS as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UnreadableError(reason) from error


def convert(value: object, kind: Any) -> Any:  # noqa: ANN401 - a union has no static type
    """Return plain data as a value of this type, which may be a union.

    Raises:
        UnreadableError: The data does not fit the type.
    """
    try:
        return msgspec.convert(value, kind)
    except FAULTS as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UnreadableError(reason) from error
