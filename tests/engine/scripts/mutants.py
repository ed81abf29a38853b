"""Mutants of script lines, as they result from typing errors."""

import re
from collections.abc import Iterator
from copy import copy, deepcopy
from random import Random
from typing import Any, Final

from engine.scripts.runner import Runner

ODD_NUMBERS: Final = (
    *("0", "-0", "-1", "+1", "01", "1.0", "1e9", "1_0", "0x1", "999999999999"),
    *("٣", "²", "Ⅷ", "½", "9" * 5000),
)
"""Numbers in spellings that a parser may misread, and some that are not numbers."""
ODD_WORDS: Final = (
    *("zz", "-", "-0", ".", "*", "+", "++", "#", ":", "=", "none", "no", "any", "nobody", "a+b"),
    *("\x1b[2J", ">", "'", "ö" * 300),
)


def line_mutants(line: str, others: list[str], chance: Random) -> Iterator[str]:
    """Yield each line that differs from a line by one typing error, once.

    Args:
        line: A valid line.
        others: Words that occur in lines of the game.
        chance: Picks among odd words.
    """
    yield from dict.fromkeys(
        one for one in _slips(line.split(), others, chance) if one.strip() and one != line
    )


def _slips(words: list[str], others: list[str], chance: Random) -> Iterator[str]:
    line = " ".join(words)
    for n, word in enumerate(words):
        before, behind = words[:n], words[n + 1 :]
        for changed in (
            [*before, *behind],
            before,
            [*before, word, word, *behind],
            [*before, word + word, *behind],
            [*before, *behind[:1], word, *behind[1:]],
            [*before, chance.choice(ODD_WORDS), *behind],
            [*before, chance.choice(others), *behind],
            [*before, word[:-1], *behind],
            [*before, word.upper(), *behind],
        ):
            yield " ".join(changed)
        if re.search(r"\d", word):
            for number in ODD_NUMBERS:
                yield " ".join([*before, re.sub(r"\d+", number, word, count=1), *behind])
    yield f"{line} {chance.choice(ODD_WORDS)}"
    yield f"{line} {chance.choice(others)}"
    yield f"expect no {words[-1]}"
    yield f"expect {words[-1]}"
    yield line.partition(":")[0] + ":"


def copied(runner: Runner[Any]) -> Runner[Any]:
    """Return an independent run that continues from the state of another one."""
    other = copy(runner)
    other.dice = deepcopy(runner.dice)
    other.options = dict(runner.options)
    other.log = list(runner.log)
    return other
