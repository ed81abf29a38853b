"""Saves of released schemas are kept permanently, and load and verify in the current program."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.ids import Role
from saves.codec import AnyGame
from saves.framing import scan
from saves.headers import SPECTATOR, rules_differ
from saves.logfile import log_bytes, read_log
from saves.terms import current_terms
from saves.timeline import Timeline
from saves.upcasts import UPCASTS
from saves.verify import verify_file
from tests.golden_games.corpus import unpacked
from tests.toy_game import TOY
from tests.toy_staff import TOY_STAFF

pytestmark = pytest.mark.series("P1", "P8")

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.fplog"))
PACKED = sorted(GOLDEN.glob("*.xz"))
CHAINS = dict(line.split() for line in (GOLDEN / "chains.txt").read_text().splitlines())
TOYS: Mapping[str, AnyGame] = {"toy": TOY, "staff": TOY_STAFF}


def game_named(name: str) -> AnyGame:
    return TOYS[name] if name in TOYS else registry.ruleset(name)


def test_every_golden_save_has_its_chain_pinned() -> None:
    assert sorted(CHAINS) == [path.name for path in FILES]
    assert len(FILES) >= 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_saves_always_load(path: Path) -> None:
    log = read_log(path)
    game = game_named(log.header.game)
    timeline = Timeline(game)
    timeline.load(log.records)
    assert log.records[-1].chain.hex() == CHAINS[path.name]
    role = None if log.header.audience in {"*", SPECTATOR} else Role(log.header.audience)
    assert game.project(timeline.state, role) is not None
    outcome = current_terms(game, log.header, log.records).outcome(timeline.state)
    assert (outcome is not None) == (log.records[-1].kind == "reveal")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_saves_of_current_rules_verify(path: Path) -> None:
    log = read_log(path)
    game = game_named(log.header.game)
    found = verify_file(path, game)
    assert found.status == "ok" or rules_differ(game, log.header), str(found.finding)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_saves_of_the_current_format_reencode_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    found = scan(path.name, data)
    assert log_bytes(found.header, found.records) == data


def test_every_upcast_has_a_golden_save_that_needs_it() -> None:
    held = set()
    logs = [read_log(path) for path in FILES]
    games = [(log.header, log.records) for log in logs]
    for header, records in (*games, *(unpacked(path.read_bytes()) for path in PACKED)):
        for record in records:
            held |= {(header.game, entry.tag, entry.v) for entry in record.events}
            if record.command is not None:
                held.add((header.game, record.command.tag, record.command.v))
    assert set(UPCASTS) <= held


def test_upcasts_have_no_gaps() -> None:
    for game, tag, v in UPCASTS:
        assert game in registry.games()
        assert v == 1 or (game, tag, v - 1) in UPCASTS
