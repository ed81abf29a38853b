"""Computes commitments to a record's commands and events, to the starting position, and to the match secret.

Each salt is derived from the secret and the position of the entry. The secret therefore opens every commitment, but a
salt opens only one.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import msgspec

from saves.decoding import canonical
from saves.errors import BrokenChainError
from saves.headers import Header
from saves.records import HASH_BYTES, SALT_BYTES, Entry, Record

SIGNATURE_INDEX: Final = (1 << 32) - 1
"""Index for deriving the salt of a record's signature; larger than any event index."""
_ENTRY_HASH: Final = blake2b(digest_size=HASH_BYTES, person=b"flagplot-entry")


def digest(data: bytes, purpose: bytes) -> bytes:
    """Return the data's BLAKE2b-256 hash, personalised with a purpose of at most 16 bytes."""
    hashed = _empty_hash(purpose).copy()
    hashed.update(data)
    return hashed.digest()


@lru_cache(maxsize=16)
def _empty_hash(purpose: bytes) -> blake2b:
    """Return a cached hash object, initialised for one purpose. Copying it is cheaper than creating a new one."""
    return blake2b(digest_size=HASH_BYTES, person=purpose)


def derive_salt(secret: bytes, seq: int, index: int) -> bytes:
    """Derive one entry's salt. Index 0 is the command; event indices start at 1."""
    salt = _salt_hash(secret).copy()
    salt.update(seq.to_bytes(8, "big") + index.to_bytes(4, "big"))
    return salt.digest()


def derive_salts(secret: bytes, record: Record) -> list[bytes]:
    """Derive the salts for all of a record's entries: the command first, then the events in order."""
    shared_hash = _salt_hash(secret).copy()
    shared_hash.update(record.seq.to_bytes(8, "big"))
    salts = []
    for index in range(1 + len(record.events)):
        salt = shared_hash.copy()
        salt.update(index.to_bytes(4, "big"))
        salts.append(salt.digest())
    return salts


def position_salt(secret: bytes) -> bytes:
    """Derive the salt for the starting position."""
    return blake2b(b"", key=secret, digest_size=SALT_BYTES, person=b"flagplot-setup").digest()


@lru_cache(maxsize=1_024)
def _salt_hash(secret: bytes) -> blake2b:
    """Return the keyed hash object for a match's salts. It is cached, so that the key is hashed only once."""
    return blake2b(key=secret, digest_size=SALT_BYTES, person=b"flagplot-salt")


def compute_commitment(salt: bytes, tag: str, v: int, body: bytes) -> bytes:
    """Compute the commitment to a complete command or event."""
    hashed = _ENTRY_HASH.copy()
    hashed.update(salt + _encode_schema(tag, v) + body)
    return hashed.digest()


@lru_cache(maxsize=1_024)
def _encode_schema(tag: str, v: int) -> bytes:
    return canonical((tag, v))


def position_commitment(secret: bytes, position: bytes) -> bytes:
    """Compute the commitment to the starting position, which must be encoded as MessagePack."""
    return digest(position_salt(secret) + position, b"flagplot-setup")


def secret_commitment(secret: bytes) -> bytes:
    """Compute the commitment to the match secret."""
    return digest(secret, b"flagplot-secret")


def is_secret_of(header: Header, secret: bytes) -> bool:
    """Return whether the secret matches the commitment in the header."""
    return secret_commitment(secret) == header.secret_commitment


def has_valid_openings(secret: bytes, record: Record) -> bool:
    """Return whether all of a record's entries are complete and have the expected salts and commitments."""
    # derive_salt and compute_commitment are inlined, because this code runs for every verified
    # entry.
    shared_hash = _salt_hash(secret).copy()
    shared_hash.update(record.seq.to_bytes(8, "big"))
    copy_salt_hash, copy_entry_hash = shared_hash.copy, _ENTRY_HASH.copy
    for index, entry in enumerate((record.command, *record.events)):
        if entry is None:
            continue
        hashed = copy_salt_hash()
        hashed.update(index.to_bytes(4, "big"))
        salt, body = hashed.digest(), entry.body
        if body is None or entry.salt != salt:
            return False
        hashed = copy_entry_hash()
        hashed.update(salt + _encode_schema(entry.tag, entry.v) + body)
        if hashed.digest() != entry.commitment:
            return False
    return record.signature is msgspec.UNSET or _is_signature_opened(
        secret, record.seq, record.signature
    )


def _is_signature_opened(secret: bytes, seq: int, entry: Entry) -> bool:
    salt, body = derive_salt(secret, seq, SIGNATURE_INDEX), entry.body
    return (
        body is not None
        and entry.salt == salt
        and compute_commitment(salt, entry.tag, entry.v, body) == entry.commitment
    )


def check_openings(record: Record) -> None:
    """Check that all complete entries in a record match their commitments.

    Raises:
        BrokenChainError: An entry does not match; the error names it.
    """
    commit = _commitment_function(record)
    for index, entry in enumerate((record.command, *record.events)):
        # A redacted entry cannot be checked here. Its content can be checked only against the full
        # copy.
        if entry is None or entry.salt is None:
            continue
        salt, body = entry.salt, entry.body
        if body is None or commit(salt, entry.tag, entry.v, body) != entry.commitment:
            if not index:
                raise BrokenChainError(record.seq, "the command does not match its commitment")
            problem = f"event {index - 1} ({entry.tag}) does not match its commitment"
            raise BrokenChainError(record.seq, problem, index - 1)
    signature = record.signature
    if signature is msgspec.UNSET or signature.salt is None:
        return
    tag, v, body = signature.tag, signature.v, signature.body
    if body is None or commit(signature.salt, tag, v, body) != signature.commitment:
        raise BrokenChainError(record.seq, "the signature does not match its commitment")


def _commitment_function(record: Record) -> Callable[[bytes, str, int, bytes], bytes]:
    """Return the function that computes a record's commitments. Protocol 7 uses a different formula."""
    if record.transcript is msgspec.UNSET:
        return compute_commitment
    from saves.fair.secrets import entry_commitment  # noqa: PLC0415  # most records need no ciphers

    return entry_commitment
