"""Matches that end, pause and continue by agreement: the records, who may create them, and what follows."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
from saves.entries import build_record, record_statement
from saves.errors import BrokenChainError, MatchError, UnreadableError
from saves.follower import Follower
from saves.jsonlines import ImportRefusedError, json_lines, read_json_lines
from saves.logfile import LogWriter, log_bytes, write_log
from saves.match import Match
from saves.records import Record
from saves.statements import Adjournment, Ending, Resumption, Statement
from saves.textlog import read_text, text_lines
from saves.verify import verify_file
from tests.saves.play import AUDIENCES, SECRET, check_copy, finished, linked, new_match, play
from tests.toy_game import BLUE, RED, TOY, ToyState
from tests.toy_six import SIX
from tests.toy_solo import SOLO

BOTH = (RED, BLUE)
RESIGNED = Ending(how="resigned", by=(RED,))
DRAWN = Ending(how="draw", by=BOTH)
PAUSED = Adjournment(by=BOTH)


def ended(said: Ending = RESIGNED, log: LogWriter | None = None) -> Match[ToyState]:
    match = new_match(log)
    play(match, 5)
    match.add_statement(RED, PAUSED)
    match.add_statement(BLUE, Resumption())
    play(match, 2)
    match.add_statement(RED, said)
    match.reveal()
    return match


def test_resignation_gives_the_win_to_the_opponent() -> None:
    match = ended()
    outcome = match.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (BLUE, "Red resigned.")
    assert match.asked == ()
    assert TOY.outcome(match.state) is None


def test_a_draw_has_no_winner() -> None:
    outcome = ended(DRAWN).outcome
    assert outcome is not None
    assert outcome.is_draw
    assert outcome.reason == "Everyone agreed to a draw."


def test_resignation_in_a_solitaire_game_is_a_loss() -> None:
    position = SOLO.position("middle", {})
    match = Match.create(SOLO, position, "middle", {}, (), SECRET)
    (role,) = SOLO.roles(match.state)
    match.add_statement(role, Ending(how="resigned", by=(role,)))
    assert match.outcome is not None
    assert match.outcome.is_lost
    with pytest.raises(MatchError, match="ended"):
        match.remark("and yet")


def test_resignation_must_cover_the_whole_team() -> None:
    position = SIX.position("middle", {})
    match = Match.create(SIX, position, "middle", {}, (), SECRET)
    team = match.terms.side_roles(SIX.roles(match.state)[0])
    assert len(team) == 3
    for by in (team[:1], team[::-1], (*team, SIX.roles(match.state)[-1])):
        with pytest.raises(MatchError, match="whole side"):
            match.add_statement(team[0], Ending(how="resigned", by=by))
    match.add_statement(team[0], Ending(how="resigned", by=team))
    assert match.outcome is not None
    assert match.outcome.winner not in {None, *team}


@pytest.mark.parametrize(
    ("role", "said", "sentence"),
    [
        (BLUE, RESIGNED, "whole side"),
        (RED, Ending(how="resigned", by=BOTH), "whole side"),
        (RED, Ending(how="draw", by=(RED,)), "not everyone"),
        (Role("grey"), DRAWN, "not everyone"),
        (RED, Adjournment(by=(RED,)), "not everyone"),
        (RED, Resumption(), "not adjourned"),
    ],
)
def test_invalid_agreement_is_refused(role: Role, said: Statement, sentence: str) -> None:
    with pytest.raises(MatchError, match=sentence):
        new_match().add_statement(role, said)


def test_game_records_are_refused_during_an_adjournment() -> None:
    match = new_match()
    role = match.asked[0]
    command = TOY.decision(match.state, role).default
    match.submit(role, command, match.seq)
    match.add_statement(RED, PAUSED)
    assert match.asked == ()
    with pytest.raises(MatchError, match="adjourned"):
        match.take_back(0, RED)
    with pytest.raises(MatchError, match="adjourned"):
        match.add_statement(RED, PAUSED)
    match.remark("until tomorrow", RED)
    match.add_statement(RED, Resumption())
    assert match.asked


def test_finished_match_cannot_be_ended_or_adjourned() -> None:
    match = new_match(scenario="short")
    play(match, 100_000)
    for said in (RESIGNED, DRAWN, PAUSED):
        with pytest.raises(MatchError, match="over"):
            match.add_statement(RED, said)


def test_only_a_reveal_may_follow_an_ending() -> None:
    match = new_match()
    match.add_statement(RED, RESIGNED)
    for said in (RESIGNED, PAUSED, Resumption()):
        with pytest.raises(MatchError, match="ended"):
            match.add_statement(RED, said)
    match.reveal()


def test_every_copy_records_and_verifies_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    match = ended(log=LogWriter.create(path))
    match.close()
    for audience in AUDIENCES:
        copy = check_copy(path, match, audience, tmp_path)
        assert copy.outcome == match.outcome
    assert verify_file(path, TOY).status == "ok"
    again = Match.resume(path, TOY)
    assert again.outcome == match.outcome
    again.close()


def test_adjourned_match_stays_adjourned_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    match = new_match(LogWriter.create(path))
    match.add_statement(BLUE, PAUSED)
    match.close()
    again = Match.resume(path, TOY)
    assert again.terms.adjourned == BOTH
    again.add_statement(RED, Resumption())
    again.close()
    assert verify_file(path, TOY).status == "ok"


def test_both_text_forms_round_trip_statements() -> None:
    for said in (RESIGNED, DRAWN):
        match = ended(said)
        data = log_bytes(match.header, match.records)
        lines = list(text_lines(TOY, match.header, match.records))
        assert "6 adjournment red red,blue" in lines
        assert "7 resumption blue" in lines
        assert f"10 ending red {said.how} {','.join(said.by)}" in lines
        assert log_bytes(*read_text(lines, TOY)) == data
        assert log_bytes(*read_json_lines(list(json_lines(match.header, match.records)))) == data


@pytest.mark.parametrize(
    "line", ["10 ending red lost red", "10 ending red", "10 resumption red now", "10 ending red x"]
)
def test_malformed_statement_line_is_refused(line: str) -> None:
    match = ended()
    lines = list(text_lines(TOY, match.header, match.records))
    lines[lines.index("10 ending red resigned red")] = line
    with pytest.raises((ImportRefusedError, UnreadableError)):
        read_text(lines, TOY)


def forged(match: Match[ToyState], role: Role, said: Statement, *, at: int) -> list[Record]:
    """Return the records with a statement inserted before one, with new chain values and correct salts."""
    kind = type(said).__name__.lower()
    draft = match.records[at]
    bare = Record(
        seq=at,
        kind=kind,  # type: ignore[arg-type]  # a kind by the name of its statement
        role=role,
        command=None,
        events=(),
        takeback_to=None,
        secret=None,
        prev=draft.prev,
        chain=draft.chain,
    )
    return linked(match.header, [*match.records[:at], build_record(TOY, SECRET, bare, said, ())])


@pytest.mark.parametrize(
    ("role", "said", "sentence"),
    [
        (BLUE, RESIGNED, "whole side"),
        (RED, Ending(how="draw", by=(RED,)), "not everyone"),
        (RED, Resumption(), "not adjourned"),
        (RED, RESIGNED, "already over"),
    ],
)
def test_statement_without_agreement_is_false_in_every_copy(
    tmp_path: Path, role: Role, said: Statement, sentence: str
) -> None:
    match = finished()
    at = match.seq if "already" in sentence else 4
    records = forged(match, role, said, at=at)
    path = tmp_path / "game.fplog"
    write_log(path, match.header, records)
    found = verify_file(path, TOY)
    assert (found.status, found.records) == ("false", at)
    assert sentence in str(found.finding)
    copy = Follower.create(TOY, match.redacted_header(None))
    for record in match.redacted_records(None):
        if record.seq == at:
            break
        copy.receive(record)
    if "already" not in sentence:
        with pytest.raises(BrokenChainError, match=sentence):
            copy.receive(records[-1])


def test_command_after_an_ending_is_false(tmp_path: Path) -> None:
    match = finished()
    ending = forged(match, RED, RESIGNED, at=4)[-1]
    path = tmp_path / "game.fplog"
    write_log(path, match.header, [*match.records[:4], ending])
    assert verify_file(path, TOY).status == "ok"
    path = tmp_path / "longer.fplog"
    write_log(
        path, match.header, linked(match.header, [*match.records[:4], ending, match.records[4]])
    )
    found = verify_file(path, TOY)
    assert (found.status, found.records) == ("false", 5)


def test_statements_are_decoded_from_their_records() -> None:
    match = ended()
    said = [record_statement(record) for record in match.records]
    assert [each for each in said if each is not None] == [PAUSED, Resumption(), RESIGNED]
