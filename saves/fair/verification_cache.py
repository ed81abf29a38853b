"""Caches which proofs and signatures this process has already verified.

The cache is useful because a host, its own seat, its bots and its spectators all fold the same messages. The cache key
is a hash of everything that was verified, so a result never applies to anything else. Failures are not cached, with one
exception. If a proof fails when it is verified in advance, the error is cached, so that ``fold`` does not verify the
proof again.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from saves.decoding import canonical
from saves.fair.errors import MixProofError
from saves.fair.group import Point
from saves.fair.mixing import Response, verify_proof
from saves.fair.secrets import SIGNATURE_BYTES, verify_signature

_KEY_BYTES: Final = 32
_HASH_BYTES: Final = 32
_MAX_HASHES: Final = 1 << 14
"""Maximum number of cached results of each kind, which take up about 2 MB."""


class VerifiedInputs:
    """A bounded set of hashes that evicts the least recently used hash when it is full."""

    def __init__(self, max_hashes: int) -> None:
        """Limit the set to ``max_hashes`` hashes."""
        self._max_hashes = max_hashes
        self._problems_by_hash: OrderedDict[bytes, str] = OrderedDict()
        # The set needs a lock, because a host verifies proofs in a thread while its event loop
        # folds messages.
        self._lock = threading.Lock()

    def __contains__(self, key: bytes) -> bool:
        """Return whether a hash is in the set, and mark the hash as used."""
        with self._lock:
            if key not in self._problems_by_hash:
                return False
            self._problems_by_hash.move_to_end(key)
            return True

    def find_problem(self, key: bytes) -> str:
        """Return the problem stored with a hash; empty if no problem is stored."""
        with self._lock:
            return self._problems_by_hash.get(key, "")

    def add(self, key: bytes, problem: str = "") -> None:
        """Add a hash and, if the verification failed, the problem."""
        with self._lock:
            self._problems_by_hash[key] = problem
            self._problems_by_hash.move_to_end(key)
            if len(self._problems_by_hash) > self._max_hashes:
                self._problems_by_hash.popitem(last=False)


_PROOFS: Final = VerifiedInputs(_MAX_HASHES)
_FALSE_PROOFS: Final = VerifiedInputs(1 << 8)
_SIGNATURES: Final = VerifiedInputs(_MAX_HASHES)


def verify_proof_once(
    inputs: Sequence[Point],
    outputs: Sequence[Point],
    shadow_hashes: Sequence[bytes],
    challenge: Sequence[int],
    responses: Sequence[Response],
) -> None:
    """Verify a mix proof like :func:`saves.fair.mixing.verify_proof`, but use the cache.

    Raises:
        MixProofError: The proof fails verification.
    """
    key = _proof_key(inputs, outputs, shadow_hashes, challenge, responses)
    if key in _PROOFS:
        return
    problem = _FALSE_PROOFS.find_problem(key)
    if problem:
        raise MixProofError(problem)
    verify_proof(inputs, outputs, shadow_hashes, challenge, responses)
    _PROOFS.add(key)


def verify_proof_ahead(
    inputs: Sequence[Point],
    outputs: Sequence[Point],
    shadow_hashes: Sequence[bytes],
    challenge: Sequence[int],
    responses: Sequence[Response],
) -> None:
    """Verify a mix proof and cache the result, so that :func:`verify_proof_once` returns immediately."""
    key = _proof_key(inputs, outputs, shadow_hashes, challenge, responses)
    if key in _PROOFS or _FALSE_PROOFS.find_problem(key):
        return
    try:
        verify_proof(inputs, outputs, shadow_hashes, challenge, responses)
    except MixProofError as error:
        _FALSE_PROOFS.add(key, str(error))
    else:
        _PROOFS.add(key)


def _proof_key(*parts: object) -> bytes:
    # MessagePack encodes the length of each list and value, so different inputs never have the same
    # encoding.
    return blake2b(canonical(parts), digest_size=_HASH_BYTES, person=b"verified-proof").digest()


def verify_signature_once(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether an Ed25519 signature over a message is valid under a key, using the cache."""
    if len(key) != _KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return verify_signature(key, message, signature)
    # The key and the signature have fixed lengths, so this concatenation is unambiguous.
    hasher = blake2b(key + signature, digest_size=_HASH_BYTES, person=b"verified-sig")
    hasher.update(message)
    input_hash = hasher.digest()
    if input_hash in _SIGNATURES:
        return True
    if not verify_signature(key, message, signature):
        return False
    _SIGNATURES.add(input_hash)
    return True
