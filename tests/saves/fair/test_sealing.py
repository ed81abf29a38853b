"""Boxes for a host that deals: only host and author read them, and only at their place."""

from hashlib import blake2b

import pytest
from msgspec import msgpack
from nacl import bindings

from engine.kernel.ids import Role
from saves.fair.errors import BoxError
from saves.fair.sealing import DealerSecrets, is_usable_dealer_key, open_own, seal, sealed_bytes
from saves.fair.secrets import CardSecrets

RED, BLUE = Role("red"), Role("blue")
HOST = DealerSecrets(bytes(range(32)))
ANCHOR, LATER = b"a" * 32, b"b" * 32
SALTED = (b"s" * 16, b"an entry")
SIZE = 64


def seat(role: Role) -> CardSecrets:
    return CardSecrets("a1b2c3d4", role, role.encode().ljust(32))


def box(role: Role = RED, entry: bytes = SALTED[1]) -> bytes:
    return seal(seat(role), HOST.public_key, ANCHOR, (SALTED[0], entry), SIZE)


def test_host_and_author_can_open_a_box() -> None:
    assert HOST.open(RED, ANCHOR, box()) == SALTED
    assert open_own(seat(RED), HOST.public_key, ANCHOR, box()) == SALTED


def test_box_is_deterministic_for_the_same_command() -> None:
    assert box() == box()
    assert box() != box(entry=b"another")


@pytest.mark.parametrize("entry", [b"", b"x", b"x" * SIZE])
def test_all_boxes_have_the_same_length(entry: bytes) -> None:
    assert len(box(entry=entry)) == sealed_bytes(SIZE)


def test_oversized_entry_is_refused() -> None:
    with pytest.raises(BoxError):
        box(entry=b"x" * (SIZE + 1))


def test_box_from_a_different_seat_is_refused() -> None:
    with pytest.raises(BoxError, match="different seat"):
        HOST.open(BLUE, ANCHOR, box(RED))


def test_box_at_a_different_position_is_refused() -> None:
    with pytest.raises(BoxError, match="different seat or position"):
        HOST.open(RED, LATER, box(RED))


def test_box_cannot_be_opened_by_another_seat() -> None:
    with pytest.raises(BoxError):
        open_own(seat(BLUE), HOST.public_key, ANCHOR, box(RED))


def test_box_cannot_be_opened_by_another_host() -> None:
    with pytest.raises(BoxError):
        DealerSecrets(bytes(32)).open(RED, ANCHOR, box())


@pytest.mark.parametrize("at", [0, 32, 56, -1])
def test_changed_box_is_refused(at: int) -> None:
    changed = bytearray(box())
    changed[at] ^= 1
    with pytest.raises(BoxError):
        HOST.open(RED, ANCHOR, bytes(changed))


@pytest.mark.parametrize("length", [0, 31, 32, 56, 72, 120])
def test_truncated_box_is_refused(length: int) -> None:
    with pytest.raises(BoxError):
        HOST.open(RED, ANCHOR, box()[:length])


@pytest.mark.parametrize("key", [bytes(32), (1).to_bytes(32, "little")])
def test_box_with_a_key_of_small_order_is_refused(key: bytes) -> None:
    assert not is_usable_dealer_key(key)
    assert is_usable_dealer_key(HOST.public_key)
    sender = bindings.crypto_box_seed_keypair(bytes(32))
    sent = key + bytes(24) + bindings.crypto_box(b"x", bytes(24), HOST.public_key, sender[1])
    with pytest.raises(BoxError):
        HOST.open(RED, ANCHOR, sent)


def test_dice_key_depends_on_secret_and_throw() -> None:
    keys = {HOST.dice_key(b"1" * 32), HOST.dice_key(b"2" * 32)}
    keys.add(DealerSecrets(bytes(32)).dice_key(b"1" * 32))
    assert len(keys) == 3


def test_derivations_match_the_format_page() -> None:
    """Computed again from ``docs/save-format.md`` alone, without the code of the box."""
    secret, size = bytes(range(32)), 64

    def keyed(purpose: bytes, data: bytes, length: int = 32) -> bytes:
        return blake2b(data, key=secret, digest_size=length, person=purpose).digest()

    public, private = bindings.crypto_box_seed_keypair(keyed(b"fp7-box", b""))
    assert public == HOST.public_key
    assert HOST.dice_key(b"r" * 32) == keyed(b"fp7-dealt", b"r" * 32)
    entry = msgpack.encode([ANCHOR, 3, "tag", 1, b"body"])
    assert HOST.salt(ANCHOR, 3, "tag", 1, b"body") == keyed(b"fp7-salt", entry, 16)
    sent = box()
    ephemeral, nonce, ciphertext = sent[:32], sent[32:56], sent[56:]
    content = bindings.crypto_box_open(ciphertext, nonce, ephemeral, private)
    place = blake2b(msgpack.encode(["red", ANCHOR]), digest_size=32, person=b"fp7-sealed").digest()
    padded = len(SALTED[1]).to_bytes(4, "big") + SALTED[1].ljust(size, b"\0")
    assert content == place + SALTED[0] + padded
