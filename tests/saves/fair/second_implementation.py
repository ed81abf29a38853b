"""A second implementation of sections 2.3, 2.4 and 2.6 of protocol 7, written from their description.

Nothing here comes from ``saves`` or from libsodium: the curve, Ed25519, XSalsa20-Poly1305 and MessagePack are plain
Python, slow and open to timing attacks. Its purpose is to produce test vectors and to check points.
"""

import struct
import unicodedata
from collections.abc import Callable, Sequence
from hashlib import blake2b, sha512
from typing import Final

Plain = None | bool | int | str | bytes | Sequence["Plain"]
Affine = tuple[int, int]

P: Final = 2**255 - 19
L: Final = 2**252 + 27742317777372353535851937790883648493
D: Final = -121665 * pow(121666, -1, P) % P
I: Final = pow(2, (P - 1) // 4, P)  # noqa: E741 - the usual name of the square root of -1
A: Final = 486662
NEUTRAL: Final = (0, 1)


# Hashes and MessagePack


def keyed(purpose: str, key: bytes, size: int, data: bytes) -> bytes:
    return blake2b(data, key=key, digest_size=size, person=purpose.encode()).digest()


def plain(purpose: str, data: bytes) -> bytes:
    return blake2b(data, digest_size=32, person=purpose.encode()).digest()


def pack(value: Plain) -> bytes:
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return pack_integer(value)
    if isinstance(value, str):
        data = unicodedata.normalize("NFC", value).encode()
        return with_length(len(data), (0xA0, 32), b"\xd9\xda\xdb") + data
    if isinstance(value, bytes):
        return with_length(len(value), (0, 0), b"\xc4\xc5\xc6") + value
    items = b"".join(pack(item) for item in value)
    return with_length(len(value), (0x90, 16), b"\0\xdc\xdd") + items


def pack_integer(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack("b", value)
    codes, letters = (b"\xcc\xcd\xce\xcf", "BHIQ") if value > 0 else (b"\xd0\xd1\xd2\xd3", "bhiq")
    for code, letter in zip(codes, letters, strict=True):
        try:
            return bytes([code]) + struct.pack(">" + letter, value)
        except struct.error:
            continue
    raise OverflowError


def with_length(length: int, short: tuple[int, int], codes: bytes) -> bytes:
    """Encode the head of text, bytes or an array: one byte below a limit, otherwise a code and a length."""
    first, limit = short
    if length < limit:
        return bytes([first + length])
    for code, letter in zip(codes, "BHI", strict=True):
        if code and length < 256 ** struct.calcsize(letter):
            return bytes([code]) + struct.pack(">" + letter, length)
    raise OverflowError


# The curve


def plus(one: Affine, two: Affine) -> Affine:
    (x1, y1), (x2, y2) = one, two
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P)
    return x % P, y % P


def minus(one: Affine, two: Affine) -> Affine:
    return plus(one, (-two[0] % P, two[1]))


def times(scalar: int, point: Affine) -> Affine:
    """Double and add in projective coordinates, so that only one inversion is needed."""
    x, y = point
    total, power = (0, 1, 1), (x, y, 1)
    while scalar:
        if scalar & 1:
            total = projective_plus(total, power)
        power = projective_plus(power, power)
        scalar >>= 1
    inverse = pow(total[2], -1, P)
    return total[0] * inverse % P, total[1] * inverse % P


def projective_plus(one: tuple[int, int, int], two: tuple[int, int, int]) -> tuple[int, int, int]:
    (x1, y1, z1), (x2, y2, z2) = one, two
    a = z1 * z2 % P
    b, c, d = a * a % P, x1 * x2 % P, y1 * y2 % P
    e = D * c * d % P
    f, g = b - e, b + e
    x = a * f * ((x1 + y1) * (x2 + y2) - c - d)
    return x % P, a * g * (d + c) % P, f * g % P


def abscissa(y: int, sign: int) -> int | None:
    """Return the x of the point with this y and sign; None if there is no such point."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * I % P
    if x * x % P != square or (x == 0 and sign):
        return None
    return x if x & 1 == sign else P - x


def decode_point(data: bytes) -> Affine | None:
    """Decode a point; None if the encoding is not canonical or no point on the curve has it."""
    number = int.from_bytes(data, "little")
    y, sign = number & (2**255 - 1), number >> 255
    if y >= P:
        return None
    x = abscissa(y, sign)
    return None if x is None else (x, y)


def encode_point(point: Affine) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def is_usable(data: bytes) -> bool:
    point = decode_point(data)
    return point is not None and point != NEUTRAL and times(L, point) == NEUTRAL


def base_point() -> Affine:
    y = 4 * pow(5, -1, P) % P
    x = abscissa(y, 0)
    assert x is not None
    return x, y


G: Final = base_point()


def from_uniform(data: bytes) -> Affine:
    """Apply Elligator 2 as in libsodium: the high bit is the sign of x, and the point is multiplied by the cofactor."""
    number = int.from_bytes(data, "little")
    sign, r = number >> 255, number & (2**255 - 1)
    u = -A * pow(1 + 2 * r * r, -1, P) % P
    if pow(u**3 + A * u * u + u, (P - 1) // 2, P) == P - 1:
        u = (-u - A) % P
    y = (u - 1) * pow(u + 1, -1, P) % P
    x = abscissa(y, sign)
    assert x is not None
    return times(8, (x, y))


# Ed25519 (RFC 8032)


def signing_key(seed: bytes) -> tuple[int, bytes, bytes]:
    digest = sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    return scalar, digest[32:], encode_point(times(scalar % L, G))


def sign(seed: bytes, message: bytes) -> bytes:
    scalar, prefix, public = signing_key(seed)
    r = int.from_bytes(sha512(prefix + message).digest(), "little") % L
    commitment = encode_point(times(r, G))
    challenge = int.from_bytes(sha512(commitment + public + message).digest(), "little")
    return commitment + encode_scalar((r + challenge * scalar) % L)


# XSalsa20-Poly1305

QUARTERS: Final = (
    *((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11)),
    *((0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14)),
)


def salsa_state(key: bytes, middle: bytes) -> list[int]:
    c, k = struct.unpack("<4I", b"expand 32-byte k"), struct.unpack("<8I", key)
    n = struct.unpack("<4I", middle)
    return [c[0], *k[:4], c[1], *n, c[2], *k[4:], c[3]]


def salsa_rounds(state: list[int]) -> list[int]:
    x = list(state)
    for _ in range(10):
        for a, b, c, d in QUARTERS:
            for to, one, two, by in ((b, a, d, 7), (c, b, a, 9), (d, c, b, 13), (a, d, c, 18)):
                total = (x[one] + x[two]) & 0xFFFFFFFF
                x[to] ^= (total << by | total >> (32 - by)) & 0xFFFFFFFF
    return x


def salsa_stream(key: bytes, nonce: bytes, length: int) -> bytes:
    stream = b""
    while len(stream) < length:
        state = salsa_state(key, nonce + struct.pack("<Q", len(stream) // 64))
        mixed = salsa_rounds(state)
        words = [(one + two) & 0xFFFFFFFF for one, two in zip(state, mixed, strict=True)]
        stream += struct.pack("<16I", *words)
    return stream[:length]


def secret_box(key: bytes, nonce: bytes, message: bytes) -> bytes:
    mixed = salsa_rounds(salsa_state(key, nonce[:16]))
    subkey = struct.pack("<8I", *(mixed[place] for place in (0, 5, 10, 15, 6, 7, 8, 9)))
    stream = salsa_stream(subkey, nonce[16:], 32 + len(message))
    hidden = bytes(one ^ two for one, two in zip(message, stream[32:], strict=True))
    return poly1305(stream[:32], hidden) + hidden


def poly1305(key: bytes, message: bytes) -> bytes:
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for start in range(0, len(message), 16):
        block = message[start : start + 16] + b"\x01"
        total = (total + int.from_bytes(block, "little")) * r % (2**130 - 5)
    return ((total + int.from_bytes(key[16:], "little")) % 2**128).to_bytes(16, "little")


# 2.3: derivation


def scalar(digest: Callable[[bytes], bytes], data: bytes) -> int:
    while True:
        number = int.from_bytes(digest(data), "little") % L
        if number:
            return number
        data += b"\0"


def scalar_of(purpose: str, key: bytes, data: bytes) -> int:
    return scalar(lambda asked: keyed(purpose, key, 64, asked), data)


def encode_scalar(number: int) -> bytes:
    return number.to_bytes(32, "little")


def use(r: bytes, k: int, z: int) -> int:
    attempt = 0
    while True:
        data = struct.pack(">II", k, attempt)
        v = int.from_bytes(keyed("fp7-use", r, 8, data), "big")
        if v < 2**64 - 2**64 % z:
            return v % z
        attempt += 1


def permutation(r: bytes, count: int) -> list[int]:
    result = list(range(count))
    for k, i in enumerate(reversed(range(1, count))):
        j = use(r, k, i + 1)
        result[i], result[j] = result[j], result[i]
    return result


def chain(master: bytes, match: str, role: str) -> list[bytes]:
    values = [keyed("fp7-chain", master, 32, pack([match, role]))]
    for _ in range(32768):
        values.append(plain("fp7-link", pack([match, role]) + values[-1]))
    return values


def card_point(match: str, deck: str, card: str) -> Affine:
    return from_uniform(plain("fp7-point", pack([match, deck, card])))


def challenge(question: Plain, reveals: Sequence[bytes], count: int = 20) -> list[int]:
    digest = plain("fp7-challenge", pack(question) + b"".join(reveals))
    bits = "".join(f"{byte:08b}" for byte in digest)
    return [int(bit) for bit in bits[:count]]


def throw_key(header_hash: bytes, n: int, reveals: Sequence[bytes]) -> bytes:
    return keyed("fp7-throw", plain("fp7-match", header_hash), 32, pack(n) + b"".join(reveals))


def safety_words(header_hash: bytes, reveals: Sequence[bytes], words: Sequence[str]) -> list[str]:
    digest = plain("fp7-words", header_hash + b"".join(reveals))
    bits = "".join(f"{byte:08b}" for byte in digest)
    return [words[int(bits[start : start + 11], 2)] for start in range(0, 55, 11)]


# 2.6: mixes


class Mix:
    """A mix of inputs, each of which consists of a card, a blinding and a point."""

    def __init__(
        self,
        w: bytes,
        inputs: Sequence[tuple[str, int, Affine]],
        chosen: Sequence[int] | None,
        shadows: int = 20,
    ) -> None:
        count = len(inputs)
        drawn = permutation(keyed("fp7-order", w, 32, b""), count)
        self.order = drawn if chosen is None else list(chosen)
        self.s = [
            scalar_of("fp7-blind", w, pack([i, inputs[self.order[i]][0]])) for i in range(count)
        ]
        self.blindings = [(inputs[o][1] + s) % L for o, s in zip(self.order, self.s, strict=True)]
        points = [point for _, _, point in inputs]
        self.outputs = moved(points, self.order, self.s)
        self.seeds = [keyed("fp7-shadow", w, 32, pack(j)) for j in range(shadows)]
        self.hashes = [list_hash(shadow(seed, points)[2]) for seed in self.seeds]

    def response(self, j: int, bit: int) -> bytes | list[list[int] | list[bytes]]:
        if bit == 0:
            return self.seeds[j]
        order, blindings = shadow_order(self.seeds[j], len(self.order))
        places = [order.index(o) for o in self.order]
        differences = [(s - blindings[p]) % L for s, p in zip(self.s, places, strict=True)]
        return [places, [encode_scalar(one) for one in differences]]


def shadow_order(w: bytes, count: int) -> tuple[list[int], list[int]]:
    order = permutation(keyed("fp7-sorder", w, 32, b""), count)
    return order, [scalar_of("fp7-sblind", w, pack(i)) for i in range(count)]


def shadow(w: bytes, points: Sequence[Affine]) -> tuple[list[int], list[int], list[Affine]]:
    order, blindings = shadow_order(w, len(points))
    return order, blindings, moved(points, order, blindings)


def moved(points: Sequence[Affine], order: Sequence[int], s: Sequence[int]) -> list[Affine]:
    return [plus(points[o], times(one, G)) for o, one in zip(order, s, strict=True)]


def list_hash(points: Sequence[Affine]) -> bytes:
    return plain("fp7-list", b"".join(encode_point(point) for point in points))


# 2.6: boxes. A box is its nonce and the XSalsa20-Poly1305 text; an entry is u32 length, entry, zero bytes.


def padded(entries: Sequence[bytes], entry_bytes: int) -> bytes:
    return b"".join(struct.pack(">I", len(one)) + one.ljust(entry_bytes, b"\0") for one in entries)


# 2.4: transcript


def message(match: str, kind: str, anchor: int, t_anchor: bytes, author: str, body: Plain) -> bytes:
    return pack(["flagplot-fair/7", match, kind, anchor, t_anchor, author, body])


def transcript_hash(before: bytes, i: int, m: bytes) -> bytes:
    return plain("fp7-transcript", before + struct.pack(">QI", i, len(m)) + m)


def signed_text(name: str, *values: Plain) -> bytes:
    return pack([f"flagplot-fair/7 {name}", *values])
