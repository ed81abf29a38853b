"""The records at which turns and phases begin."""

from itertools import pairwise

from play.replay_session import ReplaySession
from play.turn_index import RecordPosition, beside
from saves.logfile import Log
from tests.golden_games.corpus import read
from tests.play.tables import toy_match
from tests.toy_game import BLUE, RED, TOY, Hold
from tests.tui.playback.records import EOTS, QMG, session


def test_a_turn_begins_with_the_event_that_begins_it() -> None:
    replay = session(EOTS, "japan", 0, 210)
    first, second = replay.waymarks.turns
    assert (first.name, second.name) == ("T2 Jan-Apr 42", "T3 May-Aug 42")
    replay.to_place(second.at)
    assert replay.heading().startswith("T3")
    replay.to_place(RecordPosition(second.at.seq, second.at.events - 1))
    assert replay.heading().startswith("T2")
    assert replay.waymarks.turn(replay.place) == "T2 Jan-Apr 42"


def test_steps_by_turn_stand_where_a_turn_begins_both_ways() -> None:
    replay = session(QMG, "germany", 0, 120)
    ahead = []
    while replay.step_turn(1):
        ahead.append(replay.place)
    assert ahead[:-1] == [mark.at for mark in replay.waymarks.turns[1:]]
    assert ahead[-1].seq == replay.last_seq
    back = []
    while replay.step_turn(-1):
        back.append(replay.place)
    assert back == [*ahead[-2::-1], RecordPosition(0, replay.events_in(0))]


def test_phases_change_the_heading() -> None:
    replay = session(EOTS, "japan", 0, 60)
    headings = [replay.heading()]
    while replay.step_phase(1):
        headings.append(replay.heading())
    assert len(headings) > 5
    assert all(one != other for one, other in pairwise(headings[:-1]))


def test_a_takeback_brings_its_turn_back() -> None:
    match = toy_match(scenario="middle")
    match.submit(RED, Hold(), match.seq)
    match.submit(BLUE, Hold(), match.seq)
    names = [TOY.turn(match.state)]
    match.take_back(0, RED)
    log = Log(match.header, tuple(match.records), (), 0, None)
    replay = ReplaySession(log, TOY, "toy")
    assert replay.waymarks.turns[-1].name == TOY.turn(match.state)
    assert {mark.name for mark in replay.waymarks.turns} >= set(names)


def test_every_jump_shows_what_steps_show() -> None:
    header, records = read(EOTS)
    log = Log(header, records[:260], (), 0, None)
    walked = ReplaySession(log, session(EOTS, "japan", 0, 1).ruleset, EOTS)
    jumped = ReplaySession(log, walked.ruleset, EOTS)
    walked.to_record(120)
    for _ in range(6):
        walked.step_event(1)
        jumped.to_record(0)
        jumped.to_place(walked.place)
        assert jumped.view() == walked.view()
        assert [*jumped.log()] == [*walked.log()]


def test_nothing_is_beside_the_ends() -> None:
    assert beside((), RecordPosition(0, 0), 1) is None
    assert beside((), RecordPosition(0, 0), -1) is None
