"""What the printed levels of victory mean: the US side has won, nobody has, or the game has (15.1)."""

from collections.abc import Mapping
from typing import Final

from engine.cbps.ids import Verdict

VERDICTS: Final[Mapping[str, Verdict]] = {
    **dict.fromkeys(
        (
            "overwhelming US victory",
            "substantial US victory",
            "incomplete US victory",
            "incomplete US victory (the historical result)",
            "decisive",
            "US win",
            "brilliant",
            "good",
        ),
        "won",
    ),
    **dict.fromkeys(("mixed result", "even", "fair"), "drawn"),
    **dict.fromkeys(
        (
            "US defeat",
            "humiliating US defeat",
            "Japanese win",
            "failure",
            "setback",
            "poor",
        ),
        "lost",
    ),
}
"""Verdict of each level by its words. A level of a user's own scenario names its verdict itself."""
