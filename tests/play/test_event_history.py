"""The cursor over records: the table after any event, without storing a state per event."""

import pytest
from msgspec.structs import replace

from play.event_history import EventCursor
from saves.match import Match
from saves.timeline import fold_record
from tests.play.tables import toy_match, toy_session
from tests.toy_game import BLUE, RED, TOY, Hold, ToyState
from tests.tui.playback.records import EOTS, QMG, session


def _reel(match: Match[ToyState], after: int) -> EventCursor[ToyState]:
    return EventCursor(TOY, after, match.records.__getitem__, match.state_at)


def test_cursor_matches_the_state_after_each_record() -> None:
    match = toy_match()
    for role in (RED, BLUE):
        match.submit(role, Hold(), match.seq)
    event_cursor = _reel(match, -1)
    assert event_cursor.state == TOY.initial_state()
    for seq in range(match.seq + 1):
        assert event_cursor.advance_to(seq) == match.state_at(seq)


def test_cursor_stops_within_a_record_and_continues() -> None:
    match = toy_match()
    match.submit(RED, Hold(), match.seq)
    event_cursor, state = _reel(match, 0), match.state_at(0)
    for number, entry in enumerate(match.records[1].events, start=1):
        state = fold_record(TOY, state, replace(match.records[1], events=(entry,)))
        assert event_cursor.advance_to(1, number) == state
    assert event_cursor.advance_to(1) == match.state_at(1)
    assert event_cursor.advance_to(1, 1) == match.state_at(1), "it never goes back"


def test_cursor_follows_a_takeback() -> None:
    match = toy_match()
    match.submit(RED, Hold(), match.seq)
    match.take_back(0, RED)
    assert _reel(match, 0).advance_to(2) == match.state_at(0)


@pytest.mark.parametrize(("name", "role"), [(EOTS, "allied"), (QMG, "uk")])
def test_seen_events_have_positions_and_hide_unknown_information(name: str, role: str) -> None:
    replay = session(name, role, 40, 40)
    facts = replay.records.seen_events(8)
    assert {fact.seq for fact in facts} <= set(range(9, 41))
    assert [fact.event for fact in facts] == list(replay.records.events(8))
    assert {fact.role for fact in facts if fact.is_own} == {role}
    last = facts[-1]
    assert (
        replay.records.event_cursor(8).advance_to(last.seq, last.number)
        == replay.records.event_cursor(40).state
    )


def test_takeback_in_the_history_is_detected() -> None:
    table = toy_session()
    table.submit(RED, Hold())
    assert not table.records.has_takebacks(0)
    table.match.take_back(0, RED)
    assert table.records.has_takebacks(0)
    assert not table.records.has_takebacks(2)
