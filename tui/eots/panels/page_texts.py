"""Text of the pages next to the map: a hex, the player's hand, tracks, force pools, charts and played cards."""

from collections.abc import Iterable, Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.card_sentences import CARD_SENTENCES
from engine.eots.ch11_pools import pool_name
from engine.eots.counters import counters
from engine.eots.deck import Card, cards
from engine.eots.ids import CardId, CityKind, HexId, Side
from engine.eots.view import EotsView, UnitView
from tui.eots.index import CHINA_BOX, Index
from tui.eots.panels.tracks import track_lines
from tui.eots.texts import ADJECTIVES, SIDE_NAMES, card_name, turn_name, unit_line

Page = tuple[str, str, tuple[str, ...]]
_CITIES: Final = {
    CityKind.CITY: "city",
    CityKind.INTRINSIC: "city with a garrison",
    CityKind.JAPANESE_INTRINSIC: "Japanese city with a garrison",
}
"""Kinds of city. Some have a garrison, so they are defended even without units (13.76, 13.94)."""
_OFF_MAP_TITLES: Final = {
    "turn-track": "On the turn track",
    "delay-box": "Delayed",
    "event": "Waiting for an event",
    "eliminated": "Eliminated",
    "removed": "Out of the game",
}


def hex_lines(index: Index, hex_id: str) -> tuple[str, ...]:
    """Describe a hex or the China box."""
    row = board().hexes.get(HexId(hex_id))
    if row is None:
        if hex_id == CHINA_BOX:
            return ("Air units in the China box", *_unit_lines(index, hex_id))
        return (f"{hex_id} is not in play",)
    facts = [
        str(row.terrain),
        *(["coastal"] if row.is_coastal and not row.is_one_hex_island else []),
    ]
    facts += ["one-hex island"] if row.is_one_hex_island else []
    facts += [
        name
        for name, is_present in (
            ("port", row.port),
            ("airfield", row.airfield),
            ("resource", row.resource),
        )
        if is_present
    ]
    facts += [_CITIES[row.city]] if row.city else []
    owner = index.owner(hex_id)
    lines = [f"{hex_id} {row.name or row.region or ''}".rstrip(), ", ".join(facts)]
    if owner is not None:
        lines.append(
            f"{ADJECTIVES[owner]} control"
            + (f", {row.nation.replace('-', ' ')}" if row.nation else "")
        )
    zones = [
        SIDE_NAMES[side]
        for side, hexes in (
            (Side.ALLIED, index.view.zones.allied),
            (Side.JAPAN, index.view.zones.japan),
        )
        if hex_id in hexes
    ]
    if zones:
        lines.append(f"ZOI: {', '.join(zones)}")
    offensive = index.view.offensive
    if offensive is not None and hex_id in offensive.battles:
        lines.append("Battle hex")
    return (*lines, *_unit_lines(index, hex_id))


def _unit_lines(index: Index, place: str) -> Iterator[str]:
    for stack in index.stacks.get(place, ()):
        yield f"{SIDE_NAMES[stack.side]}:"
        for unit in stack.units:
            yield f"  {unit_line(unit)}"


def card_lines(card: CardId) -> tuple[str, ...]:
    """Return a card with its values and text."""
    row = cards().get(card)
    if row is None:
        return ("a card",)
    title = f"{row.id} {row.title}" + (f" ({row.subtitle})" if row.subtitle else "")
    type_text = f"{row.type.capitalize()}, OV {row.ov}."
    facts = " ".join(filter(None, (type_text, card_details(row))))
    return (title, f"  {CARD_SENTENCES[card]}", f"  {facts}")


def operations_use(card: CardId) -> tuple[str, ...]:
    """Return a line with the values that an operations card gives an offensive; empty for an unknown card."""
    row = cards().get(card)
    return () if row is None else (f"Played for its OV {row.ov}, not for its event:",)


def card_details(card: Card) -> str:
    """Return the enemy's intelligence rolls against an offensive (7.25), and whether the event is lasting."""
    rolls = [
        f"{value} or less ({use})"
        for value, use in ((card.oc_intel, "operations card"), (card.ec_intel, "event"))
        if value is not None
    ]
    roll_text = f"The enemy finds out on {', '.join(rolls)}." if rolls else ""
    removal_text = "The card leaves the game after its event." if card.remove_after_event else ""
    return " ".join(filter(None, (roll_text, removal_text)))


def hand_lines(view: EotsView) -> tuple[str, ...]:
    """Return the player's cards with their text."""
    lines: list[str] = []
    for card in view.hand:
        title, *other_lines = card_lines(card)
        lines += [
            title + (" (locked in this offensive)" if card in view.locked else ""),
            *other_lines,
        ]
    if view.future is not None:
        title, *other_lines = card_lines(view.future)
        lines += [f"Future offensive: {title}", *other_lines]
    return tuple(lines) or ("No cards.",)


def tracks_page(index: Index) -> Page:
    """Return the page that shows both sides' status, the tracks, and the events in effect."""
    return ("T", "Tracks", track_lines(index))


def pools_page(index: Index) -> Page:
    """Return the page that lists off-map units by place and turn, and the remaining replacement steps."""
    lines: list[str] = []
    pools = index.view.pools
    steps = [
        f"{getattr(pools, name)} {pool_name(name.replace('_', '-'))}"
        for name in pools.__struct_fields__
        if getattr(pools, name)
    ]
    if steps:
        lines += ["Replacement steps left: " + ", ".join(steps), ""]
    for place, title in _OFF_MAP_TITLES.items():
        stacks = index.stacks.get(place, ())
        for stack in stacks:
            lines.append(f"{title}, {SIDE_NAMES[stack.side]} ({len(stack.units)})")
            lines += [f"  {line}" for line in _pool_lines(stack.units)]
    return ("f", "Force pools", tuple(lines))


def _pool_lines(units: Iterable[UnitView]) -> Iterator[str]:
    by_turn = sorted(units, key=lambda unit: (unit.due or 0, unit.id))
    for unit in by_turn:
        due_text = f"turn {unit.due:>2} {turn_name(unit.due)}  " if unit.due is not None else ""
        yield f"{due_text}{counters()[unit.id].name}"


def terrain_rows() -> Iterator[str]:
    """Yield each terrain with its movement cost and its modifier to the attacker's ground combat roll (8.1, 9.4)."""
    game_board = board()
    yield "Terrain: movement points to enter without a route (8.1), ground combat modifier (9.4)"
    rows = {
        terrain: (points, modifier)
        for terrain, points, modifier in zip(
            game_board.terrain, game_board.terrain_mp, game_board.terrain_drm, strict=True
        )
    }
    for terrain, (points, modifier) in sorted(rows.items()):
        if points:
            yield f"  {terrain:<10}{points} MP  {modifier:+d}"


def charts_page() -> Page:
    """Return the page that contains the most frequently used tables."""
    return (
        "g",
        "Charts",
        (
            "Air-naval combat (9.2-T): modified roll 0-2: 1/4, 3-5: 1/2, 6 and more: full strength.",
            "An unmodified 9 is a critical hit. Hits are rounded up.",
            "Ground combat (9.4-T): modified roll 0-2: 1/2, 3-6: full, 7-8: 1 1/2, 9 and more: double.",
            "",
            *terrain_rows(),
            "",
            "Map: P port  A airfield  * resource  c city; A or J before these shows the owner.",
            "Stacks: ▲ naval, ◆ air, ■ ground, ★ headquarters; ! no supply, · reduced.",
            'Ground: . open  % mixed  " jungle  ^ mountain  ~ atoll; blank is sea.',
            "The lines below the map explain its tints. Without colours, letters stand for them:",
            "  + can be chosen  @ activated  o path  x battle  = supplied  : Allied  ; Japanese ZOI  # both",
            "F1 opens the rules reference.",
        ),
    )


def unseen_page(view: EotsView) -> Page:
    """Return the page that lists the cards left to draw, and the cards that each side has used."""
    lines = [
        f"Not yet drawn ({len(view.unseen)}):",
        *(f"  {card_name(card)}" for card in view.unseen),
    ]
    for side, own_view in view.sides.items():
        lines += ["", f"{SIDE_NAMES[side]} discarded ({len(own_view.discard)}):"]
        lines += [f"  {card_name(card)}" for card in own_view.discard]
        lines += [f"{SIDE_NAMES[side]} out of the game ({len(own_view.removed)}):"]
        lines += [f"  {card_name(card)}" for card in own_view.removed]
    return ("k", "Cards", tuple(lines))
