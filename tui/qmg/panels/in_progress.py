"""Describes the response window, and what is being resolved: nested plays, uses and battles, innermost last."""

from collections.abc import Iterator
from typing import Final

from engine.qmg import phrases as say
from engine.qmg.deck import CARD
from engine.qmg.view import QmgView
from tui.qmg.index import Index
from tui.qmg.panels.page_texts import card_lines

_CARD_PLAY_KINDS: Final = ("card", "use")
"""Kinds of nested plays that involve a card."""


def play_chain_lines(index: Index) -> tuple[str, ...]:
    """Return the nested plays in progress, with the text of each card; empty if nothing is in progress."""
    view = index.view
    lines: list[str] = []
    depth = 0
    for kind, name in view.chain:
        indent = "  " * depth
        lines += (f"{indent}{line}" for line in _play_lines(index, kind, name))
        depth += 1
    event = response_window_line(view)
    if event:
        lines.append(f"{'  ' * depth}{event}")
    return tuple(lines)


def response_window_line(view: QmgView) -> str:
    """Return the event that opened the current response window; empty if no window is open."""
    return (
        f"Response window: {say.describe_event(view.trigger)}." if view.trigger is not None else ""
    )


def innermost_card(view: QmgView) -> str:
    """Return the card being resolved; empty if there is none (10.4, 10.7)."""
    return next((name for kind, name in reversed(view.chain) if kind in _CARD_PLAY_KINDS), "")


def summary_lines(view: QmgView, read_card: str) -> tuple[str, ...]:
    """Return the nested plays with the texts of their cards, and the event that opened the response window.

    Args:
        view: The player's view.
        read_card: A card whose text is shown elsewhere, so that it is omitted here.
    """
    lines: list[str] = []
    for depth, (kind, name) in enumerate(view.chain):
        lines.append(f"{'  ' * depth}{_play_title(kind, name)}")
        if kind in _CARD_PLAY_KINDS and name != read_card:
            lines.append(f"{'  ' * depth}  {card_lines(name)[1].strip()}")
    event = response_window_line(view)
    return (*lines, event) if event else tuple(lines)


def _play_title(kind: str, name: str) -> str:
    match kind:
        case "card":
            return f"{say.capitalise_first(say.force_name(CARD[name].deck))} plays {say.card_title(name)}"
        case "use":
            return f"{say.capitalise_first(say.force_name(CARD[name].deck))} uses {say.card_title(name)}"
        case "battle":
            return f"Battle of {say.space_with_article(name)}"
        case "removal":
            return f"A piece in {say.space_with_article(name)} is about to be removed"
        case _:
            return f"Economic Warfare against {say.force_name(name)}"


def _play_lines(index: Index, kind: str, name: str) -> Iterator[str]:
    yield _play_title(kind, name)
    if kind in ("card", "use"):
        yield f"  {card_lines(name)[1].strip()}"
    elif kind in ("battle", "removal"):
        for piece in index.pieces(name):
            mark = "" if piece.is_supplied else ", out of supply"
            yield f"  {say.piece_name(piece.force, piece.kind)}{mark}"
