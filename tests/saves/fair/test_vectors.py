"""The vectors of protocol 7, reproduced by the program and by the second implementation."""

import json
from typing import Any, Final

import pytest

from engine.kernel.ids import Role
from saves.fair import derivation, group, mixing, safety_words, secrets
from tests.saves.fair.second_vectors import FILE, anchor_hash, as_text, vectors

CONTENT: Final[dict[str, dict[str, Any]]] = json.loads(FILE.read_text())
GIVEN: Final = CONTENT["given"]
EXPECTED: Final = CONTENT["expected"]
ROLE: Final = Role(GIVEN["role"])
REVEALS: Final = [bytes.fromhex(one) for one in GIVEN["reveals"]]
HEADER_HASH: Final = bytes.fromhex(EXPECTED["header_hash"])


@pytest.fixture(scope="module")
def seat() -> secrets.SeatSecrets:
    return secrets.SeatSecrets(GIVEN["match"], ROLE, bytes.fromhex(GIVEN["master"]))


def test_second_implementation_reproduces_the_vector_file() -> None:
    assert as_text({"given": GIVEN, "expected": vectors(GIVEN)}) == FILE.read_text()


@pytest.mark.parametrize("number", range(len(GIVEN["packed"])))
def test_packed_values_match_the_vectors(number: int) -> None:
    assert derivation.pack(GIVEN["packed"][number]).hex() == EXPECTED["packed"][number]


def test_role_packs_the_same_in_every_unicode_form() -> None:
    composed = "alli\u00e9s"
    assert composed != GIVEN["role"]
    assert derivation.pack(composed) == derivation.pack(GIVEN["role"])


def test_header_hash_matches_the_vector() -> None:
    hashed = derivation.plain_hash(b"fp7-header", bytes.fromhex(GIVEN["header"]))
    assert hashed == HEADER_HASH


def test_signing_key_and_signature_match_the_vectors(seat: secrets.SeatSecrets) -> None:
    signature = seat.sign(b"a message")
    assert seat.verify_key.hex() == EXPECTED["verify_key"]
    assert signature.hex() == EXPECTED["signature"]
    assert secrets.verify_signature(seat.verify_key, b"a message", signature)


def test_reveal_chain_matches_the_vectors(seat: secrets.SeatSecrets) -> None:
    assert seat.head.hex() == EXPECTED["head"]
    reveals = [seat.reveal(number).hex() for number in GIVEN["chain_reveals"]]
    assert reveals == EXPECTED["chain_reveals"]


def test_card_seed_and_commitment_match_the_vectors(seat: secrets.SeatSecrets) -> None:
    assert seat.card_seed.hex() == EXPECTED["card_seed"]
    assert seat.cardseed_commitment.hex() == EXPECTED["cardseed_commitment"]


def test_permutations_match_the_vectors() -> None:
    key = bytes.fromhex(GIVEN["master"])
    found = [list(derivation.permutation(key, count)) for count in GIVEN["permutation_sizes"]]
    assert found == EXPECTED["permutations"]


def test_throw_keys_and_uses_match_the_vectors() -> None:
    keys = [mixing.throw_key(HEADER_HASH, number, REVEALS) for number in GIVEN["throws"]]
    assert [key.hex() for key in keys] == EXPECTED["throw_keys"]
    sources = [derivation.UniformSource(key) for key in keys]
    sizes = GIVEN["use_sizes"]
    uses = [[one.draw(k, size) for k, size in enumerate(sizes)] for one in sources]
    assert uses == EXPECTED["uses"]


def test_safety_words_match_the_vector() -> None:
    words = safety_words.safety_words(HEADER_HASH, REVEALS)
    assert list(words) == EXPECTED["safety_words"]


def test_entry_salt_and_commitment_match_the_vectors(seat: secrets.SeatSecrets) -> None:
    entry, body = GIVEN["entry"], bytes.fromhex(GIVEN["entry"]["body"])
    anchor = anchor_hash(GIVEN["box"]["anchor"])
    salt = seat.cards.salt(anchor, entry["place"], entry["tag"], entry["v"], body)
    assert salt.hex() == EXPECTED["salt"]
    committed = secrets.entry_commitment(salt, entry["tag"], entry["v"], body)
    assert committed.hex() == EXPECTED["entry_commitment"]


def test_box_matches_the_vectors(seat: secrets.SeatSecrets) -> None:
    given = GIVEN["box"]
    entries = [bytes.fromhex(one) for one in given["entries"]]
    anchor = anchor_hash(given["anchor"])
    box = seat.cards.box(anchor, entries, given["entry_bytes"])
    assert seat.cards.box_key.hex() == EXPECTED["box_key"]
    assert box[:24].hex() == EXPECTED["box_nonce"]
    assert box.hex() == EXPECTED["box"]


def test_mixes_match_the_vectors(seat: secrets.SeatSecrets) -> None:
    deck, ids = GIVEN["cards"]["deck"], GIVEN["cards"]["ids"]
    points = [group.card_point(GIVEN["match"], deck, card) for card in ids]
    assert [point.hex() for point in points] == EXPECTED["card_points"]
    labels = GIVEN["mix"]["labels"]
    inputs = [
        mixing.MixInput(label, point, card, group.ZERO)
        for label, point, card in zip(labels, points, ids, strict=True)
    ]
    first = mixing.make_mix(seat.cards, context("mix"), inputs)
    later = [
        mixing.MixInput(label, first.outputs[place], first.cards[place], first.blindings[place])
        for label, place in zip(
            GIVEN["ordered_mix"]["labels"], GIVEN["ordered_places"], strict=True
        )
    ]
    second = mixing.make_mix(seat.cards, context("ordered_mix"), later, GIVEN["chosen_order"])
    challenges = [challenge(purpose) for purpose in ("segment-0", "hand")]
    assert [list(bits) for bits in challenges] == EXPECTED["challenges"]
    rows = [row(first, challenges[0]), row(second, challenges[1])]
    assert rows == EXPECTED["mixes"]


def context(name: str) -> mixing.MixContext:
    return mixing.MixContext(
        header_hash=HEADER_HASH,
        anchor_index=GIVEN[name]["anchor"],
        anchor_hash=anchor_hash(GIVEN[name]["anchor"]),
        deck=GIVEN["cards"]["deck"],
        purpose=GIVEN[name]["purpose"],
    )


def challenge(purpose: str) -> tuple[int, ...]:
    return mixing.mix_challenge(HEADER_HASH, 5, ROLE, GIVEN["cards"]["deck"], purpose, REVEALS)


def row(mix: mixing.OwnMix, bits: tuple[int, ...]) -> dict[str, object]:
    return {
        "key": mix.key.hex(),
        "order": list(mix.order),
        "increments": [one.hex() for one in mix.increments],
        "blindings": [one.hex() for one in mix.blindings],
        "outputs": [one.hex() for one in mix.outputs],
        "shadow_hashes": [one.hex() for one in mix.shadow_hashes],
        "responses": [derivation.pack(one).hex() for one in mixing.respond(mix, bits)],
    }


def test_transcript_hashes_match_the_vectors() -> None:
    match, first = GIVEN["match"], REVEALS[0]
    bodies = [
        ("agree", 0, anchor_hash(0), ROLE, [HEADER_HASH]),
        ("reveal", 70_000, anchor_hash(1), ROLE, [128, first]),
    ]
    messages = [derivation.pack(["flagplot-fair/7", match, *body]) for body in bodies]
    assert [message.hex() for message in messages] == EXPECTED["messages"]
    hashed, hashes = HEADER_HASH, []
    for index, message in enumerate(messages):
        place = index.to_bytes(8, "big") + len(message).to_bytes(4, "big")
        hashed = derivation.plain_hash(b"fp7-transcript", hashed + place + message)
        hashes.append(hashed)
    assert [one.hex() for one in hashes] == EXPECTED["transcript"]
    nonce = bytes.fromhex(GIVEN["nonce"])
    texts = [
        ("order", match, 1, hashed),
        ("party", match, ROLE, first, first, first),
        ("ack", match, ROLE, 1, hashed),
        ("resume", match, ROLE, nonce, 1, hashed),
        ("resumed", match, ROLE, nonce, 1, hashed),
    ]
    packed = [derivation.pack([f"flagplot-fair/7 {text[0]!s}", *text[1:]]).hex() for text in texts]
    assert packed == EXPECTED["signed_texts"]
