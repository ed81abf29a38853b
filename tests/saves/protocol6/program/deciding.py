"""Dice for deciding a command on a copy that knows only the decider's own cards.

They stop a decision that needs a card that is not available yet. When it is, the decision starts from the beginning.
"""

from collections.abc import Sequence

from engine.kernel.dice import CardPile, DerivedDice, Die, EventCountingDice
from engine.kernel.errors import FlagplotError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from saves.protocol6.errors import BrokenDeckError
from tests.saves.protocol6.program.pending_command import Picked


class CardsWantedError(FlagplotError):
    """The next cards of the seat's own deck are needed."""

    def __init__(self, pile: Sequence[str], count: int = 1) -> None:
        self.pile = tuple(pile)
        """The draw pile according to the rules."""
        self.count = min(count, len(pile))
        """Number of cards needed in a row."""
        super().__init__("the next card is not dealt yet")


class FaceWantedError(FlagplotError):
    """Another role's card must be revealed before the decision can continue."""


class Deciding(EventCountingDice):
    """Dice for a decision on a copy that knows only its own cards."""

    def __init__(
        self, role: Role, chance: DerivedDice, drawn: Sequence[str], shown: Sequence[str]
    ) -> None:
        """Start a decision.

        Args:
            role: The role that decides; none for the opening.
            chance: The randomness of all parties for this record.
            drawn: Cards dealt to the role for it so far, in order.
            shown: Other roles' cards revealed for it so far, in order.
        """
        self._role = role
        self._chance = chance
        self._drawn = list(drawn)
        self._shown = list(shown)
        self._wanted: CardsWantedError | None = None
        """Own cards still to be dealt, for which other cards of their pile are placeholders ..."""
        self._wanted_at = 0
        """... as long as only the same event can depend on them."""
        self.picks: list[Picked] = []
        """Random picks among other roles' cards."""

    def roll(self, die: Die) -> int:
        """Return a face."""
        self.finish()
        return self._chance.roll(die)

    def finish(self) -> None:
        """Continue, or end, if no card is a placeholder for another one.

        Raises:
            CardsWantedError: Cards of the own deck must be dealt first.
        """
        if self._wanted is not None:
            raise self._wanted

    def pick(self, items: Sequence[str]) -> str:
        """Return one of the items, or :data:`HIDDEN` for a card that only its owner will see."""
        if isinstance(items, CardPile) and (items.owner, items.place) == (self._role, "deck"):
            return self._next(items)
        self.finish()
        if not isinstance(items, CardPile):
            return self._chance.pick(items)
        owner = Role(items.owner)
        if items.place == "deck":
            self.picks.append(Picked(owner, items.place, 0, self.event_count))
            return HIDDEN
        at = self._chance.randbelow(len(items))
        if owner == self._role or HIDDEN not in items:
            return items[at]
        self.picks.append(Picked(owner, items.place, at, self.event_count))
        if not items.is_shown:
            return HIDDEN
        if not self._shown:
            raise FaceWantedError("a card must be turned up")
        return self._shown.pop(0)

    def _next(self, pile: CardPile) -> str:
        """Return the next card of the own deck or, if it is not dealt yet, a placeholder."""
        wanted = self._wanted
        if not self._drawn and wanted is None:
            self._wanted, self._wanted_at = CardsWantedError(pile), self.event_count
            return pile[0]
        if wanted is not None:
            if self.event_count != self._wanted_at or not {*pile} <= {*wanted.pile}:
                raise wanted
            wanted.count += 1
            return pile[0]
        card = self._drawn.pop(0)
        if card not in pile:
            raise BrokenDeckError(-1, "a card was dealt that the draw pile does not hold")
        return card
