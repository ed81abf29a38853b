"""Random games of every scenario satisfy their invariants (P9, P2 in the small size), and the fuzzer finds errors."""

from typing import Any

import pytest
from typing_extensions import override

from engine.eots.ruleset import EOTS
from engine.kernel.ids import Role
from tests.sizes import sampled, sized
from tests.toy_six import SIX, SixCommand, SixState, ToySix
from tools.fuzz import HABITS, play

SCENARIOS = tuple(info.id for info in EOTS.scenarios())


@pytest.mark.series("P9")
@pytest.mark.parametrize("seed", range(sized(1, 10, 100, of="games of 1943")))
def test_games_of_1943_satisfy_invariants(seed: int) -> None:
    played = play(EOTS, "1943", seed)
    assert played.finding is None, played.finding
    assert played.result


@pytest.mark.series("P9", "P12")
@pytest.mark.parametrize(
    "scenario", sampled(SCENARIOS[::-1], 1, of="scenarios of Empire of the Sun")
)
def test_every_scenario_finishes(scenario: str) -> None:
    played = play(EOTS, scenario, 100 + len(scenario) * len(HABITS) + 2, sample_every=200)
    assert played.finding is None, played.finding
    assert played.result


@pytest.mark.full
def test_the_same_seed_gives_the_same_game() -> None:
    one, other = play(EOTS, "1943", 5), play(EOTS, "1943", 5)
    assert (one.commands, one.result) == (other.commands, other.result)


class _Broken:
    """The real rules with one bug added."""

    def __init__(self, flaw: str) -> None:
        self._flaw = flaw

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - stands for any member of the rules
        if name == self._flaw:
            return getattr(self, f"_{name}")
        return getattr(EOTS, name)

    def _violations(self, state: object) -> tuple[str, ...]:
        del state
        return ("a made-up violation",)


def test_broken_invariant_is_a_finding() -> None:
    rules: Any = _Broken("violations")
    played = play(rules, "1943", 3)
    assert played.finding is not None
    assert "made-up violation" in played.finding.problem


def test_endless_game_is_a_finding() -> None:
    played = play(EOTS, "1943", 1, max_commands=10)
    assert played.finding is not None
    assert "not finished after 10 commands" in played.finding.problem


@pytest.mark.full
def test_any_time_commands_are_tried_too() -> None:
    for seed in range(8):
        played = play(SIX, "middle", seed, sample_every=1)
        assert played.finding is None, played.finding


def test_any_time_commands_that_reveal_a_hand_are_a_finding() -> None:
    class Leaky(ToySix):
        @override
        def free_actions(self, state: SixState, role: Role) -> tuple[SixCommand, ...]:
            others = [cards for each, cards in state.hands.items() if each != role]
            return super().free_actions(state, role) if all(others[0]) else ()

    played = play(Leaky(), "middle", 1, sample_every=1)
    assert played.finding is not None
    assert "depend on hidden information" in str(played.finding)
