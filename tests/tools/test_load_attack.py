"""Attacks on a host during an honest match: they take place, the match continues, and its record is right."""

from collections.abc import Iterator

import pytest

from tests.sizes import sampled, sized
from tools.bench import load_attack
from tools.bench.attacks import ATTACKS

pytestmark = pytest.mark.series("N3", "N8", "N9")

NAMES = tuple(ATTACKS)[1:]
"""All attacks except the one that does nothing."""
CROWD = sized(30, 100, of="silent connections at a time")
_SMALL = f"from tools.bench import attacks\nattacks.CROWD = {CROWD}\n"


@pytest.fixture(scope="module", name="at")
def _at() -> Iterator[load_attack.AttackSetup]:
    with load_attack.attack_setup() as at:
        yield at


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_attack, "SECONDS", 0.5)
    monkeypatch.setattr(load_attack, "WARM_UP_SECONDS", 0.1)
    monkeypatch.setattr(load_attack, "SETTLE_SECONDS", 0.1)
    monkeypatch.setattr(load_attack, "_ATTACK", f"{_SMALL}{load_attack._ATTACK}")


@pytest.mark.full
@pytest.mark.parametrize("name", sampled(NAMES, 1, of="attacks"))
def test_honest_match_survives_an_attack(at: load_attack.AttackSetup, name: str) -> None:
    workers = 1 + NAMES.index(name) % 2
    found = load_attack.run_attack(at, name, workers)
    assert (found.attack, found.workers) == (name, workers)
    assert found.done > 0
    assert found.given
    assert found.back > 0
    assert (found.files, found.lost, found.verdict) == (0, 0, "ok")
    assert 0 < found.memory[0] <= found.memory[1]
    assert found.log_lines < 200


def test_the_table_has_a_cell_for_every_heading() -> None:
    endured = load_attack.AttackResult(
        attack="chat",
        workers=2,
        done=1_000,
        given=(1.0, 2.0, 300.0),
        back=0.5,
        memory=(1024, 3072, 2048),
        files=0,
        log_bytes=2_500,
        log_lines=12,
        lost=0,
        verdict="ok",
    )
    cells = dict(zip(load_attack.HEADINGS, load_attack.row(endured), strict=True))
    assert (cells["p50 ms"], cells["p99 ms"], cells["log kB"]) == ("2.00", "300", "2.50")
    assert (cells["MB before"], cells["most"], cells["after"]) == ("1", "3", "2")
