"""Searches for hexes, units and cards by name."""

from collections.abc import Iterator

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.ids import CardId, HexId
from tui.eots.index import Index
from tui.eots.map.scene import blank_cells
from tui.eots.panels.page_texts import card_lines
from tui.eots.texts import card_name, place_name, printed_values, unit_text
from tui.presenter.presenter import Found


def find(index: Index, query: str) -> tuple[Found, ...]:
    """Return the hexes, units and cards whose names or numbers contain every query word.

    Exact numbers, and names that start with the query, come first.
    """
    words = query.lower().split()
    if not words:
        return ()
    matches = [
        *_matching_hexes(index, words),
        *_matching_units(index, words),
        *_matching_cards(words),
    ]
    prefix = query.strip().lower()
    matches.sort(
        key=lambda match: match.hex_id != prefix and not match.title.lower().startswith(prefix)
    )
    return tuple(matches)


def _contains_words(words: list[str], *names: str | None) -> bool:
    text = " ".join(name for name in names if name).lower()
    return all(word in text for word in words)


def _matching_hexes(index: Index, words: list[str]) -> Iterator[Found]:
    cells = blank_cells(index.view)
    for name, row in board().hexes.items():
        if name in cells and _contains_words(words, name, *row.names):
            title = row.name or row.region or str(row.terrain)
            yield Found(title, name)
    for alias, name in board().name_aliases.items():
        if name in cells and _contains_words(words, alias):
            yield Found(f"{alias} ({place_name(name)})", name)


def _matching_units(index: Index, words: list[str]) -> Iterator[Found]:
    for unit, row in counters().items():
        if not _contains_words(words, row.name, row.counter_label, unit):
            continue
        unit_view = index.units.get(unit)
        unit_place = unit_view.at if unit_view is not None else ""
        on_map = unit_place if HexId(unit_place) in board().hexes else ""
        text = f"{row.name}\n{unit_text(index, unit)}\nfull: {printed_values(row, row.max_steps)}"
        if row.max_steps > 1:
            text += f"\nreduced: {printed_values(row, 1)}"
        if not on_map:
            text += f"\n{unit_place.replace('-', ' ')}"
        yield Found(unit_text(index, unit), on_map, "" if on_map else text)


def _matching_cards(words: list[str]) -> Iterator[Found]:
    for card, row in cards().items():
        if _contains_words(words, card, row.title, row.subtitle):
            yield Found(card_name(CardId(card)), "", "\n".join(card_lines(CardId(card))))
