"""Polls of a response window: the next role to ask, and the end of the window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.windows import PASSES_TO_CLOSE, Poll, is_first_side, next_poll

FIRST, SECOND = ("ann", "bob"), ("cid",)


def members(turn: int) -> tuple[str, ...]:
    return FIRST if is_first_side(turn) else SECOND


def ask(poll: Poll, could: str) -> Poll | None:
    return next_poll(poll, members, could.split().__contains__)


@pytest.mark.parametrize(
    ("poll", "could", "found"),
    [
        pytest.param(Poll(), "ann bob cid", Poll(0, 0, 0), id="the-first-of-the-first-side"),
        pytest.param(Poll(), "bob cid", Poll(0, 1, 0), id="who-could-not-is-passed-over"),
        pytest.param(Poll(), "cid", Poll(1, 0, 1), id="the-side-passes"),
        pytest.param(Poll(), "", None, id="nobody-could"),
        pytest.param(Poll(0, 0, 0).after_pass(), "ann cid", Poll(1, 0, 1), id="a-pass-is-final"),
        pytest.param(Poll(1, 0, 1).after_pass(), "ann bob cid", None, id="both-sides-have-passed"),
        pytest.param(
            Poll(1, 0, 1).after_answer(), "cid ann", Poll(2, 0, 0), id="an-answer-reopens"
        ),
        pytest.param(
            Poll(0, 1, 0).after_answer(), "bob", Poll(2, 1, 1), id="the-other-side-is-next"
        ),
    ],
)
def test_next_role_to_ask(poll: Poll, could: str, found: Poll | None) -> None:
    assert ask(poll, could) == found


@given(st.lists(st.booleans(), max_size=40))
def test_a_window_closes_after_each_side_passes_since_the_last_answer(
    answers: list[bool],
) -> None:
    poll, given_up = ask(Poll(), "ann bob cid"), list[str]()
    for is_answer in answers:
        if poll is None:
            break
        role = members(poll.turn)[poll.polled]
        given_up = [] if is_answer else [*given_up, role]
        poll = ask(poll.after_answer() if is_answer else poll.after_pass(), "ann bob cid")
        assert poll is None or poll.passes < PASSES_TO_CLOSE
    if poll is None:
        assert sorted(given_up) == ["ann", "bob", "cid"]
