"""The part of the ruleset interface for deals without a trusted dealer (``docs/fair-play.md``)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from engine.kernel.cards import PileContents, strings_in
from engine.kernel.ids import Role, Rule

S = TypeVar("S")
C = TypeVar("C", bound=msgspec.Struct)
E = TypeVar("E", bound=msgspec.Struct)


class HiddenCards(ABC, Generic[S, C, E]):
    """The interface for a game's hidden cards. A game without hidden cards keeps the defaults.

    S is the state, C the union of commands and E the union of events.
    """

    peek_rule: Rule = Rule("")
    """The rule that lets a role privately see another role's hidden card. Empty in games without such a rule."""
    hidden_entry_bytes: int = 0
    """Maximum size of a command or event with hidden content, rounded up to a multiple of 64.

    The set-up event does not count.
    """

    @abstractmethod
    def redact_command(self, command: C, giver: Role, role: Role | None) -> C | None:
        """Return the command as another role may see it, or None if even its kind is hidden."""

    def decks(self) -> Mapping[Role, tuple[str, ...]]:
        """Return all cards that each role's deck can ever contain, in a fixed order."""
        return {}

    def max_reveal_requests(self, command: C) -> int:
        """Return the maximum number of pauses while a command is resolved.

        There is a pause whenever another role must reveal a card to everyone.
        """
        del command
        return 0

    def card_piles(self, state: S, role: Role) -> Mapping[str, PileContents]:
        """Return the piles that contain the cards of a role's deck. Empty in a game without hidden cards.

        Pile names and their order are fixed once the game has begun. The deck segments are listed first, in drawing
        order, and the pile of cards whose faces are public is last. After every event, each card is in exactly one
        pile. The counts are the same in every copy. A face that a copy does not know is
        :data:`~engine.kernel.hidden.HIDDEN`. The owner's copy knows all its own cards.
        """
        del state, role
        return {}

    def with_hidden_card(self, state: S, role: Role, pile: str, card: str) -> S:
        """Return the state after a card in one of a role's piles has been revealed to this copy.

        Args:
            state: Any copy's state. It is returned unchanged if the copy already knows the card.
            role: The owner.
            pile: Name of the pile in :meth:`card_piles` that contains the card.
            card: The face, which replaces a hidden one.
        """
        del role, pile, card
        return state

    def named_cards(self, role: Role, command: C) -> tuple[str, ...]:
        """Return the cards from the acting role's deck that a command names and thereby reveals to everyone.

        The result contains no duplicates.
        """
        redacted_command = self.redact_command(command, role, None)
        deck = frozenset(self.decks().get(role, ()))
        words = (
            strings_in(msgspec.to_builtins(redacted_command))
            if deck and redacted_command is not None
            else ()
        )
        return tuple(dict.fromkeys(word for word in words if word in deck))

    def secret_owner(self, event: E) -> Role | None:
        """Return the role whose secret cards an event may contain, or None if the event contains no secret cards.

        The set-up event contains all roles' cards. The party that knows the whole position creates it.
        """
        del event
        return None

    def revealed_cards(self, event: E) -> tuple[str, ...]:
        """Return the hidden cards that an event reveals to everyone.

        The result may include cards that were already public, such as a card from a partly open discard pile.
        """
        del event
        return ()

    def hidden_pile(
        self,
        state: S,
        role: Role,
        place: str,
        event: E | None = None,
        picked_cards: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Return a pile's cards in the order used by random picks. Empty if there is no such pile.

        Args:
            state: The state before the event, in a copy that knows these cards.
            role: The owner of the pile.
            place: The name that a :class:`CardPile` uses, such as ``deck`` or ``hand``.
            event: The event that needs a random card, as computed by the role that gave the command. The pile's
                contents may depend on it.
            picked_cards: Cards already picked for that event.
        """
        del state, role, place, event, picked_cards
        return ()

    def complete_event(self, state: S, event: E, picked_cards: Sequence[str]) -> tuple[E, int]:
        """Fill in the faces that only this copy's role knows. Return the completed event and the number of picks used.

        Args:
            state: The state of the owner's copy before the event.
            event: The event as computed by the role that gave the command, with :data:`HIDDEN` for faces that this role
                does not know.
            picked_cards: Faces picked at random from the owner's piles for this event, in order. The event may use only
                some of them.
        """
        del state, picked_cards
        return event, 0
