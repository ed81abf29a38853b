"""Names as shown to players."""

from functools import cache
from typing import Final

from engine.cbps.game_data import standard_game_data
from engine.cbps.ids import GUAM, TASK_FORCE

_BUTAI_DIGITS: Final = 2
"""Maximum number of digits in a Butai number. Hex ids have more."""
_COMMANDERS: Final = {
    "us": "the commander",
    "us-2": "the second commander",
    "us-3": "the third commander",
    "us-4": "the fourth commander",
}


@cache
def display_name(word: str) -> str:
    """Return the printed name for an id in an event: ``Strike 3``, ``TG 58.2``, ``Butai 1``, ``Hornet F1``."""
    known_name = standard_game_data().names.get(word)
    if known_name is not None:
        return known_name
    if word == TASK_FORCE:
        return "TF 58"
    if word == GUAM:
        return word
    if word in standard_game_data().task_groups:
        return f"TG {word}"
    kind, separator, number = word.rpartition("-")
    if separator and kind in {"strike", "intercept", "search"}:
        return f"{kind.capitalize()} {number}"
    if separator and kind == "surface":
        return f"Surface TG {number}"
    if kind == "raid" or word.startswith("raid-"):
        return f"Raid {_raid_name(word.removeprefix('raid-'))}"
    if separator and len(number) == 1 and number.islower():
        return f"Raid {_raid_name(word)}"
    if word.isdigit() and len(word) <= _BUTAI_DIGITS:
        return f"Butai {word}"
    if len(word) == 1:
        return f"Force {word}"
    return word


def _raid_name(word: str) -> str:
    """Return the name of a raid as printed on its display, such as ``1-A``."""
    kind, separator, letter = word.rpartition("-")
    return f"{kind}-{letter.upper()}" if separator and len(letter) == 1 else word


def display_names(words: tuple[str, ...]) -> str:
    """Return a list of names, such as ``Hornet F1, Wasp F2 and Wasp F3``."""
    texts = [display_name(word) for word in words]
    if len(texts) < 2:  # noqa: PLR2004  # one, or none
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def box_name(word: str) -> str:
    """Return the name of a Japanese air-point box (9.12)."""
    return _BOXES.get(word, word)


_BOXES: Final = {
    "raid-a": "Raid A",
    "raid-b": "Raid B",
    "r12": "Return 12+",
    "r8": "Return 8-11",
    "r4": "Return 4-7",
    "r0": "Return 0-3",
    "landed": "Landed",
    "s1": "Servicing 1",
    "s2": "Servicing 2",
    "a3": "Available to 3 hexes",
    "a7": "Available to 7 hexes",
    "a11": "Available to 11 hexes",
    "aall": "Available at all ranges",
    "lost": "Lost",
}


def commander_title(role: str) -> str:
    """Return the title of the commander in a seat."""
    return _COMMANDERS.get(role, role)
