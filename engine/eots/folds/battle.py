"""Fold the facts about battle."""

from typing import Final

from msgspec.structs import replace

from engine.eots.events import battle as facts
from engine.eots.events.base import EotsEvent
from engine.eots.state import State, current


def battle_began(state: State, event: facts.BattleBegan) -> State:
    """Note who takes part, for no unit fights twice (9.1)."""
    record = current(state)
    fought = {**record.fought, **dict.fromkeys(event.units, event.at)}
    return replace(state, offensive=replace(record, fought=fought))


def us_force_wiped_out(state: State, _: facts.UsForceWipedOut) -> State:
    """Note the turn for the Political Will Segment (16.45)."""
    return replace(state, tracks=replace(state.tracks, us_force_lost_turn=state.turn))


def told_only(state: State, _: EotsEvent) -> State:
    """Change nothing: the fact explains others."""
    return state


FOLDS: Final = {
    facts.BattleBegan: battle_began,
    facts.BattleCancelled: told_only,
    facts.AirNavalRolled: told_only,
    facts.GroundRolled: told_only,
    facts.IntrinsicLost: told_only,
    facts.HitsLost: told_only,
    facts.AirNavalDecided: told_only,
    facts.GroundDecided: told_only,
    facts.UsForceWipedOut: us_force_wiped_out,
}
