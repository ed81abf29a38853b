"""The journal of a seat: one message per slot, also after crashes, full disks and restored files."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typing_extensions import override

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.journal.errors import SeatInUseError, SeatResumingError, SlotUsedError
from netplay.journal.journal import COMPACT_BYTES, SeatJournal, counter_name
from netplay.journal.slots import RevealMark
from saves.decoding import canonical
from saves.errors import StorageError
from saves.fair.messages import (
    Agree,
    AnyBody,
    Completion,
    Consent,
    End,
    Kind,
    Message,
    Mix,
    Offer,
    Open,
    Proof,
    Reveal,
    Seed,
    SignedMessage,
    encode_message,
    slot_of,
)
from saves.fair.signed_texts import OrderSignature
from saves.files import FILES, Files
from tests.saves.faulty_files import FaultyFiles

MATCH, RED = "a1b2c3d4", Role("red")
HASH = bytes(32)
ORDER = OrderSignature(0, bytes(64))


def sign(data: bytes) -> bytes:
    return data[-16:].ljust(64, b"s")


def message(kind: Kind, anchor: int, body: AnyBody, anchor_hash: bytes = HASH) -> bytes:
    one = Message(kind=kind, anchor=anchor, anchor_hash=anchor_hash, author=RED, body=body)
    return encode_message(MATCH, one)


def reveal(number: int, anchor: int, value: bytes = HASH, anchor_hash: bytes = HASH) -> bytes:
    return message(Kind.REVEAL, anchor, Reveal(number, value), anchor_hash)


def noted(count: int) -> list[SignedMessage]:
    return [SignedMessage(b"message %d" % number, bytes(64)) for number in range(count)]


def opened(folder: Path, files: Files = FILES) -> SeatJournal:
    return SeatJournal(folder / "seat.journal7", folder / "state", MATCH, RED, sign, files)


ONE_PER_SLOT: list[tuple[Kind, AnyBody, AnyBody]] = [
    (Kind.AGREE, Agree(HASH), Agree(bytes([1]) * 32)),
    (Kind.MIX, Mix("red", "hand", (1,), (), ()), Mix("red", "hand", (2,), (), ())),
    (Kind.REVEAL, Reveal(0, HASH), Reveal(0, bytes([1]) * 32)),
    (Kind.PROOF, Proof("red", 3, (b"a",)), Proof("red", 3, (b"b",))),
    (Kind.OPEN, Open(3, "a", HASH), Open(3, "b", HASH)),
    (Kind.OFFER, Offer("draw"), Offer("takeback")),
    (Kind.CONSENT, Consent(agrees=True), Consent(agrees=False)),
    (Kind.COMPLETION, Completion((), ()), Completion((), (), b"box")),
    (Kind.END, End("resigned", "red"), End("draw")),
    (Kind.SEED, Seed(HASH), Seed(bytes([1]) * 32)),
]


@pytest.mark.parametrize(("kind", "first", "second"), ONE_PER_SLOT)
def test_a_slot_accepts_only_one_message(
    tmp_path: Path, kind: Kind, first: AnyBody, second: AnyBody
) -> None:
    journal = opened(tmp_path)
    data = message(kind, 5, first)
    sent = journal.sign_once([data])
    for attack in (message(kind, 5, second), message(kind, 5, first, bytes([9]) * 32)):
        with pytest.raises(SlotUsedError):
            journal.sign_once([attack])
    journal.close()
    again = opened(tmp_path)
    assert again.sign_once([data]) == sent
    with pytest.raises(SlotUsedError):
        again.sign_once([message(kind, 5, second)])
    assert again.is_complete
    again.close()


def test_two_messages_in_one_call_cannot_share_a_slot(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with pytest.raises(SlotUsedError):
        journal.sign_once([message(Kind.OPEN, 5, Open(3, card, HASH)) for card in ("a", "b")])
    assert journal.signed == ()
    journal.close()


def test_a_reveal_is_released_for_one_throw_only(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.sign_once([reveal(0, 7)])
    for attack in (reveal(0, 8), reveal(2, 8), reveal(0, 7, anchor_hash=bytes([1]) * 32)):
        with pytest.raises(SlotUsedError):
            journal.sign_once([attack])
    journal.sign_once([reveal(1, 9)])
    journal.close()
    again = opened(tmp_path)
    with pytest.raises(SlotUsedError):
        again.sign_once([reveal(1, 11)])
    again.close()


def test_a_compacted_journal_refuses_slots_that_it_has_dropped(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.note(noted(10), ORDER, ())
    old, kept = reveal(0, 3), message(Kind.END, 9, End("resigned", "red"))
    journal.sign_once([old, message(Kind.PROOF, 4, Proof("red", 1, (bytes(COMPACT_BYTES - 900),)))])
    journal.sign_once([kept])
    journal.note(noted(3), ORDER, ())
    size = journal._file.size
    journal.compact(9, HASH)
    assert journal._file.size < size
    for _ in range(2):
        assert journal.transcript == tuple(noted(3))
        other = message(Kind.END, 9, End("draw"))
        for attack in (old, other, reveal(0, 12), message(Kind.OPEN, 8, Open(1, "a", HASH))):
            with pytest.raises(SlotUsedError):
                journal.sign_once([attack])
        assert journal.sign_once([kept])[0].data == kept
        journal.close()
        journal = opened(tmp_path)
        assert journal.is_complete
    journal.sign_once([reveal(1, 12)])
    journal.close()


def test_compaction_leaves_a_short_journal_unchanged(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.note(noted(10), ORDER, ())
    journal.sign_once([reveal(0, 9)])
    size = journal._file.size
    journal.compact(9, HASH)
    assert journal._file.size == size
    journal.close()


def test_notes_are_stored_before_the_next_signature(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.note(noted(2), ORDER, ())
    journal.sign_once([reveal(0, 1)])
    journal.close()
    again = opened(tmp_path)
    assert again.transcript == tuple(noted(2))
    assert again.order == ORDER
    again.close()


def test_journal_files_of_another_seat_are_refused(tmp_path: Path) -> None:
    opened(tmp_path).close()
    for match, role in (("ffff0000", RED), (MATCH, Role("blue"))):
        with pytest.raises(DataError, match="another seat"):
            SeatJournal(tmp_path / "seat.journal7", tmp_path / "state", match, role, sign)


def test_the_counter_locks_out_a_copied_journal(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    shutil.copy(tmp_path / "seat.journal7", tmp_path / "copy.journal7")
    with pytest.raises(SeatInUseError, match="another program is using this seat"):
        SeatJournal(tmp_path / "copy.journal7", tmp_path / "state", MATCH, RED, sign)
    journal.close()


# -- restored files


def test_a_restored_journal_does_not_sign_until_complete(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.sign_once([message(Kind.AGREE, 0, Agree(HASH))])
    shutil.copy(tmp_path / "seat.journal7", tmp_path / "backup")
    journal.sign_once([reveal(0, 3)])
    journal.close()
    shutil.copy(tmp_path / "backup", tmp_path / "seat.journal7")
    for _ in range(2):  # it stays so after another start
        older = opened(tmp_path)
        assert not older.is_complete
        with pytest.raises(SeatResumingError):
            older.sign_once([reveal(0, 4)])
        older.close()
    older = opened(tmp_path)
    older.note([], ORDER, [reveal(0, 3)])
    older.mark_complete()
    with pytest.raises(SlotUsedError):
        older.sign_once([reveal(0, 4)])
    older.close()
    assert opened(tmp_path).is_complete


def test_a_restored_journal_does_not_release_a_reveal_twice(tmp_path: Path) -> None:
    """Also when every other seat has answered falsely: the counter knows the throw."""
    journal = opened(tmp_path)
    journal.sign_once([message(Kind.AGREE, 0, Agree(HASH))])
    shutil.copy(tmp_path / "seat.journal7", tmp_path / "backup")
    sent = [journal.sign_once([reveal(number, 3 + number)]) for number in range(2)]
    journal.close()
    shutil.copy(tmp_path / "backup", tmp_path / "seat.journal7")
    for _ in range(2):
        older = opened(tmp_path)
        older.mark_complete()
        for attack in (reveal(0, 5), reveal(1, 4)):
            with pytest.raises(SlotUsedError):
                older.sign_once([attack])
        older.close()
    older = opened(tmp_path)
    older.note([], ORDER, [sent[0][0].data])
    with pytest.raises(SlotUsedError):
        older.sign_once([reveal(1, 5)])
    assert older.sign_once([reveal(1, 4)]) == sent[1]
    older.close()


@pytest.mark.parametrize("frames", [4_096, 1], ids=["appended", "rewritten"])
@pytest.mark.parametrize(("kind", "sent", "other"), ONE_PER_SLOT, ids=lambda one: str(one)[:12])
def test_a_restored_journal_does_not_sign_a_slot_twice(  # fixtures and one case
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: Kind,
    sent: AnyBody,
    other: AnyBody,
    frames: int,
) -> None:
    """AT-13: also when the host and every other seat have answered falsely."""
    monkeypatch.setattr("netplay.journal.journal._COUNTER_FRAMES", frames)
    journal = opened(tmp_path)
    journal.sign_once([message(Kind.OFFER, 0, Offer("draw"))])
    shutil.copy(tmp_path / "seat.journal7", tmp_path / "backup")
    first = journal.sign_once([message(kind, 4, sent)])
    journal.sign_once([message(Kind.OFFER, 5, Offer("draw"))])
    journal.close()
    for _ in range(2):  # it stays so after another start, and after another restored file
        shutil.copy(tmp_path / "backup", tmp_path / "seat.journal7")
        older = opened(tmp_path)
        older.mark_complete()
        with pytest.raises(SlotUsedError):
            older.sign_once([message(kind, 4, other)])
        assert older.sign_once([message(kind, 4, sent)]) == first
        older.close()


def test_a_counter_written_by_an_older_program_is_read(tmp_path: Path) -> None:
    """Its frames name no slots; those of the journal are named with the next message."""
    journal = opened(tmp_path)
    journal.sign_once([message(Kind.OFFER, 0, Offer("draw"))])
    counted = journal._last_counter
    journal._counter.replace([canonical((counted.signed, counted.reveal))])
    journal.close()
    journal = opened(tmp_path)
    assert journal.is_complete
    journal.sign_once([message(Kind.OFFER, 5, Offer("draw"))])
    journal.close()
    (tmp_path / "seat.journal7").unlink()
    lost = opened(tmp_path)
    lost.mark_complete()
    for anchor in (0, 5):
        with pytest.raises(SlotUsedError):
            lost.sign_once([message(Kind.OFFER, anchor, Offer("takeback"))])
    lost.close()


def test_a_retired_seat_does_not_sign_even_with_a_restored_journal(tmp_path: Path) -> None:
    """After the match is closed, also when every other seat has answered falsely."""
    journal = opened(tmp_path)
    journal.sign_once([message(Kind.AGREE, 0, Agree(HASH))])
    shutil.copy(tmp_path / "seat.journal7", tmp_path / "backup")
    for number in range(40):
        journal.sign_once([reveal(number, 3 + number)])
    counter = tmp_path / "state" / counter_name(MATCH, RED)
    before = counter.stat().st_size
    journal.retire()
    journal.retire()
    assert counter.stat().st_size < before / 20
    for attack in (reveal(40, 99), reveal(39, 42)):
        with pytest.raises(SlotUsedError, match="close"):
            journal.sign_once([attack])
    journal.close()
    for name in ("backup", ""):
        if name:
            shutil.copy(tmp_path / name, tmp_path / "seat.journal7")
        else:
            (tmp_path / "seat.journal7").unlink()
        for _ in range(2):
            older = opened(tmp_path)
            assert older.is_retired
            older.mark_incomplete()
            older.mark_complete()
            older.note([], ORDER, [reveal(0, 3)])
            for attack in (reveal(0, 4), reveal(0, 3), message(Kind.SEED, 50, Seed(HASH))):
                with pytest.raises(SlotUsedError, match="close"):
                    older.sign_once([attack])
            assert older.is_retired
            older.close()


def test_a_missing_journal_or_counter_is_detected(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    for number in range(3):
        journal.sign_once([reveal(number, number)])
    journal.close()
    (tmp_path / "seat.journal7").rename(tmp_path / "away")
    missing = opened(tmp_path)
    assert not missing.is_complete
    missing.close()
    (tmp_path / "away").rename(tmp_path / "seat.journal7")
    whole = opened(tmp_path)
    assert whole.is_complete
    whole.close()
    (tmp_path / "state" / counter_name(MATCH, RED)).unlink()
    assert not opened(tmp_path).is_complete


def test_a_diverged_journal_of_equal_length_is_detected(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.sign_once([message(Kind.AGREE, 0, Agree(HASH))])
    shutil.copy(tmp_path / "seat.journal7", tmp_path / "backup")
    journal.sign_once([reveal(0, 3)])
    journal.close()
    shutil.copy(tmp_path / "backup", tmp_path / "seat.journal7")
    shutil.copytree(tmp_path / "state", tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / counter_name(MATCH, RED)).unlink()
    elsewhere = SeatJournal(tmp_path / "seat.journal7", tmp_path / "elsewhere", MATCH, RED, sign)
    elsewhere.sign_once([reveal(0, 5)])
    elsewhere.sign_once([message(Kind.OPEN, 6, Open(1, "a", HASH))])
    elsewhere.close()
    assert not opened(tmp_path).is_complete


def test_an_incomplete_journal_stays_incomplete_after_a_restart(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.sign_once([reveal(0, 0)])
    journal.mark_incomplete()
    journal.restart(8, HASH, RevealMark.from_message(4, b"of the copy"))
    journal.close()
    again = opened(tmp_path)
    assert not again.is_complete
    again.mark_complete()
    with pytest.raises(SlotUsedError):
        again.sign_once([reveal(4, 9)])
    again.sign_once([reveal(5, 9)])
    again.close()


# -- crashes and full disks


class Killed(BaseException):  # not an error: the program ends
    """The program ends at once."""


class KillFiles(Files):
    """Ends the program at an operation, before or after it takes effect."""

    def __init__(self, at: int, *, is_after: bool) -> None:
        self._left = at
        self._is_after = is_after
        self.hit = False

    def _run(self, operation: Callable[[], int | None]) -> int | None:
        self._left -= 1
        if self._left == -1:
            self.hit = True
            if self._is_after:
                operation()
            raise Killed
        return operation()

    @override
    def write(self, handle: int, data: memoryview) -> int:
        written = self._run(lambda: super(KillFiles, self).write(handle, data))
        assert written is not None
        return written

    @override
    def sync_data(self, handle: int) -> None:
        self._run(lambda: super(KillFiles, self).sync_data(handle))

    @override
    def sync(self, handle: int) -> None:
        self._run(lambda: super(KillFiles, self).sync(handle))

    @override
    def rename(self, source: Path, target: Path) -> None:
        self._run(lambda: super(KillFiles, self).rename(source, target))


BATCHES = [
    [message(Kind.AGREE, 0, Agree(HASH))],
    [message(Kind.MIX, 2, Mix("red", name, (1,), (), ())) for name in ("hand", "draw")],
    [reveal(0, 4)],
    [message(Kind.PROOF, 6, Proof("red", 3, (b"a",)))],
]


@pytest.mark.parametrize("is_after", [False, True])
def test_a_program_killed_at_any_file_operation_signs_the_same_messages(
    tmp_path: Path, is_after: bool
) -> None:
    number, was_hit = 0, True
    while was_hit:
        folder = tmp_path / str(number)
        folder.mkdir()
        files = KillFiles(number, is_after=is_after)
        sent: dict[object, bytes] = {}
        journal = None
        try:
            journal = opened(folder, files)
            for batch in BATCHES:
                journal.note(noted(1), ORDER, ())
                sent |= {one.data: one.signature for one in journal.sign_once(batch)}
        except Killed:
            if journal is not None:
                journal.close()
        else:
            journal.close()
        again = opened(folder)
        assert again.is_complete, "a crash alone never looks like a restored file"
        assert set(sent) <= set(again.signed), "what was sent is known"
        assert set(again.signed) <= {data for batch in BATCHES for data in batch}
        for batch in BATCHES:
            again.sign_once(batch)
        assert len(again.signed) == sum(len(batch) for batch in BATCHES)
        again.close()
        assert opened(folder).is_complete
        number, was_hit = number + 1, files.hit
    assert number > 10


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO-sync"])
def test_a_write_refused_by_a_full_disk_can_be_retried(tmp_path: Path, fault: str) -> None:
    number, was_hit = 0, True
    while was_hit:
        folder = tmp_path / f"{fault}-{number}"
        folder.mkdir()
        files = FaultyFiles(number, fault)
        try:
            journal = opened(folder, files)
        except StorageError:
            journal = opened(folder, files)
        for batch in BATCHES:
            try:
                sent = journal.sign_once(batch)
            except StorageError:
                sent = journal.sign_once(batch)
            assert [one.data for one in sent] == batch
        try:
            journal.restart(9, HASH, RevealMark())
        except StorageError:
            journal.restart(9, HASH, RevealMark())
        journal.close()
        again = opened(folder)
        assert again.is_complete
        assert again.base.index == 9
        again.close()
        number, was_hit = number + 1, files.hit
    assert number > 6


def test_different_messages_have_different_slots() -> None:
    slots = {
        slot_of(Message(kind=kind, anchor=5, anchor_hash=HASH, author=RED, body=first))
        for kind, first, _ in ONE_PER_SLOT
    }
    assert len(slots) == len(ONE_PER_SLOT)
