"""Derives the secrets of a party from one seed: its signing key and its hash chain."""

from hashlib import blake2b

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.kernel.ids import Role
from saves.protocol6.cardseed import card_seed_of, seed_commitment
from saves.protocol6.hash_chain import HashChain
from saves.protocol6.parties import KEY_BYTES, Consent, Party
from saves.protocol6.signing import promise_message


def verify_key_of(seed: bytes) -> bytes:
    """Derive the verification key from a seed, so that publishing the key commits the party to the seed."""
    return signing_key(seed).public_key().public_bytes_raw()


def signing_key(seed: bytes) -> Ed25519PrivateKey:
    """Derive the signing key from a seed."""
    raw = blake2b(b"", key=seed, digest_size=KEY_BYTES, person=b"flagplot-signing").digest()
    return Ed25519PrivateKey.from_private_bytes(raw)


class PartyKeys:
    """One party's secrets in one match, all derived from a seed known only to the party's program."""

    def __init__(self, seed: bytes) -> None:
        """Derive the key and the links from the seed: 32 random bytes used for only one role in one match."""
        self._key = signing_key(seed)
        self.card_seed = card_seed_of(seed)
        """Seed for all of the party's card secrets, which is revealed once the match is over."""
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
        """Return a link. The caller must first check and record the link's purpose; see ``docs/protocol.md``."""
        return self._links.link(index)

    def sign(self, message: bytes) -> bytes:
        """Sign a message and return the 64-byte signature."""
        return self._key.sign(message)

    def consent(self, role: Role, message: bytes) -> Consent:
        """Sign a message from :func:`consent_message` as this role's consent."""
        return Consent(role=role, signature=self.sign(message))
