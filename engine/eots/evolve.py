"""The only module that changes the state. It has one function per type of event, called a fold."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.events import battle, cards, flow, offensive, tracks, units
from engine.eots.events.base import EotsEvent
from engine.eots.ids import CardId, CityKind, Side, UnitId
from engine.eots.position import state_from_position
from engine.eots.state import (
    DELAY_BOX,
    ELIMINATED,
    HIDDEN,
    REMOVED,
    TURN_TRACK,
    Arrival,
    BattleHex,
    Deck,
    Mode,
    Offensive,
    OffensiveSnapshot,
    Piece,
    Pools,
    State,
    current_offensive,
)
from engine.kernel.ids import Rule
from engine.kernel.memo import make_evolve
from engine.kernel.unions import leaf_types, union_of

Fold = Callable[[State, Any], State]
V = TypeVar("V")

EVENTS: Final = leaf_types(EotsEvent, *map(vars, (flow, units, cards, tracks, offensive, battle)))
"""All event types, by module."""
EVENT_UNION: Final[object] = union_of(EVENTS)
"""Tagged union of all events, for decoding."""
_EMPTY_DECK: Final = Rule("CP-46")
"""Rule under which a deck that runs out is reshuffled. Reshuffles at the end of a turn cite a different rule."""


# -- sequence of play


def _apply_turn_began(state: State, event: flow.TurnBegan) -> State:
    """Advance the turn marker and reset the per-turn counters (4.5)."""
    decks = {side: replace(state.decks[side], event_draws=0, passes=0) for side in Side}
    marks = replace(
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
        tracks=marks,
        pools=Pools(),
        control_at_turn_start=state.control,
        arrived_hqs=(),
        arrived_air=(),
        rebuilt=(),
    )


# -- counters and control


def _place_unit(state: State, unit: UnitId, place: str, steps: int) -> State:
    """Move a counter to a place. If the turn track has an entry for the counter, remove the entry."""
    pieces = {**state.units, unit: Piece(place, steps)}
    # Most units have no arrival. The mapping is reused because caches use its identity as a key.
    if unit in state.arrivals:
        arrivals = {
            other_unit: arrival
            for other_unit, arrival in state.arrivals.items()
            if other_unit != unit
        }
        return replace(state, units=pieces, arrivals=arrivals)
    return replace(state, units=pieces)


def _apply_step_lost(state: State, event: units.StepLost) -> State:
    piece = state.units[event.unit]
    if piece.steps > 1:
        return _place_unit(state, event.unit, piece.at, piece.steps - 1)
    return _apply_unit_eliminated(state, event)


def _apply_step_gained(state: State, event: units.StepGained) -> State:
    piece = state.units[event.unit]
    return _place_unit(state, event.unit, piece.at, piece.steps + 1)


def _apply_unit_eliminated(state: State, event: units.UnitEliminated | units.StepLost) -> State:
    """Eliminate a unit. Unless it is pre-war, replacements can bring it back (11.1)."""
    hex_id = REMOVED if counters()[event.unit].prewar else ELIMINATED
    return _place_unit(state, event.unit, hex_id, 0)


def _apply_unit_scheduled(state: State, event: units.UnitScheduled) -> State:
    """Put a unit on the turn track. A pre-war unit is removed from the game instead (11.1)."""
    if counters()[event.unit].prewar:
        return _place_unit(state, event.unit, REMOVED, 0)
    arrival = Arrival(event.turn, event.steps, event.delayable)
    return replace(
        state,
        units={**state.units, event.unit: Piece(TURN_TRACK, 0)},
        arrivals={**state.arrivals, event.unit: arrival},
    )


def _apply_control_changed(state: State, event: units.ControlChanged) -> State:
    """Change the controller of hexes. A captured home island city permanently loses its intrinsic unit (13.94)."""
    state = replace(state, control={**state.control, **dict.fromkeys(event.hexes, event.side)})
    cities_taken = state.tracks.cities_taken
    cities_fallen = tuple(
        hex_id
        for hex_id in event.hexes
        if board().hexes[hex_id].city is CityKind.JAPANESE_INTRINSIC and hex_id not in cities_taken
    )
    if event.side is Side.JAPAN or not cities_fallen:
        return state
    return _with_tracks(state, cities_taken=(*cities_taken, *cities_fallen))


# -- cards (in a player's copy, hidden cards represent unknown faces)


def _with_deck(state: State, side: Side, **changes: object) -> State:
    return replace(state, decks={**state.decks, side: replace(state.decks[side], **changes)})


def _pile_without(pile: tuple[CardId, ...], card: CardId) -> tuple[CardId, ...]:
    """Return a pile without one card. If the pile does not show the card's face, remove a hidden card instead.

    If the removed card is hidden, it could be any card of the pile, so all remaining cards become hidden.
    """
    if card == HIDDEN:
        return (HIDDEN,) * (len(pile) - 1)
    index = pile.index(card if card in pile else HIDDEN)
    return pile[:index] + pile[index + 1 :]


def _sorted_pile(*pile: CardId) -> tuple[CardId, ...]:
    # Hidden cards have no number, so they sort first.
    # The order of a pile determines the result of a random pick, so it must be the same in every copy.
    return tuple(sorted(pile, key=lambda card: int(card.partition("-")[2] or 0)))


def _without_card(deck: Deck, card: CardId, *, is_future: bool) -> dict[str, object]:
    """Return the deck's changed fields after a card leaves the hand or the future offensives slot."""
    return {"future": None} if is_future else {"hand": _pile_without(deck.hand, card)}


def _with_piles(
    state: State,
    side: Side,
    draw: tuple[CardId, ...],
    cards_beneath: tuple[CardId, ...],
    **changes: object,
) -> State:
    """Set a side's two draw piles. If the first is empty, the pile beneath takes its place (5.37)."""
    if not draw:
        draw, cards_beneath = cards_beneath, ()
    if cards_beneath != state.beneath.get(side, ()):
        piles = {**state.beneath, side: cards_beneath}
        state = replace(state, beneath={owner: pile for owner, pile in piles.items() if pile})
    return _with_deck(state, side, draw=draw, **changes)


def _remove_from_draw_pile(state: State, side: Side, *names: CardId, **changes: object) -> State:
    """Remove cards from the draw pile. When it runs out, continue with the pile beneath (5.37)."""
    draw, cards_beneath = state.decks[side].draw, state.beneath.get(side, ())
    for name in names:
        if not draw:
            draw, cards_beneath = cards_beneath, ()
        draw = _pile_without(draw, name)
    # The deal is over, so the record of the piles before the reshuffle is no longer needed.
    if state.shuffled:
        state = replace(state, shuffled={})
    return _with_piles(state, side, draw, cards_beneath, **changes)


def _apply_cards_dealt(state: State, event: cards.CardsDealt) -> State:
    hand = _sorted_pile(*state.decks[event.side].hand, *event.cards)
    return _remove_from_draw_pile(state, event.side, *event.cards, hand=hand, passes=event.passes)


def _apply_card_drawn(state: State, event: cards.CardDrawn) -> State:
    deck = state.decks[event.side]
    return _remove_from_draw_pile(
        state,
        event.side,
        event.card,
        hand=_sorted_pile(*deck.hand, event.card),
        locked=(*deck.locked, event.card) if event.locked else deck.locked,
        event_draws=deck.event_draws + 1,
    )


def _with_table_cards(state: State, side: Side, *played_card: CardId) -> State:
    """Replace the list of cards that a side has played but not yet put away."""
    tables = {**state.played, side: played_card}
    return replace(state, played={owner: pile for owner, pile in tables.items() if pile})


def _remove_played_card(state: State, side: Side, card: CardId) -> State:
    """Remove a card from the played cards. If the card is hidden here, remove the first played card (CP-04)."""
    cards_played = state.played.get(side, ())
    index = cards_played.index(card) if card in cards_played else 0
    return _with_table_cards(state, side, *cards_played[:index], *cards_played[index + 1 :])


def _apply_card_played(state: State, event: cards.CardPlayed) -> State:
    deck = _without_card(state.decks[event.side], event.card, is_future=event.future)
    state = _with_deck(state, event.side, **deck)
    state = _with_table_cards(state, event.side, *state.played.get(event.side, ()), event.card)
    if event.use not in {"event", "reaction", "lost"}:
        return state
    return replace(state, events_played=(*state.events_played, event.card))


def _apply_card_discarded(state: State, event: cards.CardDiscarded) -> State:
    deck = state.decks[event.side]
    pile = "removed" if event.removed else "discard"
    changed = {pile: _sorted_pile(*getattr(deck, pile), event.card)}
    return _with_deck(state, event.side, hand=_pile_without(deck.hand, event.card), **changed)


def _apply_card_reclaimed(state: State, event: cards.CardReclaimed) -> State:
    deck = state.decks[event.side]
    hand, discard = _sorted_pile(*deck.hand, event.held), _pile_without(deck.discard, event.card)
    return _with_deck(state, event.side, hand=hand, discard=discard)


def _apply_card_settled(state: State, event: cards.CardSettled) -> State:
    state = _remove_played_card(state, event.side, event.card)
    deck = state.decks[event.side]
    if event.removed:
        return _with_deck(state, event.side, removed=_sorted_pile(*deck.removed, event.card))
    return _with_deck(state, event.side, discard=_sorted_pile(*deck.discard, event.card))


def _apply_future_placed(state: State, event: cards.FuturePlaced) -> State:
    hand = _pile_without(state.decks[event.side].hand, event.card)
    turn = state.turn
    return _with_deck(
        state, event.side, hand=hand, future=event.card, future_turn=turn, placed_turn=turn
    )


def _apply_deck_reshuffled(state: State, event: cards.DeckReshuffled) -> State:
    draw, cards_beneath = state.decks[event.side].draw, state.beneath.get(event.side, ())
    # The deal that follows must use up the old piles before it draws from the discards.
    if event.rule == _EMPTY_DECK:
        state = replace(state, shuffled={event.side: (draw, cards_beneath, event.cards)})
    draw = _sorted_pile(*draw, *cards_beneath, *event.cards)
    return _with_piles(state, event.side, draw, (), discard=(), reshuffle=False)


def _apply_draw_pile_added(state: State, event: cards.DrawPileAdded) -> State:
    cards_beneath = _sorted_pile(*state.beneath.get(event.side, ()), *event.cards)
    draw = state.decks[event.side].draw
    return _with_piles(state, event.side, draw, cards_beneath, discard=(), reshuffle=False)


def _apply_cards_unlocked(state: State, _: cards.CardsUnlocked) -> State:
    decks = {side: replace(deck, locked=()) for side, deck in state.decks.items()}
    return replace(state, decks=decks)


def _apply_pass_used(state: State, event: cards.PassUsed) -> State:
    return _with_deck(state, event.side, passes=state.decks[event.side].passes - 1)


def _apply_card_taken_back(state: State, event: cards.CardTakenBack) -> State:
    hand = state.decks[event.side].hand
    state = _remove_played_card(state, event.side, event.card)
    state = replace(state, taken_back=(*state.taken_back, event.card))
    if event.future:
        return _with_deck(state, event.side, future=event.card)
    return _with_deck(state, event.side, hand=_sorted_pile(*hand, event.card))


# -- markers and tracks


def _with_tracks(state: State, **changes: object) -> State:
    return replace(state, tracks=replace(state.tracks, **changes))


def _make_mark_fold(**fields: str) -> Fold:
    """Return a fold that sets markers.

    Each keyword is a field of the tracks, and its value is the event field to copy into it.
    """
    return lambda state, event: _with_tracks(
        state, **{mark: getattr(event, name) for mark, name in fields.items()}
    )


def _make_side_mark_fold(japan: str, allied: str, name: str) -> Fold:
    """Return a fold that copies an event field to one side's marker."""
    return lambda state, event: _with_tracks(
        state, **{japan if event.side is Side.JAPAN else allied: getattr(event, name)}
    )


def _make_add_fold(mark: str, name: str) -> Fold:
    """Return a fold that appends an event field's value to a list among the tracks."""
    return lambda state, event: _with_tracks(
        state, **{mark: (*getattr(state.tracks, mark), getattr(event, name))}
    )


def _apply_divisions_left_china(state: State, event: tracks.DivisionsLeftChina) -> State:
    pools = replace(state.pools, japan_ground=state.pools.japan_ground + event.count)
    divisions = state.tracks.divisions_in_china - event.count
    return replace(_with_tracks(state, divisions_in_china=divisions), pools=pools)


def _apply_unit_arrived(state: State, event: tracks.UnitArrived) -> State:
    counter = counters()[event.unit]
    if counter.is_hq and event.segment == "reinforcement":
        state = replace(state, arrived_hqs=(*state.arrived_hqs, event.unit))
    if counter.is_air_capable:
        state = replace(state, arrived_air=(*state.arrived_air, event.unit))
    if event.segment == "replacement":
        state = replace(state, rebuilt=(*state.rebuilt, event.unit))
    return state


def _apply_bombing_resolved(state: State, event: tracks.BombingResolved) -> State:
    """Record which B29 bombed. After a success, also record the turn and the card that Japan loses (12.31, 12.32)."""
    marks = state.tracks
    state = _with_tracks(state, bombed_this_turn=(*marks.bombed_this_turn, event.unit))
    if not event.success:
        return state
    turns = tuple(dict.fromkeys((*marks.bombing_turns, state.turn)))
    return _with_tracks(state, draw_loss=marks.draw_loss + 1, bombing_turns=turns)


def _apply_route_built(state: State, event: tracks.RouteBuilt) -> State:
    remaining_hexes = tuple(
        hex_id for hex_id in state.tracks.no_transport_route if hex_id != event.at
    )
    return _with_tracks(state, no_transport_route=remaining_hexes)


def _apply_once_used(state: State, event: tracks.OnceUsed) -> State:
    mark, value = _ONE_TIME_MARKS.get(event.what) or ("casualties_turn", state.turn)
    return _with_tracks(state, **{mark: value})


_ONE_TIME_MARKS: Final = {
    "alaska": ("alaska_penalty_used", True),
    "hawaii": ("hawaii_penalty_used", True),
    "resources": ("resource_bonus_used", True),
    "all-surrendered": ("all_surrendered_penalty", True),
    "all-recovered": ("all_surrendered_penalty", False),
}
"""For each one-time change of Political Will, the track field that records it and the field's new value."""


def _apply_ground_steps_cut(state: State, event: tracks.GroundStepsCut) -> State:
    losses, key = state.tracks.replacement_loss, str(event.turn)
    return _with_tracks(state, replacement_loss={**losses, key: losses.get(key, 0) + event.steps})


# -- an offensive


def _with_changes(state: State, **changes: object) -> State:
    return replace(state, offensive=replace(current_offensive(state), **changes))


def _with_side_changes(state: State, side: Side, **changes: object) -> State:
    """Change fields in the offensive's record or, for the Reaction player, in the reaction's record."""
    record = current_offensive(state)
    if side is record.side:
        return _with_changes(state, **changes)
    return _with_changes(state, reaction=replace(record.reaction, **changes))


def _apply_offensive_began(state: State, event: offensive.OffensiveBegan) -> State:
    """Create the record of an offensive, with a snapshot to be restored if the offensive is cancelled."""
    snapshot = OffensiveSnapshot(
        units=state.units, control=state.control, arrivals=state.arrivals, tracks=state.tracks
    )
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return replace(state, offensive=Offensive(before=snapshot, **fields))


def _apply_unit_activated(state: State, event: offensive.UnitActivated) -> State:
    record, unit = current_offensive(state), event.unit
    is_own = event.side is record.side
    own_record = record if is_own else record.reaction
    activated_units, service = (*own_record.activated, unit), event.service or own_record.service
    origins = {**record.origins, unit: state.units[unit].at}
    if is_own:
        return _with_changes(state, activated=activated_units, service=service, origins=origins)
    reaction = replace(record.reaction, activated=activated_units, service=service)
    return _with_changes(state, reaction=reaction, origins=origins)


def _apply_activation_lost(state: State, event: offensive.ActivationLost) -> State:
    reaction = current_offensive(state).reaction
    remaining_units = tuple(unit for unit in reaction.activated if unit != event.unit)
    return _with_changes(state, reaction=replace(reaction, activated=remaining_units))


def _apply_activation_taken_back(state: State, event: offensive.ActivationTakenBack) -> State:
    """Undo the activation of an offensive unit, as if it had never happened (CP-08)."""
    record, unit = current_offensive(state), event.unit
    japan = record.side is Side.JAPAN
    counter_name = "japan_asp_used" if japan else "allied_asp_used"
    state = _place_unit(state, unit, event.at, state.units[unit].steps)
    state = _with_tracks(
        state, **{counter_name: getattr(state.tracks, counter_name) - event.points}
    )
    hexes_returned = dict.fromkeys(event.hexes, record.side.enemy)
    move = record.moved.get(unit)
    return _with_changes(
        replace(state, control={**state.control, **hexes_returned}),
        activated=tuple(other_unit for other_unit in record.activated if other_unit != unit),
        origins=_without_unit(record.origins, unit),
        moved=_without_unit(record.moved, unit),
        asp_spent=record.asp_spent - event.points - event.lent,
        barge_used=record.barge_used and (move is None or move.mode is not Mode.BARGE),
        battles={
            hex_id: battle_state
            for hex_id, battle_state in record.battles.items()
            if hex_id not in event.battles
        },
        joined={
            joined_unit: hex_id
            for joined_unit, hex_id in record.joined.items()
            if hex_id not in event.battles
        },
        touched_zoi=event.touched_zoi,
    )


def _without_unit(rows: Mapping[UnitId, V], unit: UnitId) -> dict[UnitId, V]:
    return {other_unit: row for other_unit, row in rows.items() if other_unit != unit}


def _apply_unit_moved(state: State, event: offensive.UnitMoved) -> State:
    return _place_unit(state, event.unit, event.entered[-1], state.units[event.unit].steps)


def _add_offensive_asp(state: State, event: offensive.AspSpent | offensive.LentAspSpent) -> State:
    record = current_offensive(state)
    own_record = record if event.side is record.side else record.reaction
    return _with_side_changes(state, event.side, asp_spent=own_record.asp_spent + event.points)


def _apply_asp_spent(state: State, event: offensive.AspSpent) -> State:
    """Add spent amphibious shipping points to the totals for the turn and for the offensive."""
    marks = state.tracks
    if event.side is Side.JAPAN:
        state = _with_tracks(state, japan_asp_used=marks.japan_asp_used + event.points)
    else:
        state = _with_tracks(state, allied_asp_used=marks.allied_asp_used + event.points)
    return _add_offensive_asp(state, event)


def _apply_battle_declared(state: State, event: offensive.BattleDeclared) -> State:
    """Add a battle hex. If it results from special reaction, units that cover the landing join the battle."""
    record = current_offensive(state)
    hex_ = BattleHex(special=event.special, contested_landing=event.contested_landing)
    joined_hexes = dict(record.joined)
    if event.special:
        joined_hexes.update(
            {unit: hex_id for unit, hex_id in record.covers.items() if hex_id == event.at}
        )
    return _with_changes(state, battles={**record.battles, event.at: hex_}, joined=joined_hexes)


def _make_battle_mark_fold(mark: str) -> Fold:
    """Return a fold that sets a flag on the event's battle hex."""

    def fold(state: State, event: offensive.BattleSwitched | offensive.BattleResolved) -> State:
        battles = current_offensive(state).battles
        new_battle = replace(battles[event.at], **{mark: True})
        return _with_changes(state, battles={**battles, event.at: new_battle})

    return fold


def _apply_reaction_played(state: State, event: offensive.ReactionPlayed) -> State:
    reaction = current_offensive(state).reaction
    counter = event.card if event.counter else reaction.counter_card
    events = (*reaction.events, event.card)
    return _with_changes(state, reaction=replace(reaction, events=events, counter_card=counter))


def _apply_battle_began(state: State, event: battle.BattleBegan) -> State:
    """Record the participants, since no unit may fight twice (9.1)."""
    fought_units = {**current_offensive(state).fought, **dict.fromkeys(event.units, event.at)}
    return _with_changes(state, fought=fought_units)


def _apply_retreat_ordered(state: State, event: offensive.RetreatOrdered) -> State:
    retreats = {**current_offensive(state).retreats, **dict.fromkeys(event.units, event.at)}
    return _with_changes(state, retreats=retreats)


def _apply_special_reaction_tried(state: State, event: offensive.SpecialReactionTried) -> State:
    return _with_changes(state, specials_tried=(*current_offensive(state).specials_tried, event.at))


def _make_list_fold(field: str) -> Fold:
    """Return a fold that appends the event's units to one of the offensive's lists."""
    return lambda state, event: _with_changes(
        state, **{field: (*getattr(current_offensive(state), field), *event.units)}
    )


def _make_note_fold(field: str, name: str) -> Fold:
    """Return a fold that stores an event field under the event's unit."""
    return lambda state, event: _with_changes(
        state,
        **{field: {**getattr(current_offensive(state), field), event.unit: getattr(event, name)}},
    )


def _apply_offensive_cancelled(state: State, _: offensive.OffensiveCancelled) -> State:
    """Undo the offensive's changes. Its card does not count as played (5.32D)."""
    record, cards_played = current_offensive(state), state.events_played
    if record.event and record.card in cards_played:
        # The card may have been played in an earlier turn too, so remove only its latest use from
        # the list.
        last_play = len(cards_played) - 1 - cards_played[::-1].index(record.card)
        cards_played = cards_played[:last_play] + cards_played[last_play + 1 :]
    saved_fields = {name: getattr(record.before, name) for name in record.before.__struct_fields__}
    return replace(state, events_played=cards_played, offensive=None, **saved_fields)


_LOG_ONLY_EVENTS: Final = (
    battle.AirNavalDecided,
    battle.AirNavalRolled,
    battle.BattleCancelled,
    battle.GroundDecided,
    battle.GroundRolled,
    battle.HitsLost,
    battle.IntrinsicLost,
    tracks.DieRolled,
)
"""Events that only explain other events and do not change the state."""
FOLDS: Final[Mapping[type[EotsEvent], Fold]] = {
    **dict.fromkeys(_LOG_ONLY_EVENTS, lambda state, _: state),
    flow.GameStarted: lambda _, event: state_from_position(event.position),
    flow.FrameEntered: lambda state, event: replace(state, frames=(*state.frames, event.frame)),
    flow.FrameReplaced: lambda state, event: replace(
        state, frames=(*state.frames[:-1], event.frame)
    ),
    flow.FrameLeft: lambda state, _: replace(state, frames=state.frames[:-1]),
    flow.TurnBegan: _apply_turn_began,
    flow.GameEnded: lambda state, event: replace(state, outcome=event.outcome, frames=()),
    units.UnitPlaced: lambda state, event: _place_unit(state, event.unit, event.at, event.steps),
    units.StepLost: _apply_step_lost,
    units.StepGained: _apply_step_gained,
    units.UnitEliminated: _apply_unit_eliminated,
    units.UnitRemoved: lambda state, event: _place_unit(state, event.unit, REMOVED, 0),
    units.UnitScheduled: _apply_unit_scheduled,
    units.UnitBoxed: lambda state, event: _place_unit(state, event.unit, DELAY_BOX, event.steps),
    units.ControlChanged: _apply_control_changed,
    cards.CardsDealt: _apply_cards_dealt,
    cards.CardDrawn: _apply_card_drawn,
    cards.CardPlayed: _apply_card_played,
    cards.CardDiscarded: _apply_card_discarded,
    cards.CardReclaimed: _apply_card_reclaimed,
    cards.CardSettled: _apply_card_settled,
    cards.FuturePlaced: _apply_future_placed,
    cards.DeckReshuffled: _apply_deck_reshuffled,
    cards.DrawPileAdded: _apply_draw_pile_added,
    cards.ReshuffleOrdered: lambda state, event: _with_deck(state, event.side, reshuffle=True),
    cards.CardsUnlocked: _apply_cards_unlocked,
    cards.PassUsed: _apply_pass_used,
    cards.CardTakenBack: _apply_card_taken_back,
    cards.PlayFinished: lambda state, _: (
        replace(state, taken_back=()) if state.taken_back else state
    ),
    tracks.PoliticalWillMoved: _make_mark_fold(political_will="to"),
    tracks.WarInEuropeMoved: _make_mark_fold(war_in_europe="to"),
    tracks.ChinaFrontMoved: _make_mark_fold(china_front="to"),
    tracks.ChinaOffensiveTried: lambda state, _: _with_tracks(
        state, china_offensive_turn=state.turn
    ),
    tracks.DivisionsLeftChina: _apply_divisions_left_china,
    tracks.IndiaMoved: _make_mark_fold(india="to"),
    tracks.NorthIndiaLost: _make_mark_fold(north_india_lost="lost"),
    tracks.RivalrySet: _make_side_mark_fold("japan_rivalry", "us_rivalry", "rivalry"),
    tracks.AspLevelChanged: _make_side_mark_fold("japan_asp", "allied_asp", "level"),
    tracks.AspQuotaFixed: _make_mark_fold(allied_asp_after_reinforcement="level"),
    tracks.EscortsSet: _make_mark_fold(escorts="level", escorts_void="void"),
    tracks.NationSurrendered: _make_add_fold("surrendered", "nation"),
    tracks.NationRecaptured: _make_add_fold("recaptured", "nation"),
    tracks.PoolsSet: lambda state, event: replace(state, pools=event.pools),
    tracks.JapanPointsSet: _make_mark_fold(japan_naval_points="naval", japan_air_points="air"),
    tracks.UnitArrived: _apply_unit_arrived,
    tracks.SegmentClosed: lambda state, _: replace(state, arrived_air=()),
    tracks.BombingResolved: _apply_bombing_resolved,
    tracks.SubmarineWarfareResolved: lambda state, event: _with_tracks(
        state, draw_loss=state.tracks.draw_loss + event.success
    ),
    tracks.RouteBuilt: _apply_route_built,
    tracks.HoldsCounted: _make_mark_fold(aleutians_held="aleutians", hawaii_held="hawaii"),
    tracks.OnceUsed: _apply_once_used,
    tracks.BlockadeCounted: _make_mark_fold(blockade_turns="turns"),
    tracks.CityTaken: _make_add_fold("cities_taken", "at"),
    tracks.OccupationScored: _make_add_fold("once_occupied", "at"),
    tracks.MarkerSet: lambda state, event: _with_tracks(
        state, **{event.marker.replace("-", "_"): event.on}
    ),
    tracks.TokyoExpressMoved: _make_mark_fold(tokyo_express="at"),
    tracks.ReinforcementsDelayed: _make_mark_fold(allied_delay_turn="turn"),
    tracks.GroundStepsCut: _apply_ground_steps_cut,
    tracks.MandatesGained: _make_mark_fold(mandates="side"),
    offensive.OffensiveBegan: _apply_offensive_began,
    offensive.HqChosen: lambda state, event: _with_side_changes(
        state, event.side, hq=event.hq, limit=event.limit
    ),
    offensive.UnitActivated: _apply_unit_activated,
    offensive.ActivationLost: _apply_activation_lost,
    offensive.ActivationTakenBack: _apply_activation_taken_back,
    offensive.UnitMoved: _apply_unit_moved,
    offensive.MoveFinished: _make_note_fold("moved", "moved"),
    offensive.ZoiTouched: lambda state, _: _with_changes(state, touched_zoi=True),
    offensive.AspSpent: _apply_asp_spent,
    offensive.LentAspSpent: _add_offensive_asp,
    offensive.BargeUsed: lambda state, _: _with_changes(state, barge_used=True),
    offensive.BattleDeclared: _apply_battle_declared,
    offensive.BattleSwitched: _make_battle_mark_fold("switched"),
    offensive.BattleResolved: _make_battle_mark_fold("resolved"),
    offensive.UnitJoined: _make_note_fold("joined", "at"),
    offensive.UnitCovers: _make_note_fold("covers", "at"),
    offensive.SpecialReactionTried: _apply_special_reaction_tried,
    offensive.ConditionSet: lambda state, event: _with_changes(state, condition=event.condition),
    offensive.IntelligenceRolled: lambda state, _: _with_changes(state, rolled=True),
    offensive.ReactionPlayed: _apply_reaction_played,
    offensive.UnitsExpelled: _make_list_fold("expelled"),
    offensive.RetreatOrdered: _apply_retreat_ordered,
    offensive.UnitsDisplaced: _make_list_fold("displaced"),
    offensive.LossTargetsFixed: lambda state, event: _with_changes(state, loss_targets=event.units),
    offensive.OffensiveCancelled: _apply_offensive_cancelled,
    offensive.OffensiveEnded: lambda state, _: replace(state, offensive=None),
    battle.BattleBegan: _apply_battle_began,
    battle.UsForceWipedOut: lambda state, _: _with_tracks(state, us_force_lost_turn=state.turn),
}
"""The fold for each event type. A test checks that every event has a fold and that no fold is unused."""

evolve: Final[Callable[[State, EotsEvent], State]] = make_evolve(FOLDS)
"""Return the state after an event. This function never refuses an event, rolls dice or reads a clock."""
