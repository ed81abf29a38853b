"""Finds the scripts that test each Quartermaster General card, for ``docs/coverage.md``.

A script counts as a use if it plays or uses the card. It counts as a refusal if it mentions the card and expects it to
be refused, declined or without effect.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from engine.qmg.deck import CARDS, Ability, Card

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPTS: Final = ROOT / "tests" / "scripts" / "qmg" / "cards"
_PLAY_STEP: Final = {
    "on_play": "Play step",
    "play_alternative": "Play step (instead of a card)",
    "victory_bonus": "Victory step (scores)",
    "air_step": "Air step",
    "modifier": "always, while on the table",
}


class QmgCardRow(NamedTuple):
    """One card, its windows, and the scripts that test it."""

    card: Card
    windows: tuple[str, ...]
    use_script: str
    """File name of the script that uses the card legally; empty if there is no such script."""
    refusal_script: str
    """File name of the script in which the card is refused, declined or without effect; empty if no script does so."""


def window_texts(card: Card) -> tuple[str, ...]:
    """Return the steps and windows in which a card can be used, in words."""
    return tuple(dict.fromkeys(map(_window, card.abilities))) or ("Play step",)


def _window(ability: Ability) -> str:
    if ability.trigger is not None:
        return ability.trigger.event.replace("_", " ")
    return _PLAY_STEP[ability.kind]


def _shows_use(text: str, card: Card) -> bool:
    name = re.escape(card.id)
    if re.search(rf"^\w+: (?:play|use) {name}#\d+", text, re.MULTILINE):
        return True
    if card.type == "air_power":
        return bool(re.search(r"^\w+: (?:deploy|superiority) ", text, re.MULTILINE))
    return bool(re.search(rf"^setup status \w+ .*\b{name}\b", text, re.MULTILINE))


def _shows_refusal(text: str, card: Card) -> bool:
    """Return whether a script mentions the card and checks for a refusal or an expected result, such as no effect."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    is_mentioned = any(re.search(rf"\b{re.escape(card.id)}\b", line) for line in lines)
    return is_mentioned and any(line.startswith(("refuse ", "expect ")) for line in lines)


def rows() -> Iterator[QmgCardRow]:
    """Yield every card with its scripts, in the order of the game data."""
    for card in CARDS.values():
        use, refusal = (SCRIPTS / f"{card.id}.{kind}.script" for kind in ("use", "refused"))
        yield QmgCardRow(
            card,
            window_texts(card),
            use.name if use.exists() and _shows_use(_text(use), card) else "",
            refusal.name if refusal.exists() and _shows_refusal(_text(refusal), card) else "",
        )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def details(id: str) -> tuple[str, ...]:
    """Return a card's deck, when the card is usable, and the scripts that test it; empty if the card is unknown."""
    row = next((row for row in rows() if row.card.id == id.lower()), None)
    if row is None:
        return ()
    card = row.card
    return (
        f"{card.id} {card.name} ({card.deck}, {card.type.replace('_', ' ')})",
        f"Works in: {'; '.join(row.windows)}",
        f"Script with a legal use: {row.use_script or 'none'}",
        f"Script with a refusal, a decline or no effect: {row.refusal_script or 'none'}",
    )


def section() -> tuple[str, ...]:
    """Return the lines of this section of the document."""
    all_rows = tuple(rows())
    copy_count = sum(row.card.count for row in all_rows)
    used_count = sum(row.card.count for row in all_rows if row.use_script)
    refused_count = sum(row.card.count for row in all_rows if row.refusal_script)
    missing = [row.card.id for row in all_rows if not (row.use_script and row.refusal_script)]
    return (
        f"The game contains {copy_count} cards, of which {len(all_rows)} are different.",
        "",
        "| tested by a script | cards | of |",
        "| --- | --- | --- |",
        f"| a legal use | {used_count} | {copy_count} |",
        f"| a refusal, a decline or no effect | {refused_count} | {copy_count} |",
        "",
        f"Cards without one of these scripts: {', '.join(missing) or 'none'}.",
        "`tests/engine/qmg/test_window_matrix.py` tries every card that answers events in every other kind of",
        "window and expects a refusal.",
        "",
    )
