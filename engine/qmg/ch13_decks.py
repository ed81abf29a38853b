"""Constructed decks: each country chooses its cards within given limits (13.9)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg.ch03_setup import SimultaneousDecision, deal_first_hands, record_choice
from engine.qmg.ch09_cards import shuffle_deck, unique_copies
from engine.qmg.commands import Take
from engine.qmg.deck import CARD, deck_list
from engine.qmg.events import CardsMoved
from engine.qmg.frames import ConstructionFrame
from engine.qmg.ids import COUNTRIES, FORCE_INDEX, HIDDEN
from engine.qmg.run import ListedAction, Run
from engine.qmg.state import State


def _type_counts(cards: Iterable[str]) -> Counter[str]:
    return Counter(CARD[card].type for card in cards if card != HIDDEN)


def deck_size(country: str, limits: Mapping[str, int]) -> int:
    """Return the number of cards that a country chooses: for each type, the limit or, if lower, all its cards."""
    available_cards = _type_counts(deck_list(country, is_total_war=True))
    return sum(min(limits.get(kind, 0), number) for kind, number in available_cards.items())


def begin_deck_construction(run: Run) -> None:
    """Let all countries choose their decks at the same time. No country sees another's cards."""
    limits = dict(run.state.limits)
    run.push(ConstructionFrame(left=tuple(deck_size(country, limits) for country in COUNTRIES)))


class ChooseCard(ListedAction[ConstructionFrame, Take]):
    """Choose a card for the deck. This is possible until the limit for the card's type has been reached."""

    kind = Take
    refusal = Refusal(
        Rule("13.9"), "choose one of the country's cards whose type has not reached its limit"
    )

    @override
    def candidates(self, state: State, frame: ConstructionFrame, role: str) -> Iterator[Take]:
        """Yield the cards of all types that are still below their limit."""
        cards = state.cards_of(role)
        type_counts, limits = _type_counts(cards.hand), dict(state.limits)
        for card in unique_copies(cards.deck):
            if type_counts[CARD[card].type] < limits.get(CARD[card].type, 0):
                yield Take(card=card)

    @override
    def apply(self, run: Run, frame: ConstructionFrame, role: str, command: Take) -> None:
        run.move_card(role, command.card, "deck", "hand", reason="construction")
        record_choice(run, frame, role)


class ConstructionHandler(SimultaneousDecision[ConstructionFrame]):
    """Countries set their chosen cards aside.

    When all have finished, the remaining cards leave the game and set-up begins.
    """

    frame = ConstructionFrame
    rule = Rule("13.9")
    wrong_kind_text = ChooseCard.refusal.text
    actions = (ChooseCard(),)

    @override
    def step(self, run: Run, frame: ConstructionFrame) -> None:
        for country in COUNTRIES:
            self._finish_construction(run, country)
        run.pop()
        deal_first_hands(run)

    @override
    def prompt(self, state: State, frame: ConstructionFrame, role: str) -> str:
        """Return the prompt, which states how many cards are left to choose."""
        return f"Choose {frame.left[FORCE_INDEX[role]]} more for your deck"

    def _finish_construction(self, run: Run, country: str) -> None:
        cards = run.state.cards_of(country)
        for pile, source, target_pile in (
            (cards.deck, "deck", "out"),
            (cards.hand, "hand", "deck-pool"),
        ):
            if pile:
                run.add(
                    CardsMoved(
                        country=country,
                        cards=pile,
                        source=source,
                        to=target_pile,
                        why="construction",
                    )
                )
        shuffle_deck(run, country)
