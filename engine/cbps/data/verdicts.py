"""The outcome of each printed victory level: a US win, a draw, or a US loss (15.1)."""

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
"""The verdict of each level by name. Levels of a custom scenario specify their own verdicts."""
