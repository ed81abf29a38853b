"""The one to four US commanders and the units that each of them commands (6.1)."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from engine.cbps.ids import BATTLE_LINE
from engine.cbps.rulings import STAFF
from engine.cbps.state import Battle

US: Final = "us"
"""The first or only commander, who also commands TF 58 and the submarines."""
SEATS: Final = (US, "us-2", "us-3", "us-4")
_STAFF_SEATS: Final = {"one": SEATS[:1], "two": SEATS[:2], "three": SEATS[:3], "four": SEATS}


def staff_seats(options: object) -> tuple[str, ...]:
    """Return the seats defined by a match's options."""
    return _STAFF_SEATS[STAFF.value(options)]  # type: ignore[arg-type]  # a mapping of options


def commanders(battle: Battle) -> tuple[str, ...]:
    """Return the seats in a match."""
    return staff_seats(battle.options)


def seats_with_choice(battle: Battle, owners: Iterable[str]) -> tuple[str, ...]:
    """Return the seats that own at least one of several choices, or an empty tuple for fewer than two choices.

    Args:
        battle: The battle.
        owners: The seat that owns each choice. Iteration stops once the result is certain.
    """
    seats = commanders(battle)
    roles: set[str] = set()
    count = 0
    for owner in owners:
        roles.add(owner)
        count += 1
        if count > 1 and len(roles) == len(seats):
            return seats
    return tuple(seat for seat in seats if seat in roles) if count > 1 else ()


@lru_cache(maxsize=64)
def group_commanders(groups: tuple[str, ...], seats: int) -> dict[str, str]:
    """Return the commander of each task group. Seats share the carrier groups, and the first has the Battle Line."""
    carriers = [group for group in groups if group != BATTLE_LINE]
    commander_by_group = dict.fromkeys(groups, US)
    for place, group in enumerate(carriers):
        commander_by_group[group] = SEATS[place * seats // len(carriers)]
    return commander_by_group


def commands_group(battle: Battle, role: str, group: str) -> bool:
    """Return whether a seat commands a group on the map."""
    return battle.groups[group].commander == role


def commands_carrier(battle: Battle, role: str, carrier: str) -> bool:
    """Return whether a seat commands the air operations of a carrier."""
    group = battle.ships[carrier].group
    return bool(group) and commands_group(battle, role, group)


def commands_mission(battle: Battle, role: str, mission: str) -> bool:
    """Return whether a seat commands a mission. Missions belong to the seat that launched their first units."""
    return battle.missions[mission].commander == role


def commands_search(battle: Battle, role: str, search: str) -> bool:
    """Return whether a seat commands a search."""
    return battle.searches[search].commander == role
