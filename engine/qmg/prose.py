"""Sentences for the log and the heading."""

from engine.qmg import events as ev
from engine.qmg import sayings
from engine.qmg.deck import CARD
from engine.qmg.ids import FORCES, HIDDEN
from engine.qmg.state import State

_WHY_REMOVED = {
    "battle": "is destroyed in battle",
    "eliminate": "is eliminated",
    "supply": "is out of supply and removed",
    "own": "is taken off the board",
    "air-defense": "is removed as Air Defense (13.5)",
    "air-attack": "is removed for an Air Attack (13.6)",
    "air": "is removed by Air Superiority",
    "stranded": "has nowhere to go and is removed (13.4)",
}
_HOW_PLACED = {"build": "builds", "recruit": "recruits", "deploy": "deploys", "setup": "places"}


def describe(event: ev.QmgEvent) -> str:  # noqa: C901, PLR0911, PLR0912 - one line per kind of fact
    """Return one sentence for the log, empty for facts that only keep the books."""
    say = sayings
    match event:
        case ev.PiecePlaced(force=force, piece=piece, space=space, how=how):
            owner = say.begin(say.force(force))
            return f"{owner} {_HOW_PLACED[how]} {say.article(say.PIECES[piece])} in {say.the_space(space)}."
        case ev.PieceDesignated(force=force, piece=piece, space=space):
            return f"The {say.piece(force, piece)} in {say.the_space(space)} counts as just built (7.6)."
        case ev.AirMoved(force=force, origin=origin, space=space, how=how):
            verb = "is marshaled" if how == "marshal" else "is repositioned"
            return f"The {say.piece(force, 'air')} {verb} from {say.the_space(origin)} to {say.the_space(space)}."
        case ev.PieceRemoved(force=force, piece=piece, space=space, why=why):
            return f"The {say.piece(force, piece)} in {say.the_space(space)} {_WHY_REMOVED[why]}."
        case ev.BattleFought(force=force, space=space, piece=piece, target=target):
            against = f" against the {say.piece(target, piece)}" if target else ", which is empty"
            return f"{say.begin(say.force(force))} battles {say.the_space(space)}{against}."
        case ev.AirSuperiorityGained(force=force, space=space):
            return (
                f"{say.begin(say.force(force))} gains Air Superiority over {say.the_space(space)}."
            )
        case ev.PieceProtected(force=force, piece=piece, space=space, battle=battle):
            time = "in this battle" if battle else "this turn"
            if not force:
                return f"Pieces of {say.force(event.owner)}'s card cannot be removed {time}."
            return (
                f"The {say.piece(force, piece)} in {say.the_space(space)} cannot be removed {time}."
            )
        case ev.SupplyGranted(owner=owner):
            return f"Pieces of {say.force(owner)} are in supply for the turn."
        case ev.FlagSet():
            return "Air Defense is not possible this turn."
        case ev.VpChanged():
            return _vp(event)
        case ev.TurnBegan(country=country, round=number):
            return f"Round {number}: the turn of {say.force(country)}."
        case ev.CardPlayed(country=country, card=card, target=target):
            against = f" against {say.force(target)}" if target else ""
            return f"{say.begin(say.force(country))} plays {say.card(card)}{against}."
        case ev.UseDeclared(country=country, card=card):
            return f"{say.begin(say.force(country))} uses {say.card(card)}."
        case ev.UseCancelled(card=card, blocked=blocked):
            more = " and cannot be used any more this turn" if blocked else ""
            return f"{say.card(card)} has no effect{more}."
        case ev.TargetDiscards(country=country, amount=amount, card=card):
            return f"{say.begin(say.force(country))} discards {say.cards(amount)} from its deck for {say.card(card)}."
        case ev.ResourcesReallocated(country=country):
            return f"{say.begin(say.force(country))} reallocates resources (8.3)."
        case ev.DeckShuffled(country=country):
            return f"{say.begin(say.force(country))} shuffles its deck."
        case ev.CardsMoved():
            return _cards(event)
        case ev.RoundEnded(round=number):
            return f"Round {number} ends."
        case ev.GameEnded(outcome=outcome):
            return outcome.reason
        case _:
            return ""


def _vp(event: ev.VpChanged) -> str:
    team = sayings.begin(sayings.TEAM_NAMES[event.team])
    verb = "gains" if event.amount > 0 else "loses"
    verb = "gain" if event.team == "allies" and event.amount > 0 else verb
    verb = "lose" if event.team == "allies" and event.amount < 0 else verb
    if event.why in FORCES:
        why = f"for the supply spaces of {sayings.force(event.why)}"
    elif event.why in CARD:
        why = f"for {sayings.card(event.why)}"
    elif event.why == "discard-step":
        why = "because nothing was discarded (8.4)"
    else:
        why = "because cards are missing (9.4)"
    return f"{team} {verb} {abs(event.amount)} VP {why}."


def _cards(event: ev.CardsMoved) -> str:  # noqa: C901, PLR0911, PLR0912 - one line per kind of move
    owner = sayings.begin(sayings.force(event.country))
    count = len(event.cards)
    known = [card for card in event.cards if card != HIDDEN]
    shown = ", ".join(sayings.card(card) for card in known)
    named = f": {shown}" if shown else ""
    match event.source, event.to, event.why:
        case "deck", "hand", "deal":
            return ""
        case "deck", "hand", "construction":
            return f"{owner} chooses a card for its deck{named}."
        case "hand", "deck-pool", "construction":
            return f"The deck of {sayings.force(event.country)} holds {count} cards."
        case "deck", "hand", "search":
            return f"{owner} takes a card from its deck{named}."
        case "deck", "hand", _:
            return f"{owner} draws {sayings.cards(count)}{named}."
        case "hand", "responses", "play":
            return f"{owner} lays a Response face down{named}."
        case "discard", "responses", _:
            return f"{owner} puts a card from its discard pile face down on the table{named}."
        case "hand", "responses", _:
            return f"{owner} puts a card face down on the table{named}."
        case _, "statuses", _:
            return f"{owner} puts {shown} on the table."
        case "hand", "discard-bottom", "setup":
            return f"{owner} discards a card of its first hand{named}."
        case "hand", "discard-bottom", _:
            kind = sayings.card_type(event.card_type)
            return f"{owner} discards {sayings.cards(count, kind)} from hand{named}."
        case "hand", "discard-top", "air-power":
            return f"{owner} discards an Air Power card."
        case "deck", "discard-bottom", "economic-warfare":
            return ""
        case "deck", "discard-bottom", _:
            return f"{owner} discards {sayings.cards(count)} from its deck{named}."
        case "responses", "discard-bottom", _:
            return f"{owner} loses a face-down Response at random{named}."
        case "statuses", "discard-top", _:
            return f"{owner} loses {shown} from the table."
        case "discard", _, _:
            return f"{owner} takes a card from its discard pile{named}."
        case "play", "deck-top" | "deck-pool" | "hand", _:
            pile = "hand" if event.to == "hand" else "deck"
            return f"{shown} goes back to the {pile} of {sayings.force(event.country)}."
        case "hand", "deck-bottom", _:
            return f"{owner} puts a hand card on the bottom of its deck{named}."
        case _:
            return ""


def turn(state: State) -> str:
    """Return round and country."""
    if not state.active:
        return "Set-up"
    name = sayings.begin(sayings.force(state.active).removeprefix("the "))
    return f"Round {state.round}, {name}"


def heading(state: State) -> str:
    """Return round, country and step."""
    if not state.active:
        return turn(state)
    axis, allies = state.vp
    step = f", {state.step.capitalize()} step" if state.step else ""
    return f"{turn(state)}{step} | Axis {axis}, Allies {allies}"
