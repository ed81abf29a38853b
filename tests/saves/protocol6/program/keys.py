"""A party's secrets: its signing key, its card seed and its hash chain, all derived from one seed."""

from hashlib import blake2b
from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.protocol6.cardseed import seed_commitment
from saves.protocol6.hash_chain import CHAIN_LENGTH, SEED_BYTES, hash_link
from saves.protocol6.keys import signing_key
from saves.protocol6.parties import LINK_BYTES, Consent, Party
from saves.protocol6.signing import promise_message

_STEP: Final = 256
"""Interval between stored chain values. The values in between are recomputed."""


def card_seed_of(master: bytes) -> bytes:
    """Derive a party's card seed from its master seed. Both are 32 bytes long."""
    return blake2b(b"", key=master, digest_size=SEED_BYTES, person=b"flagplot-dealing").digest()


class HashChain:
    """One party's links, known only to its program."""

    def __init__(self, seed: bytes) -> None:
        """Compute the chain from the party's 32-byte seed. This takes about 30 ms."""
        value = blake2b(b"", key=seed, digest_size=LINK_BYTES, person=b"flagplot-links").digest()
        self._kept = []
        for number in range(CHAIN_LENGTH):
            if number % _STEP == 0:
                self._kept.append(value)
            value = hash_link(value)
        self.head = value
        """The value that the party publishes as its commitment."""

    def link(self, index: int) -> bytes:
        """Return the link with the given index, counted from 0.

        Raises:
            IndexError: The index is out of range.
        """
        if not 0 <= index < CHAIN_LENGTH:
            raise IndexError(f"links are numbered from 0 to {CHAIN_LENGTH - 1}")
        number = CHAIN_LENGTH - 1 - index
        value = self._kept[number // _STEP]
        for _ in range(number % _STEP):
            value = hash_link(value)
        return value


class PartyKeys:
    """One party's secrets in one match, all derived from a seed that only its program has."""

    def __init__(self, seed: bytes) -> None:
        """Derive the key and the links from the seed, which is 32 random bytes used for one role in one match only."""
        self._key = signing_key(seed)
        self.card_seed = card_seed_of(seed)
        """Seed for all the party's card secrets, to be revealed once the match is over."""
        self._links = HashChain(seed)

    def party(self, match_id: str, role: Role, *, deals: bool = False) -> Party:
        """Build the commitment that the party publishes before the match.

        Args:
            match_id: The match.
            role: The party's role.
            deals: True if the seats deal masked cards among themselves.
        """
        head = self._links.head
        key = self._key.public_key().public_bytes_raw()
        cards = seed_commitment(self.card_seed) if deals else b""
        proof = self.sign(promise_message(match_id, role, head, cards))
        return Party(
            role=role, verify_key=key, head=head, proof=proof, cards=cards or msgspec.UNSET
        )

    def link(self, index: int) -> bytes:
        """Return a link. The caller must first check and record its purpose; see ``docs/protocol.md``."""
        return self._links.link(index)

    def sign(self, message: bytes) -> bytes:
        """Sign a message and return the 64-byte signature."""
        return self._key.sign(message)

    def consent(self, role: Role, message: bytes) -> Consent:
        """Sign a message from :func:`consent_message` as this role's consent."""
        return Consent(role=role, signature=self.sign(message))
