"""A seat whose match is closed signs nothing more, whatever is restored from a backup."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.journal.errors import SlotUsedError
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.journaled_match import JournaledMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


def closed(match: JournaledMatch, resigning: Role) -> None:
    """End a match, and let every seat store its last record."""
    match.submit(match.programs[resigning].sign_resignation())
    for seat in match.programs.values():
        seat.update_seed_permission(is_wait_over=True)
    match.settle()
    if match.full_copy is not None:
        assert match.host.reveal_secret() is None
    assert match.host.close() is None
    match.deliver()
    assert match.state.phase is TranscriptPhase.CLOSED
    for role, seat in match.programs.items():
        match.copies[role].end = len(match.host.messages)
        seat.record_stored(seat.state.index)


@pytest.mark.parametrize(
    "deals",
    [
        pytest.param(True, id="seats-deal"),
        pytest.param(False, id="host-deals", marks=pytest.mark.full),
    ],
)
def test_a_restored_journal_of_a_closed_match_does_not_sign(tmp_path: Path, *, deals: bool) -> None:
    """The host shows the old prefix, and all other seats are the attacker's and confirm it."""
    match = JournaledMatch(tmp_path, "eots", "south-pacific", seed=3, deals=deals)
    match.start()
    while len(match.game.active_roles(match.state.state)) > 1:
        assert match.step()
    role = match.game.active_roles(match.state.state)[0]
    match.save(role, "backup")
    count = len(match.host.messages)
    throws = match.state.throws
    while match.state.throws == throws:
        assert match.step()
    closed(match, role)
    match.kill(role)
    match.restore(role, "backup")
    match.copies[role].end = count
    seat = match.begin(role)
    assert seat.state.index < match.state.index
    seat.resumption.must_ask_all = False
    seat.update_presence(seat.state.index, ())
    decision = match.game.decision_with_free_actions(seat.cards.state, role)
    with pytest.raises(SlotUsedError, match="close"):
        seat.sign_command(decision.options[-1])
    match.close()


def test_a_seat_restarted_after_the_close_has_nothing_to_send(tmp_path: Path) -> None:
    match = JournaledMatch(tmp_path, "eots", "south-pacific", seed=3)
    match.start()
    role, other = match.programs
    closed(match, role)
    for name in (role, other):
        seat = match.restart(name)
        assert seat.journal.is_retired
        assert seat.state.phase is TranscriptPhase.CLOSED
        assert seat.due_messages() == ()
        assert seat.sign_ack() is not None, "another seat may still wait for it"
        assert (
            seat.answer_resume(match.programs[other if name == role else role].resume_request())
            is not None
        )
    match.close()


def test_an_end_without_a_close_does_not_retire_a_seat(tmp_path: Path) -> None:
    match = JournaledMatch(tmp_path, "eots", "south-pacific", seed=3)
    match.start()
    role, _ = match.programs
    match.submit(match.programs[role].sign_resignation())
    seat = match.programs[role]
    seat.record_stored(seat.state.index)
    assert not seat.journal.is_retired
    seat.update_seed_permission(is_wait_over=True)
    assert len(match.release(role)) == 1
    match.close()
