"""The game as seen by one side, in the form of a state that the rules can evaluate."""

from typing import TypeAlias

from msgspec.structs import replace

from engine.eots.frames import OffensiveFrame
from engine.eots.ids import CardId, ScenarioId, Side
from engine.eots.position import hex_holders
from engine.eots.scenarios import land_in_play, scenario
from engine.eots.state import HIDDEN, Arrival, Deck, Offensive, Piece, State
from engine.eots.view import EotsView, SideView
from engine.kernel.memo import inherit_cache
from engine.kernel.structs import shared_fields

Table: TypeAlias = State
"""A state built from a view, so that the rules can evaluate it.

Cards that the view does not show are :data:`HIDDEN`.
"""


def state_from_view(view: EotsView) -> Table:
    """Build a state from the contents of a view.

    Everything that the rules derive from this state depends only on the viewer's information. Two games that look the
    same to the viewer produce the same state.
    """
    land = land_in_play(scenario(ScenarioId(view.scenario)), view.options)
    offensive = view.offensive
    values = shared_fields(view, State) | {
        "units": {unit.id: Piece(unit.at, unit.steps) for unit in view.units},
        "arrivals": {
            unit.id: Arrival(unit.due, 0, delayable=True)
            for unit in view.units
            if unit.due is not None
        },
        "control": hex_holders(land, view.japan_controls),
        "control_at_turn_start": hex_holders(land, view.japan_at_turn_start),
        "control_at_start": hex_holders(land, view.japan_at_start),
        "decks": {side: _deck(view, side, known) for side, known in view.sides.items()},
        "offensive": None
        if offensive is None
        else Offensive(**shared_fields(offensive, Offensive)),
    }
    return State(**values)


def with_changes(state: State, **parts: object) -> State:
    """Return a copy of a state with some parts replaced. Caches of the other parts stay valid."""
    return inherit_cache(state, replace(state, **parts))


def offensive_step(state: State) -> int:
    """Return the current step of 7.2, or 0 if there is no offensive."""
    steps = (frame.step for frame in reversed(state.frames) if isinstance(frame, OffensiveFrame))
    return next(steps, 0)


def _deck(view: EotsView, side: Side, side_view: SideView) -> Deck:
    values = shared_fields(side_view, Deck)
    if side is view.side:
        return Deck(
            **values
            | {
                "hand": view.hand,
                "draw": view.unseen,
                "future": view.future,
                "locked": view.locked,
            }
        )
    future_card = HIDDEN if side_view.has_future else None
    return Deck(
        **values
        | {
            "hand": _hidden_cards(side_view.hand),
            "draw": _hidden_cards(side_view.draw),
            "future": future_card,
        }
    )


def _hidden_cards(count: int) -> tuple[CardId, ...]:
    return (HIDDEN,) * count
