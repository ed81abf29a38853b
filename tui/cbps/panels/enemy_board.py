"""The enemy boards, which show what is known about Butai, other forces and Guam (7, 9, 11)."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.cbps.damage.ch12_hulls import air_value, hull_level, net_air_value
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.ids import GUAM, JapaneseBox
from engine.cbps.prose.names import box_name, display_name
from engine.cbps.raids.ch10_generation import raid_range
from engine.kernel.sentences import count_noun
from tui.cbps.enemy import BOARD_NAME, SHIPS_KNOWN_LEVEL, force_ships, hull_text
from tui.cbps.flights import force_line
from tui.cbps.index import Index
from tui.cbps.texts import force_text, hex_text
from tui.drawing.colour_roles import TextRole
from tui.panels.game_board import BoardBlock, BoardItem, BoardRow, BoardSection, GameBoard

_WIDTH: Final = 56
_NAME_CELLS: Final = 12
_BOX_ROWS: Final[tuple[tuple[str, TextRole, tuple[tuple[JapaneseBox, str], ...]], ...]] = (
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
"""Rows of a display (9.12). Each has a label, a style, and boxes with short names."""
_SHIP_TONES: Final = {
    "": TextRole.CHIP_TWO,
    "light": TextRole.CHIP_SPENT,
    "heavy": TextRole.ALERT,
    "crippled": TextRole.ALERT,
}


def box_rows(force: str, boxes: Mapping[JapaneseBox, int]) -> Iterator[BoardRow]:
    """Yield the rows of a force's or base's display, with only the boxes that contain points (9.12).

    Args:
        force: The force or base that owns the display.
        boxes: Points in each box.
    """
    for label, tone, row_boxes in _BOX_ROWS:
        items = tuple(
            BoardItem(f"{force}:{box}", f"{name}: {boxes[box]}" if name else str(boxes[box]), tone)
            for box, name in row_boxes
            if boxes.get(box)
        )
        if items:
            yield BoardRow(label, items)


def strength_text(index: Index, force: str) -> str:
    """Describe what is known about a Butai's air strength (9.24, 9.26)."""
    known_force = index.view.forces[force]
    strength = known_strength(known_force)
    parts = ["strength unknown" if strength is None else f"known strength {strength}"]
    if known_force.level >= SHIPS_KNOWN_LEVEL and known_force.is_carrier:
        value, net = air_value(index.table, force), net_air_value(index.table, force)
        parts.append(f"Air Value {value}, net {net}")
    if known_force.cap is not None:
        parts.append(f"CAP {known_force.cap}")
    if known_force.raids:
        parts.append(count_noun(known_force.raids, "raid"))
    return ", ".join(parts)


def _force_row(index: Index, force: str) -> BoardRow:
    known_force = index.view.forces[force]
    tone = TextRole.CHIP_TWO_ACTIVE if known_force.detection else TextRole.CHIP_TWO
    location = f"{hex_text(index, known_force.hex)}, {force_text(index, force)}"
    return BoardRow(
        "",
        (BoardItem(force, display_name(force).ljust(_NAME_CELLS), tone),),
        location,
        tail_tone=TextRole.WARN if known_force.detection else TextRole.DIM,
    )


def _butai_block(index: Index, force: str) -> BoardBlock:
    known_force = index.view.forces[force]
    kido_text = "Kido Butai, " if known_force.is_kido_butai else ""
    rows = [
        _force_row(index, force),
        BoardRow("air      ", tail=f"{kido_text}{strength_text(index, force)}"),
    ]
    rows += box_rows(force, known_force.boxes)
    ships = force_ships(index, force)
    if ships:
        rows.append(BoardRow("ships    ", tuple(_ship_item(index, ship) for ship in ships)))
    return BoardBlock(tuple(rows))


def _ship_item(index: Index, ship: str) -> BoardItem:
    hull, row = index.view.hulls[ship], index.game_data.japanese_ships[ship]
    level = hull_level(index.table, ship)
    hits = f" {hull.hits.total}/{row.damage_capacity}" if hull.hits.total else ""
    return BoardItem(ship, f"{row.name}{hits}", _SHIP_TONES.get(level, TextRole.CHIP_STORED))


def sections(index: Index) -> Iterator[BoardSection]:
    """Yield the sections for Butai, other forces, Guam, lone ships, and ships out of play."""
    view = index.view
    raid_hexes = raid_range(index.table)
    raid_text = (
        f"raids of this turn fly {raid_hexes} hexes" if raid_hexes else "no raids are flown now"
    )
    forces = sorted(view.forces, key=lambda force: (-view.forces[force].level, force))
    butai = [force for force in forces if view.forces[force].is_butai]
    other_forces = [force for force in forces if not view.forces[force].is_butai]
    if butai:
        yield BoardSection(
            f"Butai; {raid_text}", tuple(_butai_block(index, force) for force in butai)
        )
    force_blocks = tuple(BoardBlock((_force_row(index, force),)) for force in other_forces)
    yield BoardSection("Other forces" if butai else f"Forces; {raid_text}", force_blocks)
    guam = view.guam
    if guam.air_value or guam.boxes:
        yield BoardSection(
            f"Guam, Air Value {guam.air_value}", (BoardBlock(tuple(_guam_rows(index))),)
        )
    removed_ships = [ship for ship, hull in view.hulls.items() if hull.fate or hull.hex]
    if removed_ships:
        rows = (
            BoardRow("", (_ship_item(index, ship),), view.hulls[ship].fate or "alone")
            for ship in removed_ships
        )
        yield BoardSection(
            "Ships sunk, off the map, or crippled and alone",
            tuple(BoardBlock((row,)) for row in rows),
        )


def _guam_rows(index: Index) -> Iterator[BoardRow]:
    guam = index.view.guam
    reinforcement = f"reinforced today from {', '.join(guam.reinforced)}" if guam.reinforced else ""
    yield BoardRow(
        "", (BoardItem(GUAM, GUAM.ljust(_NAME_CELLS), TextRole.CHIP_TWO),), reinforcement
    )
    yield from box_rows(GUAM, guam.boxes)


def _descriptions(index: Index) -> dict[str, str]:
    """Return a one-line description for each force, box and ship."""
    view = index.view
    descriptions = {force: force_line(index, force) for force in view.forces}
    descriptions |= {ship: hull_text(index, ship) for ship in view.hulls}
    displays = {force: known_force.boxes for force, known_force in view.forces.items()} | {
        GUAM: view.guam.boxes
    }
    for owner, boxes in displays.items():
        for box, points in boxes.items():
            descriptions[f"{owner}:{box}"] = (
                f"{display_name(owner)}: {count_noun(points, 'point')} in {box_name(box)}"
            )
    return descriptions


def _places_by_item(index: Index) -> dict[str, str]:
    view = index.view
    hexes = {force: known_force.hex for force, known_force in view.forces.items()} | {
        GUAM: index.game_data.map.guam
    }
    places = {
        f"{owner}:{box}": hex
        for owner, hex in hexes.items()
        for _, _, row_boxes in _BOX_ROWS
        for box, _ in row_boxes
    }
    for ship, hull in view.hulls.items():
        places[ship] = hull.hex or hexes.get(hull.force, "")
    return places | hexes


def enemy_board(index: Index) -> GameBoard:
    """Return the board that shows everything known about the enemy. It is for reading only."""
    view = index.view
    return GameBoard(
        title=f"{BOARD_NAME} | {view.day} {view.time}/{view.phase} {view.light}",
        sections=tuple(sections(index)),
        actions={},
        descriptions=_descriptions(index),
        places=_places_by_item(index),
        width=_WIDTH,
    )
