"""Defines what is measured for each game, and the targets."""

from typing import Final, NamedTuple

from engine.registry import AnyRuleset, ruleset
from tools.bench.measure import BenchmarkTarget


class BenchmarkProfile(NamedTuple):
    """The benchmark settings for one game: a representative scenario, and the targets."""

    game: str
    scenario: str
    suffix: str
    """Suffix of the row names; empty for the first game."""
    checks: int
    """Number of finished games to verify. Greedy play is timed over the same number of games."""
    verify: BenchmarkTarget
    """Target for verification, in commands per second."""
    play: BenchmarkTarget
    """Target for random play, in commands per second or games per second."""
    in_games: bool
    """True if the speed of random play is measured in games per second; False for commands per second."""

    @property
    def rules(self) -> AnyRuleset:
        """The game's ruleset."""
        return ruleset(self.game)

    @property
    def play_rate_unit(self) -> str:
        """The unit of the random play speed."""
        return "games/s" if self.in_games else "commands/s"


_QMG_VERIFY: Final = BenchmarkTarget(first=5_000, aim=17_000, more_is_better=True)
_QMG_PLAY: Final = BenchmarkTarget(first=8, aim=40, more_is_better=True)

PROFILES: Final = (
    BenchmarkProfile(
        "eots",
        "1943",
        "",
        5,
        BenchmarkTarget(first=2_000, aim=17_000, more_is_better=True),
        BenchmarkTarget(first=700, aim=6_600, more_is_better=True),
        in_games=False,
    ),
    BenchmarkProfile("qmg", "base", "-qmg", 10, _QMG_VERIFY, _QMG_PLAY, in_games=True),
    BenchmarkProfile(
        "qmg", "total-war", "-qmg-total-war", 10, _QMG_VERIFY, _QMG_PLAY, in_games=True
    ),
    BenchmarkProfile(
        "cbps",
        "6",
        "-cbps",
        5,
        BenchmarkTarget(first=10_000, aim=17_000, more_is_better=True),
        BenchmarkTarget(first=700, aim=6_600, more_is_better=True),
        in_games=False,
    ),
)
