"""Checks of cards, ships and segments in a position from the special first turn, December 1941 (17.11)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.deck_offensive import ActivateStep
from engine.eots.frames import CardPlayFrame, Phase, StackFrame, TurnFrame
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.position import Position, played_cards
from engine.eots.state import HIDDEN, OFF_MAP, Deck
from engine.kernel.vocabulary import Problem

OPENING_CARDS: Final = (CardId("J-1"), CardId("J-2"))
"""The cards that Japan plays in turn 1, in order of play. Neither side holds any other card."""
OAHU: Final = HexId("5808")
_PHASES: Final = tuple(Phase)
_HAND: Final = "decks.japan.hand"


def december_problems(position: Position) -> Iterator[Problem]:
    """Yield problems specific to December 1941. In later turns, J-1 and J-2 must have been removed (17.11)."""
    if not all(side in position.decks for side in Side):
        return  # another check reports the missing deck
    if position.turn > 1:
        yield from _unremoved_card_problems(position)
        return
    frame = position.frames[0] if position.frames else None
    if not isinstance(frame, TurnFrame):
        return
    if _PHASES.index(frame.phase) < _PHASES.index(Phase.DEAL):
        yield "frames[0].phase", "turn 1 has no Strategic Phase, it begins with the deal (17.11)"
    elif frame.phase is Phase.DEAL and not frame.entered:
        yield from _undealt_problems(position)
    else:
        yield from _hand_problems(position, frame)


def _unremoved_card_problems(position: Position) -> Iterator[Problem]:
    deck = position.decks[Side.JAPAN]
    cards_beneath = position.beneath.get(Side.JAPAN, ())
    known_cards = {
        *deck.hand,
        *deck.draw,
        *deck.discard,
        *cards_beneath,
        deck.future,
        *played_cards(position),
    }
    for card in OPENING_CARDS:
        if card in known_cards:
            yield (
                "decks.japan",
                f"{card} is played in December 1941 only, then it is removed (17.11)",
            )


def _undealt_problems(position: Position) -> Iterator[Problem]:
    """Yield problems in a position before the deal. At that point, J-1 and J-2 must be undrawn."""
    deck = position.decks[Side.JAPAN]
    for card in OPENING_CARDS:
        if card not in deck.draw and HIDDEN not in deck.draw:
            yield "decks.japan.draw", f"{card} is dealt in December 1941, so it is undrawn (17.11)"
    yield from _other_card_problems(position, ())
    yield from _operation_z_problems(position)


def _hand_problems(position: Position, frame: TurnFrame) -> Iterator[Problem]:
    hand = position.decks[Side.JAPAN].hand
    expected_hand = (
        OPENING_CARDS[len(OPENING_CARDS) - len(hand) :]
        if len(hand) <= len(OPENING_CARDS)
        else OPENING_CARDS
    )
    if sorted(hand) != sorted(expected_hand) and HIDDEN not in hand:
        yield _HAND, "Japan holds J-1 and J-2 in December 1941, and J-2 alone after J-1 (17.11)"
        return
    yield from _other_card_problems(position, hand)
    yield from _progress_problems(position, frame, len(OPENING_CARDS) - len(hand))
    if len(hand) == len(OPENING_CARDS):
        yield from _operation_z_problems(position)
    elif position.offensive is not None and position.offensive.card == OPENING_CARDS[0]:
        yield from _force_z_hex_problems(position)


def _other_card_problems(position: Position, hand: tuple[CardId, ...]) -> Iterator[Problem]:
    """Yield problems with cards or passes that are impossible in December 1941."""
    japan, allied = position.decks[Side.JAPAN], position.decks[Side.ALLIED]
    if allied.hand:
        yield "decks.allied.hand", "the Allies have no cards in December 1941 (17.11)"
    if not hand and japan.hand:
        yield (
            _HAND,
            "Japan is dealt J-1 and J-2 in December 1941 and has no cards before that (17.11)",
        )
    for side, deck in position.decks.items():
        yield from _deck_field_problems(f"decks.{side}", deck)
    if position.taken_back:
        yield "taken_back", "J-1 and J-2 are not taken back (17.11)"


def _deck_field_problems(path: str, deck: Deck) -> Iterator[Problem]:
    if deck.future is not None:
        yield f"{path}.future", "there is no future offensives card in December 1941 (17.11)"
    if deck.passes:
        yield f"{path}.passes", "neither side has passes in December 1941 (17.11)"
    if deck.locked:
        yield f"{path}.locked", "no card is drawn by an event in December 1941 (17.11)"


def _progress_problems(
    position: Position, frame: TurnFrame, absent_count: int
) -> Iterator[Problem]:
    """Yield a problem for each pile, segment or play count that contradicts the number of cards played (17.11)."""
    table = played_cards(position)
    removed_cards = position.decks[Side.JAPAN].removed
    for card in OPENING_CARDS[:absent_count]:
        if card not in table and card not in removed_cards and HIDDEN not in removed_cards:
            yield "decks.japan", f"{card} is removed once it is played (17.11)"
    offensive = position.offensive
    if (
        offensive is not None
        and offensive.card not in OPENING_CARDS[max(absent_count - 1, 0) : absent_count]
    ):
        yield "offensive.card", f"{offensive.card} cannot be the offensive in progress now (17.11)"
    is_over = _PHASES.index(frame.phase) > _PHASES.index(Phase.OFFENSIVES)
    is_open = frame.phase is Phase.OFFENSIVES and frame.entered
    if is_over and absent_count < len(OPENING_CARDS):
        yield _HAND, "J-1 and J-2 are played before the Offensives Segment ends (17.11)"
    elif not is_over and not is_open and absent_count:
        yield _HAND, "J-1 and J-2 are played in the Offensives Segment (17.11)"
    for index, inner_frame in enumerate(position.frames):
        if isinstance(inner_frame, CardPlayFrame) and inner_frame.played != absent_count:
            yield (
                f"frames[{index}].played",
                f"{absent_count} cards are played, not {inner_frame.played} (17.11)",
            )


def _operation_z_problems(position: Position) -> Iterator[Problem]:
    """Yield problems that make J-1 unplayable: misplaced ships, or Oahu without an Allied unit."""
    for step in cards()[OPENING_CARDS[0]].effects:
        if isinstance(step, ActivateStep) and step.at_hex is not None:
            for index, setup in enumerate(position.units):
                if setup.unit in step.units and setup.at != step.at_hex:
                    text = f"{setup.unit} is not in {step.at_hex}, where Operation Z begins (17.11)"
                    yield f"units[{index}].at", text
    if not any(
        setup.at == OAHU and counters()[setup.unit].side is Side.ALLIED for setup in position.units
    ):
        yield "units", f"no Allied unit is in {OAHU}, which Operation Z attacks (17.11)"


def _separate_move_problems(position: Position, ships: frozenset[UnitId]) -> Iterator[Problem]:
    """Yield a problem if Operation Z ships move separately, or if other units move with the ships."""
    for index, frame in enumerate(position.frames):
        if isinstance(frame, StackFrame) and ships & {*frame.units} and ships ^ {*frame.units}:
            carrier = min(ships ^ {*frame.units})
            problem = f"the Operation Z ships move together and without others, but {carrier} does not (17.11)"
            yield f"frames[{index}].units", problem


def _force_z_hex_problems(position: Position) -> Iterator[Problem]:
    """Yield a problem if the Operation Z ships are not all in one hex. Nothing can sink or separate the ships."""
    for step in cards()[OPENING_CARDS[0]].effects:
        if isinstance(step, ActivateStep):
            places = {setup.at for setup in position.units if setup.unit in step.units}
            if len(places) != 1 or places & OFF_MAP:
                yield "units", "the ships of Operation Z are not together (17.11)"
            yield from _separate_move_problems(position, frozenset(step.units))
