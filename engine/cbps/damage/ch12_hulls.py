"""Damage to Japanese ships and its effect on air strength (9.26, 12.2, 12.52)."""

from typing import Final, assert_never

from engine.cbps.data.orbat_file import JapaneseShip
from engine.cbps.ids import JapaneseBox
from engine.cbps.rulings import JAPANESE_DECKS, LOST_WITH_CARRIERS, SERVICED_CAP
from engine.cbps.state import Hull, State

LEVELS: Final = ("", "light", "heavy", "crippled", "sunk")
"""Damage levels in ascending order, from undamaged to sunk."""
_CRIPPLING_RESERVE: Final = {"CV": 2, "CVL": 1}
"""By type, a carrier counts as crippled if this many further hits, or fewer, would sink it (12.26)."""
_AWAY_BOXES: Final[tuple[JapaneseBox, ...]] = ("raid-a", "raid-b", "r12", "r8", "r4", "r0")
_SERVICING_BOXES: Final[tuple[JapaneseBox, ...]] = ("s1", "s2")


# -- ships


def ships_in_force(state: State, force: str) -> tuple[str, ...]:
    """Return the ships in a force, including crippled ships that are still with it."""
    return tuple(ship for ship, hull in state.hulls.items() if _is_with(hull, force))


def carriers_in_force(state: State, force: str) -> tuple[str, ...]:
    """Return the carriers in a force."""
    ships = state.game_data.japanese_ships
    return tuple(ship for ship in ships_in_force(state, force) if ships[ship].is_carrier)


def lone_hulls(state: State, hex: str) -> tuple[str, ...]:
    """Return the lone crippled Japanese ships in a hex (12.41)."""
    return tuple(ship for ship, hull in state.hulls.items() if not hull.fate and hull.hex == hex)


def _is_with(hull: Hull, force: str) -> bool:
    return hull.force == force and not hull.fate and not hull.hex


def is_hybrid(row: JapaneseShip) -> bool:
    """Return whether a ship is a hybrid of carrier and battleship, such as Ise or Hyuga (12.28)."""
    return row.is_carrier and row.surface_attack > 0


# -- levels of damage


def hull_level(state: State, ship: str) -> str:
    """Return the damage level of a Japanese ship: one of :data:`LEVELS`, empty if undamaged (12.22-12.28, 12.5)."""
    hull = state.hulls[ship]
    row = state.game_data.japanese_ships[ship]
    if hull.fate == "sunk" or hull.hits.permanent >= row.damage_capacity:
        return "sunk"  # 12.27
    hits = hull.hits.total
    if not hits or not (row.is_carrier or row.type == "BB"):
        return ""
    if hits >= crippling_hits(row):
        return "crippled"
    return "heavy" if is_heavy(row, hits) else "light"


def is_hull_crippled(state: State, ship: str) -> bool:
    """Return whether a Japanese ship is crippled (12.26, 12.28, 12.52)."""
    return hull_level(state, ship) == "crippled"


def crippling_hits(row: JapaneseShip) -> int:
    """Return the minimum number of hits that cripples a carrier or battleship (12.26, 12.28, 12.52)."""
    if row.type == "BB" or is_hybrid(row):
        return -(-3 * row.damage_capacity // 4)
    return row.damage_capacity - _CRIPPLING_RESERVE[row.type]


def is_heavy(row: JapaneseShip, hits: int) -> bool:
    """Return whether a number of hits is at least half the capacity (12.23, 12.52)."""
    return 2 * hits >= row.damage_capacity


def hull_aa(state: State, ship: str) -> int:
    """Return the anti-aircraft value of a Japanese ship, reduced for damage (12.25, 12.52)."""
    row = state.game_data.japanese_ships[ship]
    match hull_level(state, ship):
        case "":
            return row.aa
        case "light":
            is_half = row.is_carrier and not is_hybrid(row)  # 12.28: hybrids count as battleships
            return row.aa // 2 if is_half else row.aa
        case "heavy":
            return row.aa // 2
        case _:
            return 0


def us_level(state: State, ship: str) -> str:
    """Return the damage level of a US ship, one of :data:`LEVELS` (12.11, 12.16, 12.51, 12.53)."""
    ship_state = state.ships[ship]
    return "sunk" if ship_state.is_sunk else us_level_at(state, ship, ship_state.hits)


def us_level_at(state: State, ship: str, hits: int) -> str:
    """Return the damage level of a US ship with a given number of hits; empty if it has none (12.11, 12.51, 12.53)."""
    if not hits:
        return ""
    row = state.game_data.us_ships[ship]
    if hits >= row.damage_capacity:
        return "sunk"
    if row.type not in {"CV", "CVL", "BB"}:
        return ""
    level = state.game_data.charts.us_damage_effects.level(row.type, row.damage_capacity, hits)
    return "" if level is None else level.level


def us_ship_aa(state: State, ship: str) -> int:
    """Return the anti-aircraft value of a US ship, reduced for damage (12.11, 12.51)."""
    ship_state, row = state.ships[ship], state.game_data.us_ships[ship]
    if us_level(state, ship) == "sunk":
        return 0
    if row.type not in {"CV", "CVL", "BB"}:
        return row.aa
    level = state.game_data.charts.us_damage_effects.level(
        row.type, row.damage_capacity, ship_state.hits
    )
    if level is None:
        return row.aa
    match level.aa:
        case "full":
            return row.aa
        case "half":
            return row.aa // 2
        case "zero":
            return 0
        case other_case:
            assert_never(other_case)


# -- air strength


def air_value(state: State, force: str) -> int:
    """Return the Air Value of a level 3-4 carrier force, reduced for damage, or 0 for any other force (9.25, 9.26)."""
    force_state = state.forces[force]
    if not force_state.is_carrier or force_state.level < 3:  # noqa: PLR2004  # no Air Value below level 3
        return 0
    if force_state.level == 3:  # noqa: PLR2004  # given by the chit
        printed_value = state.game_data.level_three[force_state.chit].air_value
        return max(printed_value - force_state.hits.permanent, 0)
    return sum(_carrier_value(state, ship) for ship in carriers_in_force(state, force))


def _carrier_value(state: State, ship: str) -> int:
    row, permanent = state.game_data.japanese_ships[ship], state.hulls[ship].hits.permanent
    return 0 if is_heavy(row, permanent) else max(row.air_value - permanent, 0)


def net_air_value(state: State, force: str) -> int:
    """Return the Air Value minus the points that are lost, away or being serviced (5.41, 9.25, OP-13)."""
    boxes = state.forces[force].boxes
    airborne_units = (
        _AWAY_BOXES
        if SERVICED_CAP.uses_alternative(state.options)
        else (*_AWAY_BOXES, *_SERVICING_BOXES)
    )
    unavailable_count = effective_lost_points(state, force) + sum(
        boxes.get(box, 0) for box in airborne_units
    )
    return max(air_value(state, force) - unavailable_count, 0)


def effective_lost_points(state: State, force: str) -> int:
    """Return a force's lost points, except points that were lost along with carriers (12.24, OP-41)."""
    force_state = state.forces[force]
    lost_points = force_state.boxes.get("lost", 0)
    if force_state.level < 4 or not lost_points:  # noqa: PLR2004  # carriers are known at level 4
        return lost_points
    ships = state.game_data.japanese_ships
    worthless_ships = [
        ship for ship in force_state.first_carriers if _has_no_value(state, force, ship)
    ]
    if LOST_WITH_CARRIERS.uses_alternative(state.options):
        return max(lost_points - sum(ships[ship].air_value for ship in worthless_ships), 0)
    weights = {ship: 2 if ships[ship].type == "CV" else 1 for ship in force_state.first_carriers}
    total_weight = sum(weights.values())
    return lost_points - sum(
        lost_points * weights[ship] // total_weight for ship in worthless_ships
    )


def _has_no_value(state: State, force: str, ship: str) -> bool:
    hull, row = state.hulls[ship], state.game_data.japanese_ships[ship]
    return not _is_with(hull, force) or is_heavy(row, hull.hits.permanent)


def is_deck_operable(state: State, force: str) -> bool:
    """Return whether a force has a flight deck on which aircraft can land (10.33, 12.29, OP-43).

    As long as its carriers are unknown, a force is assumed to have an operable deck.
    """
    force_state = state.forces[force]
    if force_state.level < 4:  # noqa: PLR2004  # carriers are known at level 4
        return force_state.is_carrier or force_state.level < 3  # noqa: PLR2004  # a surface force has none
    return any(_has_deck(state, ship) for ship in carriers_in_force(state, force))


def _has_deck(state: State, ship: str) -> bool:
    row, hits = state.game_data.japanese_ships[ship], state.hulls[ship].hits.total
    if JAPANESE_DECKS.uses_alternative(state.options):
        return hits < crippling_hits(row)
    return not is_heavy(row, hits)
