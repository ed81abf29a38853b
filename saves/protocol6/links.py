"""Hash chains: numbers that a party settles all at once with one promise and opens one by one.

Link ``k`` is the value whose hash, taken ``k + 1`` times, is the head. So each link shows that it is the one promised,
and no link tells the next one.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from saves.protocol6.parties import LINK_BYTES

CHAIN_LENGTH: Final = 32_768
"""Links of a chain: so many records of one match can use chance."""
SEED_BYTES: Final = 32
_STEP: Final = 256
"""A chain keeps every so manieth value and works out those between."""
_LINK: Final = blake2b(digest_size=LINK_BYTES, person=b"flagplot-link")


def after(link: bytes) -> bytes:
    """Return the value that follows on the way to the head: the link that was opened before, or the head itself."""
    hashed = _LINK.copy()
    hashed.update(link)
    return hashed.digest()


class LinkChain:
    """The links of one party, known to its program alone."""

    def __init__(self, seed: bytes) -> None:
        """Work the chain out of the party's seed, 32 bytes; takes some 30 ms."""
        value = blake2b(b"", key=seed, digest_size=LINK_BYTES, person=b"flagplot-links").digest()
        self._kept = []
        for number in range(CHAIN_LENGTH):
            if number % _STEP == 0:
                self._kept.append(value)
            value = after(value)
        self.head = value
        """What the party promises."""

    def link(self, index: int) -> bytes:
        """Return a link, the first one with index 0.

        Raises:
            IndexError: The chain has no such link.
        """
        if not 0 <= index < CHAIN_LENGTH:
            raise IndexError(f"a chain has links 0 to {CHAIN_LENGTH - 1}")
        number = CHAIN_LENGTH - 1 - index
        value = self._kept[number // _STEP]
        for _ in range(number % _STEP):
            value = after(value)
        return value


def joint_seed(secret: bytes, seq: int, links: Sequence[bytes]) -> bytes:
    """Return what the dice of a record follow from in place of the match secret.

    It does not depend on the command, so that nothing can be chosen by trying other commands.

    Args:
        secret: The match secret, which keeps hidden draws hidden from those who know the links.
        seq: Number of the record.
        links: One of each party, in the order of the header.
    """
    hashed = _joint(secret).copy()
    hashed.update(seq.to_bytes(8, "big") + b"".join(links))
    return hashed.digest()


def open_seed(match_id: str, seq: int, links: Sequence[bytes]) -> bytes:
    """Return what the dice of a record follow from where no host has a part in them: everybody may work it out."""
    return joint_seed(match_id.encode(), seq, links)


@lru_cache(maxsize=1_024)
def _joint(secret: bytes) -> blake2b:
    return blake2b(key=secret, digest_size=LINK_BYTES, person=b"flagplot-joint")
