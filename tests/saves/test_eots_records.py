"""Records of Empire of the Sun: the properties of the toy game's records hold for a real game."""

import random
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.kernel.ids import Role
from saves.codec import AnyGame, Packed, codec
from saves.entries import decode_command, visible_events
from saves.logfile import LogWriter, log_bytes, read_log
from saves.match import Match
from saves.textlog import read_text, text_lines
from saves.timeline import view_digest
from saves.verify import verify_file
from tests.saves.play import SECRET, check_copy

STEPS = 120


@pytest.fixture(scope="module")
def game() -> AnyGame:
    return registry.ruleset("eots")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, game: AnyGame) -> Path:
    """Return the record of random play with takebacks."""
    path = tmp_path_factory.mktemp("eots") / "game.fplog"
    position = game.position("1943", {})
    match = Match.create(game, position, "1943", {}, (), SECRET, LogWriter.create(path))
    rng = random.Random(3)
    while match.seq < STEPS and game.active_roles(match.state):
        role = rng.choice(game.active_roles(match.state))
        match.submit(role, rng.choice(game.decision(match.state, role).options), match.seq)
        if rng.random() < 0.05 and not game.outcome(match.state):
            match.take_back(rng.randrange(max(0, match.seq - 5), match.seq), role)
    match.close()
    return path


@pytest.fixture(scope="module")
def match(path: Path) -> Match[Any]:
    match: Match[Any] = Match.resume(path)
    match.close()
    return match


def audiences(game: AnyGame, match: Match[Any]) -> tuple[Role | None, ...]:
    return (*game.roles(match.state), None)


def test_a_game_verifies(path: Path) -> None:
    found = verify_file(path)
    assert found.status == "ok", str(found.finding)
    assert found.records == len(read_log(path).records)


@pytest.mark.full
def test_every_copy_sees_what_the_judge_shows_and_passes_the_audit(
    tmp_path: Path, path: Path, game: AnyGame, match: Match[Any]
) -> None:
    for audience in audiences(game, match):
        check_copy(path, match, audience, tmp_path)


def test_a_snapshot_leads_to_the_same_game(path: Path) -> None:
    plain: Match[Any] = Match.resume(path)
    assert plain.save_snapshot()
    plain.close()
    cached: Match[Any] = Match.resume(path)
    cached.close()
    assert cached._snapshot is not None
    assert cached.state == plain.state
    roles = cached.ruleset.active_roles(plain.state)
    for role in roles:
        assert cached.ruleset.decision(cached.state, role) == plain.ruleset.decision(
            plain.state, role
        )
    digests = {view_digest(copy.ruleset, copy.state, None) for copy in (plain, cached)}
    assert len(digests) == 1


def test_text_gives_the_identical_file(path: Path, game: AnyGame) -> None:
    log = read_log(path)
    lines = list(text_lines(game, log.header, log.records))
    assert log_bytes(*read_text(lines)) == path.read_bytes()


def test_no_hidden_form_equals_an_open_event(game: AnyGame, match: Match[Any]) -> None:
    """A salt marks complete entries, so a hidden form must never equal a complete event."""
    pack = codec(game).pack
    for audience in audiences(game, match):
        complete: set[Packed] = set()
        hidden: set[Packed] = set()
        for record in match.records:
            for event in visible_events(game, record):
                (seen,) = game.redact_all((event,), audience)
                (complete if seen == event else hidden).add(pack(seen))
            command = None if record.command is None else decode_command(game, record.command)
            seen_command = game.redact_command(command, record.role, audience) if command else None
            if seen_command is not None:
                (complete if seen_command == command else hidden).add(pack(seen_command))
        assert not complete & hidden
