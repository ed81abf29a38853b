"""Texts that are signed outside of the transcript: no signature of one is a signature of another."""

import itertools
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.kernel.ids import Role
from engine.registry import ruleset
from saves.fair.messages import Agree, Kind, Message, encode_message
from saves.fair.secrets import SeatSecrets
from saves.fair.signed_texts import (
    Ack,
    Resume,
    Resumed,
    ack_message,
    is_ordered,
    is_signed,
    order_message,
    resume_message,
    resumed_message,
    signed_bytes,
)
from saves.fair.signing import HostKey
from saves.fair.state import MatchSetup, Party

MATCH, RED, NONCE, HEAD = "a1b2c3d4", Role("red"), bytes(16), bytes(32)
SECRETS = SeatSecrets(MATCH, RED, bytes(32))
HOST_KEY = HostKey(bytes(32))
SETUP = MatchSetup(
    game=ruleset("eots"),
    match_id=MATCH,
    header_hash=HEAD,
    host_key=HOST_KEY.verify_key,
    parties=(Party(role=RED, key=SECRETS.verify_key, head=HEAD),),
    position=msgspec.defstruct("Position", [])(),
    deals=True,
)
PLACE: dict[str, Any] = {"role": RED, "index": 7, "head": HEAD, "signature": bytes(64)}
TEXTS: list[Callable[[], Resume | Resumed | Ack]] = [
    lambda: Resume(**PLACE, nonce=NONCE, order=b""),
    lambda: Resumed(**PLACE, nonce=NONCE, order=b""),
    lambda: Ack(**PLACE),
]


def test_signed_texts_have_distinct_prefixes() -> None:
    texts = [
        order_message(MATCH, 7, HEAD),
        resume_message(MATCH, RED, NONCE, 7, HEAD),
        resumed_message(MATCH, RED, NONCE, 7, HEAD),
        ack_message(MATCH, RED, 7, HEAD),
        encode_message(
            MATCH,
            Message(kind=Kind.AGREE, anchor=7, anchor_hash=HEAD, author=RED, body=Agree(HEAD)),
        ),
    ]
    starts = [text[1:24] for text in texts]
    assert len(set(starts)) == len(texts)


@pytest.mark.parametrize("make", TEXTS)
def test_signature_covers_every_field(make: Callable[[], Resume | Resumed | Ack]) -> None:
    text = make()
    text = msgspec.structs.replace(text, signature=SECRETS.sign(signed_bytes(MATCH, text)))
    assert is_signed(SETUP, text)
    changes: list[dict[str, Any]] = [
        {"index": 8},
        {"head": bytes([1]) * 32},
        {"signature": bytes(64)},
        {"role": "blue"},
    ]
    if not isinstance(text, Ack):
        changes.append({"nonce": bytes([1]) * 16})
    for change in changes:
        assert not is_signed(SETUP, msgspec.structs.replace(text, **change))
    assert not is_signed(msgspec.structs.replace(SETUP, match_id="another"), text)


@pytest.mark.parametrize(("make", "other"), itertools.permutations(TEXTS, 2))
def test_signature_of_one_text_is_invalid_for_another(
    make: Callable[[], Resume | Resumed | Ack], other: Callable[[], Resume | Resumed | Ack]
) -> None:
    signature = SECRETS.sign(signed_bytes(MATCH, make()))
    assert not is_signed(SETUP, msgspec.structs.replace(other(), signature=signature))


def test_order_signature_is_valid_for_one_index_hash_and_host() -> None:
    signature = HOST_KEY.sign(order_message(MATCH, 7, HEAD))
    assert is_ordered(SETUP, 7, HEAD, signature)
    assert not is_ordered(SETUP, 8, HEAD, signature)
    assert not is_ordered(SETUP, 7, bytes([1]) * 32, signature)
    assert not is_ordered(SETUP, 7, HEAD, b"")
    assert not is_ordered(SETUP, 7, HEAD, SECRETS.sign(order_message(MATCH, 7, HEAD)))
    assert is_ordered(SETUP, -1, HEAD, b"")
    assert not is_ordered(SETUP, -1, bytes([1]) * 32, b"")
