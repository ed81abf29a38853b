"""Clocks in records: their encoding, the time left on them, and errors that make their record false."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from saves.chain import first_chain
from saves.clocks import (
    Clock,
    PlayerClocks,
    describe_clock,
    format_remaining,
    parse_clock,
)
from saves.errors import FairPlayError, MatchError
from saves.jsonlines import json_lines, read_json_lines
from saves.logfile import log_bytes, write_log
from saves.match import Match
from saves.statements import Adjournment, Ending, Resumption, TimeSpent
from saves.terms import current_terms
from saves.textlog import read_text, text_lines
from saves.verify import verify_file
from tests.saves import second_reader
from tests.saves.play import AUDIENCES, SEATS, SECRET, check_copy, linked
from tests.saves.protocol6.joint import Table
from tests.toy_game import BLUE, RED, TOY, Hold, Roll, ToyState

GAME = parse_clock("60m+30s", "loses")


def timed(clock: Clock | None = GAME, scenario: str = "middle") -> Match[ToyState]:
    position = TOY.position(scenario, {})
    return Match.create(TOY, position, scenario, {}, SEATS, SECRET, clock=clock)


def spent(**times: int) -> TimeSpent:
    return TimeSpent(spent={Role(role): time for role, time in times.items()})


def lost_by_time() -> Match[ToyState]:
    match = timed()
    match.submit(RED, Hold(), match.seq)
    match.add_statement(RED, spent(red=5_000, blue=7_000))
    match.add_statement(Role(""), spent(blue=3_600_000))
    match.add_statement(BLUE, Ending(how="time", by=(BLUE,)))
    match.reveal()
    return match


@pytest.mark.parametrize(
    ("text", "words", "same"),
    [
        ("30s", "30 s for each decision", "30s"),
        ("2m", "2 min for each decision", "2m"),
        ("60m+30s", "1 h for the game, 30 s more for each command", "1h+30s"),
        ("90m + 0s", "90 min for the game", "90m+0s"),
        ("2h+1m/3h", "2 h for the game, 1 min more for each command, saving up to 3 h", "2h+1m/3h"),
        ("3d", "3 days for each move", "3d"),
        ("1d/10d", "1 day for each move, saving up to 10 days", "1d/10d"),
    ],
)
def test_clock_is_parsed_and_described(text: str, words: str, same: str) -> None:
    clock = parse_clock(text)
    assert describe_clock(clock) == words
    assert parse_clock(same) == clock
    assert describe_clock(parse_clock(text, "loses")) == f"{words}; whoever runs out of time loses"


@pytest.mark.parametrize(
    "text", ["", "soon", "30", "s30", "0s", "-3d", "3d+", "30s/1m", "10d/3d", "999999d", "1.5h"]
)
def test_invalid_clock_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        parse_clock(text)
    with pytest.raises(DataError):
        parse_clock("3d", "explodes")


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        (0, "0:00"),
        (59_999, "0:59"),
        (245_000, "4:05"),
        (3_723_000, "1:02:03"),
        (183_600_000, "2d 03h"),
        (-1, "-0:00"),
        (-61_000, "-1:01"),
    ],
)
def test_remaining_time_is_formatted(time: int, shown: str) -> None:
    assert format_remaining(time) == shown


def test_end_of_turn_refills_each_kind_of_clock() -> None:
    decision = PlayerClocks(parse_clock("30s"), (RED, BLUE))
    decision.deduct({RED: 20_000, BLUE: 40_000})
    assert decision.left == {RED: 10_000, BLUE: -10_000}
    decision.end_turn(BLUE)
    assert decision.left == {RED: 30_000, BLUE: 30_000}
    game = PlayerClocks(GAME, (RED, BLUE))
    game.deduct({RED: 10_000})
    game.end_turn(RED)
    assert game.left == {RED: 3_620_000, BLUE: 3_600_000}
    days = PlayerClocks(parse_clock("1d/2d"), (RED,))
    days.deduct({RED: 3_600_000})
    for _ in range(3):
        days.end_turn(RED)
    assert days.left == {RED: 2 * 86_400_000}


def test_time_reported_after_a_command_counts_as_before_it() -> None:
    for text in ("30s", "1m+30s", "1m+30s/1m", "1d/2d"):
        before, behind = (PlayerClocks(parse_clock(text), (RED, BLUE)) for _ in range(2))
        before.deduct({RED: 5_000, BLUE: 6_000})
        before.end_turn(RED)
        behind.end_turn(RED)
        behind.deduct({RED: 5_000, BLUE: 6_000}, until_last=True)
        assert before.left == behind.left


def test_header_without_a_clock_keeps_its_original_chain() -> None:
    plain = timed(None).header
    assert plain.clock is msgspec.UNSET
    assert b"clock" not in log_bytes(plain, ())
    assert first_chain(plain) != first_chain(timed().header)


def test_every_copy_shows_the_same_times(tmp_path: Path) -> None:
    match = lost_by_time()
    assert match.terms.player_clocks is not None
    assert match.terms.player_clocks.left == {RED: 3_625_000, BLUE: -7_000}
    outcome = match.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (RED, "Blue ran out of time.")
    path = tmp_path / "game.fplog"
    write_log(path, match.header, match.records)
    found = verify_file(path, TOY)
    assert found.status == "ok"
    assert any("left: red 1:00:25, blue -0:07" in note for note in found.notes)
    for audience in AUDIENCES:
        copy = check_copy(path, match, audience, tmp_path)
        assert copy.terms.player_clocks is not None
        assert copy.terms.player_clocks.left == match.terms.player_clocks.left


def test_both_text_forms_round_trip_clock_records() -> None:
    match = lost_by_time()
    data = log_bytes(match.header, match.records)
    lines = list(text_lines(TOY, match.header, match.records))
    assert "2 clock red blue=7000 red=5000" in lines
    assert log_bytes(*read_text(lines, TOY)) == data
    assert log_bytes(*read_json_lines(list(json_lines(match.header, match.records)))) == data


def test_loss_on_time_with_time_left_is_refused() -> None:
    match = timed()
    with pytest.raises(MatchError, match="not run out of time"):
        match.add_statement(RED, Ending(how="time", by=(RED,)))
    match.add_statement(Role(""), spent(red=3_600_000))
    with pytest.raises(MatchError, match="whole side"):
        match.add_statement(RED, Ending(how="time", by=(BLUE,)))
    match.add_statement(RED, Ending(how="time", by=(RED,)))


def test_loss_on_time_is_refused_if_time_only_is_measured() -> None:
    match = timed(parse_clock("10s"))
    match.add_statement(Role(""), spent(red=11_000))
    with pytest.raises(MatchError, match="does not lose this match"):
        match.add_statement(RED, Ending(how="time", by=(RED,)))


def test_time_is_refused_without_a_clock_or_for_an_unknown_role() -> None:
    with pytest.raises(MatchError, match="no clock"):
        timed(None).add_statement(Role(""), spent(red=5))
    with pytest.raises(MatchError, match="a role that the match does not have"):
        timed().add_statement(Role(""), spent(grey=5))


@pytest.mark.parametrize("role", ["", RED], ids=["now", "before"])
def test_time_spent_by_a_role_without_a_decision_is_false(tmp_path: Path, role: str) -> None:
    match = timed()
    match.submit(BLUE, Hold(), match.seq)
    match.submit(RED, Hold(), match.seq)
    match.add_statement(Role(role), spent(blue=5_000, red=5_000))
    path = tmp_path / "game.fplog"
    write_log(path, match.header, match.records)
    found = verify_file(path, TOY)
    assert (found.status, found.records) == ("false", 3)
    assert "nothing to decide" in str(found.finding)


def test_time_must_follow_its_record_immediately() -> None:
    match = timed()
    with pytest.raises(MatchError, match="no record before"):
        match.add_statement(RED, spent(red=5))
    match.submit(RED, Hold(), match.seq)
    with pytest.raises(MatchError, match="no record before"):
        match.add_statement(BLUE, spent(blue=5))
    match.add_statement(RED, spent(red=5))
    with pytest.raises(MatchError, match="no record before"):
        match.add_statement(RED, spent(red=5))


def test_time_before_an_adjournment_is_recorded_after_it(tmp_path: Path) -> None:
    match = timed()
    match.add_statement(RED, Adjournment(by=(RED, BLUE)))
    match.add_statement(RED, spent(red=5, blue=6))
    with pytest.raises(MatchError, match="adjourned"):
        match.add_statement(Role(""), spent(red=5))
    match.add_statement(BLUE, Resumption())
    path = tmp_path / "game.fplog"
    write_log(path, match.header, match.records)
    assert verify_file(path, TOY).status == "ok"


def test_premature_loss_on_time_is_false(tmp_path: Path) -> None:
    match = lost_by_time()
    records = [record for record in match.records if record.kind != "clock"]
    path = tmp_path / "game.fplog"
    write_log(path, match.header, linked(match.header, records))
    found = verify_file(path, TOY)
    assert found.status == "false"


def test_takeback_does_not_restore_time() -> None:
    match = timed()
    match.submit(RED, Hold(), match.seq)
    match.submit(BLUE, Hold(), match.seq)
    roller = match.asked[0]
    match.add_statement(Role(""), TimeSpent(spent={roller: 9_000}))
    match.submit(roller, Roll(), match.seq)
    before = dict(current_terms(TOY, match.header, match.records).player_clocks.left)  # type: ignore[union-attr]
    match.take_back(0, roller)
    assert match.terms.player_clocks is not None
    assert match.terms.player_clocks.left == before


def test_times_after_signed_commands_verify_in_every_copy(tmp_path: Path) -> None:
    table = Table(clock=GAME)
    match = table.match
    for _ in range(4):
        role = match.asked[0]
        table.give(role, TOY.decision(match.state, role).default)
        match.add_statement(role, TimeSpent(spent={role: 2_000}))
    table.take_back(2, RED)
    table.agree(BLUE, Adjournment(by=(RED, BLUE)))
    match.add_statement(RED, Resumption())
    with pytest.raises(FairPlayError, match="without the consent of red"):
        match.add_statement(RED, Ending(how="resigned", by=(RED,)))
    with pytest.raises(FairPlayError, match="without the consent of blue"):
        table.agree(RED, Ending(how="draw", by=(RED, BLUE)), without=BLUE)
    table.agree(RED, Ending(how="resigned", by=(RED,)))
    match.reveal()
    path = tmp_path / "game.fplog"
    write_log(path, match.header, match.records)
    read = second_reader.read(path.read_bytes())
    assert second_reader.check_parties(read) > 0
    lines = list(text_lines(TOY, match.header, match.records))
    assert log_bytes(*read_text(lines, TOY)) == path.read_bytes()
    assert str(verify_file(path, TOY).finding) == "None"
    for audience in AUDIENCES:
        copy = check_copy(path, match, audience, tmp_path)
        assert copy.outcome == match.outcome
