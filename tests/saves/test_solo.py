"""A game of one role against the system, with events whose kind is hidden."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from play.record_reader import merge_versions
from saves.entries import visible_entries, visible_events
from saves.follower import Follower
from saves.jsonlines import json_lines, read_json_lines
from saves.logfile import LogWriter, log_bytes, read_log, write_log
from saves.match import Match
from saves.records import Entry, Record
from saves.redaction import redact_record
from saves.textlog import read_text, text_lines
from saves.timeline import view_digest
from saves.verify import verify_file
from tests.saves.play import SECRET, play
from tests.toy_game import BLUE, RED, ChoiceMade, ToyState
from tests.toy_solo import SOLO

AUDIENCES = (RED, None)


@pytest.fixture
def match(tmp_path: Path) -> Match[ToyState]:
    """Return a finished game with a takeback, whose file is closed."""
    position = SOLO.position("middle", {})
    made = Match.create(
        SOLO, position, "middle", {}, (), SECRET, LogWriter.create(tmp_path / "full.fplog")
    )
    play(made, 9, seed=1)
    made.close()
    made = Match[ToyState].resume(tmp_path / "full.fplog", SOLO)
    made.take_back(4, RED)
    play(made, 10_000, seed=2)
    made.reveal()
    made.close()
    return made


def copied(match: Match[ToyState], role: Role | None, folder: Path) -> Path:
    """Write a role's copy."""
    path = folder / f"{role}.fplog"
    write_log(path, match.redacted_header(role), list(match.redacted_records(role)))
    return path


def hidden(record: Record) -> list[int]:
    """Return the places of the events whose kind is hidden."""
    return [place for place, entry in enumerate(record.events) if entry.body is None]


def test_solo_game_verifies_and_may_end_without_a_winning_role(
    match: Match[ToyState], tmp_path: Path
) -> None:
    assert verify_file(tmp_path / "full.fplog", SOLO).finding is None
    assert SOLO.roles(match.state) == (RED,)
    ended = SOLO.outcome(match.state)
    assert ended is not None
    assert ended.winner in {RED, None}


@pytest.mark.parametrize("role", AUDIENCES)
def test_copy_hides_event_kinds_and_shows_the_same_view(
    match: Match[ToyState], tmp_path: Path, role: Role | None
) -> None:
    path = copied(match, role, tmp_path)
    alone = verify_file(path, SOLO)
    assert (alone.finding, alone.chain) == (None, match.chain.hex())
    assert verify_file(path, SOLO, against=tmp_path / "full.fplog").finding is None
    follower = Follower[ToyState].create(SOLO, match.redacted_header(role))
    places = 0
    for record in read_log(path).records:
        follower.receive(record)
        assert follower.own_view_digest() == view_digest(SOLO, match.state_at(record.seq), role)
        whole = visible_events(SOLO, match.records[record.seq])
        assert [isinstance(event, ChoiceMade) and event.role == BLUE for event in whole] == [
            place in hidden(record) for place in range(len(whole))
        ]
        assert all(
            (entry.tag, entry.v, entry.salt) == ("", 0, None)
            for entry in record.events
            if entry.body is None
        )
        assert (
            len(visible_events(SOLO, record))
            == len(visible_entries(record))
            == len(whole) - len(hidden(record))
        )
        places += len(hidden(record))
    assert places > 10


def test_hidden_event_kind_cannot_be_replaced(match: Match[ToyState], tmp_path: Path) -> None:
    records = list(match.redacted_records(RED))
    record = next(each for each in records[1:] if hidden(each))
    place = hidden(record)[0]
    lie = ChoiceMade(role=BLUE, choice=None)
    entry = msgspec.structs.replace(
        record.events[place], tag="choice-made", v=1, body=msgspec.msgpack.encode(lie)
    )
    events = (*record.events[:place], entry, *record.events[place + 1 :])
    records[record.seq] = msgspec.structs.replace(record, events=events)
    path = tmp_path / "lie.fplog"
    write_log(path, match.redacted_header(RED), records)
    found = verify_file(path, SOLO, against=tmp_path / "full.fplog").finding
    assert found is not None
    assert (found.record, found.event) == (record.seq, place)
    assert found.problem == "the copy shows a different 'choice-made'"


def test_full_copy_with_a_hidden_event_kind_is_refused(
    match: Match[ToyState], tmp_path: Path
) -> None:
    record = match.records[3]
    nothing = Entry(
        tag="", v=0, body=None, commitment=record.events[0].commitment, salt=record.events[0].salt
    )
    for entry in (nothing, msgspec.structs.replace(nothing, salt=None)):
        records = list(match.records)
        records[3] = msgspec.structs.replace(record, events=(entry, *record.events[1:]))
        path = tmp_path / "holes.fplog"
        path.write_bytes(log_bytes(match.header, records))
        found = verify_file(path, SOLO).finding
        assert found is not None
        assert (found.record, found.event) == (3, 0)


@pytest.mark.parametrize("role", AUDIENCES)
def test_exports_preserve_hidden_events(match: Match[ToyState], role: Role | None) -> None:
    header, records = match.redacted_header(role), list(match.redacted_records(role))
    back = read_json_lines(list(json_lines(header, records)))
    assert log_bytes(*back) == log_bytes(header, records)
    assert "blue has chosen" not in "\n".join(text_lines(SOLO, header, records))
    assert "blue has chosen" in "\n".join(text_lines(SOLO, match.header, match.records))
    again = read_text(list(text_lines(SOLO, match.header, match.records)), SOLO)
    assert log_bytes(*again) == log_bytes(match.header, match.records)
    assert [redact_record(SOLO, record, role) for record in records] == records


def test_merged_copies_show_event_kinds_visible_in_either_copy(match: Match[ToyState]) -> None:
    full = next(record for record in match.records[1:] if len(record.events) > 1)
    seen = redact_record(SOLO, full, RED)
    blank = msgspec.structs.replace(seen, events=tuple(_blank(entry) for entry in seen.events))
    assert visible_events(SOLO, merge_versions((blank, seen))) == visible_events(SOLO, seen)
    assert visible_events(SOLO, merge_versions((blank, full))) == visible_events(SOLO, full)
    assert visible_events(SOLO, merge_versions((blank, blank))) == ()


def _blank(entry: Entry) -> Entry:
    return Entry(tag="", v=0, body=None, commitment=entry.commitment, salt=None)
