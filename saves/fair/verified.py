"""Proofs and signatures that were found right in this process, so that its copies of a match do not verify them again.

A host, its own seat, its bots and its spectators fold the same messages. What is kept is a hash of everything that the
verification depends on, so a result never serves other inputs. What is false is verified and refused each time; only a
proof that was verified ahead of its message keeps its problem, so that the fold does not verify it once more.
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
_MOST: Final = 1 << 14
"""Results of each kind that are kept: about 2 MB."""


class VerifiedInputs:
    """A bounded set of hashes, which forgets those that were not used for the longest time."""

    def __init__(self, most: int) -> None:
        """Keep no more than so many."""
        self._most = most
        self._known: OrderedDict[bytes, str] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: bytes) -> bool:
        """Return whether a hash is kept; it counts as used."""
        with self._lock:
            if key not in self._known:
                return False
            self._known.move_to_end(key)
            return True

    def problem_of(self, key: bytes) -> str:
        """Return what was kept with a hash, empty without one."""
        with self._lock:
            return self._known.get(key, "")

    def add(self, key: bytes, problem: str = "") -> None:
        """Keep a hash, with the problem of what it stands for."""
        with self._lock:
            self._known[key] = problem
            self._known.move_to_end(key)
            if len(self._known) > self._most:
                self._known.popitem(last=False)


_PROOFS: Final = VerifiedInputs(_MOST)
_FALSE_PROOFS: Final = VerifiedInputs(1 << 8)
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
    key = _proof_key(inputs, outputs, shadow_hashes, challenge, responses)
    if key in _PROOFS:
        return
    problem = _FALSE_PROOFS.problem_of(key)
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
    """Verify the proof of a mix, right or wrong, so that :func:`verify_proof_once` has the result at once."""
    key = _proof_key(inputs, outputs, shadow_hashes, challenge, responses)
    if key in _PROOFS or _FALSE_PROOFS.problem_of(key):
        return
    try:
        verify_proof(inputs, outputs, shadow_hashes, challenge, responses)
    except MixProofError as error:
        _FALSE_PROOFS.add(key, str(error))
    else:
        _PROOFS.add(key)


def _proof_key(*parts: object) -> bytes:
    # MessagePack writes the length before each list and each value, so no other inputs have this encoding
    return blake2b(canonical(parts), digest_size=_HASH_BYTES, person=b"verified-proof").digest()


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
