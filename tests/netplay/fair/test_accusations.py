"""A seat that sees two messages for one slot, or a seed that does not follow, saves evidence that holds (E1, E5)."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from netplay.fair.journaled_participant import JournaledParticipant, open_seat
from netplay.journal.errors import SeatHaltedError
from saves.fair.evidence import SUFFIX
from saves.fair.evidence_file import save_evidence, verify_evidence
from saves.fair.messages import HOST, Kind, Offer, Request, SignedMessage, decode_message
from saves.fair.private_cards import PrivateCards
from saves.fair.secrets import CardSecrets
from saves.fair.signed_texts import OrderedBatch
from saves.fair.state import TranscriptPhase
from saves.headers import encode_header
from tests.netplay.fair.dealt import signed_by
from tests.netplay.fair.journaled_match import JournaledMatch
from tests.netplay.fair.test_journaled import end_by_time

pytestmark = pytest.mark.usefixtures("quick_proofs")


class RecordedMatch(JournaledMatch):
    """A match whose seats know its real header, so that their evidence files are complete."""

    @override
    def opened(self, role: Role) -> JournaledParticipant:
        header = encode_header(self.header)
        return open_seat(
            self._private[role], self.setup, self.counters(role), self.copies[role], header
        )


@pytest.fixture
def match(tmp_path: Path) -> Iterator[RecordedMatch]:
    match = RecordedMatch(tmp_path, "eots", "south-pacific", seed=3)
    match.start()
    yield match
    match.close()


def charges(seat: JournaledParticipant, folder: Path) -> list[tuple[str, str]]:
    """Save the evidence of a seat, and return what each file proves."""
    found = []
    for path in save_evidence(folder / f"match.{seat.role}", seat.accusations):
        verdict = verify_evidence(path)
        assert verdict.status == "holds", verdict
        found.append((verdict.charge, verdict.author))
    return found


def batch_of(match: JournaledMatch, count: int, *messages: SignedMessage) -> OrderedBatch:
    """Return messages that a dishonest host orders after the first ones of the match."""
    match._follow()
    head = match.heads[count]
    batch = OrderedBatch(count - 1, head, messages, b"")
    order = match.sign_order(batch.last, batch.hashes()[-1])
    return OrderedBatch(count - 1, head, messages, order)


def asked(match: JournaledMatch) -> tuple[Role, Role]:
    """Play until exactly one seat is asked; returns it and the other one."""
    while len(match.game.active_roles(match.state.state)) > 1:
        assert match.step()
    role = match.game.active_roles(match.state.state)[0]
    return role, next(one for one in match.programs if one != role)


def two_requests(match: JournaledMatch, role: Role) -> tuple[SignedMessage, SignedMessage]:
    """Return two commands that an attacker's seat signs for one slot."""
    decision = match.game.decision_with_free_actions(match.programs[role].cards.state, role)
    first = match.programs[role].sign_command(decision.options[0])[0]
    body = decode_message(match.match_id, first.data).body
    assert isinstance(body, Request)
    other = msgspec.structs.replace(body, uses_chance=not body.uses_chance)
    return first, signed_by(match, role, match.state, Kind.REQUEST, other)


@pytest.mark.full
def test_conflicting_commands_in_two_histories_prove_host_and_seat_guilty(
    match: RecordedMatch, tmp_path: Path
) -> None:
    """AT-5: the host shows the victim one command, and then the other one at the same place."""
    attacker, victim = asked(match)
    first, second = two_requests(match, attacker)
    seat, count = match.programs[victim], len(match.host.messages)
    assert seat.deliver(batch_of(match, count, first)) is None
    with pytest.raises(SeatHaltedError, match="two transcripts"):
        seat.deliver(batch_of(match, count, second))
    assert charges(seat, tmp_path) == [("E1", ""), ("E1", attacker)]


def test_conflicting_messages_in_one_history_prove_author_guilty(
    match: RecordedMatch, tmp_path: Path
) -> None:
    attacker, victim = asked(match)
    state, count = match.state, len(match.host.messages)
    offer = signed_by(match, attacker, state, Kind.OFFER, Offer("draw"))
    request, _ = two_requests(match, attacker)
    seat = match.programs[victim]
    with pytest.raises(SeatHaltedError, match="refused"):
        seat.deliver(batch_of(match, count, offer, request))
    assert charges(seat, tmp_path) == [("E3", ""), ("E1", attacker)]


def test_a_seat_keeps_no_evidence_against_itself(match: RecordedMatch) -> None:
    """A second program with the key of the seat has signed something else."""
    role, _ = asked(match)
    first, second = two_requests(match, role)
    seat, count = match.programs[role], len(match.host.messages)
    assert seat.deliver(batch_of(match, count, first)) is None
    with pytest.raises(SeatHaltedError, match="two transcripts"):
        seat.deliver(batch_of(match, count, second))
    assert [one.recompute(match.setup).author for one in seat.accusations] == [HOST]


def test_a_fork_by_the_host_does_not_accuse_a_seat(match: RecordedMatch, tmp_path: Path) -> None:
    role, _ = asked(match)
    for _ in range(3):
        match.step()
    count = match.programs[role].state.index
    with pytest.raises(SeatHaltedError):
        match.programs[role].deliver(end_by_time(match, count, role))
    assert charges(match.programs[role], tmp_path) == [("E1", "")]


def test_a_resume_request_from_a_later_position_is_compared_later(
    match: RecordedMatch, tmp_path: Path
) -> None:
    attacker, victim = asked(match)
    count = len(match.host.messages)
    assert match.host.submit(two_requests(match, attacker)[0]) is None
    further = match.programs[attacker]
    assert further.deliver(match.batch(further.state.index)) is None
    seat = match.programs[victim]
    assert seat.answer_resume(further.resume_request()) is not None
    with pytest.raises(SeatHaltedError, match="two transcripts"):
        seat.deliver(end_by_time(match, count, victim))
    assert charges(seat, tmp_path) == [("E1", "")]


# -- seeds


def finished(match: JournaledMatch, attacker: Role) -> None:
    """End a match, and open every seed."""
    match.submit(match.programs[attacker].sign_resignation())
    for seat in match.programs.values():
        seat.update_seed_permission(is_wait_over=True)
    match.settle()
    assert match.host.close() is None
    match.deliver()
    assert match.state.phase is TranscriptPhase.CLOSED


@pytest.mark.parametrize("is_false", [False, True], ids=["honest", "other-mixes"])
def test_final_audit_names_the_seat_that_mixed_with_a_different_seed(
    tmp_path: Path, *, is_false: bool
) -> None:
    match = RecordedMatch(tmp_path, "eots", "south-pacific", seed=4)
    attacker, victim = match.programs
    if is_false:
        seat = match.programs[attacker].participant
        secrets = CardSecrets(match.match_id, attacker, bytes(32))
        seat.cards = PrivateCards(seat.state, secrets)
    match.start()
    finished(match, attacker)
    seat_of_victim = match.programs[victim]
    found = seat_of_victim.audit()()
    verdicts = [
        verify_evidence(path) for path in save_evidence(tmp_path / f"match.{victim}", found)
    ]
    expected = [("holds", "E5", attacker)] if is_false else []
    assert [(one.status, one.charge, one.author) for one in verdicts] == expected
    assert match.programs[attacker].audit()() == (), "the honest seat is not named"
    match.close()


def test_audit_is_empty_before_the_match_ends(match: RecordedMatch) -> None:
    for seat in match.programs.values():
        assert seat.audit()() == ()


# -- files


@pytest.mark.full
def test_evidence_is_never_overwritten(match: RecordedMatch, tmp_path: Path) -> None:
    attacker, victim = asked(match)
    first, second = two_requests(match, attacker)
    seat, count = match.programs[victim], len(match.host.messages)
    assert seat.deliver(batch_of(match, count, first)) is None
    with pytest.raises(SeatHaltedError):
        seat.deliver(batch_of(match, count, second))
    stem, found = tmp_path / "evidence" / f"{match.match_id}.{victim}", seat.accusations
    stem.parent.mkdir()
    kept = save_evidence(stem, found[1:])
    assert save_evidence(stem, found) == (
        stem.with_name(f"{stem.name}.2{SUFFIX}"),
        stem.with_name(f"{stem.name}{SUFFIX}"),
    )
    assert save_evidence(stem, found)[1:] == kept
    assert len(list(stem.parent.iterdir())) == 2
