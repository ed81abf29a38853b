"""Encrypts a record's private parts in boxes, which are part of every copy and can be opened with the card seeds.

All copies of a match therefore have the same records. Each seat can read its own secrets in any copy. Everyone can read
all secrets once the card seeds are revealed.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from nacl.bindings import sodium_unpad
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from engine.kernel.ids import Role
from saves.commitments import SIGNATURE_INDEX, compute_commitment
from saves.decoding import decode
from saves.errors import FairPlayError, UnreadableError
from saves.protocol6.cardseed import CardSeed
from saves.records import MAX_RECORD_BYTES, Entry, Record, Salt

PAD_BYTES: Final = 256
"""Plaintext is padded to a multiple of this length in bytes, so that a box's length reveals little."""


class Sealable(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A complete record entry and its place in the record."""

    place: int
    """0 for the command, 1 and up for events, and ``SIGNATURE_INDEX`` for the signature."""
    tag: str
    v: int
    body: bytes
    salt: Salt

    @property
    def commitment(self) -> bytes:
        """Compute the commitment to this entry."""
        return compute_commitment(self.salt, self.tag, self.v, self.body)


_DECODER: Final = msgspec.msgpack.Decoder(tuple[Sealable, ...])


def unseal(seed: CardSeed, box: bytes) -> tuple[Sealable, ...]:
    """Decrypt a box.

    Raises:
        FairPlayError: The box is not valid for this seat; the error names the seat.
    """
    try:
        plain = sodium_unpad(SecretBox(seed.box_key()).decrypt(box), PAD_BYTES)
        entries: tuple[Sealable, ...] = decode(_DECODER, plain, MAX_RECORD_BYTES)
    except (CryptoError, ValueError, TypeError, UnreadableError) as error:
        problem = f"the card seed of {seed.role} does not open the box in its name"
        raise FairPlayError(seed.role, problem) from error
    return entries


def box_of(record: Record, role: Role) -> bytes | None:
    """Return a role's box in a record, or None if the record has no box for the role."""
    sealed = () if record.sealed is msgspec.UNSET else record.sealed
    return next((sealed_box.box for sealed_box in sealed if sealed_box.role == role), None)


def complete_record(record: Record, seed: CardSeed) -> Record:
    """Complete a record's entries from one party's box, and check each entry against its commitment.

    Raises:
        FairPlayError: The box cannot be opened, or does not match the record's commitments; the error names the party.
    """
    box = box_of(record, seed.role)
    if box is None:
        return record
    box_entries: dict[int, Sealable] = {}
    for entry in unseal(seed, box):
        if entry.place in box_entries or entry.place not in _places(record):
            problem = f"the box of {seed.role} holds an entry that the record does not have"
            raise FairPlayError(seed.role, problem)
        box_entries[entry.place] = entry
    command, signature = record.command, record.signature
    events = tuple(
        _fill_entry(entry, box_entries, place, seed.role)
        for place, entry in enumerate(record.events, 1)
    )
    if command is not None:
        command = _fill_entry(command, box_entries, 0, seed.role)
    if signature is not msgspec.UNSET:
        signature = _fill_entry(signature, box_entries, SIGNATURE_INDEX, seed.role)
    return msgspec.structs.replace(record, command=command, events=events, signature=signature)


def _places(record: Record) -> Sequence[int]:
    """Return the places of all entries in a record."""
    command = () if record.command is None else (0,)
    signature = () if record.signature is msgspec.UNSET else (SIGNATURE_INDEX,)
    return (*command, *range(1, 1 + len(record.events)), *signature)


def _fill_entry(entry: Entry, box_entries: Mapping[int, Sealable], place: int, role: Role) -> Entry:
    """Return the box's complete entry for a place. If the box has none for this place, return the given entry."""
    full_entry = box_entries.get(place)
    if full_entry is None:
        return entry
    if full_entry.commitment != entry.commitment:
        problem = f"the box of {role} holds another {_entry_name(place)} than the record commits to"
        raise FairPlayError(role, problem)
    return Entry(
        tag=full_entry.tag,
        v=full_entry.v,
        body=full_entry.body,
        commitment=entry.commitment,
        salt=full_entry.salt,
    )


def _entry_name(place: int) -> str:
    """Return the name of the entry at a place, for error messages."""
    names = {0: "command", SIGNATURE_INDEX: "signature"}
    return names.get(place, f"event {place - 1}")
