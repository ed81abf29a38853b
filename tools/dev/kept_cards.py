"""Whether a command comes out in full when its giver decides it and the keepers of hidden cards fill their faces in.

What the giver of a command works out on the own copy has :data:`HIDDEN` for the cards of others, and an index for each
pick among them. Each keeper walks the events on the own copy, puts in what it knows and what chance picked, and all
together must have the events of the record. :mod:`tools.dev.own_copies` measures that on whole records
(``docs/fair-play.md``).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.kernel.dice import CardPile, Dice, Die, PlacedDice
from engine.kernel.errors import FlagplotError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from engine.qmg.ids import COUNTRIES
from saves.codec import AnyGame
from saves.decoding import canonical

DECK: Final = "deck"
_NAMED_ONLY: Final = frozenset({"frame-entered", "frame-replaced"})
"""Kinds of facts that name a card of the scenario which may be taken, wherever it lies."""


class OtherChanceError(FlagplotError):
    """The own copy rolls or picks what the record did not."""


class Pick(msgspec.Struct, frozen=True):
    """A pick among cards as the record had it."""

    at: int
    """How many events were there before it."""
    pile: CardPile
    face: str

    @property
    def index(self) -> int:
        """Return the place of the card in the pile."""
        return self.pile.index(self.face)


class HeardDice(PlacedDice):
    """Dice of a record that remember what they gave."""

    def __init__(self, dice: Dice) -> None:
        """Listen to dice."""
        self._dice = dice
        self.rolls: list[int] = []
        self.picks: list[str] = []
        self.noted: list[Pick] = []
        """Picks among cards, all of which name their pile."""

    def roll(self, die: Die) -> int:
        """Return a face."""
        self.rolls.append(self._dice.roll(die))
        return self.rolls[-1]

    def pick(self, items: Sequence[str]) -> str:
        """Return one of the items."""
        self.picks.append(self._dice.pick(items))
        if isinstance(items, CardPile):
            self.noted.append(Pick(self.at, items, self.picks[-1]))
        return self.picks[-1]


class GiversDice(PlacedDice):
    """Dice that give again what a record had, as the giver of its command can know it at once."""

    def __init__(self, heard: HeardDice, giver: Role | None) -> None:
        """Give the same rolls and picks in the same order; faces of another's pile only where they are turned up."""
        self._rolls, self._picks, self._giver = list(heard.rolls), list(heard.noted), giver
        self.hidden = 0
        """How many picks the giver does not know."""

    def roll(self, die: Die) -> int:
        """Return the face that was rolled."""
        if not self._rolls:
            raise OtherChanceError("one roll more")
        return self._rolls.pop(0)

    def pick(self, items: Sequence[str]) -> str:
        """Return what was picked from the giver's own pile or is turned up, else :data:`HIDDEN`."""
        if not self._picks or not isinstance(items, CardPile):
            raise OtherChanceError("one pick more")
        pick = self._picks.pop(0)
        was = pick.pile
        if (items.owner, items.place, len(items), self.at) != (
            was.owner,
            was.place,
            len(was),
            pick.at,
        ):
            raise OtherChanceError("a pick from another pile")
        if items.owner == self._giver and items != was:
            raise OtherChanceError("a pick among other cards of the giver's own")
        if items.is_shown or items.owner == self._giver:
            return pick.face
        self.hidden += 1
        return HIDDEN

    def check_used_up(self) -> None:
        """Accept that everything was given again."""
        if self._rolls or self._picks:
            raise OtherChanceError("a roll or pick less")


def faults(
    rules: AnyGame,
    giver: Role | None,
    copies: Mapping[Role | None, Any],
    given: Sequence[Event],
    full: Sequence[Event],
    picks: Sequence[Pick],
) -> Iterator[str]:
    """Yield what does not come out when each keeper fills its cards in.

    Args:
        rules: The game.
        giver: Who gave the command; None for an opening.
        copies: The state before it on the copy of each role.
        given: The events as the giver worked them out.
        full: The events of the record.
        picks: What chance picked among cards, in order.
    """
    if len(given) != len(full):
        yield f"{len(given)} events for {len(full)}"
        return
    completed = list(given)
    keepers = {rules.keeper(event) for event in given} | {Role(pick.pile.owner) for pick in picks}
    for keeper in sorted(role for role in keepers if role is not None):
        own = [pick for pick in picks if pick.pile.owner == keeper]
        yield from _fill(rules, keeper, giver, copies[keeper], completed, own)
    for at, (one, other) in enumerate(zip(completed, full, strict=True)):
        if canonical(one) != canonical(other):
            yield f"event {at} is {one} for {other}"


def _fill(
    rules: AnyGame,
    keeper: Role,
    giver: Role | None,
    state: Any,  # noqa: ANN401 - of any game
    completed: list[Event],
    picks: Sequence[Pick],
) -> Iterator[str]:
    """Put the faces that a keeper knows into events, walking them on its copy, and yield what is wrong."""
    for at, event in enumerate(completed):
        now = [pick for pick in picks if pick.at == at]
        if keeper != giver:  # whose dice check it
            yield from _wrong_piles(rules, keeper, state, event, now)
        known = rules.redact(event, keeper)
        if rules.keeper(event) == keeper != giver:
            hidden = [pick.face for pick in now if not pick.pile.is_shown]
            known, used = rules.filled(state, event, (*hidden, "more"))
            completed[at] = known
            if used != len(hidden):
                yield f"event {at} takes {used} picks of {len(hidden)}"
        state = rules.evolve(state, known)


def _wrong_piles(
    rules: AnyGame,
    keeper: Role,
    state: Any,  # noqa: ANN401 - of any game
    event: Event,
    picks: Sequence[Pick],
) -> Iterator[str]:
    """Yield picks for an event from a pile other than the one that its keeper is told of."""
    picked: list[str] = []
    for pick in picks:
        pile = rules.pile(state, keeper, pick.pile.place, event, picked)
        where = f"{pick.pile.place} of {keeper} at event {pick.at}"
        if pick.pile.place == DECK:
            if sorted(pile) != sorted(pick.pile):
                yield f"{where}: {pile} for {pick.pile}"
            if not set(pile) <= set(rules.decks()[keeper]):
                yield f"{where}: cards that are none"
        elif len(pile) != len(pick.pile) or pile[pick.index] != pick.face:
            yield f"{where}: {pile} for {pick.pile}"
        picked.append(pick.face)


def wrongly_turned_up(
    rules: AnyGame,
    whole: Any,  # noqa: ANN401 - states of any game
    public: Any,  # noqa: ANN401
    events: Sequence[Event],
) -> Iterator[str]:
    """Yield where :meth:`Ruleset.turned_up` and what a spectator learns do not agree.

    Args:
        rules: The game.
        whole: The state before the events.
        public: The same on a spectator's copy.
        events: In full.
    """
    cards = {card for deck in rules.decks().values() for card in deck}
    for at, event in enumerate(events):
        shown = rules.redact(event, None)
        if shown is not None and not _sets_up(shown):
            faces = cards & set(_words(msgspec.to_builtins(shown)))
            turned = set(rules.turned_up(event))
            if not turned <= faces:
                yield f"event {at} turns up {turned - faces}, which it does not show"
            tag = str(type(event).__struct_config__.tag)
            hidden = faces & _unseen(rules, whole) - _unseen(rules, public)
            if hidden - turned and tag not in _NAMED_ONLY:
                yield f"event {at} ({tag}) shows {hidden - turned} of cards that lay hidden"
            if turned != set(rules.turned_up(shown)):
                yield f"event {at} ({tag}) turns up other cards for a spectator"
            public = rules.evolve(public, shown)
        elif shown is not None:
            public = rules.evolve(public, shown)
        whole = rules.evolve(whole, event)


def _sets_up(event: Event) -> bool:
    return "position" in event.__struct_fields__


def _words(item: object) -> Iterator[str]:
    """Yield every text in plain data."""
    if isinstance(item, str):
        yield item
    elif isinstance(item, Mapping):
        for each in item.values():
            yield from _words(each)
    elif isinstance(item, Sequence):
        for each in item:
            yield from _words(each)


def _unseen(rules: AnyGame, state: Any) -> set[str]:  # noqa: ANN401 - of any game
    """Return the cards that lie in places which nobody else sees, as far as a copy knows them."""
    if rules.game == "eots":
        found = {
            card
            for deck in state.decks.values()
            for card in (*deck.hand, *deck.draw, deck.future or HIDDEN)
        }
        return found | {card for pile in state.beneath.values() for card in pile} - {HIDDEN}
    return {
        card
        for country in COUNTRIES
        for cards in (state.cards_of(country),)
        for card in (
            *cards.hand,
            *cards.undrawn,
            *cards.responses,
            *(one for one in cards.discard if one not in cards.face_up),
        )
    } - {HIDDEN}
