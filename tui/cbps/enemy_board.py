"""The enemy boards, which show what is known about Butai, other forces and Guam (7, 9, 11)."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.cbps.damage.ch12_hulls import air_value, hull_level, net_air_value
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.ids import GUAM, JapaneseBox
from engine.cbps.prose.names import box_name, display_name
from engine.cbps.raids.ch10_generation import raid_range
from engine.kernel.sentences import count_noun
from tui.board import BoardBlock, BoardItem, BoardRow, BoardSection, GameBoard
from tui.cbps.enemy import NAME, SHIPS_KNOWN, force_ships, hull_text
from tui.cbps.flights import force_line
from tui.cbps.index import Index
from tui.cbps.texts import force_text, hex_text
from tui.drawing.tones import TextRole

_WIDTH: Final = 56
_NAME_CELLS: Final = 12
_ROWS: Final[tuple[tuple[str, TextRole, tuple[tuple[JapaneseBox, str], ...]], ...]] = (
    ("raids    ", TextRole.ALERT, (("raid-a", "A"), ("raid-b", "B"))),
    (
        "return   ",
        TextRole.CHIP_SPENT,
        (("r12", "12+"), ("r8", "8-11"), ("r4", "4-7"), ("r0", "0-3"), ("landed", "landed")),
    ),
    ("service  ", TextRole.CHIP_WORKED, (("s1", "1"), ("s2", "2"))),
    (
        "READY to ",
        TextRole.CHIP_READY,
        (("aall", "all"), ("a11", "11"), ("a7", "7"), ("a3", "3")),
    ),
    ("lost     ", TextRole.CHIP_STORED, (("lost", ""),)),
)
"""Rows of a display, each with a label, a style, and boxes with their short names (9.12)."""
_SHIP_TONES: Final = {
    "": TextRole.CHIP_TWO,
    "light": TextRole.CHIP_SPENT,
    "heavy": TextRole.ALERT,
    "crippled": TextRole.ALERT,
}


def box_rows(force: str, boxes: Mapping[JapaneseBox, int]) -> Iterator[BoardRow]:
    """Yield the boxes of a display that contain points (9.12).

    Args:
        force: The force or base whose display it is.
        boxes: Points in each box.
    """
    for label, tone, held in _ROWS:
        items = tuple(
            BoardItem(
                f"{force}:{one}", f"{short}: {boxes[one]}" if short else str(boxes[one]), tone
            )
            for one, short in held
            if boxes.get(one)
        )
        if items:
            yield BoardRow(label, items)


def strength_text(index: Index, force: str) -> str:
    """Describe what is known about a Butai's air strength (9.24, 9.26)."""
    one = index.view.forces[force]
    strength = known_strength(one)
    parts = ["strength unknown" if strength is None else f"known strength {strength}"]
    if one.level >= SHIPS_KNOWN and one.is_carrier:
        value, net = air_value(index.table, force), net_air_value(index.table, force)
        parts.append(f"Air Value {value}, net {net}")
    if one.cap is not None:
        parts.append(f"CAP {one.cap}")
    if one.raids:
        parts.append(count_noun(one.raids, "raid"))
    return ", ".join(parts)


def _head(index: Index, force: str) -> BoardRow:
    one = index.view.forces[force]
    tone = TextRole.CHIP_TWO_ACTIVE if one.detection else TextRole.CHIP_TWO
    where = f"{hex_text(index, one.hex)}, {force_text(index, force)}"
    return BoardRow(
        "",
        (BoardItem(force, display_name(force).ljust(_NAME_CELLS), tone),),
        where,
        tail_tone=TextRole.WARN if one.detection else TextRole.DIM,
    )


def _butai_block(index: Index, force: str) -> BoardBlock:
    one = index.view.forces[force]
    kido = "Kido Butai, " if one.is_kido_butai else ""
    rows = [_head(index, force), BoardRow("air      ", tail=f"{kido}{strength_text(index, force)}")]
    rows += box_rows(force, one.boxes)
    ships = force_ships(index, force)
    if ships:
        rows.append(BoardRow("ships    ", tuple(_ship(index, ship) for ship in ships)))
    return BoardBlock(tuple(rows))


def _ship(index: Index, ship: str) -> BoardItem:
    hull, row = index.view.hulls[ship], index.book.japanese_ships[ship]
    level = hull_level(index.table, ship)
    hits = f" {hull.hits.total}/{row.damage_capacity}" if hull.hits.total else ""
    return BoardItem(ship, f"{row.name}{hits}", _SHIP_TONES.get(level, TextRole.CHIP_STORED))


def sections(index: Index) -> Iterator[BoardSection]:
    """Yield the sections for Butai, other forces, Guam, and ships that belong to none of these."""
    view = index.view
    far = raid_range(index.table)
    raids = f"raids of this turn fly {far} hexes" if far else "no raids are flown now"
    known = sorted(view.forces, key=lambda one: (-view.forces[one].level, one))
    butai = [one for one in known if view.forces[one].is_butai]
    others = [one for one in known if not view.forces[one].is_butai]
    if butai:
        yield BoardSection(f"Butai; {raids}", tuple(_butai_block(index, one) for one in butai))
    heads = tuple(BoardBlock((_head(index, one),)) for one in others)
    yield BoardSection("Other forces" if butai else f"Forces; {raids}", heads)
    guam = view.guam
    if guam.air_value or guam.boxes:
        yield BoardSection(f"Guam, Air Value {guam.air_value}", (BoardBlock(tuple(_guam(index))),))
    gone = [ship for ship, hull in view.hulls.items() if hull.fate or hull.hex]
    if gone:
        rows = (
            BoardRow("", (_ship(index, ship),), view.hulls[ship].fate or "alone") for ship in gone
        )
        yield BoardSection(
            "Ships sunk, away, or crippled alone", tuple(BoardBlock((row,)) for row in rows)
        )


def _guam(index: Index) -> Iterator[BoardRow]:
    guam = index.view.guam
    by = f"reinforced today from {', '.join(guam.reinforced)}" if guam.reinforced else ""
    yield BoardRow("", (BoardItem(GUAM, GUAM.ljust(_NAME_CELLS), TextRole.CHIP_TWO),), by)
    yield from box_rows(GUAM, guam.boxes)


def _about(index: Index) -> dict[str, str]:
    """Return a one-line description for each force, box and ship."""
    view = index.view
    found = {force: force_line(index, force) for force in view.forces}
    found |= {ship: hull_text(index, ship) for ship in view.hulls}
    displays = {force: one.boxes for force, one in view.forces.items()} | {GUAM: view.guam.boxes}
    for of, boxes in displays.items():
        for one, points in boxes.items():
            found[f"{of}:{one}"] = (
                f"{display_name(of)}: {count_noun(points, 'point')} in {box_name(one)}"
            )
    return found


def _places(index: Index) -> dict[str, str]:
    view = index.view
    hexes = {force: one.hex for force, one in view.forces.items()} | {GUAM: index.book.map.guam}
    found = {
        f"{of}:{one}": hex for of, hex in hexes.items() for _, _, row in _ROWS for one, _ in row
    }
    for ship, hull in view.hulls.items():
        found[ship] = hull.hex or hexes.get(hull.force, "")
    return found | hexes


def enemy_board(index: Index) -> GameBoard:
    """Return the board of everything known about the enemy. It offers no orders."""
    view = index.view
    return GameBoard(
        title=f"{NAME} | {view.day} {view.time}/{view.phase} {view.light}",
        sections=tuple(sections(index)),
        acts={},
        about=_about(index),
        places=_places(index),
        width=_WIDTH,
    )
