"""Records of the three games: games saved, verified, replayed, redacted, truncated and changed."""

import random
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State as CbpsState
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from engine.qmg.state import State as QmgState
from engine.registry import ruleset
from saves.chain import first_chain, record_chain
from saves.codec import Packed, codec
from saves.entries import decode_command, visible_events
from saves.headers import OwnData, own_data_digest
from saves.logfile import LogWriter, log_bytes, read_log, write_log
from saves.match import Match
from saves.segment_verifier import LONG_RECORDS
from saves.textlog import read_text, text_lines
from saves.timeline import view_digest
from saves.verify import verify_file, verify_files
from tests.saves.play import SECRET, check_copy
from tests.sizes import ALL, sampled, sized

CBPS_PLAYED: Final = {
    "1": ({}, Habit.BUSY),
    "5": ({"staff": "two"}, Habit.BUSY),
    "6": ({"staff": "three", "surface-combat": "on"}, Habit.BY_VERB),
}
"""Scenarios with their options and the player's habit."""
PLAYED: Final = [
    *(("cbps", scenario) for scenario in sampled(sorted(CBPS_PLAYED), 1)),
    *(("qmg", scenario) for scenario in sampled([info.id for info in QMG.scenarios()], 1)),
    ("eots", "1943"),
]
LONGEST: Final = {"eots": 120}
"""Records of a game that is not played to its end."""
UNASKED, TAKEN_BACK = 20, {"cbps": 100, "qmg": 100, "eots": 20}
"""One of this number of commands is not asked for, or is followed by a takeback."""
CHANGES: Final = sized(20, 60, 600)
CUTS: Final = sized(4, 8, 200)
PACK: Final = msgspec.msgpack.Encoder().encode


def play(path: Path, game: str, scenario: str) -> Match[Any]:
    """Play a random game with commands at any time and takebacks."""
    options, habit = CBPS_PLAYED[scenario] if game == "cbps" else ({}, Habit.UNIFORM)
    rules = ruleset(game)
    position = rules.position(scenario, options)
    match: Match[Any] = Match.create(
        rules, position, scenario, options, (), SECRET, LogWriter.create(path)
    )
    finish(match, habit)
    return match


def finish(match: Match[Any], habit: Habit) -> None:
    """Play a game to its end, and reveal it, or play its first commands."""
    rng, player = random.Random(7), RandomPlayer(DerivedDice(SECRET, 9), habit)
    rules = match.ruleset
    roles = rules.roles(match.state)
    longest = LONGEST.get(rules.game, ALL)
    while (asked := rules.active_roles(match.state)) and match.seq < longest:
        role = rng.choice(asked)
        question: Any = rules.decision(match.state, role)
        command: Any = player.choose(rules.project(match.state, role), question)
        other = rng.choice(roles)
        if not rng.randrange(UNASKED) and (free := rules.free_actions(match.state, other)):
            role, command = other, rng.choice(free)
        match.submit(role, command, match.seq)
        if not rng.randrange(TAKEN_BACK[rules.game]) and rules.outcome(match.state) is None:
            match.take_back(rng.randrange(max(0, match.seq - 5), match.seq), role)
    if not asked:
        match.reveal()


@pytest.fixture(scope="module", params=PLAYED, ids="-".join)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the record of a game."""
    path = tmp_path_factory.mktemp("played") / "game.fplog"
    play(path, *request.param).close()
    return path


@pytest.fixture(scope="module")
def match(path: Path) -> Match[Any]:
    match: Match[Any] = Match.resume(path)
    match.close()
    return match


def audiences(match: Match[Any]) -> tuple[Role | None, ...]:
    return (*match.ruleset.roles(match.state), None)


def test_complete_game_verifies(path: Path, match: Match[Any]) -> None:
    found = verify_file(path)
    assert found.status == "ok", str(found.finding)
    assert found.records == len(read_log(path).records)
    is_over = match.ruleset.outcome(match.state) is not None
    assert is_over == (match.ruleset.game not in LONGEST)


@pytest.mark.full
def test_every_copy_matches_the_match_and_passes_verification(
    tmp_path: Path, path: Path, match: Match[Any]
) -> None:
    for audience in audiences(match):
        check_copy(path, match, audience, tmp_path)


def test_p2_game_restored_after_each_event_equals_the_running_game(match: Match[Any]) -> None:
    """Events and positions are encoded after every command. Takebacks lead back to the stated record.

    The states of Quartermaster General are encoded after every event.
    """
    rules = match.ruleset
    load = codec(rules)
    read = msgspec.msgpack.Decoder(rules.position_type).decode
    read_state = msgspec.msgpack.Decoder(QmgState).decode
    for record in match.records:
        state = match.state_at(record.seq - 1) if record.seq else rules.initial_state()
        for event in visible_events(rules, record):
            again = load.event(*load.pack(event))
            assert again == event
            state = rules.evolve(state, again)
            if rules is QMG:
                state = read_state(PACK(state))
        if record.events:
            assert state == match.state_at(record.seq)
            data = PACK(rules.to_position(state))
            assert PACK(read(data)) == data
    assert match.state_at(match.seq) == match.state


def test_snapshot_restores_the_same_game(path: Path) -> None:
    plain: Match[Any] = Match.resume(path)
    assert plain.save_snapshot()
    plain.close()
    cached: Match[Any] = Match.resume(path)
    cached.close()
    rules = cached.ruleset
    assert cached._snapshot is not None
    assert cached.state == plain.state
    for role in rules.active_roles(plain.state):
        assert rules.decision(cached.state, role) == rules.decision(plain.state, role)
    assert view_digest(rules, cached.state, None) == view_digest(rules, plain.state, None)


def test_text_export_round_trips(path: Path, match: Match[Any]) -> None:
    log = read_log(path)
    lines = list(text_lines(match.ruleset, log.header, log.records))
    assert log_bytes(*read_text(lines)) == path.read_bytes()


def test_hidden_form_never_equals_a_complete_event(match: Match[Any]) -> None:
    """A salt marks complete entries, so a hidden form must never equal a complete event."""
    rules = match.ruleset
    pack = codec(rules).pack
    for audience in audiences(match):
        complete: set[Packed] = set()
        hidden: set[Packed] = set()
        for record in match.records:
            for event in visible_events(rules, record):
                (seen,) = rules.redact_all((event,), audience)
                (complete if seen == event else hidden).add(pack(seen))
            if record.command is not None and record.role is not None:
                command = decode_command(rules, record.command)
                order = rules.redact_command(command, record.role, audience)
                assert order is not None
                (complete if order == command else hidden).add(pack(order))
        assert not complete & hidden


def test_p11_changed_byte_is_detected(tmp_path: Path, path: Path, match: Match[Any]) -> None:
    data = path.read_bytes()
    changed_path = tmp_path / "changed.fplog"
    rng = random.Random(14)
    for _ in range(CHANGES):
        changed = bytearray(data)
        changed[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        changed_path.write_bytes(changed)
        found = verify_file(changed_path, match.ruleset)
        assert found.exit_code == 3
        assert found.finding is not None
        assert str(found.finding).isprintable()


def test_truncated_record_verifies_up_to_the_cut(
    tmp_path: Path, path: Path, match: Match[Any]
) -> None:
    data, whole = path.read_bytes(), read_log(path)
    cut_path = tmp_path / "cut.fplog"
    rng = random.Random(15)
    for _ in range(CUTS):
        cut = rng.randrange(whole.record_offsets[1], len(data))
        cut_path.write_bytes(data[:cut])
        found = verify_file(cut_path, match.ruleset)
        assert found.status == "ok", str(found.finding)
        complete = [start for start in (*whole.record_offsets[1:], len(data)) if start <= cut]
        assert found.records == len(complete)


@pytest.mark.full
def test_segments_give_the_same_verdict_as_one_process(tmp_path: Path) -> None:
    """States are sent to other processes and return with the same bytes."""
    path = tmp_path / "long.fplog"
    match = play(path, "cbps", "6")
    match.close()
    assert len(match.records) >= LONG_RECORDS
    (one,), (many,) = (tuple(verify_files([path], None, jobs)) for jobs in (1, 2))
    assert one.status == many.status == "ok", many.finding
    assert one == many


# -- data of the players' own


OWN: Final = b'{"format": "cbps-overlay/1", "tables": {"surprise": {"cells": {"1-10": "none"}}}}'


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the record of a game with the players' own charts."""
    path = tmp_path_factory.mktemp("own") / "own.fplog"
    position = CBPS.with_data(CBPS.position("5", {}), OWN)
    match = Match.create(CBPS, position, "5", {}, (), SECRET, LogWriter.create(path))
    finish(match, Habit.BUSY)
    match.close()
    return path


@pytest.mark.full
def test_record_with_custom_data_verifies_without_its_file(own: Path, tmp_path: Path) -> None:
    log = read_log(own)
    assert log.header.own_data == own_data_digest(OWN)
    found = verify_file(own)
    assert found.status == "ok", str(found.finding)
    match: Match[CbpsState] = Match.resume(own)
    match.close()
    assert CBPS.user_data(CBPS.to_position(match.state)) == OWN
    assert match.state.game_data.charts.surprise.look_up(10).result == "none"
    lines = list(text_lines(CBPS, log.header, log.records))
    assert log_bytes(*read_text(lines)) == own.read_bytes()
    check_copy(own, match, None, tmp_path)


@pytest.mark.parametrize("digest", [own_data_digest(b""), own_data_digest(OWN + b" ")])
def test_record_with_a_wrong_data_digest_is_false(
    own: Path, tmp_path: Path, digest: OwnData | msgspec.UnsetType
) -> None:
    log = read_log(own)
    header = msgspec.structs.replace(log.header, own_data=digest)
    forged, chain = tmp_path / "forged.fplog", first_chain(header)
    records = []
    for record in log.records:
        linked = msgspec.structs.replace(record, prev=chain)
        chain = record_chain(linked)
        records.append(msgspec.structs.replace(linked, chain=chain))
    write_log(forged, header, records)
    found = verify_file(forged)
    assert found.status == "false"
    assert "custom data" in str(found.finding)


def test_changed_overlay_in_the_record_is_detected(own: Path, tmp_path: Path) -> None:
    """A commitment covers the starting position, so that no chart in it can be replaced."""
    log = read_log(own)
    assert log.header.position is not None
    other = log.header.position.replace(b"cells", b"Cells", 1)
    header = msgspec.structs.replace(log.header, position=other)
    forged = tmp_path / "forged.fplog"
    write_log(forged, header, log.records)
    found = verify_file(forged)
    assert found.exit_code in {1, 3}
    assert found.finding is not None
