"""A small game for tests of fair matches, with every kind of pile and every way in which a card can move.

Each role has a deck of nine cards and draws three. All roles may act at any time, as often as they like, and the game
never ends. When the deck is empty, cards are drawn from the discards (1.2).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.cards import OPEN_PILE, PileContents, PileKind
from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import CardPile, Dice
from engine.kernel.errors import DataError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.memo import CachedState
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command, Event, Ruleset, ScenarioInfo, View
from engine.kernel.rulings import Ruling
from tests.toy_game import BLUE, D10, RED, DieRolled

SIX: Final = tuple(map(Role, ("ash", "gem", "elm", "jet", "fir", "ore")))
PEOPLE: Final = (SIX[:2], SIX[2:4], SIX[4:])
"""Three people, each with two of the six seats."""
DECK, HAND, LAID, DISCARD = "deck", "hand", "laid", "discard"
CARDS: Final = 9
DEALT: Final = 3
_KINDS: Final = {
    DECK: PileKind.RANDOM,
    HAND: PileKind.HAND,
    LAID: PileKind.LAID,
    DISCARD: PileKind.DISCARD,
    OPEN_PILE: PileKind.OPEN,
}


class Draw(Command, frozen=True, kw_only=True, tag="draw"):
    """Draw cards (1.2)."""

    count: int


class Play(Command, frozen=True, kw_only=True, tag="play"):
    """Put a card of the hand on the table, open."""

    card: str


class Discard(Command, frozen=True, kw_only=True, tag="discard"):
    """Discard a card of the hand, open."""

    card: str


class Search(Command, frozen=True, kw_only=True, tag="search"):
    """Take a card out of the deck, unseen."""

    card: str


class Scout(Command, frozen=True, kw_only=True, tag="scout"):
    """Roll the die, take a card out of the deck unseen, and draw another."""

    card: str


class Lose(Command, frozen=True, kw_only=True, tag="lose"):
    """Discard a random card of the hand, unseen."""


class Recover(Command, frozen=True, kw_only=True, tag="recover"):
    """Take a random card out of the discards, unseen."""


class Trade(Command, frozen=True, kw_only=True, tag="trade"):
    """Recover a card, put a card of the hand into the deck unseen, draw a card, and recover another."""

    card: str


class Bury(Command, frozen=True, kw_only=True, tag="bury"):
    """Lay one of the discards face down."""

    card: str


class Dig(Command, frozen=True, kw_only=True, tag="dig"):
    """Roll the die, lay a card of the hand face down, and take up a random one of the laid cards, unseen."""

    card: str


class Refill(Command, frozen=True, kw_only=True, tag="refill"):
    """Shuffle the discards into the deck."""


class Roll(Command, frozen=True, kw_only=True, tag="roll"):
    """Roll the die."""


class Raid(Command, frozen=True, kw_only=True, tag="raid"):
    """Make another role discard a random card of its hand, open."""

    target: Role


class Ambush(Command, frozen=True, kw_only=True, tag="ambush"):
    """Make another role discard a random card of its hand, unseen."""

    target: Role


DepotCommand: TypeAlias = (
    Draw
    | Play
    | Discard
    | Search
    | Scout
    | Lose
    | Recover
    | Trade
    | Bury
    | Dig
    | Refill
    | Roll
    | Raid
    | Ambush
)
_MOVES: Final = {
    Play: (HAND, OPEN_PILE, True),
    Discard: (HAND, DISCARD, True),
    Search: (DECK, HAND, False),
    Bury: (DISCARD, LAID, False),
}
"""Source and target of each command that moves one card, and whether everyone sees the card."""
_NAMED: Final = {
    **{kind: move[0] for kind, move in _MOVES.items()},
    Scout: DECK,
    Trade: HAND,
    Dig: HAND,
}
"""The pile of the card that a command names."""


class DepotPosition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The start of a scenario."""

    roles: tuple[Role, ...]


class DepotSet(Event, frozen=True, kw_only=True, tag="depot-set"):
    """Every card is in its deck."""

    position: DepotPosition


class CardsMoved(Event, frozen=True, kw_only=True, tag="cards-moved"):
    """A role's cards have moved."""

    role: Role
    cards: tuple[str, ...]
    source: str
    target: str
    is_shown: bool = False


DepotEvent: TypeAlias = DepotSet | CardsMoved | DieRolled
Piles: TypeAlias = Mapping[str, tuple[str, ...]]


class DepotState(CachedState, frozen=True, kw_only=True):
    """The whole table. A copy contains ``HIDDEN`` for cards that it does not know."""

    piles: Mapping[Role, Piles]
    face: int = 0


class DepotView(View, frozen=True, kw_only=True):
    """What one role sees."""

    hand: tuple[str, ...]
    counts: Mapping[Role, Mapping[str, int]]
    face: int


DepotLedger: TypeAlias = Ledger[DepotState, DepotEvent]


def deck_of(role: Role) -> tuple[str, ...]:
    """Return all cards of a role."""
    return tuple(f"{role}-{number}" for number in range(1, CARDS + 1))


def _without(cards: tuple[str, ...], gone: Sequence[str]) -> tuple[str, ...]:
    """Return a pile without some cards. If a hidden card is removed, the remaining cards become unknown."""
    if len(gone) == len(cards):
        return ()
    if HIDDEN in gone:
        return (HIDDEN,) * (len(cards) - len(gone))
    left = list(cards)
    for card in gone:
        left.remove(card if card in left else HIDDEN)
    return tuple(left)


class Depot(Ruleset[DepotState, DepotCommand, DepotEvent, DepotView, DepotPosition]):
    """The game."""

    game = "depot"
    title = "Depot"
    edition = "first"
    sequence_rule = Rule("1.0")
    version = 1
    data_digest = "de" * 32
    hidden_entry_bytes = 192
    notation: Notation[DepotCommand] = Notation(
        (
            Draw,
            Play,
            Discard,
            Search,
            Scout,
            Lose,
            Recover,
            Trade,
            Bury,
            Dig,
            Refill,
            Roll,
            Raid,
            Ambush,
        )
    )
    command_type = DepotCommand
    event_type = DepotEvent
    position_type = DepotPosition

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return matches of two and of six roles."""
        return (
            ScenarioInfo(id="two", name="Two", rule=Rule("1.0"), summary="", roles=(RED, BLUE)),
            ScenarioInfo(
                id="six",
                name="Six",
                rule=Rule("1.0"),
                summary="",
                roles=SIX,
                teams={Role("day"): SIX[::2], Role("night"): SIX[1::2]},
                seatings=(PEOPLE,),
            ),
        )

    @override
    def options(self) -> tuple[Ruling, ...]:
        return ()

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> DepotPosition:
        if options:
            raise DataError("depot", "options", "there is no option")
        return DepotPosition(roles=self.scenario_info(scenario, {}).roles)

    @override
    def check_position(self, position: DepotPosition) -> None:
        """Accept every position."""

    @override
    def open_game(self, position: DepotPosition, dice: Dice) -> tuple[DepotEvent, ...]:
        ledger: DepotLedger = Ledger(self.initial_state(), self.evolve, dice)
        ledger.add(DepotSet(position=position))
        for role in position.roles:
            for _ in range(DEALT):
                _draw(ledger, role)
        return ledger.events

    @override
    def initial_state(self) -> DepotState:
        return DepotState(piles={})

    @override
    def to_position(self, state: DepotState) -> DepotPosition:
        return DepotPosition(roles=tuple(state.piles))

    @override
    def roles(self, state: DepotState) -> tuple[Role, ...]:
        return tuple(state.piles)

    @override
    def active_roles(self, state: DepotState) -> tuple[Role, ...]:
        return tuple(state.piles)

    @override
    def decision(self, state: DepotState, role: Role) -> Decision[DepotCommand]:
        own = state.piles[role]
        options: list[Any] = [Roll()]
        options += [kind(card=card) for kind, pile in _NAMED.items() for card in own[pile]]
        options += [Draw(count=count) for count in (1, 2, 3, 4)]
        options += [Lose()] if own[HAND] else []
        options += [Recover(), Refill()] if own[DISCARD] else []
        for target, piles in state.piles.items():
            if target != role and len(piles[HAND]) > 1:
                options += [Raid(target=target), Ambush(target=target)]
        legal = tuple(one for one in dict.fromkeys(options) if self._is_possible(own, one))
        return Decision(
            role=role, rule=Rule("1.0"), prompt="Act", options=legal, default=Roll(), draft=False
        )

    def _is_possible(self, own: Piles, command: DepotCommand) -> bool:
        match command:
            case Scout():
                return len(own[DECK]) > 2  # one is taken, and chance picks another
            case Trade():
                return len(own[DISCARD]) > 2 and bool(own[DECK])  # two are recovered
            case Dig():
                return bool(own[LAID])
            case _:
                return True

    @override
    def is_option(self, state: DepotState, role: Role, command: DepotCommand) -> bool:
        """Return whether a command is an option. A hidden card could be any card in its pile."""
        own, pile = state.piles[role], _NAMED.get(type(command))
        if pile is not None and getattr(command, "card", "") == HIDDEN:
            return bool(own[pile]) and self._is_possible(own, command)
        return super().is_option(state, role, command)

    @override
    def resolve(self, ledger: DepotLedger, role: Role, command: DepotCommand) -> None:
        move = _mover(ledger, role)
        match command:
            case Draw(count=count):
                for _ in range(count):
                    _draw(ledger, role)
            case Play(card=card) | Discard(card=card) | Search(card=card) | Bury(card=card):
                move(card, *_MOVES[type(command)])
            case Scout(card=card):
                ledger.add(DieRolled(role=role, face=ledger.dice.roll(D10)))
                move(card, DECK, HAND, False)
                _draw(ledger, role)
            case Lose():
                move(_picked(ledger, role, HAND), HAND, DISCARD, False)
            case Recover():
                move(_picked(ledger, role, DISCARD), DISCARD, HAND, False)
            case Trade(card=card):
                move(_picked(ledger, role, DISCARD), DISCARD, HAND, False)
                move(card, HAND, DECK, False)
                _draw(ledger, role)
                move(_picked(ledger, role, DISCARD), DISCARD, HAND, False)
            case Dig(card=card):
                ledger.add(DieRolled(role=role, face=ledger.dice.roll(D10)))
                move(card, HAND, LAID, False)
                move(_picked(ledger, role, LAID), LAID, HAND, False)
            case Refill():
                _refill(ledger, role)
            case Roll():
                ledger.add(DieRolled(role=role, face=ledger.dice.roll(D10)))
            case Raid(target=target):
                lost = _picked(ledger, target, HAND, is_shown=True)
                _mover(ledger, target)(lost, HAND, DISCARD, True)
            case Ambush(target=target):
                _mover(ledger, target)(_picked(ledger, target, HAND), HAND, DISCARD, False)

    @override
    def why_not(self, state: DepotState, role: Role, command: DepotCommand) -> tuple[Refusal, ...]:
        if self.is_option(state, role, command):
            return ()
        return (Refusal(Rule("1.0"), "the card is not there, or there are too few"),)

    @override
    def evolve(self, state: DepotState, event: DepotEvent) -> DepotState:
        match event:
            case DepotSet(position=position):
                empty = dict.fromkeys(_KINDS, ())
                piles = {role: {**empty, DECK: deck_of(role)} for role in position.roles}
                return replace(state, piles=piles)
            case CardsMoved(role=role, cards=cards, source=source, target=target):
                own = state.piles[role]
                moved = {
                    source: _without(own[source], cards),
                    target: tuple(sorted((*own[target], *cards))),
                }
                return replace(state, piles={**state.piles, role: {**own, **moved}})
            case DieRolled(face=face):
                return replace(state, face=face)

    @override
    def outcome(self, state: DepotState) -> Outcome | None:
        return None

    @override
    def project(self, state: DepotState, role: Role | None) -> DepotView:
        return DepotView(
            hand=state.piles.get(role, {}).get(HAND, ()) if role is not None else (),
            counts={
                each: {name: len(cards) for name, cards in piles.items()}
                for each, piles in state.piles.items()
            },
            face=state.face,
        )

    @override
    def redact(self, event: DepotEvent, role: Role | None) -> DepotEvent | None:
        if isinstance(event, CardsMoved) and not event.is_shown and event.role != role:
            return replace(event, cards=(HIDDEN,) * len(event.cards))
        return event

    @override
    def redact_command(
        self, command: DepotCommand, giver: Role, role: Role | None
    ) -> DepotCommand | None:
        """Hide the card of a command that moves it unseen."""
        if giver != role and isinstance(command, Search | Scout | Trade | Bury | Dig):
            return replace(command, card=HIDDEN)
        return command

    # -- cards

    @override
    def decks(self) -> Mapping[Role, tuple[str, ...]]:
        return {role: deck_of(role) for role in (RED, BLUE, *SIX)}

    @override
    def max_reveal_requests(self, command: DepotCommand) -> int:
        return int(isinstance(command, Raid))

    @override
    def card_piles(self, state: DepotState, role: Role) -> Mapping[str, PileContents]:
        """Return a role's piles. Before set-up, no card's location is known."""
        piles = state.piles.get(role, {OPEN_PILE: deck_of(role)})
        return {name: PileContents(_KINDS[name], cards) for name, cards in piles.items()}

    @override
    def with_hidden_card(self, state: DepotState, role: Role, pile: str, card: str) -> DepotState:
        own = state.piles[role]
        if any(card in cards for cards in own.values()) or HIDDEN not in own[pile]:
            return state
        cards = list(own[pile])
        cards[cards.index(HIDDEN)] = card
        return replace(state, piles={**state.piles, role: {**own, pile: tuple(cards)}})

    @override
    def secret_owner(self, event: DepotEvent) -> Role | None:
        return event.role if isinstance(event, CardsMoved) and not event.is_shown else None

    @override
    def revealed_cards(self, event: DepotEvent) -> tuple[str, ...]:
        return event.cards if isinstance(event, CardsMoved) and event.is_shown else ()

    @override
    def complete_event(
        self, state: DepotState, event: DepotEvent, picked: Sequence[str]
    ) -> tuple[DepotEvent, int]:
        if not isinstance(event, CardsMoved) or HIDDEN not in event.cards:
            return event, 0
        pile = state.piles[event.role][event.source]
        if len(pile) == len(event.cards):
            return replace(event, cards=pile), 0
        count = len(event.cards)
        return replace(event, cards=tuple(picked[:count])), count

    # -- wording

    @override
    def log_sentence(self, event: DepotEvent) -> str:
        match event:
            case CardsMoved(role=role, cards=cards, source=source, target=target):
                return f"{role} moves {', '.join(cards)} from {source} to {target}."
            case DieRolled(role=role, face=face):
                return f"{role} rolls {face}."
            case DepotSet():
                return "The game begins."

    @override
    def heading(self, state: DepotState) -> str:
        return self.turn_name(state)

    @override
    def turn_name(self, state: DepotState) -> str:
        return "Turn 1"

    @override
    def violations(self, state: DepotState) -> Iterator[str]:
        """Yield each deck that has lost a card."""
        for role, piles in state.piles.items():
            if sorted(card for cards in piles.values() for card in cards) != sorted(deck_of(role)):
                yield f"{role} has other cards than its deck"


def _mover(ledger: DepotLedger, role: Role) -> Callable[[str, str, str, bool], None]:
    """Return a function that moves one card of a role: card, source, target, and whether everyone sees it."""

    def move(card: str, source: str, target: str, is_shown: bool) -> None:  # as above
        ledger.add(
            CardsMoved(role=role, cards=(card,), source=source, target=target, is_shown=is_shown)
        )

    return move


def _picked(ledger: DepotLedger, role: Role, pile: str, *, is_shown: bool = False) -> str:
    """Return a random card from a pile. If there is only one, no random pick is needed."""
    cards = ledger.state.piles[role][pile]
    if len(cards) == 1:
        return cards[0]
    return ledger.dice.pick(CardPile(cards, role, pile, is_shown=is_shown))


def _refill(ledger: DepotLedger, role: Role) -> None:
    cards = ledger.state.piles[role][DISCARD]
    ledger.add(CardsMoved(role=role, cards=cards, source=DISCARD, target=DECK))


def _draw(ledger: DepotLedger, role: Role) -> None:
    """Draw a card. An empty deck is first refilled with the discards (1.2)."""
    piles = ledger.state.piles[role]
    if not piles[DECK] and piles[DISCARD]:
        _refill(ledger, role)
    if ledger.state.piles[role][DECK]:
        _mover(ledger, role)(_picked(ledger, role, DECK), DECK, HAND, False)


DEPOT: Final = Depot()
