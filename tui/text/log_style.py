"""Chooses the tone of a log sentence by its wording."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from tui.drawing.colour_roles import TextRole


def log_tones(families: Sequence[tuple[str, TextRole]]) -> Callable[[str], TextRole]:
    """Return a function that returns the tone of the first pattern matching a sentence, or the plain tone.

    Args:
        families: Patterns and their tones, most important first.
    """
    tones_by_pattern = [(re.compile(pattern), tone) for pattern, tone in families]

    @lru_cache(2048)
    def tone_of(text: str) -> TextRole:
        return next(
            (tone for pattern, tone in tones_by_pattern if pattern.search(text)), TextRole.PLAIN
        )

    return tone_of
