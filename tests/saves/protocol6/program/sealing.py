"""Boxes of a seat's program, which verification opens with ``saves.protocol6.sealing``."""

from collections.abc import Sequence
from hashlib import blake2b

from nacl.bindings import sodium_pad
from nacl.secret import SecretBox

from saves.decoding import canonical
from saves.protocol6.cardseed import CardSeed
from saves.protocol6.sealing import PAD_BYTES, Sealable


def seal(seed: CardSeed, entries: Sequence[Sealable]) -> bytes:
    """Encrypt entries in a box for this seat.

    The same entries always give the same box. The nonce is derived from the content, so that even a program that has
    lost its state never uses the same nonce for two contents.
    """
    plain = sodium_pad(canonical(tuple(entries)), PAD_BYTES)
    key = seed.box_key()
    nonce = blake2b(plain, key=key, digest_size=SecretBox.NONCE_SIZE, person=b"flagplot-nonce")
    return bytes(SecretBox(key).encrypt(plain, nonce.digest()))
