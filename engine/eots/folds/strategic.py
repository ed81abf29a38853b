"""Fold the facts about the strategic phase and national status."""

from typing import Final

from msgspec.structs import replace

from engine.eots.events.strategic import (
    GroundStepsCut,
    MandatesGained,
    ReinforcementsDelayed,
    SubmarineWarfareResolved,
)
from engine.eots.state import State


def submarine_warfare_resolved(state: State, event: SubmarineWarfareResolved) -> State:
    """Note the card that a success costs."""
    if not event.success:
        return state
    return replace(state, tracks=replace(state.tracks, draw_loss=state.tracks.draw_loss + 1))


def reinforcements_delayed(state: State, event: ReinforcementsDelayed) -> State:
    """Note the turn."""
    return replace(state, tracks=replace(state.tracks, allied_delay_turn=event.turn))


def ground_steps_cut(state: State, event: GroundStepsCut) -> State:
    """Add to what the turn loses (CP-26)."""
    lost = state.tracks.replacement_loss
    key = str(event.turn)
    added = {**lost, key: lost.get(key, 0) + event.steps}
    return replace(state, tracks=replace(state.tracks, replacement_loss=added))


def mandates_gained(state: State, event: MandatesGained) -> State:
    """Note whose the Mandates are."""
    return replace(state, tracks=replace(state.tracks, mandates=event.side))


FOLDS: Final = {
    SubmarineWarfareResolved: submarine_warfare_resolved,
    ReinforcementsDelayed: reinforcements_delayed,
    GroundStepsCut: ground_steps_cut,
    MandatesGained: mandates_gained,
}
