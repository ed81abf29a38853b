"""Malformed copies of a valid message, with a field missing, added, too long, out of range or in another encoding."""

import math
import random
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

import msgspec

_BODY: Final = 6
"""Position of the body in the envelope."""
_TOO_LONG: Final = 5_000
"""Number of entries in a list that is longer than any list in the protocol."""
_VALUES: Final[tuple[tuple[str, object], ...]] = (
    ("null", None),
    ("true", True),
    ("negative", -1),
    ("one byte too large", 256),
    ("beyond 32 bits", (1 << 32) + 1),
    ("beyond 63 bits", (1 << 64) - 1),
    ("NaN", math.nan),
    ("infinite", math.inf),
    ("a fraction", 0.5),
    ("whole float", 1.0),
    ("text", "x"),
    ("long text", "x" * 97),
    ("not in form NFC", "e\u0301"),
    ("bytes", b"x"),
    ("33 bytes", bytes(33)),
    ("65 bytes", bytes(65)),
    ("a list", [0]),
    ("a list of lists", [[[[[]]]]]),
    ("a long list", [0] * _TOO_LONG),
    ("a map", {"kind": 1}),
)
_Change: TypeAlias = tuple[tuple[int, ...], str, object]
"""The path of a node, a description of the fault, and the node that replaces it."""


class Raw(bytes):
    """Bytes that are already MessagePack."""


class Malformed(NamedTuple):
    """A malformed copy of a message."""

    what: str
    data: bytes
    is_envelope: bool
    """True if the envelope is malformed, so that the author cannot be read."""


def pack_raw(node: object) -> bytes:
    """Encode plain data as MessagePack; some of its nodes may already be encoded."""
    if isinstance(node, Raw):
        return bytes(node)
    if isinstance(node, list):
        return _head(0x90, 0xDC, len(node)) + b"".join(map(pack_raw, node))
    return msgspec.msgpack.encode(node)


def _head(short: int, wide: int, count: int) -> bytes:
    if count < 16:
        return bytes([short | count])
    if count < 1 << 16:
        return bytes([wide]) + count.to_bytes(2, "big")
    return bytes([wide + 1]) + count.to_bytes(4, "big")


def malformed(data: bytes) -> Iterator[Malformed]:
    """Yield every malformed copy of a valid message."""
    tree = msgspec.msgpack.decode(data)
    assert pack_raw(tree) == data, "the plain data have the same encoding"
    yield from _copies(data, tree, _changes(tree))
    yield Malformed("bytes behind the message", data + b"\x00", is_envelope=True)
    yield Malformed("cut", data[:-1], is_envelope=True)
    yield Malformed("empty", b"", is_envelope=True)


def some_malformed(data: bytes, count: int, chance: random.Random) -> Iterator[Malformed]:
    """Yield a few malformed copies of a valid message."""
    tree = msgspec.msgpack.decode(data)
    yield from _copies(data, tree, chance.sample(list(_changes(tree)), count))


def _changes(tree: object) -> Iterator[_Change]:
    for path, node in _nodes(tree, ()):
        for what, other in _others(node):
            yield path, what, other


def _copies(data: bytes, tree: object, changes: Iterable[_Change]) -> Iterator[Malformed]:
    for path, what, other in changes:
        where = "/".join(map(str, path)) or "message"
        copy = pack_raw(_with(tree, path, other))
        if copy != data:
            yield Malformed(f"{where}: {what}", copy, path[:1] != (_BODY,))


def _nodes(node: object, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], object]]:
    """Yield every node with its path; for long lists, only the first and last entries."""
    yield path, node
    if isinstance(node, list):
        for at in dict.fromkeys((*range(len(node))[:9], *range(len(node))[-1:])):
            yield from _nodes(node[at], (*path, at))


def _with(node: object, path: tuple[int, ...], other: object) -> object:
    if not path:
        return other
    assert isinstance(node, list)
    copy = list(node)
    copy[path[0]] = _with(node[path[0]], path[1:], other)
    return copy


def _others(node: object) -> Iterator[tuple[str, object]]:
    for what, value in _VALUES:
        is_other_type = type(value) is not type(node) or isinstance(value, float)
        if is_other_type or _is_out_of_range(node, value):
            yield what, value
    match node:
        case list():
            whole = b"".join(map(pack_raw, node))
            yield "one more", [*node, None]
            yield "wide array", Raw(b"\xdd" + len(node).to_bytes(4, "big") + whole)
            yield "missing", node[:-1]
            yield "first missing", node[1:]
            yield "duplicate key", Raw(b"\x82" + 2 * (pack_raw("deck") + pack_raw("x")))
        case bool():
            pass
        case int():
            yield "wide integer", Raw(b"\xcf" + node.to_bytes(8, "big"))
            yield "signed integer", Raw(b"\xd3" + node.to_bytes(8, "big"))
        case str():
            text = node.encode()
            yield "wide text", Raw(b"\xdb" + len(text).to_bytes(4, "big") + text)
            yield "invalid UTF-8", Raw(b"\xd9\x02\xff\xfe")
        case bytes():
            yield "wide bytes", Raw(b"\xc6" + len(node).to_bytes(4, "big") + node)
            yield "one byte more", node + b"\0"
            yield "one byte less", node[:-1]
        case _:
            pass


def _is_out_of_range(node: object, value: object) -> bool:
    """Return whether a value of the same type is outside every range, rather than merely different."""
    match value:
        case bool():
            return False
        case int():
            return value < 0 or value >= 1 << 32
        case str() | bytes():
            assert isinstance(node, str | bytes)
            return len(value) > 32 and len(value) != len(node)
        case list():
            return len(value) == _TOO_LONG
        case _:
            pass
    return False
