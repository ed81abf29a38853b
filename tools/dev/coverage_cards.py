"""The cards of Quartermaster General in ``docs/coverage.md``: card by window, and the scripts that show both.

A use script counts when it plays or uses the card; a refusal script when it brings the card in and holds that it is
refused, declined or without effect.
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


class CardRow(NamedTuple):
    """What is shown of one card."""

    card: Card
    windows: tuple[str, ...]
    use: str
    """File name of the script with a legal use; empty when there is none."""
    refusal: str
    """File name of the script in which it is refused, declined or without effect; empty when there is none."""


def windows_of(card: Card) -> tuple[str, ...]:
    """Return when a card works, in words."""
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
    """Return whether a script brings the card in and holds what comes of it; one without effect may be played."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    is_there = any(re.search(rf"\b{re.escape(card.id)}\b", line) for line in lines)
    return is_there and any(line.startswith(("refuse ", "expect ")) for line in lines)


def rows() -> Iterator[CardRow]:
    """Yield every card entry with its scripts, in the order of the data."""
    for card in CARDS.values():
        use, refusal = (SCRIPTS / f"{card.id}.{kind}.script" for kind in ("use", "refused"))
        yield CardRow(
            card,
            windows_of(card),
            use.name if use.exists() and _shows_use(_text(use), card) else "",
            refusal.name if refusal.exists() and _shows_refusal(_text(refusal), card) else "",
        )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def section() -> tuple[str, ...]:
    """Return the lines of the document."""
    found = tuple(rows())
    copies = sum(row.card.count for row in found)
    used = sum(row.card.count for row in found if row.use)
    refused = sum(row.card.count for row in found if row.refusal)
    return (
        "## Quartermaster General, cards by window",
        "",
        f"{copies} cards ({len(found)} different ones). Shown in a legal use: {used} ({100 * used // copies} %);",
        f"refused, declined or without effect: {refused} ({100 * refused // copies} %). The scripts lie in",
        "`tests/scripts/qmg/cards`.",
        "`tests/engine/qmg/test_window_matrix.py` puts every card that answers events into every other kind of",
        "window and finds it refused there.",
        "",
        "| card | title | deck | type | works in | use | refused, declined, no effect |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(
            f"| {row.card.id} | {row.card.name} | {row.card.deck} | {row.card.type.replace('_', ' ')} "
            f"| {'; '.join(row.windows)} | {'yes' if row.use else '-'} | {'yes' if row.refusal else '-'} |"
            for row in found
        ),
    )
