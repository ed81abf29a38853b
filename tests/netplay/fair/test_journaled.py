"""Crashes, restored files and second programs of a seat, with the real participants (AT-13 to AT-17, AT-25, AT-26)."""

import errno
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.journaled_participant import JournaledParticipant, open_seat
from netplay.journal.errors import SeatHaltedError, SeatResumingError, SlotUsedError
from netplay.journal.private_file import PrivateFile
from saves.errors import StorageError
from saves.fair.evidence import recompute
from saves.fair.messages import (
    HOST,
    End,
    Kind,
    Message,
    Offer,
    Request,
    Reveal,
    SignedMessage,
    decode_message,
    encode_message,
    slot_of,
)
from saves.fair.signed_texts import OrderedBatch, Resumed, signed_bytes
from saves.fair.state import TranscriptPhase
from saves.files import Files
from tests.netplay.fair.journaled_match import HEADER, JournaledMatch

T = TypeVar("T")
pytestmark = pytest.mark.usefixtures("quick_proofs")


def played(folder: Path, *, game: str = "eots", scenario: str = "south-pacific") -> JournaledMatch:
    match = JournaledMatch(folder, game, scenario, seed=3)
    match.start()
    return match


@pytest.fixture
def match(tmp_path: Path) -> Iterator[JournaledMatch]:
    match = played(tmp_path)
    yield match
    match.close()


def roles(match: JournaledMatch) -> tuple[Role, Role]:
    first, second = match.programs
    return first, second


def play_to_throw(match: JournaledMatch, role: Role, *, with_counter: bool) -> int:
    """Play until a record has used chance; returns the count of messages in the backup before it."""
    for number in range(200):
        count, throws = len(match.host.messages), match.state.throws
        match.save(role, f"backup-{number}", with_counter=with_counter)
        assert match.step()
        if match.state.throws > throws:
            (match.folder / f"backup-{number}").rename(match.folder / "backup")
            return count
    raise AssertionError("no throw in 200 commands")


def roll_back(match: JournaledMatch, role: Role, count: int) -> JournaledParticipant:
    """Restore a seat from the backup and start it again."""
    match.kill(role)
    match.restore(role, "backup")
    match.copies[role].end = count
    return match.begin(role)


def kinds_of(match: JournaledMatch) -> set[Kind]:
    return {decode_message(match.match_id, one.data).kind for one in match.host.messages}


# -- AT-16


class Restarts:
    """Ends each seat between storage and sending, at the first message of each kind.

    A message that was signed in one batch with an earlier one counts as another kind.
    """

    def __init__(self, match: JournaledMatch) -> None:
        self.match = match
        self.ahead: set[SignedMessage] = set()
        self.seen: set[tuple[Kind, bool]] = set()

    def __call__(self, role: Role) -> None:
        due = self.match.programs[role].due_messages()
        kinds = {
            (decode_message(self.match.match_id, signed.data).kind, signed in self.ahead)
            for signed in due
        }
        if not kinds <= self.seen:
            self.seen |= kinds
            self.match.restart(role)


@pytest.mark.parametrize(
    ("game", "scenario", "steps"),
    [
        pytest.param("eots", "1943", 4, id="eots"),
        pytest.param("qmg", "base", 2, id="qmg", marks=pytest.mark.full),
    ],
)
def test_a_seat_killed_before_sending_sends_the_same_message(
    tmp_path: Path, game: str, scenario: str, steps: int
) -> None:
    match = JournaledMatch(tmp_path, game, scenario, seed=1)
    each = Restarts(match)
    assert match.host.start() is None
    match.settle(each)
    for _ in range(steps):
        role, decision = match.random.choice(list(match.choices()))
        batch = match.programs[role].sign_command(match.random.choice(decision.options))
        for signed in batch:
            match.oracle.release(signed)
        each.ahead.update(batch[1:])
        match.restart(role)
        assert match.release(role) == batch[:1], "the command is sent again, unchanged"
        match.settle(each)
        assert {*batch} <= {*match.host.messages}, "and what follows it"
    first, *others = match.programs
    offered = match.programs[first].sign_offer(Offer("takeback", match.state.records - 3))
    match.oracle.release(offered)
    match.restart(first)
    assert match.release(first) == (offered,)
    match.submit(offered)
    for number, other in enumerate(others):
        consent = match.programs[other].sign_consent(agrees=True)
        match.oracle.release(consent)
        if not number:
            match.restart(other)
        assert consent in match.release(other)
        match.submit(consent)
    match.settle(each)
    resigned = match.programs[first].sign_resignation()
    match.restart(first)
    assert match.release(first) == (resigned,)
    match.submit(resigned)
    acknowledge(match)
    match.settle(each)
    assert set(match.state.seeds) == set(match.programs)
    expected = {Kind.AGREE, Kind.MIX, Kind.REVEAL, Kind.PROOF, Kind.PROPOSAL, Kind.COMPLETION}
    assert {(kind, False) for kind in (*expected, Kind.SEED)} <= each.seen
    match.close()


def acknowledge(match: JournaledMatch) -> None:
    acks = [seat.sign_ack() for seat in match.programs.values()]
    for seat in match.programs.values():
        for ack in acks:
            assert ack is not None
            assert seat.receive_ack(ack)


def test_second_command_for_one_slot_is_refused_and_first_is_sent(
    match: JournaledMatch,
) -> None:
    role, decision = next((role, one) for role, one in match.choices() if len(one.options) > 1)
    seat = match.programs[role]
    batch = seat.sign_command(decision.options[0])
    with pytest.raises(SlotUsedError):
        seat.sign_command(decision.options[1])
    assert not seat.halted
    assert match.release(role) == batch[:1]
    match.settle()
    assert match.state.phase is TranscriptPhase.IDLE
    assert {*batch} <= {*match.host.messages}


class FlakyFiles(Files):
    """A disk that refuses many operations once it is full."""

    def __init__(self) -> None:
        self.random = random.Random(5)
        self.is_full = False
        self.refused = 0

    def _fail(self) -> None:
        if self.is_full and self.random.random() < 0.3:
            self.refused += 1
            raise OSError(errno.ENOSPC, "No space left on device")

    @override
    def write(self, handle: int, data: memoryview) -> int:
        self._fail()
        return super().write(handle, data)

    @override
    def sync_data(self, handle: int) -> None:
        self._fail()
        super().sync_data(handle)

    @override
    def sync(self, handle: int) -> None:
        self._fail()
        super().sync(handle)


@pytest.mark.full
def test_a_full_disk_stops_sending_until_space_is_available(match: JournaledMatch) -> None:
    role, _ = roles(match)
    files = match.files[role] = FlakyFiles()
    match.restart(role)
    files.is_full = True
    for _ in range(6):
        author, decision = next(match.choices())
        signed = patient(match, role, partial(request, match, author, decision.options[0]))
        match.submit(signed)
        while match.state.phase is not TranscriptPhase.IDLE:
            for name in match.programs:
                for one in patient(match, role, partial(match.release, name)):
                    match.host.submit(one)
            match.deliver()
    assert files.refused > 5
    assert not match.programs[role].halted
    assert match.state.records == 7


def request(match: JournaledMatch, author: Role, command: Command) -> SignedMessage:
    """Return the request alone; what follows it in its batch is sent when it is due."""
    batch = match.programs[author].sign_command(command)
    for signed in batch:
        match.oracle.release(signed)
    return batch[0]


def patient(match: JournaledMatch, role: Role, act: Callable[[], T]) -> T:
    """Return what an action makes; the disk of one seat is mended as often as needed."""
    for _ in range(100):
        try:
            return act()
        except StorageError:
            with suppress(StorageError):
                match.programs[role].journal.recover()
    raise AssertionError("the disk was mended in vain")


# -- AT-13, AT-14


@pytest.mark.full
@pytest.mark.parametrize(
    "with_counter",
    [pytest.param(False, id="partial"), pytest.param(True, id="complete", marks=pytest.mark.full)],
)
def test_a_seat_restored_from_a_backup_resumes_with_an_honest_host(
    match: JournaledMatch, *, with_counter: bool
) -> None:
    role, other = roles(match)
    count = play_to_throw(match, role, with_counter=with_counter)
    seat = roll_back(match, role, count)
    assert seat.due_messages() == ()
    with pytest.raises(SeatResumingError):
        seat.sign_resignation()
    match.resume(role)
    assert seat.missing_seats() == ()
    for signed in match.host.messages[count:]:
        message = decode_message(match.match_id, signed.data)
        if message.author == role:
            assert seat.journal.signed_at(slot_of(message)) == signed.data
    for _ in range(6):
        assert match.step()
    assert not seat.halted
    assert not match.programs[other].halted
    assert match.restart(role).missing_seats() == ()


@pytest.mark.full
def test_a_complete_restore_catches_up_without_other_seats(match: JournaledMatch) -> None:
    role, other = roles(match)
    count = play_to_throw(match, role, with_counter=True)
    match.kill(other)
    seat = roll_back(match, role, count)
    seat.update_presence(match.state.index, ())
    assert seat.due_messages() == ()
    match.deliver()
    assert seat.missing_seats() == ()
    assert not seat.halted


@pytest.mark.full
def test_a_partial_restore_waits_for_absent_seats(match: JournaledMatch) -> None:
    role, other = roles(match)
    count = play_to_throw(match, role, with_counter=False)
    seat = roll_back(match, role, count)
    seat.update_presence(count - 1, ())
    assert seat.missing_seats() == (other,)
    assert seat.due_messages() == ()
    with pytest.raises(SeatResumingError):
        seat.sign_resignation()


@pytest.mark.full
def test_an_honest_seat_exposes_an_old_prefix_shown_by_the_host(match: JournaledMatch) -> None:
    role, other = roles(match)
    count = play_to_throw(match, role, with_counter=True)
    seat = roll_back(match, role, count)
    question = seat.resume_request()
    seat.update_presence(count - 1, (other,))
    assert seat.missing_seats() == (other,)
    answer = match.programs[other].answer_resume(question)
    assert answer is not None
    assert not seat.receive_answer(answer)
    assert seat.missing_seats() is None, "messages of the host are missing"
    assert seat.due_messages() == ()
    fork = end_by_time(match, count, role)
    assert seat.deliver(fork) is None
    assert seat.state.phase is TranscriptPhase.ENDED
    assert seat.sign_ack() is None
    assert seat.due_messages() == ()
    seat.update_seed_permission(is_wait_over=True)
    assert seat.due_messages() == (), "no seed before the answers are followed"


def end_by_time(match: JournaledMatch, count: int, role: Role) -> OrderedBatch:
    """Return a second course of the match, in which the host has ended it after some messages."""
    match._follow()
    head = match.heads[count]
    message = Message(
        kind=Kind.END, anchor=count - 1, anchor_hash=head, author=HOST, body=End("time", role)
    )
    data = encode_message(match.match_id, message)
    signed = SignedMessage(data, match.host._key.sign(data))
    batch = OrderedBatch(count - 1, head, (signed,), b"")
    order = match.sign_order(batch.last, batch.hashes()[-1])
    return OrderedBatch(count - 1, head, (signed,), order)


@pytest.mark.parametrize(
    "is_first",
    [
        pytest.param(True, id="fork-first"),
        pytest.param(False, id="answer-first", marks=pytest.mark.full),
    ],
)
def test_a_fork_compared_by_two_seats_is_proved(match: JournaledMatch, *, is_first: bool) -> None:
    role, other = roles(match)
    count = play_to_throw(match, role, with_counter=True)
    seat = roll_back(match, role, count)
    match.kill(other)
    match.copies[other].end = count
    honest = match.begin(other)
    if honest.state.index < count:
        honest.update_presence(count, ())
        assert honest.deliver(match.batch(honest.state.index, count)) is None
    question = seat.resume_request()
    seat.update_presence(count, (other,))
    short = Resumed(
        role=other,
        index=count,
        head=match.heads[count + 1],
        nonce=question.nonce,
        order=match.orders[count],
        signature=bytes(64),
    )
    short = signed_answer(match, short)
    fork = end_by_time(match, count, role)
    if is_first:
        assert seat.deliver(fork) is None
        with pytest.raises(SeatHaltedError, match="two transcripts"):
            seat.receive_answer(short)
    else:
        assert not seat.receive_answer(short)
        with pytest.raises(SeatHaltedError, match="two transcripts"):
            seat.deliver(fork)
    assert seat.evidence is not None
    verdict = seat.evidence.recompute(match.setup)
    assert (verdict.charge, verdict.author, verdict.position) == ("E1", HOST, count)
    with pytest.raises(SeatHaltedError):
        seat.due_messages()


@pytest.mark.parametrize(
    "is_compact",
    [
        pytest.param(True, id="after-a-record", marks=pytest.mark.full),
        pytest.param(False, id="in-the-journal"),
    ],
)
def test_a_host_that_signs_two_histories_is_proved_guilty(
    match: JournaledMatch, *, is_compact: bool
) -> None:
    role, _ = roles(match)
    for _ in range(4):
        match.step()
    if is_compact:
        match.restart(role)
    match.step()
    seat = match.programs[role]
    index = seat.state.index
    assert seat.deliver(match.batch(index - 4)) is None, "what is known changes nothing"
    assert seat.deliver(match.batch(-1)) is None
    assert (seat.state.index, seat.halted) == (index, "")
    for count in (index, 9):
        with pytest.raises(SeatHaltedError, match="two transcripts"):
            seat.deliver(end_by_time(match, count, role))
        assert seat.evidence is not None
        verdict = seat.evidence.recompute(match.setup)
        assert (verdict.charge, verdict.author, verdict.position) == ("E1", HOST, count)
        match.kill(role)
        seat = match.begin(role)
        if seat.state.index < index:
            assert seat.deliver(match.batch(seat.state.index)) is None


def signed_answer(match: JournaledMatch, answer: Resumed) -> Resumed:
    signature = match.secrets[Role(answer.role)].sign(signed_bytes(match.match_id, answer))
    return Resumed(
        role=answer.role,
        index=answer.index,
        head=answer.head,
        nonce=answer.nonce,
        order=answer.order,
        signature=signature,
    )


def test_false_resume_answers_are_refused(match: JournaledMatch) -> None:
    role, other = roles(match)
    replayed = match.programs[other].answer_resume(match.programs[role].resume_request())
    assert replayed is not None
    match.kill(role)
    seat = match.begin(role)
    question = seat.resume_request()
    right = match.programs[other].answer_resume(question)
    assert right is not None
    own = match.programs[other].resume_request()
    seat.update_presence(match.state.index, (other,))
    later = {"index": right.index + 5}
    attacks: list[tuple[bytes | None, dict[str, Any]]] = [
        (right.signature, {"nonce": bytes(16)}),
        (right.signature, {"role": role}),
        (right.signature, {"role": "nobody"}),
        (right.signature, later),
        (bytes(64), {}),
        (own.signature, {}),
        (None, later),
        (None, {"head": bytes(32)}),
        (None, {"order": bytes(64)}),
    ]

    for signature, changes in attacks:
        changed = msgspec.structs.replace(right, **changes)
        if signature is None:
            changed = signed_answer(match, changed)
        else:
            changed = msgspec.structs.replace(changed, signature=signature)
        assert seat.receive_answer(changed), changes
        assert seat.missing_seats() == (other,)
    assert seat.receive_answer(replayed), "the answer to the question of an earlier start"
    assert seat.missing_seats() == (other,)
    assert not seat.receive_answer(right)
    assert seat.missing_seats() == ()


def test_a_copy_restored_without_its_journal_is_fetched_again(
    match: JournaledMatch,
) -> None:
    role, _ = roles(match)
    for _ in range(3):
        match.step()
    match.restart(role)
    base = match.programs[role].journal.base.index
    assert base > 10
    match.kill(role)
    match.copies[role].end = 5
    seat = match.begin(role)
    assert seat.state.index == 4
    match.resume(role)
    assert seat.missing_seats() == ()
    for _ in range(3):
        assert match.step()
    assert not seat.halted


def test_a_different_history_before_the_journal_is_refused(match: JournaledMatch) -> None:
    role, _ = roles(match)
    for _ in range(3):
        match.step()
    match.restart(role)
    base = match.programs[role].journal.base.index
    match.kill(role)
    match.copies[role].end = base
    seat = match.begin(role)
    assert seat.state.index == base - 1
    seat.update_presence(base, ())
    assert seat.missing_seats() is None
    with pytest.raises(SeatHaltedError, match="a different history"):
        seat.deliver(end_by_time(match, base, role))


@pytest.mark.full
def test_seat_with_copy_newer_than_its_journal_waits(match: JournaledMatch) -> None:
    role, other = roles(match)
    play_to_throw(match, role, with_counter=True)
    end = match.copies[role].end
    seat = roll_back(match, role, end)
    seat.update_presence(match.state.index, ())
    assert seat.missing_seats() == (other,)
    assert seat.due_messages() == ()
    match.kill(role)
    seat = match.begin(role)
    seat.update_presence(match.state.index, ())
    assert seat.missing_seats() == (other,), "also after another start"
    match.resume(role)
    assert seat.missing_seats() == ()
    for _ in range(4):
        assert match.step()


def test_a_message_that_the_seat_would_not_sign_is_not_adopted(match: JournaledMatch) -> None:
    role, _ = roles(match)
    while role not in match.game.active_roles(match.state.state):
        match.step()
    seat = match.programs[role]
    match.save(role, "backup", with_counter=True)
    count = match.copies[role].end
    decision = match.game.decision_with_free_actions(seat.cards.state, role)
    message = decode_message(match.match_id, seat.sign_command(decision.options[0])[0].data)
    assert isinstance(message.body, Request)
    body = msgspec.structs.replace(message.body, uses_chance=not message.body.uses_chance)
    data = encode_message(match.match_id, msgspec.structs.replace(message, body=body))
    match.host.submit(SignedMessage(data, match.secrets[role].sign(data)))
    assert match.state.phase is not TranscriptPhase.IDLE
    seat = roll_back(match, role, count)
    seat.update_presence(match.state.index, ())
    with pytest.raises(SeatHaltedError, match="another program is using this seat"):
        seat.deliver(match.batch(seat.state.index))
    assert seat.evidence is None


# -- AT-15


def second_program(match: JournaledMatch, role: Role) -> JournaledParticipant:
    """Start a program with copies of the files of a seat, on another machine."""
    shutil.copytree(match.home(role), match.folder / "copied")
    path = match.private(role).path

    private = PrivateFile(match.folder / "copied" / path.name, match.match_id, role)
    state = match.folder / "another machine"
    seat = open_seat(private, match.setup, state, match.copies[role], b"header")
    others = {name: one for name, one in match.programs.items() if name != role}
    question = seat.resume_request()
    seat.update_presence(match.state.index, others)
    for other in others.values():
        answer = other.answer_resume(question)
        assert answer is not None
        assert not seat.receive_answer(answer)
    if seat.state.index < match.state.index:
        assert seat.deliver(match.batch(seat.state.index)) is None
    assert seat.missing_seats() == ()
    return seat


def test_a_second_program_with_the_same_files_stops_when_the_first_one_acts(
    match: JournaledMatch,
) -> None:
    role, _ = roles(match)
    match.step()
    second = second_program(match, role)
    count = len(match.host.messages)
    while not any(
        decode_message(match.match_id, signed.data).author == role
        for signed in match.host.messages[count:]
    ):
        assert match.step()
    with pytest.raises(SeatHaltedError, match="another program is using this seat"):
        second.deliver(match.batch(second.state.index))
    assert len(match.host.messages) > count
    assert second.evidence is None
    assert not match.programs[role].halted
    second.journal.close()


def test_the_first_program_stops_when_a_second_one_acts(match: JournaledMatch) -> None:
    role, _ = roles(match)
    while role not in match.game.active_roles(match.state.state):
        match.step()
    second = second_program(match, role)
    decision = match.game.decision_with_free_actions(second.cards.state, role)
    assert match.host.submit(second.sign_command(decision.options[0])[0]) is None
    first = match.programs[role]
    with pytest.raises(SeatHaltedError, match="another program is using this seat"):
        first.deliver(match.batch(first.state.index))
    assert first.evidence is None
    second.journal.close()


def test_conflicting_commands_of_two_programs_halt_the_seat_after_a_restart(
    match: JournaledMatch,
) -> None:
    """The journal holds a command that the host has not indexed; the host has another one."""
    while True:
        asked = [(role, one) for role, one in match.choices() if len(one.options) > 1]
        if asked:
            break
        match.step()
    role, decision = asked[0]
    second = second_program(match, role)
    assert match.host.submit(second.sign_command(decision.options[1])[0]) is None
    match.programs[role].sign_command(decision.options[0])
    match.kill(role)
    seat = match.begin(role)
    seat.update_presence(match.state.index, ())
    with pytest.raises(SeatHaltedError, match="another program is using this seat"):
        seat.deliver(match.batch(seat.state.index))
    assert seat.evidence is None
    second.journal.close()


# -- AT-17


def test_messages_of_another_match_are_refused(match: JournaledMatch, tmp_path: Path) -> None:
    role, other = roles(match)
    second = JournaledMatch(tmp_path / "second", "eots", "south-pacific", seed=4)
    second.start()
    second.step()
    seat = match.programs[role]
    for signed in second.host.messages:
        assert match.host.submit(signed) is not None
    refusal = seat.deliver(second.batch(-1))
    assert refusal is not None
    assert refusal.author == HOST
    assert match.programs[other].answer_resume(second.programs[role].resume_request()) is None
    second.programs[role].sign_resignation()
    match.kill(role)
    seat = match.begin(role)
    question = seat.resume_request()
    seat.update_presence(match.state.index, (other,))
    foreign = second.programs[other].answer_resume(second.programs[role].resume_request())
    assert foreign is not None

    assert seat.receive_answer(msgspec.structs.replace(foreign, nonce=question.nonce))
    assert seat.missing_seats() == (other,)
    second.close()


def test_a_seat_does_not_agree_to_a_second_header(tmp_path: Path) -> None:
    match = JournaledMatch(tmp_path, "eots", "south-pacific", seed=3)
    role, _ = roles(match)
    match.kill(role)

    match.setup = msgspec.structs.replace(match.setup, header_hash=bytes(32))
    with pytest.raises(SeatHaltedError, match="a different set-up"):
        match.begin(role)
    match.programs.clear()


# -- AT-25, AT-26


def test_no_seed_is_released_before_every_party_acknowledges_the_end(match: JournaledMatch) -> None:
    role, other = roles(match)
    for seat in match.programs.values():
        assert seat.sign_ack() is None
        assert not seat.update_seed_permission(is_wait_over=True)
        assert seat.due_messages() == ()
    match.submit(match.programs[role].sign_resignation())
    seat = match.programs[role]
    assert seat.sign_ack() is not None
    assert seat.due_messages() == ()
    ack = match.programs[other].sign_ack()
    assert ack is not None

    for changes in ({"index": ack.index - 1}, {"head": bytes(32)}, {"signature": bytes(64)}):
        seat.receive_ack(msgspec.structs.replace(ack, **changes))
        assert seat.due_messages() == ()
    assert seat.receive_ack(ack)
    (seed,) = match.release(role)
    assert decode_message(match.match_id, seed.data).kind is Kind.SEED
    assert match.restart(role).due_messages() == (seed,), "a seed that was sent is sent again"


def test_the_seed_is_released_without_acknowledgements_after_the_wait(
    match: JournaledMatch,
) -> None:
    role, _ = roles(match)
    match.submit(match.programs[role].sign_resignation())
    seat = match.programs[role]
    assert not seat.update_seed_permission(is_wait_over=False)
    assert seat.update_seed_permission(is_wait_over=True)
    assert len(match.release(role)) == 1


def test_an_end_shown_to_one_seat_only_does_not_release_a_seed(match: JournaledMatch) -> None:
    role, other = roles(match)
    count = len(match.host.messages)
    seat = match.programs[role]
    assert seat.deliver(end_by_time(match, count, role)) is None
    assert seat.state.phase is TranscriptPhase.ENDED
    match.programs.pop(role)
    match.submit(match.programs[other].sign_resignation())
    ack = match.programs[other].sign_ack()
    assert ack is not None
    assert seat.sign_ack() is not None
    assert seat.receive_ack(ack)
    assert seat.due_messages() == ()
    match.programs[role] = seat


def test_a_resignation_forged_by_the_host_names_the_host(
    match: JournaledMatch,
) -> None:
    role, _ = roles(match)
    match._follow()
    index, head = match.state.index, match.heads[-1]
    fake = Message(
        kind=Kind.END, anchor=index, anchor_hash=head, author=role, body=End("resigned", role)
    )
    data = encode_message(match.match_id, fake)
    signed = SignedMessage(data, match.host._key.sign(data))
    batch = OrderedBatch(index, head, (signed,), b"")
    order = match.sign_order(batch.last, batch.hashes()[-1])
    for name, seat in list(match.programs.items()):
        with pytest.raises(SeatHaltedError, match="refused"):
            seat.deliver(OrderedBatch(index, head, (signed,), order))
        assert seat.evidence is not None
        verdict = seat.evidence.recompute(match.setup)
        assert (verdict.charge, verdict.author) == ("E3", HOST)
        match.kill(name)
        assert match.begin(name).state.index == index, "the refused message was not stored"


def test_a_false_message_ordered_by_a_colluding_host_names_its_author(
    match: JournaledMatch,
) -> None:
    """AT-2, AT-4, AT-8: the victim saves evidence that holds, also after a compacted journal."""
    role, other = roles(match)
    for _ in range(3):
        match.step()
    match.restart(role)
    match._follow()
    index, head = match.state.index, match.heads[-1]
    body = End("time", other)
    fault = Message(kind=Kind.END, anchor=index, anchor_hash=head, author=other, body=body)
    data = encode_message(match.match_id, fault)
    signed = SignedMessage(data, match.secrets[other].sign(data))
    batch = OrderedBatch(index, head, (signed,), b"")
    order = match.sign_order(batch.last, batch.hashes()[-1])
    seat = match.programs[role]
    assert seat.journal.base.index > 0
    with pytest.raises(SeatHaltedError, match="refused"):
        seat.deliver(OrderedBatch(index, head, (signed,), order))
    assert seat.evidence is not None
    verdict = recompute(seat.evidence, lambda _: match.setup, match.setup.header_hash)
    assert (verdict.charge, verdict.author, verdict.position) == ("E2", other, index)
    assert seat.evidence.header == HEADER


def test_a_seat_makes_no_evidence_against_itself(match: JournaledMatch) -> None:
    """A second program with the key may send anything; the first one stops without an accusation."""
    role, _ = roles(match)
    match._follow()
    index, head = match.state.index, match.heads[-1]
    fault = Message(
        kind=Kind.END, anchor=index, anchor_hash=head, author=role, body=End("time", role)
    )
    data = encode_message(match.match_id, fault)
    signed = SignedMessage(data, match.secrets[role].sign(data))
    batch = OrderedBatch(index, head, (signed,), b"")
    order = match.sign_order(batch.last, batch.hashes()[-1])
    seat = match.programs[role]
    with pytest.raises(SeatHaltedError, match="another program is using this seat"):
        seat.deliver(OrderedBatch(index, head, (signed,), order))
    assert seat.evidence is None


def test_messages_without_the_signature_of_the_host_change_nothing(match: JournaledMatch) -> None:
    role, other = roles(match)
    signed = match.programs[other].sign_resignation()
    seat = match.programs[role]
    match._follow()
    index, head = seat.state.index, seat.state.head
    batch = OrderedBatch(index, head, (signed,), bytes(64))
    refusal = seat.deliver(batch)
    assert refusal is not None
    assert (seat.state.index, seat.halted) == (index, "")
    assert seat.deliver(OrderedBatch(index + 3, head, (signed,), bytes(64))) is not None
    later = match.sign_order(index + 4, OrderedBatch(index + 3, head, (signed,), b"").hashes()[-1])
    refusal = seat.deliver(OrderedBatch(index + 3, head, (signed,), later))
    assert refusal is not None
    assert "missing" in refusal.problem
    assert not seat.halted


def test_a_reveal_is_stored_together_with_the_preceding_message(tmp_path: Path) -> None:
    match = JournaledMatch(tmp_path, "eots", "south-pacific", seed=3)
    role, _ = roles(match)
    found: list[Reveal] = []

    def look(each: Role) -> None:
        journal = match.programs[each].journal
        body = decode_message(match.match_id, journal.signed[-1]).body
        if each == role and isinstance(body, Reveal):
            match.restart(role)
            seat = match.programs[role]
            assert seat.state.index == match.state.index
            assert journal.signed[-1] in seat.journal.signed
            found.append(body)

    assert match.host.start() is None
    match.settle(look)
    assert [body.number for body in found] == [0]
    match.close()
