"""Applies events to the state, with one function per kind of event. No other code changes the state."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar, cast

from msgspec.structs import asdict, replace

from engine.kernel.memo import make_evolve
from engine.qmg import events as ev
from engine.qmg.atlas import BIT
from engine.qmg.ids import AIR, AXIS, FORCE_INDEX, HIDDEN
from engine.qmg.position import state_from_position
from engine.qmg.state import Cards, Grant, Shield, State, Turn

T = TypeVar("T")
Fold = Callable[[State, ev.QmgEvent], State]


def _apply_game_started(_state: State, event: ev.GameStarted) -> State:
    return state_from_position(event.position)


# -- cards


def without_card(pile: tuple[str, ...], card: str) -> tuple[str, ...]:
    """Return a pile without one card.

    If the card is known but not shown in the pile, it must have been one of the pile's hidden cards. If the removed
    card is hidden, it could be any card of the pile, so all remaining cards become hidden.
    """
    removed_card = card if card in pile else HIDDEN
    if card == HIDDEN or removed_card not in pile:
        return (HIDDEN,) * (len(pile) - 1)
    index = pile.index(removed_card)
    return pile[:index] + pile[index + 1 :]


def _remove_from_zone(cards: Cards, zone: str, card: str) -> Cards:
    return replace(cards, **{zone: without_card(getattr(cards, zone), card)})


def _remove_from_deck(cards: Cards, card: str) -> Cards:
    """Remove a card from the deck. A hidden card is removed from the part of the deck that the next draw would use."""
    if card != HIDDEN and card in cards.deck:
        return replace(cards, deck=without_card(cards.deck, card))
    for zone in ("deck_top", "deck_bottom") if card != HIDDEN else ():
        if card in getattr(cards, zone):
            return _remove_from_zone(cards, zone, card)
    # The card is hidden, or it was hidden in this copy until it left the deck.
    if cards.deck_top:
        return replace(cards, deck_top=cards.deck_top[1:])
    if cards.deck:
        return _remove_from_zone(cards, "deck", HIDDEN)
    return replace(cards, deck_bottom=cards.deck_bottom[1:])


def _remove_from_discard(cards: Cards, event: ev.CardsMoved) -> Cards:
    if event.shown:
        pile, face_up = cards.discard, cards.face_up
        for card in event.cards:
            pile = without_card(pile, card)
            face_up = tuple(pile_card for pile_card in face_up if pile_card != card)
        return replace(cards, discard=pile, face_up=face_up)
    # Other countries no longer know which cards are in the pile, except for the top card.
    discard = cards.discard
    if HIDDEN in event.cards:
        discard = (HIDDEN,) * (len(discard) - len(event.cards))
        if event.top:
            discard = (*discard[:-1], event.top)
    else:
        for card in event.cards:
            discard = without_card(discard, card)
    return replace(cards, discard=discard, face_up=(event.top,) if event.top else ())


def _remove_moved_cards(cards: Cards, event: ev.CardsMoved) -> Cards:
    """Remove cards from the place that they leave. Statuses and the play area are not part of :class:`Cards`."""
    source = event.source
    if source == "discard":
        return _remove_from_discard(cards, event)
    for card in event.cards:
        if source == "deck":
            cards = _remove_from_deck(cards, card)
        elif source == "deck-below":  # the card is below the cards with a known order
            cards = _remove_from_zone(cards, "deck" if cards.deck else "deck_bottom", card)
        elif source in {"hand", "responses"}:
            cards = _remove_from_zone(cards, source, card)
    return cards


def _add_moved_cards(cards: Cards, destination: str, faces: tuple[str, ...]) -> Cards:
    """Add cards to the place that they enter. Statuses, the play area and the box are not part of :class:`Cards`."""
    match destination:
        case "hand":
            return replace(cards, hand=cards.hand + faces)
        case "responses":
            return replace(cards, responses=cards.responses + faces)
        case "discard-top":
            return replace(cards, discard=cards.discard + faces, face_up=cards.face_up + faces)
        case "discard-bottom":
            return replace(cards, discard=faces + cards.discard)
        case "deck-top":
            return replace(cards, deck_top=faces + cards.deck_top)
        case "deck-top-end":
            return replace(cards, deck_top=cards.deck_top + faces)
        case "deck-bottom":
            return replace(cards, deck_bottom=cards.deck_bottom + faces)
        case "deck-pool":
            return replace(cards, deck=tuple(sorted(cards.deck + faces)))
        case _:
            return cards


def _with_value(piles: tuple[T, ...], index: int, pile: T) -> tuple[T, ...]:
    """Return a tuple of per-country values with one country's value replaced."""
    return (*piles[:index], pile, *piles[index + 1 :])


def _without_cards(pile: tuple[str, ...], cards: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(card for card in pile if card not in cards)


def _apply_cards_moved(state: State, event: ev.CardsMoved) -> State:
    index = FORCE_INDEX[event.country]
    statuses, cards_played, turn = state.statuses, state.played, state.turn
    if event.source == "play":
        cards_played = _with_value(
            cards_played, index, _without_cards(cards_played[index], event.cards)
        )
    if event.to == "play":
        cards_played = _with_value(cards_played, index, cards_played[index] + event.cards)
    if event.source == "statuses":
        statuses = _with_value(statuses, index, _without_cards(statuses[index], event.cards))
    if event.to == "statuses":
        statuses = _with_value(statuses, index, statuses[index] + event.cards)
    cards_after = _add_moved_cards(
        _remove_moved_cards(state.cards[index], event), event.to, event.cards
    )
    if event.why == "discard-step":
        turn = replace(turn, discarded=turn.discarded + event.cards)
    cards = _with_value(state.cards, index, cards_after)
    return replace(state, cards=cards, statuses=statuses, played=cards_played, turn=turn)


def _with_cards(state: State, country: str, cards: Cards) -> State:
    return replace(state, cards=_with_value(state.cards, FORCE_INDEX[country], cards))


def _apply_deck_shuffled(state: State, event: ev.DeckShuffled) -> State:
    cards = state.cards_of(event.country)
    # Cards are picked at random when they are drawn, so a shuffle only discards known positions
    # (14.1). The pool is sorted so that a pick yields the same card in every copy.
    pool = tuple(sorted(cards.undrawn_cards))
    return _with_cards(state, event.country, replace(cards, deck_top=(), deck=pool, deck_bottom=()))


def _apply_top_ordered(state: State, event: ev.TopOrdered) -> State:
    cards = state.cards_of(event.country)
    top = event.cards + cards.deck_top[len(event.cards) :]
    return _with_cards(state, event.country, replace(cards, deck_top=top))


# -- pieces


def _apply_piece_placed(state: State, event: ev.PiecePlaced) -> State:
    board = state.board.with_changes(event.force, event.piece, added_count=BIT[event.space])
    return replace(state, board=board)


def _protects_exactly(shield: Shield, force: str, kind: str, space: str) -> bool:
    """Return whether a protection covers only this piece."""
    return (shield.force, shield.piece, shield.space) == (force, kind, space)


def _apply_air_moved(state: State, event: ev.AirMoved) -> State:
    # An Air Force that moves to its own space has not left it and remains the same piece (10.5).
    if event.origin == event.space:
        return state
    board = state.board.with_changes(
        event.force, AIR, added_count=BIT[event.space], removed_count=BIT[event.origin]
    )
    shields = tuple(
        replace(shield, space=event.space)
        if _protects_exactly(shield, event.force, AIR, event.origin)
        else shield
        for shield in state.turn.shields
    )
    turn = _record_departure(state.turn, event.force, AIR, event.origin, shields)
    return replace(state, board=board, turn=turn)


def _apply_piece_removed(state: State, event: ev.PieceRemoved) -> State:
    board = state.board.with_changes(event.force, event.piece, removed_count=BIT[event.space])
    shields = tuple(
        shield
        for shield in state.turn.shields
        if not _protects_exactly(shield, event.force, event.piece, event.space)
    )
    turn = _record_departure(state.turn, event.force, event.piece, event.space, shields)
    return replace(state, board=board, turn=turn)


def _record_departure(
    turn: Turn, force: str, kind: str, space: str, shields: tuple[Shield, ...]
) -> Turn:
    """Record that a piece has left a space. A piece that enters the space later is a different piece (10.5)."""
    return replace(turn, departed=(*turn.departed, f"{force}:{kind}:{space}"), shields=shields)


# -- the turn


def _with_turn(state: State, **changes: object) -> State:
    return replace(state, turn=replace(state.turn, **changes))


def _apply_piece_protected(state: State, event: ev.PieceProtected) -> State:
    return _with_turn(state, shields=(*state.turn.shields, Shield(**asdict(event))))


def _apply_protection_ended(state: State, event: ev.ProtectionEnded) -> State:
    shields = tuple(
        shield
        for shield in state.turn.shields
        if not (shield.battle and _protects_exactly(shield, event.force, event.piece, event.space))
    )
    return _with_turn(state, shields=shields)


def _apply_supply_granted(state: State, event: ev.SupplyGranted) -> State:
    return _with_turn(state, grants=(*state.turn.grants, Grant(**asdict(event))))


def _apply_flag_set(state: State, event: ev.FlagSet) -> State:
    return _with_turn(state, flags=(*state.turn.flags, event.flag))


def _apply_vp_changed(state: State, event: ev.VpChanged) -> State:
    """Change a team's victory points. They may fall below 0 (18.11)."""
    axis, allies = state.vp
    vp = (axis + event.amount, allies) if event.team == AXIS else (axis, allies + event.amount)
    return replace(state, vp=vp)


def _apply_step_began(state: State, event: ev.StepBegan) -> State:
    return replace(state, step=event.step)


def _apply_turn_began(state: State, event: ev.TurnBegan) -> State:
    """Begin a country's turn. All once-per-turn abilities become available again (10.7, 18.26)."""
    turn = Turn(begin=state.board)
    return replace(state, active=event.country, round=event.round, step="", turn=turn)


def _apply_ability_used(state: State, event: ev.AbilityUsed) -> State:
    mark = f"{event.card}:{event.ability}"
    return _with_turn(state, used=(*state.turn.used, mark))


def _apply_use_cancelled(state: State, event: ev.UseCancelled) -> State:
    if not event.blocked:
        return state
    return _with_turn(state, blocked=(*state.turn.blocked, event.card))


def _apply_resources_reallocated(state: State, _event: ev.ResourcesReallocated) -> State:
    return _with_turn(state, reallocated=True)


def _apply_frames_changed(state: State, event: ev.FramesChanged) -> State:
    return replace(state, frames=state.frames[: event.keep] + event.frames)


def _apply_game_ended(state: State, event: ev.GameEnded) -> State:
    return replace(state, outcome=event.outcome)


_NO_EFFECT_EVENTS: Final = (
    ev.PieceDesignated,
    ev.BattleFought,
    ev.AirSuperiorityGained,
    ev.CardPlayed,
    ev.UseDeclared,
    ev.TargetDiscards,
    ev.RoundEnded,
)
"""Events that do not change the state."""
FOLDS: Final = cast(
    "Mapping[type[ev.QmgEvent], Fold]",
    {
        **dict.fromkeys(_NO_EFFECT_EVENTS, lambda state, _event: state),
        ev.GameStarted: _apply_game_started,
        ev.CardsMoved: _apply_cards_moved,
        ev.DeckShuffled: _apply_deck_shuffled,
        ev.TopOrdered: _apply_top_ordered,
        ev.PiecePlaced: _apply_piece_placed,
        ev.AirMoved: _apply_air_moved,
        ev.PieceRemoved: _apply_piece_removed,
        ev.PieceProtected: _apply_piece_protected,
        ev.ProtectionEnded: _apply_protection_ended,
        ev.SupplyGranted: _apply_supply_granted,
        ev.FlagSet: _apply_flag_set,
        ev.VpChanged: _apply_vp_changed,
        ev.StepBegan: _apply_step_began,
        ev.TurnBegan: _apply_turn_began,
        ev.AbilityUsed: _apply_ability_used,
        ev.UseCancelled: _apply_use_cancelled,
        ev.ResourcesReallocated: _apply_resources_reallocated,
        ev.FramesChanged: _apply_frames_changed,
        ev.GameEnded: _apply_game_ended,
    },
)
"""The function for each kind of event. A test checks that each kind of event has a function."""

evolve: Final[Callable[[State, ev.QmgEvent], State]] = make_evolve(FOLDS)
"""Returns the state after an event. It never refuses an event, rolls dice or reads a clock."""
