"""Proofs and signatures that were found right in this process, so that its copies of a match do not verify them again.

A host, its own seat, its bots and its spectators fold the same messages. What is kept is a hash of everything that the
verification depends on, so a result never serves other inputs. Only successes are kept: what is false is verified and
refused each time.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from saves.decoding import canonical
from saves.fair.group import Point
from saves.fair.mixing import Response, verify_proof
from saves.fair.secrets import SIGNATURE_BYTES, verify_signature

_KEY_BYTES: Final = 32
_HASH_BYTES: Final = 32
_MOST: Final = 1 << 14
"""Results of each kind that are kept: about 2 MB."""


class VerifiedInputs:
    """A bounded set of hashes, which forgets those that were not used for the longest time."""

    def __init__(self, most: int) -> None:
        """Keep no more than so many."""
        self._most = most
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: bytes) -> bool:
        """Return whether a hash is kept; it counts as used."""
        with self._lock:
            if key not in self._known:
                return False
            self._known.move_to_end(key)
            return True

    def add(self, key: bytes) -> None:
        """Keep a hash."""
        with self._lock:
            self._known[key] = None
            self._known.move_to_end(key)
            if len(self._known) > self._most:
                self._known.popitem(last=False)


_PROOFS: Final = VerifiedInputs(_MOST)
_SIGNATURES: Final = VerifiedInputs(_MOST)


def verify_proof_once(
    inputs: Sequence[Point],
    outputs: Sequence[Point],
    shadow_hashes: Sequence[bytes],
    challenge: Sequence[int],
    responses: Sequence[Response],
) -> None:
    """Accept the proof of a mix as :func:`saves.fair.mixing.verify_proof` does.

    Raises:
        MixProofError: The proof is false.
    """
    parts = (inputs, outputs, shadow_hashes, challenge, responses)
    # MessagePack writes the length before each list and each value, so no other inputs have this encoding
    key = blake2b(canonical(parts), digest_size=_HASH_BYTES, person=b"verified-proof").digest()
    if key not in _PROOFS:
        verify_proof(inputs, outputs, shadow_hashes, challenge, responses)
        _PROOFS.add(key)


def verify_signature_once(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether this is the Ed25519 signature of the message under the key."""
    if len(key) != _KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return verify_signature(key, message, signature)
    # key and signature have a fixed length, so no other three have this concatenation
    inputs = blake2b(key + signature, digest_size=_HASH_BYTES, person=b"verified-sig")
    inputs.update(message)
    known = inputs.digest()
    if known in _SIGNATURES:
        return True
    if not verify_signature(key, message, signature):
        return False
    _SIGNATURES.add(known)
    return True
