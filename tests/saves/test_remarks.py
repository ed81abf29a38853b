"""Remarks in a record: visible to all, covered by the chain, and without effect on the game."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.commitments import derive_salt
from saves.entries import complete_entry, remark_text
from saves.errors import BrokenChainError, MatchError, UnreadableError
from saves.jsonlines import ImportRefusedError, json_lines, read_json_lines
from saves.logfile import LogWriter, log_bytes, write_log
from saves.match import Match
from saves.records import NOBODY, Record
from saves.remarks import MAX_LENGTH, Remark
from saves.textlog import read_text, text_lines
from saves.timeline import check_shape
from saves.verify import verify_file
from tests.saves.play import AUDIENCES, SECRET, finished, followed, linked, new_match, play
from tests.toy_game import BLUE, RED, TOY, ToyState

SAID = ("Red lays a card before it must.", "Plays «low» - 100 % sure, and says: “wait”.")


@pytest.fixture(scope="module")
def game() -> Match[ToyState]:
    match = new_match(scenario="short")
    match.remark(SAID[0])
    play(match, 3, seed=1)
    match.remark(SAID[1], BLUE)
    match.take_back(2, RED)
    play(match, 100, seed=2)
    match.reveal()
    return match


def forged(match: Match[ToyState], **changes: object) -> Record:
    remark = next(record for record in match.records if record.kind == "remark")
    draft = msgspec.structs.replace(remark, **changes)
    return msgspec.structs.replace(draft, chain=record_chain(draft))


def test_remark_does_not_change_the_state() -> None:
    match = new_match()
    before = match.state
    record = match.remark(SAID[0], RED)
    assert match.state is before
    assert (record.kind, record.role, record.events) == ("remark", RED, ())
    assert remark_text(record) == SAID[0]


def test_remark_whitespace_is_collapsed() -> None:
    assert remark_text(new_match().remark("  two\t words\n")) == "two words"


@pytest.mark.parametrize("audience", AUDIENCES)
def test_every_copy_contains_every_remark(game: Match[ToyState], audience: Role | None) -> None:
    copy = followed(game, audience)
    assert [text for each in copy.records if (text := remark_text(each))] == list(SAID)
    assert copy.own_view_digest() == game.view_digest(audience)


def test_record_with_remarks_verifies_and_resumes(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    match = new_match(LogWriter.create(path), "short")
    play(match, 2)
    match.remark(SAID[0])
    match.close()
    again = Match.resume(path, TOY)
    play(again, 100)
    again.close()
    assert verify_file(path, TOY).status == "ok"


def test_both_text_forms_round_trip_remarks(game: Match[ToyState]) -> None:
    lines = list(text_lines(TOY, game.header, game.records))
    assert f'1 remark - "{SAID[0]}"' in lines
    assert all(line.isascii() for line in lines)
    data = log_bytes(game.header, game.records)
    assert log_bytes(*read_text(lines, TOY)) == data
    assert log_bytes(*read_json_lines(list(json_lines(game.header, game.records)))) == data


@pytest.mark.parametrize("word", ["", "plain", '"', "[" * 9_999, '"a" "b"'])
def test_imported_remark_without_quotation_marks_is_refused(
    game: Match[ToyState], word: str
) -> None:
    lines = list(text_lines(TOY, game.header, game.records))
    at = lines.index(f'1 remark - "{SAID[0]}"')
    with pytest.raises(ImportRefusedError):
        read_text([*lines[:at], f"1 remark - {word}", *lines[at + 1 :]], TOY)


@pytest.mark.parametrize(
    "text", ["", " ", "x" * (MAX_LENGTH + 1), "a\x1b[2Jb", "bell\x07", "\x9b2J"]
)
def test_empty_oversized_and_control_character_remarks_are_refused(text: str) -> None:
    match = new_match()
    with pytest.raises(UnreadableError):
        match.remark(text)
    assert match.seq == 0


def test_remark_after_the_reveal_is_refused() -> None:
    with pytest.raises(MatchError, match="revealed"):
        finished().remark(SAID[0])


@pytest.mark.parametrize(
    "text",
    ["a  b", " a", "a\nb", "x" * (MAX_LENGTH + 1), ""],
    ids=["two", "lead", "line", "long", "no"],
)
def test_forged_remark_text_is_refused(game: Match[ToyState], text: str) -> None:
    entry = complete_entry(TOY, Remark(text=text), derive_salt(SECRET, 1, 0))
    with pytest.raises(BrokenChainError, match="unreadable"):
        check_shape(forged(game, command=entry))


def test_hidden_remark_or_remark_with_a_command_or_events_is_refused(
    game: Match[ToyState], tmp_path: Path
) -> None:
    remark, command = game.records[1], game.records[2]
    assert remark.command is not None
    assert command.command is not None
    hidden = msgspec.structs.replace(remark.command, salt=None)
    wrong: Sequence[dict[str, object]] = (
        {"command": hidden},
        {"command": None},
        {"command": command.command},
        {"events": game.records[2].events or game.records[0].events},
        {"kind": "command"},
    )
    for number, changes in enumerate(wrong):
        records = linked(game.header, [game.records[0], forged(game, **changes)])
        path = tmp_path / f"{number}.fplog"
        write_log(path, game.header, records)
        assert verify_file(path, TOY).status in {"false", "unreadable"}, changes


def test_remark_role_distinguishes_players_from_the_narrator(game: Match[ToyState]) -> None:
    assert [each.role for each in game.records if remark_text(each)] == [NOBODY, BLUE]
