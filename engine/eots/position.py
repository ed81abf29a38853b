"""Positions, which are what scenario files contain: a game can start from a position and export one.

A position describes a state in readable form: units with places and steps, hexes controlled by Japan, cards and tracks.
Zones of influence, supply and other derived values are not stored. See ``docs/scenario-format.md``.
"""

from collections.abc import Mapping

import msgspec

from engine.eots.deck import cards
from engine.eots.frames import EventFrame, Frame
from engine.eots.ids import CardId, HexId, ScenarioId, Side, Spot, UnitId
from engine.eots.scenarios import land_in_play, scenario
from engine.eots.state import HIDDEN, Arrival, Deck, Offensive, Piece, Pools, State, Tracks
from engine.kernel.structs import shared_fields

FORMAT = 1
"""Version of the scenario file format."""


class UnitSetup(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One counter's initial state."""

    unit: UnitId
    at: Spot
    """A hex, ``china-box``, ``turn-track``, ``delay-box``, ``eliminated``, ``removed`` or ``event``."""
    steps: int
    """2 at full strength; 1 for a reduced unit, a one-step unit or an HQ; 0 when not in play."""
    turn: int | None = None
    """The arrival turn of a unit on the turn track; None for all other units."""
    delayable: bool = True


class Position(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """Everything needed to start a game."""

    format: int = FORMAT
    game: str = "eots"
    scenario: str
    options: Mapping[str, str] = {}
    turn: int
    last_turn: int
    units: tuple[UnitSetup, ...]
    """Every counter in the game, exactly once, sorted by id."""
    japan_controls: tuple[HexId, ...]
    """Land hexes under Japanese control, sorted. The Allies control all other land."""
    japan_controls_at_turn_start: tuple[HexId, ...] | None = None
    japan_controls_at_start: tuple[HexId, ...] | None = None
    decks: Mapping[Side, Deck]
    tracks: Tracks = Tracks()
    frames: tuple[Frame, ...]
    """The current point in the game; see :mod:`engine.eots.frames`."""
    pools: Pools = Pools()
    arrived_hqs: tuple[UnitId, ...] = ()
    arrived_air: tuple[UnitId, ...] = ()
    rebuilt: tuple[UnitId, ...] = ()
    offensive: Offensive | None = None
    events_played: tuple[CardId, ...] = ()
    taken_back: tuple[CardId, ...] = ()
    """Cards taken back during the current play (CP-04)."""
    beneath: Mapping[Side, tuple[CardId, ...]] = {}
    """The draw pile that a side uses once its current draw pile runs out (5.37, ``tojo-reshuffle``)."""


def state_from_position(position: Position) -> State:
    """Build the state described by a position. The position is not validated."""
    land = land_in_play(scenario(ScenarioId(position.scenario)), position.options)
    control = hex_holders(land, position.japan_controls)
    values = shared_fields(position, State) | {
        "options": dict(position.options),
        "decks": dict(position.decks),
        "units": {
            # A unit on the turn track is not in play. Its steps are stored with its arrival.
            setup.unit: Piece(setup.at, 0 if setup.turn is not None else setup.steps)
            for setup in position.units
        },
    }
    return State(
        **values,
        played=_by_side(played_cards(position)),
        arrivals={
            setup.unit: Arrival(setup.turn, setup.steps, setup.delayable)
            for setup in position.units
            if setup.turn is not None
        },
        control=control,
        control_at_turn_start=hex_holders(land, position.japan_controls_at_turn_start, control),
        control_at_start=hex_holders(land, position.japan_controls_at_start, control),
    )


def position_from_state(state: State) -> Position:
    """Build the position from which :func:`state_from_position` restores exactly this state."""
    japan_hexes = _held_hexes(state.control)
    at_turn_start = _held_hexes(state.control_at_turn_start)
    at_start = _held_hexes(state.control_at_start)
    values = shared_fields(state, Position) | {
        "options": dict(sorted(state.options.items())),
        "decks": dict(sorted(state.decks.items())),
        "units": tuple(_unit_setup(state, unit) for unit in sorted(state.units)),
    }
    return Position(
        **values,
        japan_controls=japan_hexes,
        # None means the same as ``japan_controls``.
        japan_controls_at_turn_start=None if at_turn_start == japan_hexes else at_turn_start,
        japan_controls_at_start=None if at_start == japan_hexes else at_start,
    )


def played_cards(position: Position) -> tuple[CardId, ...]:
    """Return the cards played in the current offensive. Outside an offensive, return the card of the current event."""
    offensive = position.offensive
    if offensive is not None:
        return offensive.card, *offensive.reaction.events
    return tuple(frame.card for frame in position.frames if isinstance(frame, EventFrame))


def _by_side(names: tuple[CardId, ...]) -> Mapping[Side, tuple[CardId, ...]]:
    cards_by_side: dict[Side, tuple[CardId, ...]] = {}
    for name in names:
        side = cards()[name].side
        cards_by_side[side] = (*cards_by_side.get(side, ()), name)
    return cards_by_side


def hide_cards(position: Position, side: Side | None) -> Position:
    """Hide the cards that a side may not see. If the side is None, hide the cards that a spectator may not see."""
    decks = {
        owner: deck if owner is side else _hide_deck(deck) for owner, deck in position.decks.items()
    }
    shuffled_back = tuple(
        card if card != HIDDEN and cards()[card].side is side else HIDDEN
        for card in position.taken_back
    )
    cards_beneath = {
        owner: pile if owner is side else (HIDDEN,) * len(pile)
        for owner, pile in position.beneath.items()
    }
    return msgspec.structs.replace(
        position, decks=decks, taken_back=shuffled_back, beneath=cards_beneath
    )


def _hide_deck(deck: Deck) -> Deck:
    return msgspec.structs.replace(
        deck,
        hand=(HIDDEN,) * len(deck.hand),
        draw=(HIDDEN,) * len(deck.draw),
        future=None if deck.future is None else HIDDEN,
        locked=(HIDDEN,) * len(deck.locked),
    )


def hex_holders(
    land: tuple[HexId, ...],
    japan: tuple[HexId, ...] | None,
    defaults: Mapping[HexId, Side] | None = None,
) -> Mapping[HexId, Side]:
    """Return the controller of each land hex: Japan for the listed hexes, the Allies for all others.

    Args:
        land: The land in play.
        japan: Hexes that Japan controls, or None to use the defaults.
        defaults: The control to use if ``japan`` is None.
    """
    if japan is None and defaults is not None:
        return defaults
    japan_hexes = frozenset(japan or ())
    return {hex_id: Side.JAPAN if hex_id in japan_hexes else Side.ALLIED for hex_id in land}


def _held_hexes(control: Mapping[HexId, Side]) -> tuple[HexId, ...]:
    return tuple(sorted([hex_id for hex_id, side in control.items() if side is Side.JAPAN]))


def _unit_setup(state: State, unit: UnitId) -> UnitSetup:
    piece = state.units[unit]
    arrival = state.arrivals.get(unit)
    if arrival is None:
        return UnitSetup(unit=unit, at=piece.at, steps=piece.steps)
    return UnitSetup(
        unit=unit, at=piece.at, steps=arrival.steps, turn=arrival.turn, delayable=arrival.delayable
    )
