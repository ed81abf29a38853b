"""Checks that each player's knowledge of hidden cards is enough to complete a command's events.

The player who gives a command computes its events on their own copy. On this copy, other players' cards appear as
:data:`HIDDEN`, and random picks among them as indexes. Each owner of hidden cards then replays the events on their own
copy, and fills in the cards that they know. The completed events must equal those in the record.
:mod:`tools.dev.own_copies` measures this on full records (``docs/fair-play.md``).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.kernel.dice import CardPile, Dice, Die, EventCountingDice
from engine.kernel.errors import FlagplotError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from engine.qmg.ids import COUNTRIES
from saves.codec import AnyGame
from saves.decoding import canonical

DECK: Final = "deck"
_CHOICE_EVENT_TAGS: Final = frozenset({"frame-entered", "frame-replaced"})
"""Tags of events that list cards as possible choices. They do not show where these cards are."""


class DifferentRollError(FlagplotError):
    """The replay of a command used different rolls or picks from those in the record."""


class RecordedPick(msgspec.Struct, frozen=True):
    """A random pick among cards, taken from the record."""

    at: int
    """Number of events before the pick."""
    pile: CardPile
    face: str

    @property
    def index(self) -> int:
        """The card's index in the pile."""
        return self.pile.index(self.face)


class LoggingDice(EventCountingDice):
    """Dice that log their results while they replay a record."""

    def __init__(self, dice: Dice) -> None:
        """Wrap a record's dice."""
        self._dice = dice
        self.rolls: list[int] = []
        self.picks: list[str] = []
        self.card_picks: list[RecordedPick] = []
        """The picks among cards, each with its pile."""

    def roll(self, die: Die) -> int:
        """Roll, log and return a face."""
        self.rolls.append(self._dice.roll(die))
        return self.rolls[-1]

    def pick(self, items: Sequence[str]) -> str:
        """Pick, log and return one of the items."""
        self.picks.append(self._dice.pick(items))
        if isinstance(items, CardPile):
            self.card_picks.append(RecordedPick(self.event_count, items, self.picks[-1]))
        return self.picks[-1]


class GiversDice(EventCountingDice):
    """Dice that repeat a record's results, but hide cards that the acting player cannot see."""

    def __init__(self, log: LoggingDice, giver: Role | None) -> None:
        """Prepare to repeat rolls and picks in order. Face-down cards from other players' piles stay hidden."""
        self._rolls, self._picks, self._giver = list(log.rolls), list(log.card_picks), giver
        self.hidden = 0
        """Number of picks whose cards the acting player cannot see."""

    def roll(self, die: Die) -> int:
        """Return the face that was rolled."""
        if not self._rolls:
            raise DifferentRollError("more rolls than in the record")
        return self._rolls.pop(0)

    def pick(self, items: Sequence[str]) -> str:
        """Return the picked card if it is face up or the acting player owns it. Otherwise, return :data:`HIDDEN`."""
        if not self._picks or not isinstance(items, CardPile):
            raise DifferentRollError("more picks than in the record")
        pick = self._picks.pop(0)
        pile = pick.pile
        if (items.owner, items.place, len(items), self.event_count) != (
            pile.owner,
            pile.place,
            len(pile),
            pick.at,
        ):
            raise DifferentRollError("a pick from a different pile")
        if items.owner == self._giver and items != pile:
            raise DifferentRollError("a pick among different cards of the acting player")
        if items.is_shown or items.owner == self._giver:
            return pick.face
        self.hidden += 1
        return HIDDEN

    def check_used_up(self) -> None:
        """Raise DifferentRollError if a roll or pick from the record has not been repeated."""
        if self._rolls or self._picks:
            raise DifferentRollError("fewer rolls or picks than in the record")


def completion_errors(
    rules: AnyGame,
    giver: Role | None,
    copies: Mapping[Role | None, Any],
    given: Sequence[Event],
    full: Sequence[Event],
    picks: Sequence[RecordedPick],
) -> Iterator[str]:
    """Yield the differences that remain after each card owner has filled in their cards.

    Args:
        rules: The game.
        giver: The role that gave the command; None for an opening.
        copies: Each role's copy of the state before the command.
        given: The events that the acting player computed.
        full: The events in the record.
        picks: Random picks among cards, in order.
    """
    if len(given) != len(full):
        yield f"{len(given)} events instead of {len(full)}"
        return
    completed = list(given)
    owners = {rules.secret_owner(event) for event in given} | {
        Role(pick.pile.owner) for pick in picks
    }
    for owner in sorted(role for role in owners if role is not None):
        own_picks = [pick for pick in picks if pick.pile.owner == owner]
        yield from _complete_events(rules, owner, giver, copies[owner], completed, own_picks)
    for index, (actual, expected) in enumerate(zip(completed, full, strict=True)):
        if canonical(actual) != canonical(expected):
            yield f"event {index} is {actual} instead of {expected}"


def _complete_events(
    rules: AnyGame,
    owner: Role,
    giver: Role | None,
    state: Any,  # noqa: ANN401 - of any game
    completed: list[Event],
    picks: Sequence[RecordedPick],
) -> Iterator[str]:
    """Replay events on a card owner's copy and fill in the cards that the owner knows. Yield any errors."""
    for index, event in enumerate(completed):
        event_picks = [pick for pick in picks if pick.at == index]
        if owner != giver:  # the dice already check this for the acting player
            yield from _wrong_piles(rules, owner, state, event, event_picks)
        completed_event = rules.redact(event, owner)
        if rules.secret_owner(event) == owner != giver:
            hidden = [pick.face for pick in event_picks if not pick.pile.is_shown]
            completed_event, used_count = rules.complete_event(state, event, (*hidden, "more"))
            completed[index] = completed_event
            if used_count != len(hidden):
                yield f"event {index} uses {used_count} of {len(hidden)} picks"
        state = rules.evolve(state, completed_event)


def _wrong_piles(
    rules: AnyGame,
    owner: Role,
    state: Any,  # noqa: ANN401 - of any game
    event: Event,
    picks: Sequence[RecordedPick],
) -> Iterator[str]:
    """Describe each pick from a pile that differs on its owner's copy."""
    earlier_picks: list[str] = []
    for pick in picks:
        pile = rules.hidden_pile(state, owner, pick.pile.place, event, earlier_picks)
        location = f"{pick.pile.place} of {owner} at event {pick.at}"
        if pick.pile.place == DECK:
            if sorted(pile) != sorted(pick.pile):
                yield f"{location}: {pile} instead of {pick.pile}"
            if not set(pile) <= set(rules.decks()[owner]):
                yield f"{location}: cards that do not exist"
        elif len(pile) != len(pick.pile) or pile[pick.index] != pick.face:
            yield f"{location}: {pile} instead of {pick.pile}"
        earlier_picks.append(pick.face)


def visibility_errors(
    rules: AnyGame,
    full_state: Any,  # noqa: ANN401 - states of any game
    public_state: Any,  # noqa: ANN401
    events: Sequence[Event],
) -> Iterator[str]:
    """Yield each place where :meth:`Ruleset.revealed_cards` disagrees with what a spectator sees.

    Args:
        rules: The game.
        full_state: The full state before the events.
        public_state: A spectator's copy of the same state.
        events: The unredacted events.
    """
    cards = {card for deck in rules.decks().values() for card in deck}
    for index, event in enumerate(events):
        redacted = rules.redact(event, None)
        if redacted is not None and not _is_setup(redacted):
            faces = cards & set(_strings(msgspec.to_builtins(redacted)))
            revealed = set(rules.revealed_cards(event))
            if not revealed <= faces:
                yield f"event {index} turns up {revealed - faces}, which it does not show"
            tag = str(type(event).__struct_config__.tag)
            hidden = faces & _hidden_from_others(rules, full_state) - _hidden_from_others(
                rules, public_state
            )
            if hidden - revealed and tag not in _CHOICE_EVENT_TAGS:
                yield f"event {index} ({tag}) shows hidden cards: {hidden - revealed}"
            if revealed != set(rules.revealed_cards(redacted)):
                yield f"event {index} ({tag}) turns up different cards for a spectator"
            public_state = rules.evolve(public_state, redacted)
        elif redacted is not None:
            public_state = rules.evolve(public_state, redacted)
        full_state = rules.evolve(full_state, event)


def _is_setup(event: Event) -> bool:
    return "position" in event.__struct_fields__


def _strings(item: object) -> Iterator[str]:
    """Yield every string in plain data."""
    if isinstance(item, str):
        yield item
    elif isinstance(item, Mapping):
        for value in item.values():
            yield from _strings(value)
    elif isinstance(item, Sequence):
        for value in item:
            yield from _strings(value)


def _hidden_from_others(rules: AnyGame, state: Any) -> set[str]:  # noqa: ANN401 - of any game
    """Return the cards known in this state that are in places only their owner can see."""
    if rules.game == "eots":
        faces = {
            card
            for deck in state.decks.values()
            for card in (*deck.hand, *deck.draw, deck.future or HIDDEN)
        }
        return faces | {card for pile in state.beneath.values() for card in pile} - {HIDDEN}
    return {
        card
        for country in COUNTRIES
        for cards in (state.cards_of(country),)
        for card in (
            *cards.hand,
            *cards.undrawn_cards,
            *cards.responses,
            *(face for face in cards.discard if face not in cards.face_up),
        )
    } - {HIDDEN}
