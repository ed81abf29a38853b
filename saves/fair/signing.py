"""The key of a host, which signs the order of a transcript and the messages of the host."""

from typing import Final

from nacl import bindings

from saves.fair.secrets import SIGNATURE_BYTES

KEY_BYTES: Final = 32


class HostKey:
    """An Ed25519 key that the host of one match keeps."""

    def __init__(self, seed: bytes) -> None:
        """Derive the key from 32 random bytes."""
        assert len(seed) == KEY_BYTES
        self.verify_key, self._signing_key = bindings.crypto_sign_seed_keypair(seed)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""
        return bindings.crypto_sign(message, self._signing_key)[:SIGNATURE_BYTES]
