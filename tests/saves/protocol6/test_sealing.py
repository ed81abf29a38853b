"""Boxes: only their seat opens them, their length reveals little, and their content must match its commitment."""

import msgspec
import pytest
from msgspec import UNSET

from engine.kernel.ids import Role
from saves.commitments import SIGNATURE_INDEX
from saves.errors import FairPlayError
from saves.protocol6.cardseed import CardSeed
from saves.protocol6.parties import Sealed
from saves.protocol6.sealing import PAD_BYTES, Sealable, complete_record, unseal
from saves.records import HASH_BYTES, Entry, Record
from tests.saves.protocol6.program.sealing import seal

RED, BLUE = Role("red"), Role("blue")
SEED = CardSeed("match", RED, bytes(range(32)))


def sealable(place: int, body: bytes = b"\x80") -> Sealable:
    return Sealable(place, f"kind-{min(place, 9)}", 1, body, bytes([place & 255]) * 16)


def hidden(one: Sealable) -> Entry:
    return Entry(tag="", v=0, body=None, commitment=one.commitment, salt=None)


def record(*sealed: Sealed, events: int = 2) -> Record:
    return Record(
        seq=3,
        kind="command",
        role=RED,
        command=hidden(sealable(0)),
        events=tuple(hidden(sealable(place)) for place in range(1, 1 + events)),
        takeback_to=None,
        secret=None,
        prev=bytes(HASH_BYTES),
        chain=bytes(HASH_BYTES),
        signature=hidden(sealable(SIGNATURE_INDEX)),
        sealed=sealed or UNSET,
    )


ALL = tuple(map(sealable, (0, 1, 2, SIGNATURE_INDEX)))


def test_seed_holder_can_unseal_a_box() -> None:
    assert unseal(SEED, seal(SEED, ALL)) == ALL


@pytest.mark.parametrize(
    "other",
    [
        CardSeed("match", RED, bytes(32)),
        CardSeed("match", BLUE, bytes(range(32))),
        CardSeed("another match", RED, bytes(range(32))),
    ],
    ids=["seed", "role", "match"],
)
def test_box_does_not_open_with_a_different_seed_role_or_match(other: CardSeed) -> None:
    with pytest.raises(FairPlayError, match="does not open the box") as caught:
        unseal(other, seal(SEED, ALL))
    assert caught.value.role == other.role


def test_changed_box_does_not_open() -> None:
    box = seal(SEED, ALL)
    for at in (0, 30, len(box) - 1):
        changed = box[:at] + bytes([box[at] ^ 1]) + box[at + 1 :]
        with pytest.raises(FairPlayError, match="red"):
            unseal(SEED, changed)


@pytest.mark.parametrize("box", [b"", b"short", bytes(24), bytes(2_000)])
def test_malformed_box_is_refused(box: bytes) -> None:
    with pytest.raises(FairPlayError, match="red"):
        unseal(SEED, box)


def test_box_length_does_not_reveal_the_entry_size() -> None:
    lengths = {len(seal(SEED, [sealable(1, bytes(size))])) for size in range(PAD_BYTES // 2)}
    assert len(lengths) == 1


def test_sealing_is_deterministic_and_shares_no_bytes_between_contents() -> None:
    box = seal(SEED, ALL)
    assert seal(SEED, ALL) == box
    other = seal(SEED, [sealable(0, b"\x81"), *ALL[1:]])
    assert not {box[at : at + 8] for at in range(len(box) - 8)} & {
        other[at : at + 8] for at in range(len(other) - 8)
    }


def test_a_record_is_completed_from_its_box() -> None:
    whole = complete_record(record(Sealed(role=RED, box=seal(SEED, ALL))), SEED)
    assert whole.command is not None
    assert whole.signature is not UNSET
    found = (whole.command, *whole.events, whole.signature)
    assert [(one.tag, one.v, one.body, one.salt) for one in found] == [
        (one.tag, one.v, one.body, one.salt) for one in ALL
    ]


def test_entries_missing_from_the_box_stay_hidden() -> None:
    whole = complete_record(record(Sealed(role=RED, box=seal(SEED, ALL[1:2]))), SEED)
    assert [entry.body for entry in whole.events] == [b"\x80", None]
    assert whole.command == hidden(ALL[0])


def test_record_without_a_box_of_the_seat_is_unchanged() -> None:
    bare = record(Sealed(role=BLUE, box=b"something"))
    assert complete_record(bare, SEED) is bare
    assert complete_record(record(), SEED) == record()


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([sealable(0, b"\x81")], "another command"),
        ([sealable(1), sealable(2, b"\x81")], "another event 1"),
        ([sealable(SIGNATURE_INDEX, b"\x81")], "another signature"),
        ([sealable(3)], "an entry that the record does not have"),
        ([sealable(1), sealable(1)], "an entry that the record does not have"),
        ([sealable(-1)], "an entry that the record does not have"),
    ],
)
def test_box_with_wrong_content_names_its_seat(entries: list[Sealable], words: str) -> None:
    with pytest.raises(FairPlayError, match=f"red.*{words}"):
        complete_record(record(Sealed(role=RED, box=seal(SEED, entries))), SEED)


def test_box_cannot_hold_a_command_missing_from_its_record() -> None:
    bare = msgspec.structs.replace(
        record(Sealed(role=RED, box=seal(SEED, ALL[:1]))), command=None, signature=UNSET
    )
    with pytest.raises(FairPlayError, match="does not have"):
        complete_record(bare, SEED)
