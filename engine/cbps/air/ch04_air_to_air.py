"""Air-to-air fire by US units and Japanese points (4.54-4.57)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from engine.cbps.charts.results import AirCode
from engine.cbps.events.chance import Modifier
from engine.cbps.rulings import NEW_AIRCRAFT, ODD_ESCORTS, is_on
from engine.cbps.run import Run, chart_modifier
from engine.cbps.state import State

ABORT: Final = "A"
ELIMINATE: Final = "E"
_EFFECTS: Final[Mapping[AirCode, tuple[str, ...]]] = {
    "-": (),
    "A": (ABORT,),
    "E": (ELIMINATE,),
    "A+E": (ABORT, ELIMINATE),
    "2E": (ELIMINATE, ELIMINATE),
}
"""The effects of each Japanese fire result, one per affected unit (4.56)."""
_SKILLED_AIRCREWS: Final = "skilled_aircrews"


def fire_effects(result: AirCode) -> tuple[str, ...]:
    """Return the effects of a Japanese fire result: one :data:`ABORT` or :data:`ELIMINATE` per affected unit (4.56)."""
    return _EFFECTS[result]


def us_fire(run: Run, units: int, modifiers: Iterable[Modifier], subject: str) -> int:
    """Roll for US fighter fire. Return the points destroyed, which may exceed the points present (4.54, 4.55)."""
    return run.roll_on_column(run.state.game_data.charts.us_air_to_air, units, subject, modifiers)


def japanese_fire(
    run: Run, points: int, modifiers: Iterable[Modifier], subject: str
) -> tuple[str, ...]:
    """Roll for Japanese fighter fire. Return an :data:`ABORT` or :data:`ELIMINATE` for each unit affected (4.56)."""
    chart = run.state.game_data.charts.japanese_air_to_air
    return fire_effects(run.roll_on_column(chart, points, subject, modifiers))


def engaging_fighters(state: State, points: int) -> int:
    """Return the number of fighters needed to engage enemy fighters: one for every two enemies (4.52, 4.53).

    By default, halves are rounded up (OP-10). The alternative ruling rounds them down, but requires at least one
    fighter.
    """
    half_points = points // 2 if ODD_ESCORTS.uses_alternative(state.options) else -(-points // 2)
    return max(half_points, min(points, 1))


def is_critical(state: State, mission: str) -> bool:
    """Return whether a mission on the map is Fuel Critical (4.44)."""
    mission_state = state.missions[mission]
    return not mission_state.cap and mission_state.fuel <= 0


def us_modifiers(
    state: State,
    mission: str,
    *,
    at_fighters: bool,
    is_naval: bool = True,
    is_escort: bool = False,
    is_taking_off: bool = False,
) -> tuple[Modifier, ...]:
    """Return the modifiers for US fire by a mission (4.45, 4.54).

    Args:
        state: The position, after the mission has spent the fuel for the fight (4.51).
        mission: The firing mission.
        at_fighters: True if the target is a raid's escorts or CAP.
        is_naval: True if the target points are naval.
        is_escort: True if the mission's escorts fire at CAP (5.42).
        is_taking_off: True if the raid took off from Guam in this phase with an intercept mission overhead (11.27).
    """
    return tuple(_us_modifiers(state, mission, at_fighters, is_naval, is_escort, is_taking_off))


def _us_modifiers(
    state: State,
    mission: str,
    at_fighters: bool,  # noqa: FBT001 - passed on from the keyword arguments above
    is_naval: bool,  # noqa: FBT001
    is_escort: bool,  # noqa: FBT001
    is_taking_off: bool,  # noqa: FBT001
) -> Iterator[Modifier]:
    chart = state.game_data.charts.us_air_to_air
    if at_fighters:
        # OP-67: the 5.42 modifier replaces the 4.54 modifier
        yield chart_modifier(chart, "strike_escort_vs_cap" if is_escort else "target_is_fighters")
        if is_on(state, NEW_AIRCRAFT):
            yield chart_modifier(chart, "variant_24_4")
        skill = state.game_data.scenarios[state.scenario].skilled_aircrews
        if skill is not None and is_naval:
            is_assumed = skill.is_reconstructed("us_air_to_air")
            yield Modifier(id=_SKILLED_AIRCREWS, drm=skill.us_air_to_air, is_assumed=is_assumed)
    if is_critical(state, mission):
        yield chart_modifier(chart, "us_fuel_critical")
    if is_taking_off:
        yield chart_modifier(chart, "guam_takeoff")


def japanese_modifiers(
    state: State, mission: str, *, is_naval: bool = True
) -> tuple[Modifier, ...]:
    """Return the modifiers for Japanese fire at a mission's units (4.45, 24.4)."""
    return tuple(_japanese_modifiers(state, mission, is_naval=is_naval))


def _japanese_modifiers(state: State, mission: str, *, is_naval: bool) -> Iterator[Modifier]:
    chart = state.game_data.charts.japanese_air_to_air
    if is_critical(state, mission):
        yield chart_modifier(chart, "target_fuel_critical")
    if is_on(state, NEW_AIRCRAFT):
        yield chart_modifier(chart, "variant_24_4")
    skill = state.game_data.scenarios[state.scenario].skilled_aircrews
    if skill is not None and is_naval:
        is_assumed = skill.is_reconstructed("japanese_air_to_air")
        yield Modifier(id=_SKILLED_AIRCREWS, drm=skill.japanese_air_to_air, is_assumed=is_assumed)
