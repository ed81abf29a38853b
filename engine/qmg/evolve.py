"""The only code that changes the state: one function per kind of event."""

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


def _started(_state: State, event: ev.GameStarted) -> State:
    return state_from_position(event.position)


# -- cards


def without_card(pile: tuple[str, ...], card: str) -> tuple[str, ...]:
    """Return a pile without one card.

    A card that is now revealed but was unknown to this copy must have been one of the pile's unknown cards. If an
    unknown card leaves a pile with known cards, it could be any of them, so all become unknown.
    """
    taken = card if card in pile else HIDDEN
    if card == HIDDEN or taken not in pile:
        return (HIDDEN,) * (len(pile) - 1)
    at = pile.index(taken)
    return pile[:at] + pile[at + 1 :]


def _remove_from_zone(cards: Cards, zone: str, card: str) -> Cards:
    return replace(cards, **{zone: without_card(getattr(cards, zone), card)})


def _remove_from_deck(cards: Cards, card: str) -> Cards:
    """Remove a card from the deck. An unknown card is removed from the part that the next draw would use."""
    if card != HIDDEN and card in cards.deck:
        return replace(cards, deck=without_card(cards.deck, card))
    for zone in ("deck_top", "deck_bottom") if card != HIDDEN else ():
        if card in getattr(cards, zone):
            return _remove_from_zone(cards, zone, card)
    # the card is unknown, or is revealed as it leaves a deck that this copy does not know
    if cards.deck_top:
        return replace(cards, deck_top=cards.deck_top[1:])
    if cards.deck:
        return _remove_from_zone(cards, "deck", HIDDEN)
    return replace(cards, deck_bottom=cards.deck_bottom[1:])


def _remove_from_discard(cards: Cards, event: ev.CardsMoved) -> Cards:
    if event.shown:
        pile, known = cards.discard, cards.face_up
        for card in event.cards:
            pile = without_card(pile, card)
            known = tuple(known_card for known_card in known if known_card != card)
        return replace(cards, discard=pile, face_up=known)
    # the other countries no longer know what is in the pile, except for its top card
    left = cards.discard
    if HIDDEN in event.cards:
        left = (HIDDEN,) * (len(left) - len(event.cards))
        if event.top:
            left = (*left[:-1], event.top)
    else:
        for card in event.cards:
            left = without_card(left, card)
    return replace(cards, discard=left, face_up=(event.top,) if event.top else ())


def _remove_moved_cards(cards: Cards, event: ev.CardsMoved) -> Cards:
    """Remove cards from their place. Statuses and the play area are not part of :class:`Cards`."""
    source = event.source
    if source == "discard":
        return _remove_from_discard(cards, event)
    for card in event.cards:
        if source == "deck":
            cards = _remove_from_deck(cards, card)
        elif source == "deck-below":  # below the cards whose order is known
            cards = _remove_from_zone(cards, "deck" if cards.deck else "deck_bottom", card)
        elif source in {"hand", "responses"}:
            cards = _remove_from_zone(cards, source, card)
    return cards


def _add_moved_cards(cards: Cards, to: str, faces: tuple[str, ...]) -> Cards:
    """Add cards to a place. Statuses, the play area and the box are not part of :class:`Cards`."""
    match to:
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


def _with_value(piles: tuple[T, ...], at: int, pile: T) -> tuple[T, ...]:
    """Return a tuple of per-country values with one country's value replaced."""
    return (*piles[:at], pile, *piles[at + 1 :])


def _without_cards(pile: tuple[str, ...], cards: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(card for card in pile if card not in cards)


def _cards_moved(state: State, event: ev.CardsMoved) -> State:
    at = FORCE_INDEX[event.country]
    statuses, played, turn = state.statuses, state.played, state.turn
    if event.source == "play":
        played = _with_value(played, at, _without_cards(played[at], event.cards))
    if event.to == "play":
        played = _with_value(played, at, played[at] + event.cards)
    if event.source == "statuses":
        statuses = _with_value(statuses, at, _without_cards(statuses[at], event.cards))
    if event.to == "statuses":
        statuses = _with_value(statuses, at, statuses[at] + event.cards)
    moved = _add_moved_cards(_remove_moved_cards(state.cards[at], event), event.to, event.cards)
    if event.why == "discard-step":
        turn = replace(turn, discarded=turn.discarded + event.cards)
    cards = _with_value(state.cards, at, moved)
    return replace(state, cards=cards, statuses=statuses, played=played, turn=turn)


def _with_cards(state: State, country: str, cards: Cards) -> State:
    return replace(state, cards=_with_value(state.cards, FORCE_INDEX[country], cards))


def _shuffled(state: State, event: ev.DeckShuffled) -> State:
    cards = state.cards_of(event.country)
    pool = tuple(sorted(cards.undrawn))
    return _with_cards(state, event.country, replace(cards, deck_top=(), deck=pool, deck_bottom=()))


def _top_ordered(state: State, event: ev.TopOrdered) -> State:
    cards = state.cards_of(event.country)
    top = event.cards + cards.deck_top[len(event.cards) :]
    return _with_cards(state, event.country, replace(cards, deck_top=top))


# -- pieces


def _placed(state: State, event: ev.PiecePlaced) -> State:
    board = state.board.with_changes(event.force, event.piece, add=BIT[event.space])
    return replace(state, board=board)


def _protects_exactly(shield: Shield, force: str, kind: str, space: str) -> bool:
    """Return whether a shield protects exactly this piece."""
    return (shield.force, shield.piece, shield.space) == (force, kind, space)


def _air_moved(state: State, event: ev.AirMoved) -> State:
    if event.origin == event.space:
        return state
    board = state.board.with_changes(event.force, AIR, add=BIT[event.space], drop=BIT[event.origin])
    shields = tuple(
        replace(shield, space=event.space)
        if _protects_exactly(shield, event.force, AIR, event.origin)
        else shield
        for shield in state.turn.shields
    )
    turn = _record_departure(state.turn, event.force, AIR, event.origin, shields)
    return replace(state, board=board, turn=turn)


def _removed(state: State, event: ev.PieceRemoved) -> State:
    board = state.board.with_changes(event.force, event.piece, drop=BIT[event.space])
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
    """Record that a piece has left a space. A piece that enters later is a different one (10.5)."""
    return replace(turn, departed=(*turn.departed, f"{force}:{kind}:{space}"), shields=shields)


# -- the turn


def _with_turn(state: State, **changes: object) -> State:
    return replace(state, turn=replace(state.turn, **changes))


def _protected(state: State, event: ev.PieceProtected) -> State:
    return _with_turn(state, shields=(*state.turn.shields, Shield(**asdict(event))))


def _protection_ended(state: State, event: ev.ProtectionEnded) -> State:
    shields = tuple(
        shield
        for shield in state.turn.shields
        if not (shield.battle and _protects_exactly(shield, event.force, event.piece, event.space))
    )
    return _with_turn(state, shields=shields)


def _granted(state: State, event: ev.SupplyGranted) -> State:
    return _with_turn(state, grants=(*state.turn.grants, Grant(**asdict(event))))


def _flag_set(state: State, event: ev.FlagSet) -> State:
    return _with_turn(state, flags=(*state.turn.flags, event.flag))


def _vp(state: State, event: ev.VpChanged) -> State:
    """Change a team's points, which may fall below 0 (18.11)."""
    axis, allies = state.vp
    vp = (axis + event.amount, allies) if event.team == AXIS else (axis, allies + event.amount)
    return replace(state, vp=vp)


def _step_began(state: State, event: ev.StepBegan) -> State:
    return replace(state, step=event.step)


def _turn_began(state: State, event: ev.TurnBegan) -> State:
    """Begin a country's turn. Once-per-turn abilities become available again in every country's turn (10.7, 18.26)."""
    turn = Turn(begin=state.board)
    return replace(state, active=event.country, round=event.round, step="", turn=turn)


def _ability_used(state: State, event: ev.AbilityUsed) -> State:
    mark = f"{event.card}:{event.ability}"
    return _with_turn(state, used=(*state.turn.used, mark))


def _use_cancelled(state: State, event: ev.UseCancelled) -> State:
    if not event.blocked:
        return state
    return _with_turn(state, blocked=(*state.turn.blocked, event.card))


def _reallocated(state: State, _event: ev.ResourcesReallocated) -> State:
    return _with_turn(state, reallocated=True)


def _frames_changed(state: State, event: ev.FramesChanged) -> State:
    return replace(state, frames=state.frames[: event.keep] + event.frames)


def _ended(state: State, event: ev.GameEnded) -> State:
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
        ev.GameStarted: _started,
        ev.CardsMoved: _cards_moved,
        ev.DeckShuffled: _shuffled,
        ev.TopOrdered: _top_ordered,
        ev.PiecePlaced: _placed,
        ev.AirMoved: _air_moved,
        ev.PieceRemoved: _removed,
        ev.PieceProtected: _protected,
        ev.ProtectionEnded: _protection_ended,
        ev.SupplyGranted: _granted,
        ev.FlagSet: _flag_set,
        ev.VpChanged: _vp,
        ev.StepBegan: _step_began,
        ev.TurnBegan: _turn_began,
        ev.AbilityUsed: _ability_used,
        ev.UseCancelled: _use_cancelled,
        ev.ResourcesReallocated: _reallocated,
        ev.FramesChanged: _frames_changed,
        ev.GameEnded: _ended,
    },
)
"""The function for each kind of event. A test checks that each kind has one."""

evolve: Final[Callable[[State, ev.QmgEvent], State]] = make_evolve(FOLDS)
"""Returns the state after an event. It never refuses an event, rolls dice or reads a clock."""
