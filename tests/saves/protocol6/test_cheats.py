"""Cheating hosts and peers are named for what they did, and honest ones never are."""

import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import pytest

from engine.eots.ruleset import EOTS
from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from saves.codec import AnyGame
from saves.headers import Header
from saves.logfile import log_bytes
from saves.records import Record
from saves.redaction import redact_header, redact_record
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.saves import second_reader
from tests.saves.protocol6.cheats import HOSTS, Forgery
from tests.saves.protocol6.joint import Table
from tests.sizes import sampled, sized
from tests.toy_game import TOY

pytestmark = pytest.mark.series("F3")


@lru_cache(maxsize=256)
def honest(game: AnyGame, seed: int) -> Table:
    """Return an honest game, which the cheats do not modify."""
    secret = random.Random(f"secret of game {seed}").randbytes(32)
    if game is TOY:
        return Table(secret=secret).finish(seed)
    info = next(each for each in game.scenarios() if each.id in {"1943", "total-war"})
    table = Table(game, info.id, {}, info.roles, secret)
    table.play(40, seed)
    return table


def verdicts(
    folder: Path,
    game: AnyGame,
    header: Header,
    records: Sequence[Record],
    audiences: Sequence[Role | None],
) -> Iterator[Verdict]:
    """Yield the verdict on the full copy, then those on the other copies."""
    path = folder / "checked.fplog"
    path.write_bytes(log_bytes(header, records))
    yield verify_file(path, game)
    for audience in audiences:
        told = [redact_record(game, record, audience) for record in records]
        path.write_bytes(log_bytes(redact_header(header, audience), told))
        yield verify_file(path, game)


def check_named(folder: Path, game: AnyGame, forgery: Forgery) -> None:
    """Check that each copy that shows the forgery is called false, with its record and its kind."""
    for found in verdicts(folder, game, forgery.header, forgery.records, forgery.shows):
        assert found.status == "false", f"{found.audience}: {forgery.words}"
        assert found.finding is not None
        assert re.search(forgery.words, found.finding.problem), found.finding.problem
        assert found.finding.record == forgery.record, str(found.finding)


@pytest.mark.full
@pytest.mark.parametrize("name", sampled([*HOSTS], 6, of="cheats"))
def test_cheating_host_is_detected_at_the_forged_record(tmp_path: Path, name: str) -> None:
    made, wanted = 0, sized(10, 100, of="toy games of each cheating host")
    for seed in range(3 * wanted):
        forgery = HOSTS[name](honest(TOY, seed), random.Random(seed))
        if forgery is not None:
            check_named(tmp_path, TOY, forgery)
            made += 1
        if made == wanted:
            return
    pytest.fail(f"only {made} games")


def test_honest_games_are_never_reported_false(tmp_path: Path) -> None:
    for seed in range(sized(10, 100, of="honest toy games")):
        table = honest(TOY, seed)
        audiences = (*table.keys, None)
        records = table.match.records
        for found in verdicts(tmp_path, TOY, table.match.header, records, audiences):
            assert (found.status, found.finding) == ("ok", None)


@pytest.mark.full
@pytest.mark.parametrize("game", [EOTS, QMG], ids=["eots", "qmg"])
def test_cheating_host_of_a_full_game_is_detected(tmp_path: Path, game: AnyGame) -> None:
    table = honest(game, 1)
    found = list(verdicts(tmp_path, game, table.match.header, table.match.records, ()))
    assert [each.status for each in found] == ["ok"]
    data = log_bytes(table.match.header, table.match.records)
    assert (
        second_reader.check_parties(second_reader.read(data)) == len(table.keys) + table.match.seq
    )
    made = 0
    names = sampled([*HOSTS], 8, of="cheating hosts of 1943 and of Quartermaster General")
    for name in names:
        forgery = HOSTS[name](table, random.Random(name))
        if forgery is not None:
            check_named(tmp_path, game, forgery)
            made += 1
    assert 2 * made > len(names)
