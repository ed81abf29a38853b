"""What is known about the enemy: forces by importance, Butai boards, and Guam (7, 9, 11)."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.cbps.damage.ch12_hulls import air_value, hull_level, net_air_value
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.ids import JapaneseBox
from engine.cbps.prose.names import box_name
from engine.cbps.raids.ch10_generation import raid_range
from engine.kernel.sentences import count_noun
from tui.cbps.flights import force_line, raid_line
from tui.cbps.index import Index
from tui.cbps.texts import DAMAGE_LEVELS

KEY: Final = "i"
BOARD_NAME: Final = "Japanese forces, Butai boards, Guam"
_BOX_ORDER: Final[tuple[JapaneseBox, ...]] = (
    "raid-a",
    "raid-b",
    "r12",
    "r8",
    "r4",
    "r0",
    "landed",
    "s1",
    "s2",
    "a3",
    "a7",
    "a11",
    "aall",
    "lost",
)
SHIPS_KNOWN_LEVEL: Final = 3
"""Lowest intelligence level that reveals a force's ships and Air Value (7.33, 9.26)."""


def boxes_text(boxes: Mapping[JapaneseBox, int]) -> str:
    """List the boxes that contain air points, with the points in each: ``Available at all ranges 6, Lost 2``."""
    filled_boxes = [(box, boxes[box]) for box in _BOX_ORDER if boxes.get(box)]
    return (
        ", ".join(f"{box_name(box)} {points}" for box, points in filled_boxes)
        or "no points seen yet"
    )


def hull_text(index: Index, ship: str) -> str:
    """Describe a Japanese ship: type, damage level, and when it was hit (12.2)."""
    hull, row = index.view.hulls[ship], index.game_data.japanese_ships[ship]
    level = hull_level(index.table, ship)
    if hull.fate:
        return f"{row.name} ({row.type}), {hull.fate}"
    if not hull.hits.total:
        return f"{row.name} ({row.type})"
    hits = hull.hits
    hit_ages_text = f"{hits.current} now, {hits.previous} last turn, {hits.permanent} permanent"
    level_text = DAMAGE_LEVELS.get(level, level) if level else "hit"
    return f"{row.name} ({row.type}), {level_text}: {hits.total} of {row.damage_capacity} ({hit_ages_text})"


def force_ships(index: Index, force: str) -> tuple[str, ...]:
    """Return the ships that are known to belong to a force."""
    return tuple(
        ship
        for ship, hull in index.view.hulls.items()
        if hull.force == force and not hull.fate and not hull.hex
    )


def force_lines(index: Index, force: str) -> Iterator[str]:
    """Yield lines with everything known about a force."""
    known_force = index.view.forces[force]
    yield force_line(index, force)
    if known_force.is_butai:
        strength = known_strength(known_force)
        strength_text = "unknown" if strength is None else count_noun(strength, "point")
        parts = [f"Known Air Strength {strength_text}"]
        if known_force.level >= SHIPS_KNOWN_LEVEL and known_force.is_carrier:
            value, net = air_value(index.table, force), net_air_value(index.table, force)
            parts.append(f"Air Value {value}, net of points away {net}")
        if known_force.cap is not None:
            parts.append(f"CAP {known_force.cap} in this phase")
        if known_force.is_kido_butai:
            parts.append("Kido Butai")
        yield f"  {', '.join(parts)}"
        yield f"  {boxes_text(known_force.boxes)}"
    if known_force.hits.total:
        yield f"  hits by submarines {known_force.hits.total}"
    if known_force.raids:
        yield f"  has launched {count_noun(known_force.raids, 'raid')}"
    for ship in force_ships(index, force):
        yield f"  {hull_text(index, ship)}"
    for raid, raid_piece in index.view.raids.items():
        if raid_piece.origin == force:
            yield f"  {raid_line(index, raid)}"


def _importance(index: Index, force: str) -> tuple[int, int, str]:
    """Return the sort key of a force: Butai first, then by intelligence level, highest first."""
    known_force = index.view.forces[force]
    return -known_force.is_butai, -known_force.level, force


def guam_lines(index: Index) -> Iterator[str]:
    """Yield the state of Guam's air base (11)."""
    guam = index.view.guam
    if guam.air_value or guam.boxes:
        yield f"Guam: Air Value {guam.air_value}"
        yield f"  {boxes_text(guam.boxes)}"
        if guam.reinforced:
            yield f"  reinforced today from {', '.join(guam.reinforced)}"


def enemy_lines(index: Index) -> tuple[str, ...]:
    """Return lines about the raid range, all forces (Butai first), lone ships, ships out of play, and Guam."""
    view = index.view
    raid_hexes = raid_range(index.table)
    lines = [
        f"Raids of this turn fly {raid_hexes} hexes." if raid_hexes else "No raids are flown now."
    ]
    for force in sorted(view.forces, key=lambda force: _importance(index, force)):
        lines += force_lines(index, force)
    if not view.forces:
        lines.append("No force is on the map.")
    removed_ships = [ship for ship, hull in view.hulls.items() if hull.fate or hull.hex]
    if removed_ships:
        lines += ["", "Ships sunk, off the map, or crippled and alone:"]
        lines += [f"  {hull_text(index, ship)}" for ship in removed_ships]
    guam = list(guam_lines(index))
    return (*lines, *(("", *guam) if guam else ()))
