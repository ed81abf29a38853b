"""The key that a host uses to sign its own messages and the order of a transcript."""

from typing import Final

from nacl import bindings

from saves.fair.secrets import SIGNATURE_BYTES

KEY_BYTES: Final = 32


class HostKey:
    """The Ed25519 signing key of the host for one match."""

    def __init__(self, seed: bytes) -> None:
        """Derive the key from 32 random bytes."""
        assert len(seed) == KEY_BYTES
        self.verify_key, self._signing_key = bindings.crypto_sign_seed_keypair(seed)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""
        return bindings.crypto_sign(message, self._signing_key)[:SIGNATURE_BYTES]
