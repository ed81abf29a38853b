"""The National Status Segment (4.31, 13.1-6)."""

from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.ch06_supply.control import controls
from engine.eots.ch06_supply.supply import has_home_line_to_resource
from engine.eots.ch07_offensive.conclusion import begin_stacking, displaced_units, reposition_hqs
from engine.eots.ch12_strategic_warfare import end_interceptors
from engine.eots.ch13_nations.india import INDIA, advance_india, begin_evacuation
from engine.eots.ch13_nations.regions import settle_regions
from engine.eots.ch13_nations.routes import open_late_railway
from engine.eots.ch13_nations.surrender import (
    PHILIPPINES,
    apply_recapture,
    apply_surrender,
    leaving_philippines,
    recaptured_nations,
    surrendering_nations,
)
from engine.eots.events.flow import GameEnded
from engine.eots.events.tracks import BlockadeCounted
from engine.eots.flow import EotsRun
from engine.eots.frames import EmergencyFrame
from engine.eots.ids import AreaId, Side, UnitId
from engine.eots.state import State
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role, Rule

HONSHU: Final = AreaId("honshu")
BLOCKADE: Final = 3
"""Japan surrenders after this many consecutive National Status Segments without a supply line to Japan (13.93b)."""


def begin_national_status(run: EotsRun) -> None:
    """Carry out the National Status Segment in the order given by OPB-15 (13.1-6).

    The order is: status tracks, surrenders, recaptures, areas, Japan. If Japan surrenders, the game ends. Otherwise,
    the players decide on evacuations, emergency moves and stacking.
    """
    if run.state.scenario == SOUTH_PACIFIC:
        settle_regions(run)  # 17.10: only China can surrender, and its surrender is immediate
        reposition_hqs(run, Rule("6.14"))
        _ask_for_moves(run, is_evacuation=False, leaving_units=())
        return
    advance_india(run)
    surrendering = surrendering_nations(run.state)
    for nation in surrendering:
        apply_surrender(run, nation)
    for nation in recaptured_nations(run.state):
        apply_recapture(run, nation)
    settle_regions(run)
    open_late_railway(run)
    end_interceptors(run)
    reposition_hqs(run, Rule("6.14"))
    if _has_japan_surrendered(run):
        return
    _ask_for_moves(
        run,
        is_evacuation=INDIA in surrendering,
        leaving_units=leaving_philippines(run.state) if PHILIPPINES in surrendering else (),
    )


def _ask_for_moves(run: EotsRun, *, is_evacuation: bool, leaving_units: tuple[UnitId, ...]) -> None:
    """Begin the evacuation, followed by emergency moves and the removal of excess units (13.1-6f, 13.63)."""
    waiting_units = tuple(sorted({*displaced_units(run.state), *leaving_units}))
    if not waiting_units and not is_evacuation:
        return
    # The top frame runs first, so the frames are pushed in reverse order.
    begin_stacking(run, Side.ALLIED)
    if waiting_units:
        run.push(EmergencyFrame(waiting=waiting_units))
    if is_evacuation:
        begin_evacuation(run)


# -- Japan: 13.93


def is_honshu_lost(state: State) -> bool:
    """Return whether the Allies control every hex of Honshu (13.93a)."""
    return all(controls(state, Side.ALLIED, hex_id) for hex_id in board().areas[HONSHU].hexes)


def _has_japan_surrendered(run: EotsRun) -> bool:
    """Count the turns of the blockade. If Japan has surrendered, end the game and return True (13.93, 16.1)."""
    turns_before = run.state.tracks.blockade_turns
    turns = 0 if has_home_line_to_resource(run.state) else turns_before + 1
    if turns != turns_before:
        run.add(BlockadeCounted(turns=turns))
    if is_honshu_lost(run.state):
        reason = "Japan surrenders: the Allies control every hex of Honshu (13.93a)"
    elif turns >= BLOCKADE:
        reason = f"Japan surrenders: no line home to a resource hex in {BLOCKADE} turns (13.93b)"
    else:
        return False
    winner = Role(Side.ALLIED)
    run.add(GameEnded(outcome=Outcome(winner=winner, level="", score=None, reason=reason)))
    return True
