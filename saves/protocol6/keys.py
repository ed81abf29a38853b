"""Derives a party's signing key from its seed."""

from hashlib import blake2b

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from saves.protocol6.parties import KEY_BYTES


def verify_key_of(seed: bytes) -> bytes:
    """Derive the verification key from a seed, so that publishing the key commits the party to the seed."""
    return signing_key(seed).public_key().public_bytes_raw()


def signing_key(seed: bytes) -> Ed25519PrivateKey:
    """Derive the signing key from a seed."""
    raw = blake2b(b"", key=seed, digest_size=KEY_BYTES, person=b"flagplot-signing").digest()
    return Ed25519PrivateKey.from_private_bytes(raw)
