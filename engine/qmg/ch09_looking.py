"""Looking at cards, and taking cards from a zone (8.3, 9.3, A.2)."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.errors import HiddenError
from engine.kernel.ids import Refusal, Rule
from engine.qmg import phrases
from engine.qmg.ch09_cards import shuffle_deck, unique_copies
from engine.qmg.commands import Done, QmgCommand, Take
from engine.qmg.deck import CARD
from engine.qmg.events import TopOrdered
from engine.qmg.frames import LookFrame, SearchFrame
from engine.qmg.ids import BASIC_TYPES, HIDDEN
from engine.qmg.run import CountryQuestion, ListedAction, PlainAction, Run
from engine.qmg.state import State


def _searched_zones(frame: SearchFrame) -> tuple[str, ...]:
    return tuple(frame.zone.split("+"))


def _cards_in_zones(state: State, frame: SearchFrame) -> Iterator[Sequence[str]]:
    """Yield the cards of each searched zone, one zone at a time."""
    cards = state.cards_of(frame.country)
    for zone in _searched_zones(frame):
        yield sorted(cards.undrawn_cards) if zone == "deck" else cards.discard


def _close_deck(run: Run, frame: SearchFrame) -> None:
    """Shuffle the deck if it was searched together with the discard pile. The discard pile needs no shuffle (A.3)."""
    if len(_searched_zones(frame)) > 1:
        shuffle_deck(run, frame.country)


def _is_wanted(card: str, kind: str) -> bool:
    if kind == "basic":
        return CARD[card].type in BASIC_TYPES
    return not kind or CARD[card].type == kind


class TakeFromSearch(ListedAction[SearchFrame, Take]):
    """Take a card from the searched zone (8.3, 9.3)."""

    kind = Take

    @override
    def candidates(self, state: State, frame: SearchFrame, role: str) -> list[Take]:
        """Return the cards to choose from. Identical cards are listed once per zone, because the zone matters (A.3)."""
        cards: tuple[str, ...] = ()
        for zone_cards in _cards_in_zones(state, frame):
            matching_cards = [
                card for card in zone_cards if card != HIDDEN and _is_wanted(card, frame.type)
            ]
            cards += unique_copies(matching_cards)
        return [Take(card=card) for card in cards]

    @override
    def refusals_if_unlisted(
        self, state: State, frame: SearchFrame, role: str, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield a refusal that states what may be taken."""
        card_type = "card" if not frame.type else f"{phrases.card_type_name(frame.type)} card"
        if frame.type == "basic":
            card_type = "Build Army, Build Navy, Land Battle or Sea Battle card"
        yield Refusal(_search_rule(frame), f"you must take a {card_type} from these")

    @override
    def apply(self, run: Run, frame: SearchFrame, role: str, command: Take) -> None:
        """Take the card.

        A Status that is put on the table applies from now on, but its text is not carried out (16.7).
        """
        cards = run.state.cards_of(role)
        if command.card in cards.undrawn_cards:
            run.move_card(
                role, command.card, "deck", frame.to, is_shown=frame.shown, reason="search"
            )
            _close_deck(run, frame)
        else:
            run.move_card(
                role, command.card, "discard", frame.to, is_shown=frame.shown, reason="search"
            )
        run.replace_top(replace(frame, left=frame.left - 1))


class EndSearch(PlainAction[SearchFrame, Done]):
    """Stop taking cards."""

    @override
    def apply(self, run: Run, frame: SearchFrame, role: str, command: Done) -> None:
        _close_deck(run, frame)
        run.replace_top(replace(frame, left=0))


def _search_rule(frame: SearchFrame) -> Rule:
    return Rule("8.3" if frame.type == "basic" else "9.3")


TAKE_FOUND: Final = TakeFromSearch()


class SearchHandler(CountryQuestion[SearchFrame]):
    """The country takes cards from its deck or discard pile (8.3, A.2)."""

    frame = SearchFrame
    actions = (TAKE_FOUND, EndSearch(Done))

    @override
    def try_step(self, run: Run, frame: SearchFrame) -> bool:
        """Ask as long as there is a card to take. Otherwise, end the search.

        Raises:
            HiddenError: This copy does not know whether there is a card to take.
        """
        if frame.left and TAKE_FOUND.candidates(run.state, frame, frame.country):
            return False
        if frame.left and any(
            HIDDEN in zone_cards for zone_cards in _cards_in_zones(run.state, frame)
        ):
            # Any card may be taken, so the country has a choice even if this copy knows none of the
            # cards.
            if not frame.type:
                return False
            raise HiddenError("this copy does not know whether a matching card was found")
        # If ``left`` is 0, the deck was already shuffled when the last card was taken or the search
        # was ended.
        if frame.left:
            _close_deck(run, frame)
        run.pop()
        return True

    @override
    def decision_rule(self, state: State, frame: SearchFrame) -> Rule:
        """Return the rule for Reallocate Resources or, for other searches, the rule for cards in general."""
        return _search_rule(frame)

    @override
    def prompt(self, state: State, frame: SearchFrame, role: str) -> str:
        """Return the prompt for the next card to take."""
        card_type = "basic" if frame.type == "basic" else phrases.card_type_name(frame.type)
        return f"Take up to {phrases.count_cards(frame.left, card_type)}"

    @override
    def wrong_kind(
        self, state: State, frame: SearchFrame, role: str, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield a refusal that states what may be taken."""
        return TAKE_FOUND.refusals_if_unlisted(state, frame, role, command)


class OrderNextCard(ListedAction[LookFrame, Take]):
    """Put a card in the next position from the top of the deck (A.2)."""

    kind = Take
    refusal = Refusal(Rule("9.3"), "this is not one of the choices in this step")

    @override
    def candidates(self, state: State, frame: LookFrame, role: str) -> list[Take]:
        """Return the cards that have not been placed yet, in their current order."""
        top = state.cards_of(role).deck_top[frame.ordered : frame.total]
        return [Take(card=card) for card in top]

    @override
    def apply(self, run: Run, frame: LookFrame, role: str, command: Take) -> None:
        seen_cards = run.state.cards_of(role).deck_top[: frame.total]
        first_cards, other_cards = seen_cards[: frame.ordered], list(seen_cards[frame.ordered :])
        other_cards.remove(command.card)
        run.add(TopOrdered(country=role, cards=(*first_cards, command.card, *other_cards)))
        run.replace_top(replace(frame, ordered=frame.ordered + 1))


class LookHandler(CountryQuestion[LookFrame]):
    """The country arranges the cards that it has looked at, starting with the card that will be drawn first (A.2)."""

    frame = LookFrame
    rule = Rule("9.3")
    actions = (OrderNextCard(),)

    @override
    def try_step(self, run: Run, frame: LookFrame) -> bool:
        if frame.ordered < frame.total - 1:
            return False
        run.pop()
        return True

    @override
    def prompt(self, state: State, frame: LookFrame, role: str) -> str:
        """Return the prompt, which asks for the card in the next position from the top."""
        return f"Which card goes in position {frame.ordered + 1} from the top?"
