"""Card draws and discards, and empty decks (9)."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.dice import CardPile
from engine.kernel.ids import Refusal, Rule
from engine.qmg import phrases
from engine.qmg.card_piles import DECK
from engine.qmg.commands import Discard, Done, OfCard, QmgCommand
from engine.qmg.deck import CARD, CARDS, INSTANCES
from engine.qmg.events import CardsMoved, DeckShuffled, VpChanged
from engine.qmg.frames import HandDiscardFrame
from engine.qmg.ids import FORCE_INDEX, HIDDEN, TEAM_BY_FORCE, CardType
from engine.qmg.run import CountryQuestion, ListedAction, PlainAction, Result, Run
from engine.qmg.state import State


def unique_copies(cards: Sequence[str]) -> tuple[str, ...]:
    """Return the cards without duplicates. The first copy represents all copies.

    If some cards are hidden, all cards are returned, because this copy of the game does not know which copy the owner
    would list.
    """
    if HIDDEN in cards:
        return tuple(cards)
    seen_names: set[str] = set()
    unique = []
    for card in cards:
        name = card.partition("#")[0]
        if name not in seen_names:
            seen_names.add(name)
            unique.append(card)
    return tuple(unique)


def held_copy(state: State, card: str) -> str:
    """Return the copy of a card that its country holds.

    A copy in hand takes precedence over a copy on the table. If the country holds no copy, the first copy is returned.

    Args:
        state: State of the game.
        card: Card id, without a copy number.
    """
    copies = INSTANCES[card]
    country = CARDS[card].deck
    cards = state.cards_of(country)
    visible_cards_held = (*cards.hand, *cards.responses, *state.statuses[FORCE_INDEX[country]])
    return next((copy for copy in visible_cards_held if copy in copies), copies[0])


def last_distinct_card(cards: Sequence[str]) -> str:
    """Return the copy of the last card that :func:`unique_copies` lists."""
    name = cards[-1].partition("#")[0]
    return next(card for card in unique_copies(cards) if card.partition("#")[0] == name)


# -- the deck


def pick_next_card(run: Run, country: str) -> str:
    """Return the deck's top card, or an empty string. If the order is unknown, the card is picked at random (14.1)."""
    cards = run.state.cards_of(country)
    if cards.deck_top:
        return cards.deck_top[0]
    if cards.deck:
        return run.dice.pick(CardPile(cards.deck, country, DECK))
    return cards.deck_bottom[0] if cards.deck_bottom else ""


def draw_cards(run: Run, country: str, count: int, reason: str = "draw") -> int:
    """Draw at most ``count`` cards. Return the number of cards drawn (8.5)."""
    drawn_cards: list[str] = []
    for _ in range(count):
        card = pick_next_card(run, country)
        if not card:
            break
        drawn_cards.append(card)
        run.move_card(country, card, "deck", "hand", reason=reason)
    return len(drawn_cards)


def discard_deck(run: Run, country: str, count: int, reason: str) -> None:
    """Discard cards face down from the top of a deck. If the deck runs out, each missing card costs 1 VP (9.4)."""
    for number in range(count):
        card = pick_next_card(run, country)
        if not card:
            deduct_vp(run, country, count - number)
            return
        run.move_card(country, card, "deck", "discard-bottom", reason=reason)


def deduct_vp(run: Run, country: str, count: int) -> None:
    """Deduct 1 VP from a country's team for each missing card (9.4)."""
    run.add(VpChanged(team=TEAM_BY_FORCE[country], amount=-count, why="cards"))


def shuffle_deck(run: Run, country: str) -> None:
    """Shuffle the deck."""
    run.add(DeckShuffled(country=country))


# -- discarding from hand


def discard_hand(
    run: Run,
    country: str,
    count: int,
    types: tuple[CardType, ...] = (),
    *,
    reason: str,
    is_shown: bool = False,
) -> None:
    """Make a country discard cards from hand. If the hand is too small, use the deck (9.4, 18.12).

    If types are given, only cards of these types are accepted, and no cards are taken from the deck.
    """
    hand = len(run.state.cards_of(country).hand)
    excess = 0 if types else max(0, count - hand)
    run.push(
        HandDiscardFrame(
            country=country,
            left=count - excess,
            types=types,
            overflow=excess,
            why=reason,
            shown=is_shown,
        )
    )


class PayFromHand(ListedAction[HandDiscardFrame, Discard]):
    """Discard a card of an accepted type (9.4, 9.5)."""

    kind = Discard

    @override
    def candidates(self, state: State, frame: HandDiscardFrame, role: str) -> list[Discard]:
        return [
            Discard(card=card)
            for card in unique_copies(state.cards_of(frame.country).hand)
            if not frame.types or card == HIDDEN or CARD[card].type in frame.types
        ]

    @override
    def refusals_if_unlisted(
        self, state: State, frame: HandDiscardFrame, role: str, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield a refusal that states what must be discarded."""
        card = CARD.get(command.card) if isinstance(command, OfCard) else None
        if frame.types and card is not None and card.type not in frame.types:
            yield Refusal(Rule("9.5"), f"this must be a {_type_names(frame)} card")
        yield Refusal(
            Rule("9.4"), f"{phrases.count_cards(frame.left)} from hand must be discarded first"
        )

    @override
    def apply(self, run: Run, frame: HandDiscardFrame, role: str, command: Discard) -> None:
        run.move_card(
            role,
            command.card,
            "hand",
            "discard-bottom",
            reason=frame.why,
            card_type=CARD[command.card].type if frame.shown else "",
        )
        run.replace_top(replace(frame, left=frame.left - 1, count=frame.count + 1))


class StopPaying(PlainAction[HandDiscardFrame, Done]):
    """Stop discarding, if that is allowed (9.4)."""

    @override
    def refusals(
        self, state: State, frame: HandDiscardFrame, role: str, command: Done
    ) -> Iterator[Refusal]:
        """Yield a refusal that states what must be discarded."""
        if not frame.optional:
            yield from PAY_FROM_HAND.refusals_if_unlisted(state, frame, role, command)

    @override
    def apply(self, run: Run, frame: HandDiscardFrame, role: str, command: Done) -> None:
        run.replace_top(replace(frame, left=0))


PAY_FROM_HAND: Final = PayFromHand()


class HandDiscardHandler(CountryQuestion[HandDiscardFrame]):
    """The country chooses the cards to discard, one at a time (9.4)."""

    frame = HandDiscardFrame
    rule = Rule("9.4")
    default_index = -1
    actions = (PAY_FROM_HAND, StopPaying(Done))

    @override
    def try_step(self, run: Run, frame: HandDiscardFrame) -> bool:
        """If the whole hand must be discarded, do so without asking."""
        hand = run.state.cards_of(frame.country).hand
        if frame.left > 0 and not frame.optional and not frame.types and len(hand) == frame.left:
            run.add(
                CardsMoved(
                    country=frame.country,
                    cards=hand,
                    source="hand",
                    to="discard-bottom",
                    why=frame.why,
                )
            )
            count = frame.count + frame.left
            run.replace_top(replace(frame, left=0, count=count))
            return True
        if frame.left > 0 and PAY_FROM_HAND.candidates(run.state, frame, frame.country):
            return False
        if frame.overflow:
            discard_deck(run, frame.country, frame.overflow, frame.why)
        run.pop(Result(cards=frame.count))
        return True

    @override
    def prompt(self, state: State, frame: HandDiscardFrame, role: str) -> str:
        amount_text = ("up to " if frame.optional else "") + phrases.count_cards(
            frame.left, _type_names(frame)
        )
        return f"Discard {amount_text} from hand"

    @override
    def wrong_kind(
        self, state: State, frame: HandDiscardFrame, role: str, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield a refusal that states what must be discarded."""
        return PAY_FROM_HAND.refusals_if_unlisted(state, frame, role, command)


def _type_names(frame: HandDiscardFrame) -> str:
    return " or ".join(phrases.card_type_name(type_id) for type_id in frame.types)
