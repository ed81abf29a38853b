"""The records at which turns and phases begin."""

from itertools import pairwise

from play.replay_session import ReplaySession
from play.turn_index import RecordPosition, nearest_mark
from saves.logfile import Log
from tests.golden_games.corpus import read
from tests.play.tables import toy_match
from tests.toy_game import BLUE, RED, TOY, Hold
from tests.tui.playback.records import EOTS, QMG, session


def test_turn_begins_with_its_first_event() -> None:
    replay = session(EOTS, "japan", 0, 210)
    first, second = replay.turn_index.turns
    assert (first.name, second.name) == ("T2 Jan-Apr 42", "T3 May-Aug 42")
    replay.go_to_position(second.position)
    assert replay.heading().startswith("T3")
    replay.go_to_position(RecordPosition(second.position.seq, second.position.events - 1))
    assert replay.heading().startswith("T2")
    assert replay.turn_index.turn_at(replay.position) == "T2 Jan-Apr 42"


def test_step_turn_stops_at_turn_starts_in_both_directions() -> None:
    replay = session(QMG, "germany", 0, 120)
    ahead = []
    while replay.step_turn(1):
        ahead.append(replay.position)
    assert ahead[:-1] == [mark.position for mark in replay.turn_index.turns[1:]]
    assert ahead[-1].seq == replay.last_seq
    back = []
    while replay.step_turn(-1):
        back.append(replay.position)
    assert back == [*ahead[-2::-1], RecordPosition(0, replay.known_event_count(0))]


def test_phases_change_the_heading() -> None:
    replay = session(EOTS, "japan", 0, 60)
    headings = [replay.heading()]
    while replay.step_phase(1):
        headings.append(replay.heading())
    assert len(headings) > 5
    assert all(one != other for one, other in pairwise(headings[:-1]))


def test_takeback_returns_to_its_turn() -> None:
    match = toy_match(scenario="middle")
    match.submit(RED, Hold(), match.seq)
    match.submit(BLUE, Hold(), match.seq)
    names = [TOY.turn_name(match.state)]
    match.take_back(0, RED)
    log = Log(match.header, tuple(match.records), (), 0, None)
    replay = ReplaySession(log, TOY, "toy")
    assert replay.turn_index.turns[-1].name == TOY.turn_name(match.state)
    assert {mark.name for mark in replay.turn_index.turns} >= set(names)


def test_jump_shows_the_same_as_single_steps() -> None:
    header, records = read(EOTS)
    log = Log(header, records[:260], (), 0, None)
    walked = ReplaySession(log, session(EOTS, "japan", 0, 1).ruleset, EOTS)
    jumped = ReplaySession(log, walked.ruleset, EOTS)
    walked.go_to_record(120)
    for _ in range(6):
        walked.step_event(1)
        jumped.go_to_record(0)
        jumped.go_to_position(walked.position)
        assert jumped.view() == walked.view()
        assert [*jumped.log()] == [*walked.log()]


def test_nearest_mark_of_an_empty_index_is_none() -> None:
    assert nearest_mark((), RecordPosition(0, 0), 1) is None
    assert nearest_mark((), RecordPosition(0, 0), -1) is None
