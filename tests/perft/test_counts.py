"""Every position has the same number of command sequences as before (P4). Differences are reported by first command."""

from pathlib import Path
from typing import Final

import pytest

from engine.kernel.ids import Role
from engine.registry import games, ruleset
from tests.golden_games.corpus import plans
from tests.perft.count import count, divide, position
from tests.sizes import ALL, sampled, sized

pytestmark = pytest.mark.series("P4")

LINES: Final = (Path(__file__).parent / "counts.txt").read_text(encoding="ascii").splitlines()
COUNTS = {
    (name, role, int(depth)): int(count) for name, role, depth, count in map(str.split, LINES)
}
PLACES = sized(20, 1_500, ALL, of="positions before the last command of a count at most")


@pytest.mark.parametrize(
    ("name", "role", "depth", "wanted"),
    sampled(
        [
            pytest.param(name, Role(role), depth, wanted, id=f"P4-{name}-{role}-{depth}")
            for (name, role, depth), wanted in COUNTS.items()
            if COUNTS.get((name, role, depth - 1), 1) <= PLACES
        ],
        138,
        of="counts",
    ),
)
def test_sequence_count_matches(name: str, role: Role, depth: int, wanted: int) -> None:
    rules, state = position(name)
    found = count(rules, state, role, depth)
    parts = (f"{line}: {number}" for line, number in divide(rules, state, role, depth))
    assert found == wanted, "\n".join(parts)


def test_every_scenario_has_a_start_position_and_game_positions() -> None:
    positions = {name.partition("@")[0] for name, _, _ in COUNTS}
    for game in games():
        for info in ruleset(game).scenarios():
            assert f"{game}-{info.id}" in positions
            of = {plan.name for plan in plans() if (plan.game, plan.scenario) == (game, info.id)}
            assert of & positions
