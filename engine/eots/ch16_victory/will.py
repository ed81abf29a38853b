"""US Political Will: marker movement, and the Political Will Segment (4.32, 16.4)."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.ch06_supply.control import controls, units_at
from engine.eots.counters import counters
from engine.eots.events.tracks import HoldsCounted, Once, OnceUsed, PoliticalWillMoved
from engine.eots.flow import EotsRun, is_in_segment
from engine.eots.frames import Phase
from engine.eots.ids import AreaId, HexId, Nationality, Side
from engine.eots.rulings import OCCUPATION_HEX
from engine.eots.state import State
from engine.kernel.ids import Rule

WILL_TOP: Final = 10
ALASKA_SEGMENTS: Final = 3
HAWAII_SEGMENTS: Final = 2
"""Number of consecutive Political Will Segments with Japanese units in Hawaii before the penalty applies (16.42)."""
RESOURCE_TURNS: Final = range(5, 13)
FEW_RESOURCES: Final = 3
RESOURCE_BONUS: Final = 3
"""Political Will that the Allies gain under 16.43A."""
FIRST_QUOTA_TURN: Final = 4
HIGHEST_QUOTA: Final = 4
"""Maximum number of hexes that 16.47 requires the Allies to capture in a turn."""
SOUTH_PACIFIC_QUOTA: Final = 2
"""Number of hexes that the Allies must capture in a turn in the South Pacific (17.10.7)."""
ALEUTIANS: Final = AreaId("aleutians")
HAWAII: Final = (AreaId("hawaii"), AreaId("midway"))
CONTINENTAL_INDIA: Final = AreaId("continental-india")


def move_will(run: EotsRun, delta: int, rule: Rule) -> None:
    """Move the Political Will marker. It stops at 0 and 10 (16.4, OPB-24)."""
    current_will = run.state.tracks.political_will
    new_value = min(max(current_will + delta, 0), WILL_TOP)
    if new_value != current_will:
        run.add(PoliticalWillMoved(rule=rule, to=new_value))


def begin_political_will(run: EotsRun) -> None:
    """Carry out the Political Will Segment in rulebook order (4.32, OPB-25).

    In the South Pacific scenario, only progress of the war, ships and casualties count (17.10.7).
    """
    if run.state.scenario != SOUTH_PACIFIC:
        _apply_occupations(run)
        _apply_resources(run)
        _apply_bombing(run)
    _apply_casualties(run)
    _apply_navy(run)
    _apply_progress(run)


# -- Alaska and Hawaii: 16.42


def is_held_by_japan(state: State, hex_id: HexId) -> bool:
    """Return whether Japan controls a hex and has a unit other than an HQ in the hex (16.42, OPB-27)."""
    return controls(state, Side.JAPAN, hex_id) and any(
        counters()[unit].side is Side.JAPAN and not counters()[unit].is_hq
        for unit in units_at(state).get(hex_id, ())
    )


def _held_segments(
    state: State, hexes: Iterable[HexId], counts_before: Mapping[HexId, int]
) -> dict[HexId, int]:
    """For each hex that Japan holds, return how many segments in a row it has held it."""
    # Under OPB-27's alternative reading, all hexes in a group share one counter.
    longest_hold = max(counts_before.values(), default=0)
    is_shared_rule = OCCUPATION_HEX.uses_alternative(state.options)
    return {
        hex_id: (longest_hold if is_shared_rule else counts_before.get(hex_id, 0)) + 1
        for hex_id in hexes
        if is_held_by_japan(state, hex_id)
    }


def _apply_occupations(run: EotsRun) -> None:
    tracks = run.state.tracks
    areas = board().areas
    hawaii = sorted(hex_id for area in HAWAII for hex_id in areas[area].hexes)
    alaska_now = _held_segments(run.state, areas[ALEUTIANS].hexes, tracks.aleutians_held)
    hawaii_now = _held_segments(run.state, hawaii, tracks.hawaii_held)
    if alaska_now != tracks.aleutians_held or hawaii_now != tracks.hawaii_held:
        run.add(HoldsCounted(aleutians=alaska_now, hawaii=hawaii_now))
    if max(alaska_now.values(), default=0) >= ALASKA_SEGMENTS and not tracks.alaska_penalty_used:
        _shift_once(run, "alaska", -1, Rule("16.42"))
    if max(hawaii_now.values(), default=0) >= HAWAII_SEGMENTS and not tracks.hawaii_penalty_used:
        _shift_once(run, "hawaii", -1, Rule("16.42"))


def _shift_once(run: EotsRun, once_events: Once, delta: int, rule: Rule) -> None:
    """Change Political Will for a reason that can occur only once, and record that it has occurred."""
    run.add(OnceUsed(rule=rule, what=once_events))
    move_will(run, delta, rule)


# -- strategic success (16.43)


def resource_count(state: State, side: Side) -> int:
    """Return how many resource hexes a side controls (12.1, 16.43A)."""
    return sum(controls(state, side, hex_id) for hex_id in board().resource_hexes)


def _apply_resources(run: EotsRun) -> None:
    state = run.state
    if state.turn not in RESOURCE_TURNS or state.tracks.resource_bonus_used:
        return
    if resource_count(state, Side.JAPAN) <= FEW_RESOURCES:
        _shift_once(run, "resources", RESOURCE_BONUS, Rule("16.43"))


def _apply_bombing(run: EotsRun) -> None:
    if run.state.turn in run.state.tracks.bombing_turns:
        move_will(run, 1, Rule("16.43"))


# -- losses: 16.45, 16.46


def _apply_casualties(run: EotsRun) -> None:
    turn, tracks = run.state.turn, run.state.tracks
    if tracks.us_force_lost_turn == turn and tracks.casualties_turn != turn:
        _shift_once(run, "casualties", -1, Rule("16.45"))


def _apply_navy(run: EotsRun) -> None:
    state, off_map = run.state, board().south_pacific.off_map_hexes
    ships_at_full_strength = (
        state.scenario != SOUTH_PACIFIC
    )  # 17.10.7: carriers are not required, and Oahu is off the map
    ships = [
        counters()[unit]
        for unit, piece in state.units.items()
        if piece.is_on_map
        and counters()[unit].is_naval
        and counters()[unit].nationality is Nationality.US
        and (ships_at_full_strength or piece.at not in off_map)
    ]
    if ships_at_full_strength and not any(ship.carrier for ship in ships):
        move_will(run, -1, Rule("16.46"))
    if not ships:
        move_will(run, -1, Rule("16.46") if ships_at_full_strength else Rule("17.10.7"))


# -- progress of the war (16.47)


class ProgressOfWar(msgspec.Struct, frozen=True, kw_only=True):
    """The number of hexes that the Allies must capture this turn, and the hexes captured so far (16.47)."""

    quota: int
    """Number of hexes to capture, at least 1."""
    may_rise: bool
    """True if this turn's reinforcements can still raise the quota (10.31)."""
    taken: tuple[HexId, ...]
    """Captured hexes that currently count, in ascending order."""
    is_judged: bool
    """True if this turn's Political Will Segment is over."""

    @property
    def missing(self) -> int:
        """Return how many hexes must still be captured; 0 if the quota is met."""
        return max(self.quota - len(self.taken), 0)

    @property
    def spare(self) -> int:
        """How many captured hexes the Allies can lose and still meet the quota; 0 if the quota is not met."""
        return max(len(self.taken) - self.quota, 0)


def progress_of_war(state: State) -> ProgressOfWar | None:
    """Return this turn's progress of the war, or None if there is no quota (16.47)."""
    quota = progress_quota(state)
    if not quota:
        return None
    is_constant = state.scenario == SOUTH_PACIFIC or quota == HIGHEST_QUOTA
    return ProgressOfWar(
        quota=quota,
        may_rise=not is_constant and is_in_segment(state, Phase.REINFORCEMENT),
        taken=progress_hexes(state),
        is_judged=any(
            is_in_segment(state, phase) for phase in (Phase.ATTRITION, Phase.END_OF_TURN)
        ),
    )


def progress_quota(state: State) -> int | None:
    """Return how many hexes the Allies must capture this turn, or None if there is no quota (16.47-1).

    During the Reinforcement Segment, this is the quota that would apply if the segment ended now.
    """
    if state.turn < FIRST_QUOTA_TURN:
        return None
    if state.scenario == SOUTH_PACIFIC:
        return SOUTH_PACIFIC_QUOTA
    tracks = state.tracks
    is_open = is_in_segment(state, Phase.REINFORCEMENT)
    return min(
        HIGHEST_QUOTA, tracks.allied_asp if is_open else tracks.allied_asp_after_reinforcement
    )


def progress_hexes(state: State) -> tuple[HexId, ...]:
    """Return the hexes captured this turn that count as progress of the war, in ascending order.

    See 16.47-2 to 16.47-4.
    """
    return tuple(
        hex_id
        for hex_id, holder_before in sorted(state.control_at_turn_start.items())
        if holder_before is Side.JAPAN
        and controls(state, Side.ALLIED, hex_id)
        and _counts_for_progress(hex_id)
    )


def _counts_for_progress(hex_id: HexId) -> bool:
    """Return whether capturing a hex counts as progress of the war (16.47-2, 13.63)."""
    row = board().hexes[hex_id]
    if hex_id in board().areas[CONTINENTAL_INDIA].hexes:
        return False
    if row.is_one_hex_island:
        return row.port or row.airfield or row.resource
    return row.is_named_location


def _apply_progress(run: EotsRun) -> None:
    quota = progress_quota(run.state)
    if quota is not None and len(progress_hexes(run.state)) < quota:
        move_will(run, -1, Rule("16.47"))
