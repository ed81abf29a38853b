"""Secrets of a seat: signatures, hash chain, salts and boxes."""

import random
import tracemalloc

import pytest
from nacl import bindings

from engine.kernel.ids import Role
from saves.fair.derivation import pack, plain_hash
from saves.fair.errors import BoxError
from saves.fair.secrets import (
    CardSecrets,
    SeatSecrets,
    entry_commitment,
    is_usable_key,
    reveal_follows,
    verify_signature,
)
from tests.saves.fair import second_implementation as page
from tests.saves.fair.test_group import CASES

MATCH, ROLE = "a match", Role("allied")
MASTER = bytes(range(32))
ANCHOR = b"t" * 32


@pytest.fixture(scope="module")
def seat() -> SeatSecrets:
    return SeatSecrets(MATCH, ROLE, MASTER)


def test_each_reveal_follows_the_previous_one(seat: SeatSecrets) -> None:
    previous = seat.head
    for number in range(600):
        value = seat.reveal(number)
        assert reveal_follows(value, previous, MATCH, ROLE)
        previous = value
    assert reveal_follows(seat.reveal(32_767), seat.reveal(32_766), MATCH, ROLE)


def test_unrelated_values_do_not_follow_as_reveals(seat: SeatSecrets) -> None:
    value, head = seat.reveal(0), seat.head
    assert not reveal_follows(seat.reveal(1), head, MATCH, ROLE)
    assert not reveal_follows(head, head, MATCH, ROLE)
    assert not reveal_follows(value, head, "another match", ROLE)
    assert not reveal_follows(value, head, MATCH, Role("japan"))
    assert not reveal_follows(value + b"\0", head, MATCH, ROLE)
    assert not reveal_follows(b"", head, MATCH, ROLE)
    for length in (0, 31, 33, 100):  # a head made of a value of another length
        made = plain_hash(b"fp7-link", pack((MATCH, ROLE)) + bytes(length))
        assert not reveal_follows(bytes(length), made, MATCH, ROLE)


@pytest.mark.parametrize("number", [-1, 32_768])
def test_reveal_out_of_range_is_refused(seat: SeatSecrets, number: int) -> None:
    with pytest.raises(IndexError):
        seat.reveal(number)


def test_hash_chain_is_lazy_and_stores_few_values() -> None:
    tracemalloc.start()
    fresh = SeatSecrets(MATCH, ROLE, MASTER)
    assert "_chain" not in vars(fresh)
    before = tracemalloc.get_traced_memory()[0]
    assert len(fresh.head) == 32
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert kept < 20_000


def test_secrets_differ_by_match_role_and_master(seat: SeatSecrets) -> None:
    others = [
        SeatSecrets("another match", ROLE, MASTER),
        SeatSecrets(MATCH, Role("japan"), MASTER),
        SeatSecrets(MATCH, ROLE, bytes(32)),
    ]
    for name in ("verify_key", "card_seed", "head", "cardseed_commitment"):
        values = {getattr(one, name) for one in (seat, *others)}
        assert len(values) == 4


def test_signature_is_valid_only_for_its_key_and_message(seat: SeatSecrets) -> None:
    signature = seat.sign(b"message")
    assert len(signature) == 64
    assert verify_signature(seat.verify_key, b"message", signature)
    assert not verify_signature(seat.verify_key, b"massage", signature)
    assert not verify_signature(seat.verify_key, b"", signature)
    assert not verify_signature(seat.verify_key, b"message", signature[:-1])
    assert not verify_signature(seat.verify_key, b"message", b"")
    assert not verify_signature(seat.verify_key, b"e", signature + b"messag")
    assert not verify_signature(seat.verify_key[:-1], b"message", signature)
    assert not verify_signature(b"", b"message", signature)
    for place in range(64):
        other = bytearray(signature)
        other[place] ^= 1
        assert not verify_signature(seat.verify_key, b"message", bytes(other))


def test_non_canonical_signature_is_refused(seat: SeatSecrets) -> None:
    signature = seat.sign(b"message")
    response = int.from_bytes(signature[32:], "little") + page.L
    other = signature[:32] + response.to_bytes(32, "little")
    assert not verify_signature(seat.verify_key, b"message", other)


def test_seat_keys_are_usable(seat: SeatSecrets) -> None:
    assert is_usable_key(seat.verify_key)
    assert all(is_usable_key(SeatSecrets(str(n), ROLE, MASTER).verify_key) for n in range(20))


@pytest.mark.parametrize("name", CASES)
def test_unusable_keys_are_refused(name: str) -> None:
    assert not any(is_usable_key(data) for data in CASES[name])


def test_salt_depends_on_position_and_content_of_each_entry(seat: SeatSecrets) -> None:
    cards = seat.cards
    salts = {
        cards.salt(ANCHOR, 0, "tag", 1, b"body"),
        cards.salt(b"u" * 32, 0, "tag", 1, b"body"),
        cards.salt(ANCHOR, 1, "tag", 1, b"body"),
        cards.salt(ANCHOR, 0, "tab", 1, b"body"),
        cards.salt(ANCHOR, 0, "tag", 2, b"body"),
        cards.salt(ANCHOR, 0, "tag", 1, b"bodz"),
        CardSecrets(MATCH, ROLE, bytes(32)).salt(ANCHOR, 0, "tag", 1, b"body"),
    }
    assert len(salts) == 7
    assert len({entry_commitment(salt, "tag", 1, b"body") for salt in salts}) == 7


def test_card_secrets_depend_on_the_card_seed_only(seat: SeatSecrets) -> None:
    again = CardSecrets(MATCH, ROLE, seat.card_seed)
    box = seat.cards.box(ANCHOR, [b"entry"], 64)
    assert again.box(ANCHOR, [b"entry"], 64) == box
    assert again.open_box(ANCHOR, box, 64) == (b"entry",)


def test_mix_key_depends_on_every_part_of_its_question(seat: SeatSecrets) -> None:
    question: list[object] = [b"h" * 32, 7, ANCHOR, "deck", "hand", (1, 2), None]
    others: list[object] = [b"i" * 32, 8, b"u" * 32, "dock", "discards", (1, 3), (1, 0)]
    keys = {seat.cards.mix_key(*question)}  # type: ignore[arg-type]  # one part is replaced each time
    for place, other in enumerate(others):
        changed = [*question[:place], other, *question[place + 1 :]]
        keys.add(seat.cards.mix_key(*changed))  # type: ignore[arg-type]  # as above
    keys.add(CardSecrets(MATCH, ROLE, bytes(32)).mix_key(*question))  # type: ignore[arg-type]  # as above
    assert len(keys) == 9


@pytest.mark.parametrize("entry_bytes", [64, 256])
def test_box_length_depends_only_on_the_number_of_entries(
    seat: SeatSecrets, entry_bytes: int
) -> None:
    chance = random.Random(3)
    for count in range(6):
        lengths = set()
        for _ in range(50):
            entries = [chance.randbytes(chance.randrange(entry_bytes + 1)) for _ in range(count)]
            box = seat.cards.box(ANCHOR, entries, entry_bytes)
            assert seat.cards.open_box(ANCHOR, box, entry_bytes) == tuple(entries)
            lengths.add(len(box))
        assert lengths == {40 + count * (entry_bytes + 4)}


def test_nonce_is_never_reused_for_different_contents(seat: SeatSecrets) -> None:
    cards = seat.cards
    boxes = [cards.box(ANCHOR, [bytes([number])], 64) for number in range(100)]
    boxes += [cards.box(bytes([number]) * 32, [b""], 64) for number in range(100)]
    assert len({box[:24] for box in boxes}) == 200
    assert cards.box(ANCHOR, [b"\0"], 64) == boxes[0]


def test_oversized_box_entries_are_refused(seat: SeatSecrets) -> None:
    with pytest.raises(BoxError):
        seat.cards.box(ANCHOR, [bytes(65)], 64)


def test_changed_boxes_are_refused(seat: SeatSecrets) -> None:
    box = seat.cards.box(ANCHOR, [b"an entry"], 64)
    changed = [
        box[:place] + bytes([box[place] ^ 1]) + box[place + 1 :] for place in range(len(box))
    ]
    changed += [box[:length] for length in range(len(box))]
    for one in [*changed, box + b"\0"]:
        with pytest.raises(BoxError):
            seat.cards.open_box(ANCHOR, one, 64)


def test_box_opens_only_at_its_position_with_its_seed(seat: SeatSecrets) -> None:
    box = seat.cards.box(ANCHOR, [b"an entry"], 64)
    with pytest.raises(BoxError):
        seat.cards.open_box(b"u" * 32, box, 64)
    with pytest.raises(BoxError):
        CardSecrets(MATCH, ROLE, bytes(32)).open_box(ANCHOR, box, 64)


@pytest.mark.parametrize(
    "plaintext",
    [
        pytest.param(bytes(67), id="part of an entry"),
        pytest.param(bytes(3) + b"\1" + b"ab" + bytes(62), id="padding that is not zero"),
        pytest.param(b"\xff" * 4 + bytes(64), id="length beyond the entry"),
    ],
)
def test_malformed_boxes_from_a_modified_program_are_refused(
    seat: SeatSecrets, plaintext: bytes
) -> None:
    cards = seat.cards
    nonce = cards.box_nonce(ANCHOR, plaintext)
    box = nonce + bindings.crypto_secretbox(plaintext, nonce, cards.box_key)
    with pytest.raises(BoxError):
        cards.open_box(ANCHOR, box, 64)
