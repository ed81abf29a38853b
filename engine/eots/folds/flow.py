"""Fold the facts about where the game stands."""

from functools import cache
from typing import Final

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.events.flow import (
    FrameEntered,
    FrameLeft,
    FrameReplaced,
    GameEnded,
    GameStarted,
    TurnBegan,
)
from engine.eots.ids import HexId, Side
from engine.eots.position import state_of
from engine.eots.state import Pools, State


@cache
def _land() -> tuple[HexId, ...]:
    return tuple(sorted(hex_id for hex_id, row in board().hexes.items() if row.is_land))


def game_started(_: State, event: GameStarted) -> State:
    """Set the position up."""
    return state_of(event.position, _land())


def frame_entered(state: State, event: FrameEntered) -> State:
    """Push a frame."""
    return replace(state, frames=(*state.frames, event.frame))


def frame_replaced(state: State, event: FrameReplaced) -> State:
    """Replace the innermost frame."""
    return replace(state, frames=(*state.frames[:-1], event.frame))


def frame_left(state: State, _: FrameLeft) -> State:
    """Pop the innermost frame."""
    return replace(state, frames=state.frames[:-1])


def turn_began(state: State, event: TurnBegan) -> State:
    """Advance the turn marker and reset what counts per turn (4.5)."""
    decks = {side: replace(state.decks[side], event_draws=0, passes=0) for side in Side}
    tracks = replace(
        state.tracks,
        allied_asp_used=0,
        japan_asp_used=0,
        tokyo_express=None,
        bombed_this_turn=(),
        draw_loss=0,
        war_in_europe_at_turn_start=state.tracks.war_in_europe,
    )
    return replace(
        state,
        turn=event.turn,
        decks=decks,
        tracks=tracks,
        pools=Pools(),
        control_at_turn_start=state.control,
        arrived_hqs=(),
        arrived_air=(),
        rebuilt=(),
    )


def game_ended(state: State, event: GameEnded) -> State:
    """Record the outcome; no question is open any more."""
    return replace(state, outcome=event.outcome, frames=())


FOLDS: Final = {
    GameStarted: game_started,
    FrameEntered: frame_entered,
    FrameReplaced: frame_replaced,
    FrameLeft: frame_left,
    TurnBegan: turn_began,
    GameEnded: game_ended,
}
