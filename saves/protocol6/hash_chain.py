"""Hash chains: values that a party commits to all at once and reveals one by one.

The head is link ``k``, hashed ``k + 1`` times. Each link therefore proves its own commitment, and no link reveals the
next one.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from saves.protocol6.parties import LINK_BYTES

CHAIN_LENGTH: Final = 32_768
"""Number of links in a chain, which limits how many of a match's records can use chance."""
SEED_BYTES: Final = 32
_STEP: Final = 256
"""Distance between stored chain values. The values in between are recomputed."""
_LINK: Final = blake2b(digest_size=LINK_BYTES, person=b"flagplot-link")


def hash_link(link: bytes) -> bytes:
    """Hash a link once, which yields the link revealed before it or, for the first link, the head."""
    hashed = _LINK.copy()
    hashed.update(link)
    return hashed.digest()


class HashChain:
    """One party's links, known only to its program."""

    def __init__(self, seed: bytes) -> None:
        """Compute the chain from the party's 32-byte seed. This takes about 30 ms."""
        value = blake2b(b"", key=seed, digest_size=LINK_BYTES, person=b"flagplot-links").digest()
        self._checkpoints = []
        for number in range(CHAIN_LENGTH):
            if number % _STEP == 0:
                self._checkpoints.append(value)
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
        value = self._checkpoints[number // _STEP]
        for _ in range(number % _STEP):
            value = hash_link(value)
        return value


def joint_seed(secret: bytes, seq: int, links: Sequence[bytes]) -> bytes:
    """Derive the seed for a record's dice from the match secret and the parties' links.

    The seed does not depend on the command, so trying different commands cannot change the dice.

    Args:
        secret: The match secret, which hides secret draws from parties that know the links.
        seq: The record's number.
        links: One link per party, in header order.
    """
    hashed = _joint_seed_hash(secret).copy()
    hashed.update(seq.to_bytes(8, "big") + b"".join(links))
    return hashed.digest()


def open_seed(match_id: str, seq: int, links: Sequence[bytes]) -> bytes:
    """Derive the seed for a record's dice from public values alone, for a match without a host secret."""
    return joint_seed(match_id.encode(), seq, links)


@lru_cache(maxsize=1_024)
def _joint_seed_hash(secret: bytes) -> blake2b:
    return blake2b(key=secret, digest_size=LINK_BYTES, person=b"flagplot-joint")
