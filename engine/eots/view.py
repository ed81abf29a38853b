"""What one side sees of the game.

A view is built field by field from what the side may know, and never by removing secrets from a state.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.eots.ch06_supply.supply import BurmaRoad, burma_road, supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.ch08_movement.asp import usable_level
from engine.eots.ch09_battle.preview import BattlePreview, previews
from engine.eots.counters import counters
from engine.eots.frames import Frame, OffensiveFrame
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.state import (
    Arrival,
    Deck,
    Mode,
    Offensive,
    Pools,
    State,
    Tracks,
)
from engine.kernel.decision import Outcome
from engine.kernel.memo import Memo
from engine.kernel.ruleset import View
from engine.kernel.structs import shared_fields

_UNITS: Final = Memo[tuple["UnitView", ...]](16)
_ZONES: Final = Memo["Zones"](16)
_JAPANESE: Final = Memo[tuple[HexId, ...]](3)


def _japanese_hexes(state: State, control: Mapping[HexId, Side]) -> tuple[HexId, ...]:
    return _JAPANESE.get(
        state,
        (control,),
        lambda: tuple(sorted(hex_id for hex_id, holder in control.items() if holder is Side.JAPAN)),
    )


class UnitView(msgspec.Struct, frozen=True, kw_only=True):
    """One counter. Every counter is public (1.24)."""

    id: UnitId
    at: str
    steps: int
    supplied: bool
    """True if the unit is in supply. Always False unless the unit is on the map or in the China box (6.2)."""
    activated: bool
    moved: Mode | None
    """The unit's movement mode in this offensive, or None if the unit has not moved."""
    due: int | None
    """The arrival turn of a unit on the turn track; None for all other units."""


class SideView(msgspec.Struct, frozen=True, kw_only=True):
    """Public information about a side's cards and shipping (5.0)."""

    hand: int
    draw: int
    discard: tuple[CardId, ...]
    removed: tuple[CardId, ...]
    has_future: bool
    future_turn: int
    passes: int
    event_draws: int
    asp: int
    """Shipping points that the side may use per turn. Rivalry halves Japan's points (10.3, 14.2B)."""
    asp_used: int
    rivalry: bool


class OffensiveView(Offensive, frozen=True, kw_only=True):
    """The current offensive and values derived from it (7.0). All of this is public."""

    step: int
    """Number of the step in 7.2, 15 for the conclusion; 0 before the first step."""
    reaction_hq: UnitId | None
    reaction_activated: tuple[UnitId, ...]
    reaction_cards: tuple[CardId, ...]
    paths: Mapping[UnitId, tuple[HexId, ...]]
    """Hexes entered by each unit, in order."""
    previews: tuple[BattlePreview, ...] = ()
    """Previews of both sides' rolls for each unresolved battle, sorted by hex (9.2, 9.4)."""


class Zones(msgspec.Struct, frozen=True, kw_only=True):
    """Zones of influence, sorted by hex (6.4)."""

    allied: tuple[HexId, ...]
    """Allied ZOI that is not neutralised."""
    japan: tuple[HexId, ...]
    contested: tuple[HexId, ...]
    """Hexes in the zones of both sides."""


class EotsView(View, frozen=True, kw_only=True):
    """The game as seen by a side or a spectator."""

    side: Side | None
    scenario: str
    options: Mapping[str, str]
    turn: int
    last_turn: int
    frames: tuple[Frame, ...]
    """The stack of frames. It contains no hidden information."""
    units: tuple[UnitView, ...]
    """Every counter, sorted by id."""
    japan_controls: tuple[HexId, ...]
    """Land hexes that Japan controls, sorted."""
    japan_at_turn_start: tuple[HexId, ...]
    """Land hexes that Japan controlled at the start of the turn. Those that the Allies capture count for 16.47."""
    japan_at_start: tuple[HexId, ...]
    """Land hexes that Japan controlled at the start of the scenario, for victory conditions (17.27, 17.38, 17.48)."""
    hand: tuple[CardId, ...]
    """The viewer's hand; empty for a spectator."""
    locked: tuple[CardId, ...]
    """Cards in hand that cannot be used in this offensive (5.35)."""
    future: CardId | None
    """The viewer's future offensives card, or None if the viewer has none."""
    unseen: tuple[CardId, ...]
    """The viewer's undrawn cards, sorted."""
    sides: Mapping[Side, SideView]
    tracks: Tracks
    pools: Pools
    zones: Zones
    offensive: OffensiveView | None
    events_played: tuple[CardId, ...]
    """Cards used as events so far, in order of play."""
    burma_road: BurmaRoad
    """The box of the Burma Road marker (13.78)."""
    outcome: Outcome | None


def refresh_view(view: EotsView, state: State, *, with_odds: bool) -> EotsView:
    """Return an earlier view with the current frames and offensive. Units and zones stay as they were."""
    odds = previews(state) if with_odds else ()
    offensive = None if state.offensive is None else _offensive(state, state.offensive, odds)
    return replace(view, frames=state.frames, offensive=offensive)


def project_state(state: State, side: Side | None) -> EotsView:
    """Build the view for a side or, if the side is None, for a spectator."""
    own_deck = Deck() if side is None else state.decks[side]
    values = shared_fields(state, EotsView) | {
        "units": _visible_units(state),
        "offensive": None
        if state.offensive is None
        else _offensive(state, state.offensive, previews(state)),
    }
    return EotsView(
        **values,
        side=side,
        japan_controls=_japanese_hexes(state, state.control),
        japan_at_turn_start=_japanese_hexes(state, state.control_at_turn_start),
        japan_at_start=_japanese_hexes(state, state.control_at_start),
        hand=own_deck.hand,
        locked=own_deck.locked,
        future=own_deck.future,
        unseen=own_deck.draw if side is None else (*own_deck.draw, *state.beneath.get(side, ())),
        sides={owner: _side_view(state, owner) for owner in Side if owner in state.decks},
        zones=_project_zones(state),
        burma_road=burma_road(state),
    )


def _side_view(state: State, side: Side) -> SideView:
    deck, tracks = state.decks[side], state.tracks
    japan = side is Side.JAPAN
    return SideView(
        hand=len(deck.hand),
        draw=len(deck.draw) + len(state.beneath.get(side, ())),
        discard=deck.discard,
        removed=deck.removed,
        has_future=deck.future is not None,
        future_turn=deck.future_turn,
        passes=deck.passes,
        event_draws=deck.event_draws,
        asp=usable_level(state, side),
        asp_used=tracks.japan_asp_used if japan else tracks.allied_asp_used,
        rivalry=tracks.has_rivalry(side),
    )


def _visible_units(state: State) -> tuple[UnitView, ...]:
    key = (state.units, state.control, state.tracks, state.offensive, state.arrivals)
    return _UNITS.get(state, key, lambda: _unit_views(state))


def _unit_views(state: State) -> tuple[UnitView, ...]:
    lines = supply(state)
    offensive = state.offensive
    activated_units: frozenset[UnitId] = (
        frozenset()
        if offensive is None
        else frozenset((*offensive.activated, *offensive.reaction.activated))
    )
    views = []
    for unit in sorted(state.units):
        piece = state.units[unit]
        arrival: Arrival | None = state.arrivals.get(unit)
        # Supply is defined only for units on the map or in the China box.
        in_play = piece.steps > 0 and (piece.is_on_map or piece.at == "china-box")
        if not in_play:
            is_supplied = False
        elif counters()[unit].is_hq:
            is_supplied = lines.is_hq_supplied(unit)
        else:
            is_supplied = lines.is_supplied(unit)
        moved_units = (
            None if offensive is None or unit not in offensive.moved else offensive.moved[unit].mode
        )
        views.append(
            UnitView(
                id=unit,
                at=piece.at,
                steps=piece.steps,
                supplied=is_supplied,
                activated=unit in activated_units,
                moved=moved_units,
                due=None if arrival is None else arrival.turn,
            )
        )
    return tuple(views)


def _project_zones(state: State) -> Zones:
    key = (state.units, state.control, state.tracks, state.offensive)
    return _ZONES.get(state, key, lambda: _zone_lists(state))


def _zone_lists(state: State) -> Zones:
    zones = zoi(state)
    return Zones(
        allied=zones.bitsets.ids(zones.open_zones[Side.ALLIED]),
        japan=zones.bitsets.ids(zones.open_zones[Side.JAPAN]),
        contested=zones.bitsets.ids(zones.exerted[Side.ALLIED] & zones.exerted[Side.JAPAN]),
    )


def _offensive(
    state: State, offensive: Offensive, odds: tuple[BattlePreview, ...]
) -> OffensiveView:
    step = next(
        (frame.step for frame in reversed(state.frames) if isinstance(frame, OffensiveFrame)), 0
    )
    return OffensiveView(
        **shared_fields(offensive, OffensiveView),
        step=step,
        reaction_hq=offensive.reaction.hq,
        reaction_activated=offensive.reaction.activated,
        reaction_cards=offensive.reaction.events,
        paths={unit: move.path for unit, move in offensive.moved.items()},
        previews=odds,
    )
