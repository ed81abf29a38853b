"""Encrypts move files, so that only the intended reader can read them.

The sender signs the content and encrypts it to the reader with HPKE (RFC 9180: P-256, HKDF-SHA256, ChaCha20-Poly1305).
Both steps use keys in the invite: the seat's key and the host's authority key. The signature and the encryption also
authenticate the unencrypted header, which contains the match, seat, direction and number.
"""

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from netplay.invites.identity import (
    fingerprint,
    load_certificate,
    load_key,
    sign_proof,
    verify_proof,
)

CONTEXT: Final = b"flagplot move file 1\x00"
_SUITE: Final = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)
_MIN_BYTES: Final = 512
_LENGTH_BYTES: Final = 4


class SealError(ValueError):
    """Sealed content could not be opened, because the key or header is wrong or the data is damaged."""


def padded_length(size: int) -> int:
    """Return the Padmé padded length, which reveals little about the true length and is at most an eighth longer."""
    if size <= _MIN_BYTES:
        return _MIN_BYTES
    exponent = size.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return -(-size // step) * step


def seal(content: bytes, envelope: bytes, sender_key: str, reader: str) -> bytes:
    """Sign and encrypt content so that only the reader can open it and verify the sender.

    Args:
        content: Any bytes.
        envelope: The file's unencrypted header.
        sender_key: The sender's private key (PEM).
        reader: The reader's certificate (PEM).
    """
    certificate = load_certificate(reader)
    # The reader's key is signed too. Otherwise, the reader could pass the signed content on,
    # encrypted for another person.
    signature = sign_proof(sender_key, CONTEXT, envelope, _key_digest(reader), content)
    plaintext = b"".join(
        len(part).to_bytes(_LENGTH_BYTES, "big") + part for part in (signature, content)
    )
    key = certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey), "a loaded certificate must have such a key"
    return _SUITE.encrypt(
        plaintext.ljust(padded_length(len(plaintext)), b"\x00"), key, CONTEXT + envelope
    )


def open_sealed(sealed: bytes, envelope: bytes, reader_key: str, reader: str, sender: str) -> bytes:
    """Decrypt sealed content and verify its sender.

    Args:
        sealed: The result of :func:`seal`.
        envelope: The file's unencrypted header.
        reader_key: The reader's private key (PEM).
        reader: The reader's certificate (PEM).
        sender: The expected sender's certificate (PEM).

    Raises:
        SealError: The content was sealed for another reader or by another sender, or is damaged.
    """
    try:
        plaintext = _SUITE.decrypt(sealed, load_key(reader_key), CONTEXT + envelope)
    except (InvalidTag, ValueError) as error:
        raise SealError("sealed for another key") from error
    signature, rest = _split_part(plaintext)
    content, _ = _split_part(rest)
    parts = (envelope, _key_digest(reader), content)
    if not verify_proof(load_certificate(sender), signature, CONTEXT, *parts):
        raise SealError("signed by another key")
    return content


def _split_part(data: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(data[:_LENGTH_BYTES], "big")
    rest = data[_LENGTH_BYTES:]
    if len(data) < _LENGTH_BYTES or size > len(rest):
        raise SealError("not whole")
    return rest[:size], rest[size:]


def _key_digest(certificate: str) -> bytes:
    return fingerprint(load_certificate(certificate)).encode()
