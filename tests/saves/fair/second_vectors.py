"""Test vectors of protocol 7, computed by the second implementation: ``python -m tests.saves.fair.second_vectors``.

`vectors.json` contains the inputs and the results computed from them. Bytes are hexadecimal.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.saves.fair import second_implementation as page

FILE: Final = Path(__file__).with_name("vectors.json")
WORDS: Final = Path(__file__).parents[3] / "saves" / "fair" / "words.txt"

GIVEN: Final[dict[str, Any]] = {
    "match": "wake-1942",
    "role": "allie\u0301s",  # not in Unicode form NFC
    "master": bytes(range(32)).hex(),
    "header": b"a header of a match".hex(),
    "reveals": [page.plain("test", b"one").hex(), page.plain("test", b"two").hex()],
    "chain_reveals": [0, 1, 255, 256, 32_767],
    "cards": {"deck": "strategy", "ids": ["s-1", "s-2", "s-3", "s-4", "\u00e9-5"]},
    "mix": {"anchor": 3, "purpose": "segment-0", "labels": [0, 1, 2, 127, 128]},
    "ordered_mix": {"anchor": 70_000, "purpose": "hand", "labels": [200, 300, 65_536]},
    "ordered_places": [4, 1, 2],
    "chosen_order": [2, 0, 1],
    "throws": [0, 127, 128, 32_767],
    "use_sizes": [1, 2, 6, 10, 84, 1_000, 2**32 + 1, 2**63 + 1],
    "entry": {"place": 3, "tag": "card-drawn", "v": 2, "body": b"a body".hex()},
    "box": {"anchor": 9, "entries": ["", "00", b"an entry".hex()], "entry_bytes": 64},
    "nonce": b"n".hex(),
    "permutation_sizes": [0, 1, 2, 7, 84, 400],
    "packed": [
        *(None, True, False, [], "", "abc", "e\u0301", "\u00e9", "x" * 31, "x" * 32, "x" * 256),
        *(0, 127, 128, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32, 2**64 - 1),
        *(-1, -32, -33, -128, -129, -32_768, -32_769, -(2**31), -(2**31) - 1, -(2**63)),
        *([1] * 15, [1] * 16, [[[None]], ["a", [2]]]),
    ],
}


def vectors(given: Mapping[str, Any]) -> dict[str, Any]:
    """Compute every row of 2.3, the transcript of 2.4 and two mixes of 2.6."""
    master, match, role = bytes.fromhex(given["master"]), given["match"], given["role"]
    reveals = [bytes.fromhex(one) for one in given["reveals"]]
    name = page.pack([match, role])
    header_hash = page.plain("fp7-header", bytes.fromhex(given["header"]))
    card_seed = page.keyed("fp7-card", master, 32, name)
    return {
        "packed": [page.pack(one).hex() for one in given["packed"]],
        "header_hash": header_hash.hex(),
        "card_seed": card_seed.hex(),
        "cardseed_commitment": page.plain("fp7-cardseed", card_seed).hex(),
        "permutations": [page.permutation(master, one) for one in given["permutation_sizes"]],
        "safety_words": page.safety_words(header_hash, reveals, WORDS.read_text().split()),
        **seat_rows(given, master, name),
        **throw_rows(given, header_hash, reveals),
        **entry_rows(given, card_seed),
        **mix_rows(given, card_seed, header_hash, reveals),
        **transcript_rows(given, header_hash),
    }


def seat_rows(given: Mapping[str, Any], master: bytes, name: bytes) -> dict[str, Any]:
    seed = page.keyed("fp7-sign", master, 32, name)
    chain = page.chain(master, given["match"], given["role"])
    return {
        "verify_key": page.signing_key(seed)[2].hex(),
        "signature": page.sign(seed, b"a message").hex(),
        "head": chain[32768].hex(),
        "chain_reveals": [chain[32767 - n].hex() for n in given["chain_reveals"]],
    }


def throw_rows(
    given: Mapping[str, Any], header_hash: bytes, reveals: Sequence[bytes]
) -> dict[str, Any]:
    keys = [page.throw_key(header_hash, n, reveals) for n in given["throws"]]
    sizes = given["use_sizes"]
    return {
        "throw_keys": [key.hex() for key in keys],
        "uses": [[page.use(key, k, z) for k, z in enumerate(sizes)] for key in keys],
    }


def entry_rows(given: Mapping[str, Any], card_seed: bytes) -> dict[str, Any]:
    entry, box = given["entry"], given["box"]
    body = bytes.fromhex(entry["body"])
    place = [anchor_hash(box["anchor"]), entry["place"], entry["tag"], entry["v"], body]
    salt = page.keyed("fp7-salt", card_seed, 16, page.pack(place))
    plaintext = page.padded([bytes.fromhex(one) for one in box["entries"]], box["entry_bytes"])
    key = page.keyed("fp7-box", card_seed, 32, b"")
    asked = page.pack([anchor_hash(box["anchor"]), plaintext])
    nonce = page.keyed("fp7-nonce", card_seed, 24, asked)
    return {
        "salt": salt.hex(),
        "entry_commitment": page.plain("fp7-entry", salt + page.pack(place[2:])).hex(),
        "box_key": key.hex(),
        "box_nonce": nonce.hex(),
        "box": (nonce + page.secret_box(key, nonce, plaintext)).hex(),
    }


def mix_rows(
    given: Mapping[str, Any], card_seed: bytes, header_hash: bytes, reveals: Sequence[bytes]
) -> dict[str, Any]:
    deck, ids = given["cards"]["deck"], given["cards"]["ids"]
    points = [page.card_point(given["match"], deck, card) for card in ids]
    inputs = [(card, 0, point) for card, point in zip(ids, points, strict=True)]
    w = mix_key(card_seed, header_hash, deck, given["mix"], None)
    first = page.Mix(w, inputs, None)
    later = [
        (ids[first.order[place]], first.blindings[place], first.outputs[place])
        for place in given["ordered_places"]
    ]
    order = given["chosen_order"]
    key = mix_key(card_seed, header_hash, deck, given["ordered_mix"], order)
    second = page.Mix(key, later, order)
    bits = [
        page.challenge([header_hash, 5, given["role"], deck, purpose], reveals)
        for purpose in ("segment-0", "hand")
    ]
    return {
        "card_points": [page.encode_point(point).hex() for point in points],
        "challenges": bits,
        "mixes": [mix_row(w, first, bits[0]), mix_row(key, second, bits[1])],
    }


def mix_key(
    card_seed: bytes,
    header_hash: bytes,
    deck: str,
    mix: Mapping[str, Any],
    order: Sequence[int] | None,
) -> bytes:
    anchor = mix["anchor"]
    question = [
        *(header_hash, anchor, anchor_hash(anchor), deck, mix["purpose"], mix["labels"], order),
    ]
    return page.keyed("fp7-mix", card_seed, 32, page.pack(question))


def mix_row(w: bytes, mix: page.Mix, bits: Sequence[int]) -> dict[str, Any]:
    return {
        "key": w.hex(),
        "order": mix.order,
        "increments": [page.encode_scalar(s).hex() for s in mix.s],
        "blindings": [page.encode_scalar(r).hex() for r in mix.blindings],
        "outputs": [page.encode_point(point).hex() for point in mix.outputs],
        "shadow_hashes": [one.hex() for one in mix.hashes],
        "responses": list(response_rows(mix, bits)),
    }


def response_rows(mix: page.Mix, bits: Sequence[int]) -> Iterator[str]:
    for j, bit in enumerate(bits):
        yield page.pack(mix.response(j, bit)).hex()


def transcript_rows(given: Mapping[str, Any], header_hash: bytes) -> dict[str, Any]:
    match, role = given["match"], given["role"]
    reveal = bytes.fromhex(given["reveals"][0])
    messages = [
        page.message(match, "agree", 0, anchor_hash(0), role, [header_hash]),
        page.message(match, "reveal", 70_000, anchor_hash(1), role, [128, reveal]),
    ]
    first = page.transcript_hash(header_hash, 0, messages[0])
    second = page.transcript_hash(first, 1, messages[1])
    nonce = bytes.fromhex(given["nonce"])
    texts = [
        page.signed_text("order", match, 1, second),
        page.signed_text("party", match, role, reveal, reveal, reveal),
        page.signed_text("ack", match, role, 1, second),
        page.signed_text("resume", match, role, nonce, 1, second),
        page.signed_text("resumed", match, role, nonce, 1, second),
    ]
    return {
        "messages": [one.hex() for one in messages],
        "transcript": [first.hex(), second.hex()],
        "signed_texts": [one.hex() for one in texts],
    }


def anchor_hash(index: int) -> bytes:
    """Return a stand-in for the hash of the transcript up to an anchor."""
    return page.plain("test-anchor", page.pack(index))


def as_text(content: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text with one line for each row, so that a changed row changes one line."""
    parts = []
    for part, rows in content.items():
        lines = ",\n".join(
            f"  {json.dumps(row)}: {json.dumps(value)}" for row, value in rows.items()
        )
        parts.append(f" {json.dumps(part)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(as_text({"given": GIVEN, "expected": vectors(GIVEN)}))
