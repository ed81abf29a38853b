"""The only writer of state: one fold per kind of fact."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from msgspec.structs import replace

from engine.kernel.memo import handed_on
from engine.qmg import events as ev
from engine.qmg.atlas import BIT
from engine.qmg.ids import AIR, AXIS, FORCE_INDEX, HIDDEN
from engine.qmg.position import state_of
from engine.qmg.state import Cards, Grant, Shield, State, Turn

Fold = Callable[[State, ev.QmgEvent], State]


def evolve(state: State, event: ev.QmgEvent) -> State:
    """Return the state after an event; never refuses, never rolls, never looks at a clock."""
    return handed_on(state, FOLDS[type(event)](state, event))


def _started(_state: State, event: ev.GameStarted) -> State:
    return state_of(event.position)


# -- cards


def without(pile: tuple[str, ...], card: str) -> tuple[str, ...]:
    """Return a pile without one card.

    A card that is shown now and was not known here was one of the unknown ones. Where an unknown card leaves a pile
    in which others were known, any of them may be gone: all become unknown.
    """
    taken = card if card in pile else HIDDEN
    if card == HIDDEN or taken not in pile:
        return (HIDDEN,) * (len(pile) - 1)
    at = pile.index(taken)
    return pile[:at] + pile[at + 1 :]


def _from_deck(cards: Cards, card: str) -> Cards:
    """Take a card out of the deck: unknown ones come from where the next draw comes from."""
    if card == HIDDEN:
        if cards.top:
            return replace(cards, top=cards.top[1:])
        if cards.pool:
            return replace(cards, pool=without(cards.pool, card))
        return replace(cards, bottom=cards.bottom[1:])
    if card in cards.top:
        return replace(cards, top=without(cards.top, card))
    if card in cards.pool:
        return replace(cards, pool=without(cards.pool, card))
    if card in cards.bottom:
        return replace(cards, bottom=without(cards.bottom, card))
    return _from_deck(cards, HIDDEN)  # shown as it comes out of a deck that this copy does not know


def _from_discard(cards: Cards, event: ev.CardsMoved) -> Cards:
    if event.shown:
        pile, known = cards.discard, cards.open
        for card in event.cards:
            pile = without(pile, card)
            known = tuple(one for one in known if one != card)
        return replace(cards, discard=pile, open=known)
    # Nobody else knows any more what lies in the pile, but for its top card.
    left = cards.discard
    if HIDDEN in event.cards:
        left = (HIDDEN,) * (len(left) - len(event.cards))
        if event.top:
            left = (*left[:-1], event.top)
    else:
        for card in event.cards:
            left = without(left, card)
    return replace(cards, discard=left, open=(event.top,) if event.top else ())


def _taken(cards: Cards, event: ev.CardsMoved) -> Cards:
    source = event.source
    if source == "deck":
        for card in event.cards:
            cards = _from_deck(cards, card)
        return cards
    if source == "deck-below":  # below the cards whose order is known
        for card in event.cards:
            if cards.pool:
                cards = replace(cards, pool=without(cards.pool, card))
            else:
                cards = replace(cards, bottom=without(cards.bottom, card))
        return cards
    if source == "hand":
        hand = cards.hand
        for card in event.cards:
            hand = without(hand, card)
        return replace(cards, hand=hand)
    if source == "discard":
        return _from_discard(cards, event)
    if source == "responses":
        table = cards.responses
        for card in event.cards:
            table = without(table, card)
        return replace(cards, responses=table)
    return cards


def _put(cards: Cards, to: str, faces: tuple[str, ...]) -> Cards:
    match to:
        case "hand":
            return replace(cards, hand=cards.hand + faces)
        case "discard-top":
            return replace(cards, discard=cards.discard + faces, open=cards.open + faces)
        case "discard-bottom":
            return replace(cards, discard=faces + cards.discard)
        case "responses":
            return replace(cards, responses=cards.responses + faces)
        case "deck-top":
            return replace(cards, top=faces + cards.top)
        case "deck-top-end":
            return replace(cards, top=cards.top + faces)
        case "deck-bottom":
            return replace(cards, bottom=cards.bottom + faces)
        case "deck-pool":
            return replace(cards, pool=tuple(sorted(cards.pool + faces)))
        case _:
            return cards


def _cards_moved(state: State, event: ev.CardsMoved) -> State:
    at = FORCE_INDEX[event.country]
    statuses = state.statuses
    if event.source == "statuses":
        left = tuple(card for card in statuses[at] if card not in event.cards)
        statuses = (*statuses[:at], left, *statuses[at + 1 :])
    if event.to == "statuses":
        more = statuses[at] + event.cards
        statuses = (*statuses[:at], more, *statuses[at + 1 :])
    moved = _put(_taken(state.cards[at], event), event.to, event.cards)
    cards = (*state.cards[:at], moved, *state.cards[at + 1 :])
    if event.why == "discard-step":
        turn = replace(state.turn, discarded=state.turn.discarded + event.cards)
        return replace(state, cards=cards, statuses=statuses, turn=turn)
    return replace(state, cards=cards, statuses=statuses)


def _with_cards(state: State, country: str, cards: Cards) -> State:
    at = FORCE_INDEX[country]
    return replace(state, cards=(*state.cards[:at], cards, *state.cards[at + 1 :]))


def _shuffled(state: State, event: ev.DeckShuffled) -> State:
    cards = state.cards_of(event.country)
    pool = tuple(sorted(cards.top + cards.pool + cards.bottom))
    return _with_cards(state, event.country, replace(cards, top=(), pool=pool, bottom=()))


def _top_ordered(state: State, event: ev.TopOrdered) -> State:
    cards = state.cards_of(event.country)
    top = event.cards + cards.top[len(event.cards) :]
    return _with_cards(state, event.country, replace(cards, top=top))


# -- pieces


def _placed(state: State, event: ev.PiecePlaced) -> State:
    board = state.board.changed(event.force, event.piece, add=BIT[event.space])
    return replace(state, board=board)


def _air_moved(state: State, event: ev.AirMoved) -> State:
    if event.origin == event.space:
        return state
    board = state.board.changed(event.force, AIR, add=BIT[event.space], drop=BIT[event.origin])
    moved = replace(state, board=board)
    place = (event.force, AIR, event.origin)
    shields = state.turn.shields
    if not any((one.force, one.piece, one.space) == place for one in shields):
        return moved
    return _with_turn(
        moved,
        replace(
            state.turn,
            shields=tuple(
                replace(one, space=event.space)
                if (one.force, one.piece, one.space) == place
                else one
                for one in shields
            ),
        ),
    )


def _removed(state: State, event: ev.PieceRemoved) -> State:
    board = state.board.changed(event.force, event.piece, drop=BIT[event.space])
    shields = tuple(
        shield
        for shield in state.turn.shields
        if shield.steps
        or (shield.force, shield.piece, shield.space) != (event.force, event.piece, event.space)
    )
    if len(shields) != len(state.turn.shields):
        return replace(state, board=board, turn=replace(state.turn, shields=shields))
    return replace(state, board=board)


def _nothing(state: State, _event: ev.QmgEvent) -> State:
    return state


# -- the turn


def _protected(state: State, event: ev.PieceProtected) -> State:
    shield = Shield(
        force=event.force,
        piece=event.piece,
        space=event.space,
        steps=event.steps,
        at=event.at,
        owner=event.owner,
        battle=event.battle,
    )
    return _with_turn(state, replace(state.turn, shields=(*state.turn.shields, shield)))


def _with_turn(state: State, turn: Turn) -> State:
    return replace(state, turn=turn)


def _protection_ended(state: State, event: ev.ProtectionEnded) -> State:
    target = (event.force, event.piece, event.space)
    shields = tuple(
        shield
        for shield in state.turn.shields
        if not shield.battle or (shield.force, shield.piece, shield.space) != target
    )
    return _with_turn(state, replace(state.turn, shields=shields))


def _granted(state: State, event: ev.SupplyGranted) -> State:
    grant = Grant(steps=event.steps, at=event.at, owner=event.owner)
    return _with_turn(state, replace(state.turn, grants=(*state.turn.grants, grant)))


def _flag_set(state: State, event: ev.FlagSet) -> State:
    return _with_turn(state, replace(state.turn, flags=(*state.turn.flags, event.flag)))


def _vp(state: State, event: ev.VpChanged) -> State:
    axis, allies = state.vp
    vp = (axis + event.amount, allies) if event.team == AXIS else (axis, allies + event.amount)
    return replace(state, vp=vp)


def _step_began(state: State, event: ev.StepBegan) -> State:
    return replace(state, step=event.step)


def _turn_began(state: State, event: ev.TurnBegan) -> State:
    return replace(
        state,
        active=event.country,
        round=event.round,
        step="",
        turn=Turn(begin=state.board),
    )


def _ability_used(state: State, event: ev.AbilityUsed) -> State:
    mark = f"{event.card}:{event.ability}"
    return _with_turn(state, replace(state.turn, used=(*state.turn.used, mark)))


def _use_cancelled(state: State, event: ev.UseCancelled) -> State:
    if not event.blocked:
        return state
    return _with_turn(state, replace(state.turn, blocked=(*state.turn.blocked, event.card)))


def _reallocated(state: State, _event: ev.ResourcesReallocated) -> State:
    return _with_turn(state, replace(state.turn, reallocated=True))


def _frames_changed(state: State, event: ev.FramesChanged) -> State:
    return replace(state, frames=state.frames[: event.keep] + event.frames)


def _ended(state: State, event: ev.GameEnded) -> State:
    return replace(state, outcome=event.outcome)


FOLDS: Final = cast(
    "Mapping[type[ev.QmgEvent], Fold]",
    {
        ev.GameStarted: _started,
        ev.CardsMoved: _cards_moved,
        ev.DeckShuffled: _shuffled,
        ev.TopOrdered: _top_ordered,
        ev.PiecePlaced: _placed,
        ev.PieceDesignated: _nothing,
        ev.AirMoved: _air_moved,
        ev.PieceRemoved: _removed,
        ev.BattleFought: _nothing,
        ev.AirSuperiorityGained: _nothing,
        ev.PieceProtected: _protected,
        ev.ProtectionEnded: _protection_ended,
        ev.SupplyGranted: _granted,
        ev.FlagSet: _flag_set,
        ev.VpChanged: _vp,
        ev.StepBegan: _step_began,
        ev.TurnBegan: _turn_began,
        ev.CardPlayed: _nothing,
        ev.UseDeclared: _nothing,
        ev.AbilityUsed: _ability_used,
        ev.UseCancelled: _use_cancelled,
        ev.TargetDiscards: _nothing,
        ev.ResourcesReallocated: _reallocated,
        ev.RoundEnded: _nothing,
        ev.FramesChanged: _frames_changed,
        ev.GameEnded: _ended,
    },
)
"""A test holds that every fact has its fold and no fold is left over."""
