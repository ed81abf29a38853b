"""The secrets of a party: the key that signs for it and the chain of its links, both from one seed."""

from hashlib import blake2b
from secrets import token_bytes

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.kernel.ids import Role
from saves.protocol6.cardseed import card_seed_of, seed_commitment
from saves.protocol6.links import SEED_BYTES, LinkChain
from saves.protocol6.parties import KEY_BYTES, Consent, Party
from saves.protocol6.signing import promise_message


def new_seed() -> bytes:
    """Return a seed that nobody can guess, for one role in one match."""
    return token_bytes(SEED_BYTES)


def verify_key_of(seed: bytes) -> bytes:
    """Return the key that checks those signatures; who promises it is bound to the seed, from which it follows."""
    return signing_key(seed).public_key().public_bytes_raw()


def signing_key(seed: bytes) -> Ed25519PrivateKey:
    """Return the key that signs for whoever has a seed."""
    raw = blake2b(b"", key=seed, digest_size=KEY_BYTES, person=b"flagplot-signing").digest()
    return Ed25519PrivateKey.from_private_bytes(raw)


class PartyKeys:
    """The secrets of one party in one match, all from one seed that only its program has."""

    def __init__(self, seed: bytes) -> None:
        """Work key and links out of the seed, 32 random bytes that serve one role in one match."""
        self._key = signing_key(seed)
        self.card_seed = card_seed_of(seed)
        """From which all follows that it does with cards in cipher; opened after the end."""
        self._links = LinkChain(seed)

    def party(self, match_id: str, role: Role, *, deals: bool = False) -> Party:
        """Return what is promised before the match begins.

        Args:
            match_id: The match.
            role: Whose promise it is.
            deals: Whether the seats deal the cards among themselves, in cipher.
        """
        head = self._links.head
        key = self._key.public_key().public_bytes_raw()
        cards = seed_commitment(self.card_seed) if deals else b""
        proof = self.sign(promise_message(match_id, role, head, cards))
        return Party(
            role=role, verify_key=key, head=head, proof=proof, cards=cards or msgspec.UNSET
        )

    def link(self, index: int) -> bytes:
        """Return a link; whoever gives it away has checked and kept for what, see ``docs/protocol.md``."""
        return self._links.link(index)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of one of the messages below, 64 bytes."""
        return self._key.sign(message)

    def consent(self, role: Role, message: bytes) -> Consent:
        """Return the consent of the role with these keys to a message of :func:`consent_message`."""
        return Consent(role=role, signature=self.sign(message))
