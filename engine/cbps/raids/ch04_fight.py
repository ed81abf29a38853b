"""The combat of an interception (4.52-4.57)."""

from typing import Final

from engine.cbps.air.ch04_air_to_air import (
    ABORT,
    ELIMINATE,
    japanese_fire,
    japanese_modifiers,
    us_fire,
    us_modifiers,
)
from engine.cbps.air.ch04_fuel import lose_unit, mission_units
from engine.cbps.raids.ch10_flight import reduce_raid, send_raid_home
from engine.cbps.rulings import LONE_ESCORTS
from engine.cbps.run import Run
from engine.cbps.state import Raid

COMBAT: Final = "combat"
_NO_RAID: Final = Raid(origin="", hex="")


def resolve_interception(run: Run, mission: str, raid: str, escorts: int) -> None:
    """Resolve an interception, first against the escorts and then against the attackers, which never fire (4.52-4.57).

    Args:
        run: The command being carried out, after the fuel is paid and the raid is split.
        mission: The intercept mission.
        raid: A raid in the same hex.
        escorts: Number of units that fight the escorts. The others fight the attackers.
    """
    fighters_firing = len(mission_units(run.state, mission)) - escorts
    if run.state.raids[raid].fighters:
        fighters_firing = _fight_escorts(run, mission, raid, escorts, fighters_firing)
    if fighters_firing > 0 and run.state.raids.get(raid, _NO_RAID).attackers:
        raid_state = run.state.raids[raid]
        modifiers = us_modifiers(
            run.state,
            mission,
            at_fighters=False,
            is_naval=not raid_state.is_land,
            is_taking_off=raid_state.is_taking_off,
        )
        points_destroyed = us_fire(run, fighters_firing, modifiers, raid)
        # 4.55: hits in excess of the attackers have no effect
        reduce_raid(run, raid, attackers=min(points_destroyed, raid_state.attackers), cause=COMBAT)
    raid_after = run.state.raids.get(raid, _NO_RAID)
    if (
        raid_after.fighters
        and not raid_after.attackers
        and LONE_ESCORTS.uses_alternative(run.state.options)
    ):
        send_raid_home(run, raid)  # OP-17


def _fight_escorts(run: Run, mission: str, raid: str, units: int, other_count: int) -> int:
    """Resolve the fight with the escorts. Return how many of the other units may fire at the attackers (4.57)."""
    raid_state = run.state.raids[raid]
    is_naval = not raid_state.is_land
    at_escorts = us_modifiers(
        run.state,
        mission,
        at_fighters=True,
        is_naval=is_naval,
        is_taking_off=raid_state.is_taking_off,
    )
    at_units = japanese_modifiers(run.state, mission, is_naval=is_naval)
    points_destroyed = us_fire(run, units, at_escorts, raid)
    results = japanese_fire(run, raid_state.fighters, at_units, mission)
    fighters_left = raid_state.fighters - min(points_destroyed, raid_state.fighters)
    reduce_raid(run, raid, fighters=raid_state.fighters - fighters_left, cause=COMBAT)
    _eliminate(run, mission, min(units, results.count(ELIMINATE)))
    if ABORT not in results or not fighters_left or not other_count:
        return other_count
    # 4.57: a surviving escort point also fires at the units that fight the attackers
    results = japanese_fire(run, 1, at_units, mission)
    points_lost = min(other_count, results.count(ELIMINATE))
    _eliminate(run, mission, points_lost)
    other_count -= points_lost
    return other_count - 1 if ABORT in results and other_count else other_count


def _eliminate(run: Run, mission: str, count: int) -> None:
    """Eliminate random units from a mission (OP-9)."""
    for _ in range(count):
        lose_unit(run, run.pick(mission_units(run.state, mission), "4.56", mission), COMBAT)
