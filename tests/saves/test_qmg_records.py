"""Records of Quartermaster General: a whole game saved, verified, replayed, redacted, and with one byte changed."""

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from saves.codec import AnyGame, Packed, codec
from saves.entries import decode_command, visible_events
from saves.logfile import LogWriter, log_bytes, read_log
from saves.match import Match
from saves.textlog import read_text, text_lines
from saves.verify import verify_file
from tests.saves.play import SECRET, check_copy
from tests.sizes import sampled

GAME: AnyGame = QMG
SCENARIOS = [info.id for info in QMG.scenarios()]
AUDIENCES: tuple[Role | None, ...] = (*QMG.roles(QMG.initial_state()), None)
UNASKED = 0.05
TAKEN_BACK = 0.01
CHANGES = 60
_PACK = msgspec.msgpack.Encoder().encode
_LOAD = msgspec.msgpack.Decoder(State).decode


def play(path: Path, scenario: str) -> Match[State]:
    """Play a whole random game with commands at any time and takebacks."""
    position = QMG.position(scenario, {})
    match = Match.create(QMG, position, scenario, {}, (), SECRET, LogWriter.create(path))
    rng = random.Random(scenario)
    while asked := QMG.active_roles(match.state):
        role = rng.choice(asked)
        options: tuple[Any, ...] = QMG.decision(match.state, role).options
        other = rng.choice(AUDIENCES[:-1])
        assert other is not None
        if rng.random() < UNASKED and (free := QMG.free_actions(match.state, other)):
            role, options = other, free
        match.submit(role, rng.choice(options), match.seq)
        if rng.random() < TAKEN_BACK and QMG.outcome(match.state) is None:
            match.take_back(rng.randrange(max(0, match.seq - 5), match.seq), role)
    match.reveal()
    return match


@pytest.fixture(scope="module", params=sampled(SCENARIOS, 1))
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the record of a whole game."""
    scenario = str(request.param)
    path = tmp_path_factory.mktemp(scenario) / "game.fplog"
    play(path, scenario).close()
    return path


@pytest.fixture(scope="module")
def match(path: Path) -> Match[State]:
    match: Match[State] = Match.resume(path)
    match.close()
    return match


def test_a_whole_game_verifies(path: Path, match: Match[State]) -> None:
    found = verify_file(path)
    assert found.status == "ok", str(found.finding)
    assert found.records == len(read_log(path).records)
    assert QMG.outcome(match.state) is not None


@pytest.mark.full
def test_every_copy_sees_what_the_judge_shows_and_passes_the_audit(
    tmp_path: Path, path: Path, match: Match[State]
) -> None:
    for audience in AUDIENCES:
        check_copy(path, match, audience, tmp_path)


def test_p2_a_game_kept_after_each_event_is_the_running_game(match: Match[State]) -> None:
    """Events and states are encoded after every event. Takebacks lead back to the stated record."""
    states: list[State] = []
    for record in match.records:
        state = match.state_at(record.seq - 1) if record.seq else QMG.initial_state()
        for event in visible_events(QMG, record):
            again = codec(QMG).event(*codec(QMG).pack(event))
            assert again == event
            state = _LOAD(_PACK(QMG.evolve(state, again)))  # type: ignore[arg-type]  # read as an event of this game
        if visible_events(QMG, record):
            assert state == match.state_at(record.seq)
        states.append(match.state_at(record.seq))
    assert states[-1] == match.state


def test_a_snapshot_leads_to_the_same_game(path: Path) -> None:
    plain: Match[State] = Match.resume(path)
    assert plain.save_snapshot()
    plain.close()
    cached: Match[State] = Match.resume(path)
    cached.close()
    assert cached.state == plain.state


def test_text_gives_the_identical_file(path: Path) -> None:
    log = read_log(path)
    lines = list(text_lines(QMG, log.header, log.records))
    assert log_bytes(*read_text(lines)) == path.read_bytes()


def test_no_hidden_form_equals_an_open_event(match: Match[State]) -> None:
    """A salt marks complete entries, so a hidden form must never equal a complete event."""
    pack = codec(QMG).pack
    for audience in AUDIENCES:
        complete: set[Packed] = set()
        hidden: set[Packed] = set()
        for record in match.records:
            for event in visible_events(GAME, record):
                (seen,) = GAME.redact_all((event,), audience)
                (complete if seen == event else hidden).add(pack(seen))
            command = None if record.command is None else decode_command(GAME, record.command)
            if command is not None and record.role is not None:
                order = GAME.redact_command(command, record.role, audience)
                assert order is not None
                (complete if order == command else hidden).add(pack(order))
        assert not complete & hidden


def test_p11_a_changed_byte_is_named(tmp_path: Path, path: Path) -> None:
    data = path.read_bytes()
    changed_path = tmp_path / "changed.fplog"
    rng = random.Random(14)
    for _ in range(CHANGES):
        changed = bytearray(data)
        changed[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        changed_path.write_bytes(changed)
        found = verify_file(changed_path, QMG)
        assert found.exit_code == 3
        assert found.finding is not None
        assert str(found.finding).isprintable()
