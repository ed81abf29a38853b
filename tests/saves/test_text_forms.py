"""Games as text and as JSON lines, converted back to the identical file."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.headers import Seat
from saves.jsonlines import ImportRefusedError, _decode_fields, json_lines, read_json_lines
from saves.logfile import log_bytes
from saves.match import Match
from saves.textlog import read_text, text_lines
from tests.saves.play import AUDIENCES, SECRET, finished, new_match, play
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY, ToyGame, ToyState


@pytest.fixture(scope="module")
def game() -> Match[ToyState]:
    match = new_match(scenario="short")
    play(match, 8, seed=1)
    match.take_back(5, BLUE)
    play(match, 100, seed=2)
    match.reveal()
    return match


def text(match: Match[ToyState]) -> list[str]:
    return list(text_lines(TOY, match.header, match.records))


def test_text_has_one_line_per_command_with_comments(game: Match[ToyState]) -> None:
    lines = text(game)
    assert lines[0] == "flagplot game 1"
    assert 'seats [{"role": "red", "player": "Rosa", "seat_id": "key-red"}' in "\n".join(lines)
    steps = [line for line in lines if line[0].isdigit()]
    assert len(steps) == len(game.records)
    assert steps[0] == "0 opening"
    assert steps[9] == "9 takeback 5 blue"
    assert steps[-1] == f"{game.seq} reveal"
    assert lines[-1] == f"chain {game.chain.hex()}"
    assert any(line.startswith("# The choices:") for line in lines)


@settings(max_examples=sized(3, 30, 1_000))
@given(st.integers(0, 10_000), st.integers(0, 80))
def test_both_text_forms_round_trip(seed: int, steps: int) -> None:
    match = new_match()
    play(match, steps, seed, takebacks=0.1)
    data = log_bytes(match.header, match.records)
    assert log_bytes(*read_text(text(match), TOY)) == data
    assert log_bytes(*read_json_lines(list(json_lines(match.header, match.records)))) == data


@pytest.mark.parametrize("audience", AUDIENCES)
def test_json_lines_of_redacted_copies_round_trip(
    game: Match[ToyState], audience: Role | None
) -> None:
    header, records = game.redacted_header(audience), list(game.redacted_records(audience))
    lines = list(json_lines(header, records))
    assert log_bytes(*read_json_lines(lines)) == log_bytes(header, records)
    assert all(line.isascii() for line in lines)


@pytest.mark.parametrize(
    "number", ["9" * 5_000, "-1", "٣", ""], ids=["long", "negative", "arabic", "none"]
)
def test_takeback_to_a_missing_record_is_refused_in_one_sentence(
    game: Match[ToyState], number: str
) -> None:
    lines = [line.replace("9 takeback 5 blue", f"9 takeback {number} blue") for line in text(game)]
    with pytest.raises(ImportRefusedError, match="does not name a record"):
        read_text(lines, TOY)


def test_redacted_text_hides_secrets_and_import_is_refused(game: Match[ToyState]) -> None:
    header, records = game.redacted_header(None), list(game.redacted_records(None))
    lines = list(text_lines(TOY, header, records))
    assert any(line.endswith(" red ?") for line in lines)
    assert SECRET.hex() not in "\n".join(lines)
    with pytest.raises(ImportRefusedError, match="redacted copy"):
        read_text(lines, TOY)


def test_custom_position_round_trips() -> None:
    position = TOY.to_position(finished().state)
    match = Match.create(TOY, position, "", {}, (), SECRET)
    assert log_bytes(*read_text(text(match), TOY)) == log_bytes(match.header, match.records)


def test_unusual_player_names_round_trip() -> None:
    seats = (Seat(role=RED, player='# "x"\n\x1b[2J \u202e\ud7ff', seat_id=""),)
    position = TOY.position("short", {})
    match = Match.create(TOY, position, "short", {}, seats, SECRET)
    lines = text(match)
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert read_text(lines, TOY)[0] == match.header


class OtherToy(ToyGame):
    version = 7


def test_text_of_different_rules_is_refused(game: Match[ToyState]) -> None:
    with pytest.raises(ImportRefusedError, match="different rules"):
        read_text(text(game), OtherToy())


@pytest.mark.parametrize("seed", range(5))
def test_changed_text_is_refused_in_one_sentence(game: Match[ToyState], seed: int) -> None:
    lines = text(game)
    for at, line in enumerate(lines):
        if line.startswith("#"):
            continue
        words = line.split(" ")
        words[seed % len(words)] += "7"
        changed = [*lines[:at], " ".join(words), *lines[at + 1 :]]
        with pytest.raises(FlagplotError) as refused:
            read_text(changed, TOY)
        assert "\n" not in str(refused.value)
        with pytest.raises(FlagplotError):
            read_text(lines[:at] + lines[at + 1 :], TOY)


@pytest.mark.parametrize("seed", range(3))
def test_changed_json_lines_are_refused_in_one_sentence(game: Match[ToyState], seed: int) -> None:
    lines = list(json_lines(game.header, game.records))
    for at, line in enumerate(lines):
        plain = json.loads(line)
        name = list(plain)[seed % len(plain)]
        plain[name] = {"tag": "x"} if plain[name] != {"tag": "x"} else 5
        for changed in (json.dumps(plain), line[:-3], "[" * 3000, "\ud800"):
            with pytest.raises(FlagplotError) as refused:
                read_json_lines([*lines[:at], changed, *lines[at + 1 :]])
            assert "\n" not in str(refused.value)


def test_empty_import_is_refused() -> None:
    with pytest.raises(ImportRefusedError, match="nothing"):
        read_json_lines([])
    with pytest.raises(ImportRefusedError, match="does not begin"):
        read_text([], TOY)


@pytest.mark.full
@given(
    st.dictionaries(
        st.text(max_size=3),
        st.recursive(
            st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | st.binary(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(0, 9), inner),
            max_leaves=6,
        ),
    )
)
def test_bodies_are_exported_as_fields_only_if_lossless(body: dict[str, object]) -> None:
    data = msgspec.msgpack.encode(body)
    fields = _decode_fields(data)
    if fields is not None:
        assert msgspec.msgpack.encode(json.loads(json.dumps(fields))) == data


def test_deeply_nested_fields_come_back(game: Match[ToyState]) -> None:
    opening, *later = game.records
    for depth in range(900, 1_020, 3):
        body = b"\x81\xa1a" * depth + b"\x80"
        entry = msgspec.structs.replace(opening.events[0], body=body)
        records = [msgspec.structs.replace(opening, events=(entry, *opening.events[1:])), *later]
        lines = list(json_lines(game.header, records))
        assert read_json_lines(lines) == (game.header, records), depth


def test_crlf_text_file_is_read_completely(tmp_path: Path, game: Match[ToyState]) -> None:
    path = tmp_path / "game.txt"
    path.write_text("\r\n".join(text(game)) + "\r\n\r\n")
    assert read_text(path.read_text().splitlines(), TOY)[1] == game.records
