"""Land-based air reinforcements, sent to Guam by bases that never launch raids (11.13, 16.1)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import GuamChanged
from engine.cbps.events.raids import RaidEnded
from engine.cbps.ids import GUAM
from engine.cbps.locations import groups_in, sea_map
from engine.cbps.raids.ch10_flight import place_raid
from engine.cbps.raids.ch23_shuttle import land_on_guam
from engine.cbps.run import Run, chart_modifier
from engine.cbps.state import State

_NEAR_GROUP: Final = 2
"""Reinforcements must fly on the map if a US task group is at most this many hexes from Guam (16.21)."""
_NEAR_MISSION: Final = 1


def activate_base(run: Run, base: str) -> None:
    """Resolve the chit of Iwo Jima or Yap/Peleliu. The base may send land points to Guam (16.12, 16.2)."""
    charts = run.state.game_data.charts
    if run.roll_on_chart(charts.land_reinforcement_check, base) == "none":
        return
    chart = charts.land_reinforcement_strength
    points = run.roll_on_chart(chart, base, _modifiers(run.state, base))
    run.add(GuamChanged(air_value=run.state.guam.air_value, base=base))
    if not _is_guam_watched(run.state):
        land_on_guam(run, points)  # 16.22: the points land without flying on the map
        return
    place_raid(
        run,
        origin=base,
        slot="",
        start_hex=run.state.game_data.map.base_origin(base),
        target=GUAM,
        waves=(points,),
        kind="reinforcement",
        is_land=True,
    )


def _modifiers(state: State, base: str) -> Iterator[Modifier]:
    if base in state.guam.first_day:
        yield chart_modifier(state.game_data.charts.land_reinforcement_strength, "june19_result")


def _is_guam_watched(state: State) -> bool:
    """Return whether reinforcements must fly on the map because US forces are near Guam (16.21)."""
    sea, guam = sea_map(state), state.game_data.map.guam
    watched_hexes = sea.within(guam, _NEAR_GROUP)
    return any(groups_in(state, hex) for hex in watched_hexes) or any(
        mission.kind == "intercept"
        and not mission.cap
        and sea.distance(guam, mission.hex) <= _NEAR_MISSION
        for mission in state.missions.values()
    )


def land_reinforcement(run: Run, raid: str) -> None:
    """Land reinforcements that flew to Guam on the map (16.2, 16.21)."""
    points = run.state.raids[raid].points
    run.add(RaidEnded(raid=raid, why="landed"))
    land_on_guam(run, points)
