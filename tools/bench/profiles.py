"""What is measured of each game, and what it shall reach."""

from typing import Final, NamedTuple

from engine.registry import AnyRuleset, ruleset
from tools.bench.measure import Goal


class Profile(NamedTuple):
    """A scenario that stands for its game."""

    game: str
    scenario: str
    suffix: str
    """Behind the names of its rows; empty for the first game."""
    checks: int
    """Finished games that are verified, and games of greedy bots that are timed."""
    verify: Goal
    """Commands per second."""
    play: Goal
    """Per second of random play: commands, or whole games."""
    in_games: bool
    """True when random play is counted in whole games."""

    @property
    def rules(self) -> AnyRuleset:
        """Return the rules of the game."""
        return ruleset(self.game)

    @property
    def unit(self) -> str:
        """Return the unit of random play."""
        return "games/s" if self.in_games else "commands/s"


_QMG_VERIFY: Final = Goal(first=5_000, aim=17_000, more_is_better=True)
_QMG_PLAY: Final = Goal(first=8, aim=40, more_is_better=True)

PROFILES: Final = (
    Profile(
        "eots",
        "1943",
        "",
        5,
        Goal(first=2_000, aim=17_000, more_is_better=True),
        Goal(first=700, aim=6_600, more_is_better=True),
        in_games=False,
    ),
    Profile("qmg", "base", "-qmg", 10, _QMG_VERIFY, _QMG_PLAY, in_games=True),
    Profile("qmg", "total-war", "-qmg-total-war", 10, _QMG_VERIFY, _QMG_PLAY, in_games=True),
    Profile(
        "cbps",
        "6",
        "-cbps",
        5,
        Goal(first=10_000, aim=17_000, more_is_better=True),
        Goal(first=700, aim=6_600, more_is_better=True),
        in_games=False,
    ),
)
