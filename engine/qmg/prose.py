"""Text of the log entries, and the screen heading."""

from collections.abc import Mapping
from typing import Final

from engine.qmg import events as ev
from engine.qmg import phrases
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


def describe(event: ev.QmgEvent) -> str:
    """Return an event's log sentence, or an empty string if the event only affects bookkeeping."""
    match event:
        case ev.VpChanged():
            return _describe_vp_changed(event)
        case ev.CardsMoved():
            return _describe_cards_moved(event)
        case ev.GameEnded(outcome=outcome):
            return outcome.reason
        case _:
            return phrases.capitalise_first(
                phrases.fill_phrase(_SENTENCES.get(type(event), ""), _EVENT_TEXTS, event)
            )


_EVENT_TEXTS: Final[phrases.Words] = {
    **phrases.FIELD_TEXTS,
    "placed": lambda event: _HOW_PLACED[event.how],
    "moved": lambda event: "marshaled" if event.how == "marshal" else "repositioned",
    "removed": lambda event: _WHY_REMOVED[event.why],
    "foe": lambda event: (
        f" against the {phrases.piece_name(event.target, event.piece)}"
        if event.target
        else ", which is empty"
    ),
    "protected": lambda event: (
        f"the {phrases.piece_name(event.force, event.piece)} in {phrases.space_with_article(event.space)}"
        if event.force
        else f"pieces of {phrases.force_name(event.owner)}'s card"
    ),
    "time": lambda event: "in this battle" if event.battle else "this turn",
    "owner": lambda event: phrases.force_name(event.owner),
    "owned": lambda event: (
        f"{phrases.force_name(CARD[event.card].deck)}'s {phrases.card_title(event.card)}"
        if event.card in CARD
        else phrases.card_title(event.card)
    ),
    "target": lambda event: f" against {phrases.force_name(event.target)}" if event.target else "",
    "barred": lambda event: " and cannot be used any more this turn" if event.blocked else "",
    "cards": lambda event: phrases.count_cards(event.amount),
}
"""The functions that return the text for each placeholder in an event sentence."""
_SENTENCES: Final[Mapping[type[ev.QmgEvent], str]] = {
    ev.PiecePlaced: "{force} {placed} {a_kind} in {space}.",
    ev.PieceDesignated: "The {piece} in {space} counts as just built (7.6).",
    ev.AirMoved: "The {air} is {moved} from {origin} to {space}.",
    ev.PieceRemoved: "The {piece} in {space} {removed}.",
    ev.BattleFought: "{force} battles {space}{foe}.",
    ev.AirSuperiorityGained: "{force} gains Air Superiority over {space}.",
    ev.PieceProtected: "{protected} cannot be removed {time}.",
    ev.SupplyGranted: "Pieces of {owner} are in supply for the turn.",
    ev.FlagSet: "Air Defense is not possible this turn.",
    ev.TurnBegan: "Round {round}: the turn of {country}.",
    ev.CardPlayed: "{country} plays {card}{target}.",
    ev.UseDeclared: "{country} uses {card}.",
    ev.UseCancelled: "{owned} has no effect{barred}.",
    ev.TargetDiscards: "{country} discards {cards} from its deck for {card}.",
    ev.ResourcesReallocated: "{country} reallocates resources (8.3).",
    ev.DeckShuffled: "{country} shuffles its deck.",
    ev.RoundEnded: "Round {round} ends.",
}
"""Text of the log entry for each type of event. Bookkeeping events have no entry."""


def _describe_vp_changed(event: ev.VpChanged) -> str:
    team = phrases.capitalise_first(phrases.TEAM_NAMES[event.team])
    verb = "gains" if event.amount > 0 else "loses"
    verb = "gain" if event.team == "allies" and event.amount > 0 else verb
    verb = "lose" if event.team == "allies" and event.amount < 0 else verb
    if event.why in FORCES:
        reason = f"for the supply spaces of {phrases.force_name(event.why)}"
    elif event.why in CARD:
        reason = f"for {phrases.card_title(event.why)}"
    elif event.why == "discard-step":
        reason = "because nothing was discarded (8.4)"
    else:
        reason = "for cards that could not be discarded (9.4)"
    return f"{team} {verb} {abs(event.amount)} VP {reason}."


def _describe_cards_moved(event: ev.CardsMoved) -> str:
    """Return the sentence for a card move; empty if the log does not mention the move.

    It is looked up by source, destination and reason, then by less specific keys.
    """
    source, target_pile = event.source, event.to
    moves = (
        (source, target_pile, event.why),
        (source, target_pile, ""),
        ("", target_pile, ""),
        (source, "", ""),
    )
    text = next((_MOVE_SENTENCES[move] for move in moves if move in _MOVE_SENTENCES), "")
    return phrases.capitalise_first(phrases.fill_phrase(text, _MOVE_TEXTS, event))


def _shown_cards(event: ev.CardsMoved) -> str:
    return ", ".join(phrases.card_title(card) for card in event.cards if card != HIDDEN)


def _moved_cards_subject(event: ev.CardsMoved) -> str:
    """Return the moved cards as the subject of a sentence. If all cards are hidden, return only their number."""
    return _shown_cards(event) or (
        "a card" if len(event.cards) == 1 else phrases.count_cards(len(event.cards))
    )


_MOVE_TEXTS: Final[phrases.Words] = {
    **phrases.FIELD_TEXTS,
    "shown": _shown_cards,
    "moved": _moved_cards_subject,
    "go": lambda event: "goes" if len(event.cards) == 1 else "go",
    "named": lambda event: f": {_shown_cards(event)}" if _shown_cards(event) else "",
    "count": lambda event: str(len(event.cards)),
    "cards": lambda event: phrases.count_cards(
        len(event.cards), phrases.card_type_name(event.card_type)
    ),
}
_MOVE_SENTENCES: Final[Mapping[tuple[str, str, str], str]] = {
    ("deck", "hand", "deal"): "",
    ("deck", "hand", "construction"): "{country} chooses a card for its deck{named}.",
    ("deck", "hand", "search"): "{country} takes a card from its deck{named}.",
    ("deck", "hand", ""): "{country} draws {cards}{named}.",
    ("deck", "discard-bottom", "economic-warfare"): "",
    ("deck", "discard-bottom", ""): "{country} discards {cards} from its deck{named}.",
    ("hand", "deck-pool", "construction"): "The deck of {country} holds {count:card|cards}.",
    ("hand", "responses", "play"): "{country} lays a Response face down{named}.",
    ("hand", "responses", ""): "{country} puts a card face down on the table{named}.",
    ("hand", "discard-bottom", "setup"): "{country} discards a card from its first hand{named}.",
    ("hand", "discard-bottom", ""): "{country} discards {cards} from hand{named}.",
    ("hand", "discard-top", "air-power"): "{country} discards an Air Power card.",
    ("hand", "deck-bottom", ""): "{country} puts a hand card on the bottom of its deck{named}.",
    ("discard", "responses", ""): (
        "{country} puts a card from its discard pile face down on the table{named}."
    ),
    ("discard", "", ""): "{country} takes a card from its discard pile{named}.",
    ("responses", "discard-bottom", ""): "{country} loses a face-down Response at random{named}.",
    ("statuses", "discard-top", ""): "{country} loses {moved} from the table.",
    ("", "statuses", ""): "{country} puts {moved} on the table.",
    ("play", "deck-top", ""): "{moved} {go} back to the deck of {country}.",
    ("play", "deck-pool", ""): "{moved} {go} back to the deck of {country}.",
    ("play", "hand", ""): "{moved} {go} back to the hand of {country}.",
}
"""Text of the log entries for card moves, by source, destination and reason. Empty key parts match anything."""


def turn_name(state: State) -> str:
    """Return the round and the country."""
    if not state.active:
        return "Set-up"
    name = phrases.capitalise_first(phrases.force_name(state.active).removeprefix("the "))
    return f"Round {state.round}, {name}"


def heading(state: State) -> str:
    """Return the round, the country, the step and both teams' points."""
    if not state.active:
        return turn_name(state)
    axis, allies = state.vp
    step = f", {state.step.capitalize()} step" if state.step else ""
    return f"{turn_name(state)}{step} | Axis {axis}, Allies {allies}"
