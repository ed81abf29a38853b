"""Provides the key with which the host signs its own messages and the transcript's order."""

from typing import Final

from nacl import bindings

from saves.fair.secrets import SIGNATURE_BYTES

KEY_BYTES: Final = 32


class HostKey:
    """The host's Ed25519 signing key for one match."""

    def __init__(self, seed: bytes) -> None:
        """Derive the key from 32 random bytes."""
        assert len(seed) == KEY_BYTES
        self.verify_key, self._signing_key = bindings.crypto_sign_seed_keypair(seed)

    def sign(self, message: bytes) -> bytes:
        """Return a message's 64-byte signature."""
        return bindings.crypto_sign(message, self._signing_key)[:SIGNATURE_BYTES]
