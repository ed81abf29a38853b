"""Dice of one who decides a command on a copy that knows no cards but his own.

They stop a decision where it needs a card that is not there yet; it is made again from the beginning when the card is.
"""

from collections.abc import Sequence

from engine.kernel.dice import CardPile, DerivedDice, Die, PlacedDice
from engine.kernel.errors import FlagplotError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from saves.fair.faults import BrokenDeckError
from saves.fair.pending import Picked


class CardsWantedError(FlagplotError):
    """The next cards of the own deck are needed."""

    def __init__(self, pile: Sequence[str], count: int = 1) -> None:
        self.pile = tuple(pile)
        """The draw pile as the rules have it."""
        self.count = min(count, len(pile))
        """How many are needed one after the other."""
        super().__init__("the next card is not dealt yet")


class FaceWantedError(FlagplotError):
    """A card of somebody else must be turned up before the decision can go on."""


class Deciding(PlacedDice):
    """Dice of one who decides on a copy that knows no cards but his own."""

    def __init__(
        self, role: Role, chance: DerivedDice, drawn: Sequence[str], shown: Sequence[str]
    ) -> None:
        """Begin a decision.

        Args:
            role: Who decides; nobody for the opening.
            chance: That of all parties, for this record.
            drawn: Cards that were dealt to him for it so far, in order.
            shown: Cards of others that were turned up for it so far, in order.
        """
        self._role = role
        self._chance = chance
        self._drawn = list(drawn)
        self._shown = list(shown)
        self.picks: list[Picked] = []
        """What chance picked among the cards of others."""

    def roll(self, die: Die) -> int:
        """Return a face."""
        return self._chance.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        """Return one of the items, :data:`HIDDEN` for a card that only its owner will see."""
        if not isinstance(items, CardPile):
            return self._chance.pick(items)
        owner = Role(items.owner)
        if items.place == "deck":
            return self._dealt(items, owner)
        at = self._chance.below(len(items))
        if owner == self._role or HIDDEN not in items:
            return items[at]
        self.picks.append(Picked(owner, items.place, at, self.at))
        if not items.is_shown:
            return HIDDEN
        if not self._shown:
            raise FaceWantedError("a card must be turned up")
        return self._shown.pop(0)

    def _dealt(self, pile: CardPile, owner: Role) -> str:
        """Return the next card of a deck."""
        if owner != self._role:
            self.picks.append(Picked(owner, pile.place, 0, self.at))
            return HIDDEN
        if not self._drawn:
            raise CardsWantedError(pile)
        card = self._drawn.pop(0)
        if card not in pile:
            raise BrokenDeckError(-1, "a card was dealt that the draw pile does not hold")
        return card
