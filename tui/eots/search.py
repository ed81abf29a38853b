"""Searches for hexes, units and cards by name."""

from collections.abc import Iterator

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.ids import CardId, HexId
from tui.eots.index import Index
from tui.eots.panels import card_lines
from tui.eots.scene import blank_cells
from tui.eots.texts import card_name, place_name, printed_values, unit_text
from tui.presenter import Found


def find(index: Index, query: str) -> tuple[Found, ...]:
    """Return the hexes, units and cards whose name or number contains every query word, exact numbers first."""
    wanted = query.lower().split()
    if not wanted:
        return ()
    hits = [*_hexes(index, wanted), *_units(index, wanted), *_cards(wanted)]
    exact = query.strip().lower()
    hits.sort(key=lambda hit: hit.hex_id != exact and not hit.title.lower().startswith(exact))
    return tuple(hits)


def _matches(wanted: list[str], *names: str | None) -> bool:
    text = " ".join(name for name in names if name).lower()
    return all(word in text for word in wanted)


def _hexes(index: Index, wanted: list[str]) -> Iterator[Found]:
    shown = blank_cells(index.view)
    for name, row in board().hexes.items():
        if name in shown and _matches(wanted, name, *row.names):
            title = row.name or row.region or str(row.terrain)
            yield Found(title, name)
    for alias, name in board().name_aliases.items():
        if name in shown and _matches(wanted, alias):
            yield Found(f"{alias} ({place_name(name)})", name)


def _units(index: Index, wanted: list[str]) -> Iterator[Found]:
    for unit, row in counters().items():
        if not _matches(wanted, row.name, row.counter_label, unit):
            continue
        found = index.units.get(unit)
        at = found.at if found is not None else ""
        on_map = at if HexId(at) in board().hexes else ""
        text = f"{row.name}\n{unit_text(index, unit)}\nfull: {printed_values(row, row.max_steps)}"
        if row.max_steps > 1:
            text += f"\nreduced: {printed_values(row, 1)}"
        if not on_map:
            text += f"\n{at.replace('-', ' ')}"
        yield Found(unit_text(index, unit), on_map, "" if on_map else text)


def _cards(wanted: list[str]) -> Iterator[Found]:
    for card, row in cards().items():
        if _matches(wanted, card, row.title, row.subtitle):
            yield Found(card_name(CardId(card)), "", "\n".join(card_lines(CardId(card))))
