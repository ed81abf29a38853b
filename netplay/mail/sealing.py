"""What is in a move file is read by one seat, or by the judge, and by nobody on the way.

Content is signed by its sender and encrypted to its reader with HPKE (RFC 9180: P-256, HKDF-SHA256, ChaCha20-Poly1305),
both with the keys that the invite names: that of the seat and that of the host's authority. Which match, seat,
direction and number a file says on its outside is bound into both.
"""

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from netplay.identity import fingerprint, load_certificate, load_key, sign_proof, verify_proof

CONTEXT: Final = b"flagplot move file 1\x00"
_SUITE: Final = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)
_SMALLEST: Final = 512
_LENGTH_BYTES: Final = 4


class SealError(ValueError):
    """What was sealed cannot be opened: another key, another outside, or not whole."""


def filled_length(size: int) -> int:
    """Return how long content of some bytes is made, so that its length tells little: by an eighth at most (Padmé)."""
    if size <= _SMALLEST:
        return _SMALLEST
    exponent = size.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return -(-size // step) * step


def seal(content: bytes, outside: bytes, sender_key: str, reader: str) -> bytes:
    """Return content that its reader alone can open, and of which he knows who sent it.

    Args:
        content: Any bytes.
        outside: What stands open beside it.
        sender_key: Private key of the sender (PEM).
        reader: Certificate of the reader (PEM).
    """
    certificate = load_certificate(reader)
    signature = sign_proof(sender_key, CONTEXT, outside, _print(reader), content)
    inside = b"".join(
        len(part).to_bytes(_LENGTH_BYTES, "big") + part for part in (signature, content)
    )
    key = certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey), "loaded certificates are for such keys"
    return _SUITE.encrypt(inside.ljust(filled_length(len(inside)), b"\x00"), key, CONTEXT + outside)


def open_sealed(sealed: bytes, outside: bytes, reader_key: str, reader: str, sender: str) -> bytes:
    """Return the content of something sealed.

    Args:
        sealed: What :func:`seal` returned.
        outside: What stands open beside it.
        reader_key: Private key of the reader (PEM).
        reader: His certificate (PEM).
        sender: Certificate of whoever must have sent it (PEM).

    Raises:
        SealError: It was sealed for another key, by another one, or is not whole.
    """
    try:
        inside = _SUITE.decrypt(sealed, load_key(reader_key), CONTEXT + outside)
    except (InvalidTag, ValueError) as error:
        raise SealError("sealed for another key") from error
    signature, rest = _part(inside)
    content, _ = _part(rest)
    parts = (outside, _print(reader), content)
    if not verify_proof(load_certificate(sender), signature, CONTEXT, *parts):
        raise SealError("signed by another key")
    return content


def _part(data: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(data[:_LENGTH_BYTES], "big")
    rest = data[_LENGTH_BYTES:]
    if len(data) < _LENGTH_BYTES or size > len(rest):
        raise SealError("not whole")
    return rest[:size], rest[size:]


def _print(certificate: str) -> bytes:
    return fingerprint(load_certificate(certificate)).encode()
