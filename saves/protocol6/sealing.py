"""Boxes: what a party alone knows of a record, kept in every copy of it and opened with its card seed.

So all copies of a match hold the same records, each seat reads its own secrets in any of them, and when the card seeds
are opened after the end everybody reads all.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final

import msgspec
from nacl.bindings import sodium_pad, sodium_unpad
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from engine.kernel.ids import Role
from saves.commitments import SIGNATURE_PLACE, commitment_of
from saves.decoding import canonical, decode
from saves.errors import FairPlayError, UnreadableError
from saves.protocol6.cardseed import CardSeed
from saves.records import MAX_RECORD_BYTES, Entry, Record, Salt

PAD_BYTES: Final = 256
"""What is sealed is filled up to a multiple of so many bytes, so that the length of a box tells little."""


class Sealable(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An entry of a record in full, with its place."""

    place: int
    """0 is the command, 1 and up are the events in order, ``SIGNATURE_PLACE`` is the signature."""
    tag: str
    v: int
    body: bytes
    salt: Salt

    @property
    def commitment(self) -> bytes:
        """Return the commitment that this entry opens."""
        return commitment_of(self.salt, self.tag, self.v, self.body)


_DECODER: Final = msgspec.msgpack.Decoder(tuple[Sealable, ...])


def seal(seed: CardSeed, entries: Sequence[Sealable]) -> bytes:
    """Return a box that nobody else opens; the same entries give the same box.

    The number that must not serve for two contents follows from the content, so that a program which lost its memory
    still uses none twice.
    """
    plain = sodium_pad(canonical(tuple(entries)), PAD_BYTES)
    key = seed.box_key()
    nonce = blake2b(plain, key=key, digest_size=SecretBox.NONCE_SIZE, person=b"flagplot-nonce")
    return bytes(SecretBox(key).encrypt(plain, nonce.digest()))


def unseal(seed: CardSeed, box: bytes) -> tuple[Sealable, ...]:
    """Return what is in a box.

    Raises:
        FairPlayError: It is no box of this seat; names the seat.
    """
    try:
        plain = sodium_unpad(SecretBox(seed.box_key()).decrypt(box), PAD_BYTES)
        entries: tuple[Sealable, ...] = decode(_DECODER, plain, MAX_RECORD_BYTES)
    except (CryptoError, ValueError, TypeError, UnreadableError) as error:
        problem = f"the card seed of {seed.role} does not open the box in its name"
        raise FairPlayError(seed.role, problem) from error
    return entries


def box_of(record: Record, role: Role) -> bytes | None:
    """Return the box of a role in a record, None when it has none there."""
    sealed = () if record.sealed is msgspec.UNSET else record.sealed
    return next((one.box for one in sealed if one.role == role), None)


def completed(record: Record, seed: CardSeed) -> Record:
    """Return a record with the entries that are in the box of one party, each checked against its commitment.

    Raises:
        FairPlayError: The box does not open, or what is in it is not what the record commits to; names the party.
    """
    box = box_of(record, seed.role)
    if box is None:
        return record
    found: dict[int, Sealable] = {}
    for entry in unseal(seed, box):
        if entry.place in found or entry.place not in _places(record):
            problem = f"the box of {seed.role} holds an entry that the record does not have"
            raise FairPlayError(seed.role, problem)
        found[entry.place] = entry
    command, signature = record.command, record.signature
    events = tuple(
        _filled(entry, found, place, seed.role) for place, entry in enumerate(record.events, 1)
    )
    if command is not None:
        command = _filled(command, found, 0, seed.role)
    if signature is not msgspec.UNSET:
        signature = _filled(signature, found, SIGNATURE_PLACE, seed.role)
    return msgspec.structs.replace(record, command=command, events=events, signature=signature)


def _places(record: Record) -> Sequence[int]:
    """Return the places of a record in which there is an entry."""
    command = () if record.command is None else (0,)
    signature = () if record.signature is msgspec.UNSET else (SIGNATURE_PLACE,)
    return (*command, *range(1, 1 + len(record.events)), *signature)


def _filled(entry: Entry, found: Mapping[int, Sealable], place: int, role: Role) -> Entry:
    """Return an entry in full if it is among those that were found."""
    whole = found.get(place)
    if whole is None:
        return entry
    if whole.commitment != entry.commitment:
        problem = f"the box of {role} holds another {_named(place)} than the record commits to"
        raise FairPlayError(role, problem)
    return Entry(
        tag=whole.tag, v=whole.v, body=whole.body, commitment=entry.commitment, salt=whole.salt
    )


def _named(place: int) -> str:
    """Return what lies at a place, for a sentence."""
    names = {0: "command", SIGNATURE_PLACE: "signature"}
    return names.get(place, f"event {place - 1}")
