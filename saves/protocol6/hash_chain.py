"""Implements hash chains. A party commits to a whole chain by publishing its head, then reveals one value at a time.

Hashing link ``k`` exactly ``k + 1`` times yields the head. The head therefore commits the party to every link, but no
link reveals the next one.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from saves.protocol6.parties import LINK_BYTES

CHAIN_LENGTH: Final = 32_768
"""Number of links in a chain, and therefore the maximum number of records in a match that can use randomness."""
SEED_BYTES: Final = 32
_LINK: Final = blake2b(digest_size=LINK_BYTES, person=b"flagplot-link")


def hash_link(link: bytes) -> bytes:
    """Hash a link once. The result is the previously revealed link or, for the first link, the head."""
    hashed = _LINK.copy()
    hashed.update(link)
    return hashed.digest()


def joint_seed(secret: bytes, seq: int, links: Sequence[bytes]) -> bytes:
    """Derive the seed for a record's dice from the match secret and the parties' links.

    The seed does not depend on the command, so trying different commands cannot change the dice.

    Args:
        secret: The match secret. It keeps secret draws hidden from parties that know the links.
        seq: The record's number.
        links: One link per party, in header order.
    """
    hashed = _joint_seed_hash(secret).copy()
    hashed.update(seq.to_bytes(8, "big") + b"".join(links))
    return hashed.digest()


def public_seed(match_id: str, seq: int, links: Sequence[bytes]) -> bytes:
    """Derive the seed for a record's dice from public values alone. Used in a match without a host secret."""
    return joint_seed(match_id.encode(), seq, links)


@lru_cache(maxsize=1_024)
def _joint_seed_hash(secret: bytes) -> blake2b:
    return blake2b(key=secret, digest_size=LINK_BYTES, person=b"flagplot-joint")
