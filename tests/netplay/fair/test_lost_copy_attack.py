"""A seat whose copy of the match was lost answers the resume requests of other seats."""

from pathlib import Path

import pytest

from tests.netplay.fair.test_journaled import played, roles

pytestmark = pytest.mark.usefixtures("quick_proofs")


def test_o6_a_seat_with_a_lost_copy_sends_a_valid_resume_answer(tmp_path: Path) -> None:
    """Otherwise, the other seat waits forever, although all programs are honest and all answers arrive."""
    match = played(tmp_path)
    role, other = roles(match)
    match.step()
    match.restart(role)
    match.kill(role)
    match.copies[role].end = 0
    seat = match.begin(role)
    assert seat.journal.base.index == match.state.index, "the journal begins after the last record"
    match.resume(role)
    assert seat.state.index == match.state.index, "the host has sent all records again"
    assert seat.missing_seats() == ()

    match.kill(other)
    restarted = match.begin(other)
    restarted.update_presence(match.state.index, (role,))
    answer = seat.answer_resume(restarted.resume_request())
    assert answer is not None
    assert not restarted.receive_answer(answer)
    assert restarted.missing_seats() == ()
    match.close()
