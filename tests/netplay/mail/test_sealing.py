"""Sealed content: opened only by its reader, only from its sender, and only with its own envelope."""

import datetime as dt
import random
from typing import NamedTuple

import pytest

from netplay.invites.identity import Authority, KeyPair, issue_seat, new_authority
from netplay.mail.move_files.sealing import SealError, open_sealed, padded_length, seal
from tests.sizes import sized

NOW = dt.datetime.now(dt.UTC)
LATER = NOW + dt.timedelta(days=1)


class Keys(NamedTuple):
    host: Authority
    red: KeyPair
    blue: KeyPair


@pytest.fixture(scope="module")
def keys() -> Keys:
    host = new_authority(NOW)
    red, blue = (issue_seat(host, "0123456789abcdef", role, NOW, LATER) for role in ("red", "blue"))
    return Keys(host, red, blue)


def test_sealed_content_round_trips_in_both_directions(keys: Keys) -> None:
    host, red = keys.host.authority, keys.red
    for sender, reader in ((host, red), (red, host)):
        sealed = seal(b"a hand of cards", b"outside", sender.key, reader.certificate)
        assert b"hand" not in sealed
        assert sealed != seal(b"a hand of cards", b"outside", sender.key, reader.certificate)
        content = open_sealed(
            sealed, b"outside", reader.key, reader.certificate, sender.certificate
        )
        assert content == b"a hand of cards"


def test_sealed_content_opens_only_for_its_reader_sender_and_envelope(keys: Keys) -> None:
    host, red, blue = keys.host.authority, keys.red, keys.blue
    sealed = seal(b"cards", b"outside", host.key, red.certificate)
    for outside, reader, sender in (
        (b"outside", blue, host),
        (b"another", red, host),
        (b"outside", red, blue),
    ):
        with pytest.raises(SealError):
            open_sealed(sealed, outside, reader.key, reader.certificate, sender.certificate)


def test_content_resealed_by_its_reader_is_refused(keys: Keys) -> None:
    """Blue opens what red sent to it and seals the same signed content for the host."""
    host, red, blue = keys.host.authority, keys.red, keys.blue
    sealed = seal(b"pass", b"outside", blue.key, host.certificate)
    with pytest.raises(SealError):
        open_sealed(sealed, b"outside", host.key, host.certificate, red.certificate)


def test_every_changed_or_missing_byte_is_detected(keys: Keys) -> None:
    host, red = keys.host.authority, keys.red
    sealed = seal(b"cards", b"outside", host.key, red.certificate)
    source = random.Random(4)
    for _ in range(sized(60, 1000, 10_000)):
        place = source.randrange(len(sealed))
        changed = bytearray(sealed)
        changed[place] ^= source.randrange(1, 256)
        with pytest.raises(SealError):
            open_sealed(bytes(changed), b"outside", red.key, red.certificate, host.certificate)
    for size in range(0, len(sealed), 37):
        with pytest.raises(SealError):
            open_sealed(sealed[:size], b"outside", red.key, red.certificate, host.certificate)


def test_sealed_lengths_are_padded(keys: Keys) -> None:
    host, red = keys.host.authority, keys.red
    small = {len(seal(bytes(n), b"", red.key, host.certificate)) for n in range(0, 400, 40)}
    assert len(small) == 1
    lengths = [padded_length(size) for size in range(1, 200_000, 17)]
    assert len(set(lengths)) < 200
    for size in range(513, 200_000, 17):
        assert size <= padded_length(size) <= size * 1.125
