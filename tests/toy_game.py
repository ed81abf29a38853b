"""A small complete game for tests, with hidden hands, simultaneous face-down choices and a die.

In each round, both roles lay a card face down or hold (1.1). Then the cards are turned up. The role with the higher
card may once swap a card from its hand unseen (1.2). It then rolls a d10 and scores the face plus the card (1.3). Laid
cards return to the deck, and hands are filled up (1.4). After the last round, the higher score wins (1.5).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NewType, TypeAlias, assert_never

import msgspec
from typing_extensions import override

from engine import registry
from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import Dice, Die
from engine.kernel.errors import DataError, HiddenError, PositionError
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.memo import CachedState
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command, Event, Ruleset, ScenarioInfo, View
from engine.kernel.rulings import Ruling

CardId = NewType("CardId", str)
D10 = Die(0, 9)

RED = Role("red")
BLUE = Role("blue")
ROLES = (RED, BLUE)
HELD = "held"
"""The choice of a role that did not lay a card."""
UNKNOWN = "unknown"
"""A choice that has been made but is not known in this copy."""
_ROUNDS = {"short": 3, "middle": 20, "long": 4000}
CHOOSE, ROLL, OVER = "choose", "roll", "over"


class Lay(Command, frozen=True, kw_only=True, tag="lay"):
    """Lay a card of the hand face down (1.1)."""

    card: CardId


class Hold(Command, frozen=True, kw_only=True, tag="hold"):
    """Lay nothing this round (1.1)."""


class Swap(Command, frozen=True, kw_only=True, tag="swap"):
    """Return a card to the deck unseen and draw another (1.2)."""

    card: CardId | None
    """None where the card may not be seen."""


class Roll(Command, frozen=True, kw_only=True, tag="roll"):
    """Roll the die and score (1.3)."""


ToyCommand: TypeAlias = Lay | Hold | Swap | Roll


class GameSet(Event, frozen=True, kw_only=True, tag="game-set"):
    """The table was laid out."""

    rounds: int
    round: int
    stage: str
    roller: Role
    swapped: int
    deck: tuple[CardId, ...]
    """Empty where it may not be seen."""
    deck_left: int
    hands: Mapping[Role, tuple[CardId | None, ...]]
    chosen: Mapping[Role, str]
    scores: Mapping[Role, int]


class CardDrawn(Event, frozen=True, kw_only=True, tag="card-drawn"):
    """A role drew a card."""

    role: Role
    card: CardId | None


class ChoiceMade(Event, frozen=True, kw_only=True, tag="choice-made"):
    """A role laid a card face down, or held (1.1)."""

    role: Role
    choice: str | None


class ChoicesShown(Event, frozen=True, kw_only=True, tag="choices-shown"):
    """Both choices were turned up; the roller is named (1.1)."""

    choices: Mapping[Role, str]
    roller: Role


class CardSwapped(Event, frozen=True, kw_only=True, tag="card-swapped"):
    """A card of the hand went back to the deck unseen (1.2)."""

    role: Role
    card: CardId | None


class DieRolled(Event, frozen=True, kw_only=True, tag="die-rolled"):
    """The die fell (1.3)."""

    role: Role
    face: int


class Scored(Event, frozen=True, kw_only=True, tag="scored"):
    """A role scored (1.3)."""

    role: Role
    points: int


class RoundEnded(Event, frozen=True, kw_only=True, tag="round-ended"):
    """Laid cards went back to the deck (1.4)."""


ToyEvent: TypeAlias = (
    GameSet | CardDrawn | ChoiceMade | ChoicesShown | CardSwapped | DieRolled | Scored | RoundEnded
)


class ToyState(CachedState, frozen=True, kw_only=True):
    """The whole table. A seat's copy has None for cards that it does not know."""

    rounds: int
    round: int
    stage: str
    roller: Role
    swapped: int
    deck: tuple[CardId, ...]
    """In a seat's copy it may contain cards that have already left the deck."""
    deck_left: int
    hands: Mapping[Role, tuple[CardId | None, ...]]
    chosen: Mapping[Role, str]
    scores: Mapping[Role, int]
    last_face: int | None = None


class ToyPosition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position of the toy game in the form stored in a file."""

    rounds: int
    deck: tuple[CardId, ...]
    hands: Mapping[Role, tuple[CardId, ...]]
    scores: Mapping[Role, int]
    round: int = 1
    stage: str = CHOOSE
    roller: Role = RED
    swapped: int = 0
    chosen: Mapping[Role, str] = {}
    deal: int = 0
    """Number of cards that each role draws before the first decision."""


class ToyView(View, frozen=True, kw_only=True):
    """What one role sees."""

    role: Role | None
    round: int
    stage: str
    hand: tuple[CardId, ...]
    hand_sizes: Mapping[Role, int]
    deck_left: int
    ready: tuple[Role, ...]
    own_choice: str | None
    shown: Mapping[Role, str]
    scores: Mapping[Role, int]
    last_face: int | None


def known(cards: Iterable[CardId | None]) -> tuple[CardId, ...]:
    """Return the cards that this copy knows."""
    return tuple(card for card in cards if card is not None)


def ordered(cards: tuple[CardId | None, ...]) -> tuple[CardId | None, ...]:
    """Return the known cards in order, then the unknown ones."""
    shown = sorted(known(cards))
    return (*shown, *(None,) * (len(cards) - len(shown)))


def without(hand: tuple[CardId | None, ...], card: CardId | None) -> tuple[CardId | None, ...]:
    """Return the hand without this card, or without an unknown one if the card is not visible there."""
    gone = card if card in hand else None
    place = hand.index(gone)
    return hand[:place] + hand[place + 1 :]


def _back_to_deck(deck: tuple[CardId, ...], card: CardId | None) -> tuple[CardId, ...]:
    return deck if card is None or card in deck else tuple(sorted((*deck, card)))


def _value(choice: str) -> int:
    if choice == UNKNOWN:
        raise HiddenError("the other choice lies face down")
    return 0 if choice == HELD else int(choice[1:])


class ToyGame(Ruleset[ToyState, ToyCommand, ToyEvent, ToyView, ToyPosition]):
    """The toy game."""

    game = "toy"
    title = "Toy"
    edition = "first"
    sequence_rule = Rule("1.0")
    version = 1
    data_digest = "00" * 32
    notation: Notation[ToyCommand] = Notation((Lay, Hold, Swap, Roll))
    command_type = ToyCommand
    event_type = ToyEvent
    position_type = ToyPosition

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return games of 3, 20 and 4,000 rounds."""
        return tuple(
            ScenarioInfo(
                id=name,
                name=name.title(),
                rule=Rule("2.1"),
                summary=f"{rounds} rounds",
                roles=ROLES,
            )
            for name, rounds in _ROUNDS.items()
        )

    @override
    def options(self) -> tuple[Ruling, ...]:
        """Return the only option, which is the number of cards in a hand."""
        return (
            Ruling(
                id="hand",
                rule=Rule("2.0"),
                question="Cards in a hand",
                answers={"3": "three", "5": "five"},
            ),
        )

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> ToyPosition:
        if scenario not in _ROUNDS:
            raise DataError("toy", "scenario", f"there is no scenario '{scenario}'")
        return ToyPosition(
            rounds=_ROUNDS[scenario],
            deck=tuple(CardId(f"c{number:02}") for number in range(1, 25)),
            hands=dict.fromkeys(ROLES, ()),
            scores=dict.fromkeys(ROLES, 0),
            deal=int(options.get("hand", "3")),
        )

    @override
    def check_position(self, position: ToyPosition) -> None:
        """Accept only positions in which no card is in two places."""
        cards = [*position.deck, *(card for hand in position.hands.values() for card in hand)]
        if len(set(cards)) != len(cards):
            raise PositionError("toy", "deck", "a card is in two places")

    @override
    def open_game(self, position: ToyPosition, dice: Dice) -> tuple[ToyEvent, ...]:
        ledger: Ledger[ToyState, ToyEvent] = Ledger(self.initial_state(), self.evolve, dice)
        ledger.add(
            GameSet(
                rounds=position.rounds,
                round=position.round,
                stage=position.stage,
                roller=position.roller,
                swapped=position.swapped,
                deck=position.deck,
                deck_left=len(position.deck),
                hands=position.hands,
                chosen=position.chosen,
                scores=position.scores,
            )
        )
        for role in ROLES:
            for _ in range(position.deal):
                _draw(ledger, role)
        return ledger.events

    @override
    def initial_state(self) -> ToyState:
        return ToyState(
            rounds=0,
            round=0,
            stage=OVER,
            roller=RED,
            swapped=0,
            deck=(),
            deck_left=0,
            hands={},
            chosen={},
            scores={},
        )

    @override
    def to_position(self, state: ToyState) -> ToyPosition:
        hands = {role: known(hand) for role, hand in state.hands.items()}
        return ToyPosition(
            rounds=state.rounds,
            deck=state.deck,
            hands=hands,
            scores=state.scores,
            round=state.round,
            stage=state.stage,
            roller=state.roller,
            swapped=state.swapped,
            chosen=state.chosen,
        )

    @override
    def roles(self, state: ToyState) -> tuple[Role, ...]:
        return ROLES

    @override
    def active_roles(self, state: ToyState) -> tuple[Role, ...]:
        """Return both roles while they choose, then the roller."""
        if state.stage == CHOOSE:
            return tuple(role for role in ROLES if role not in state.chosen)
        return (state.roller,) if state.stage == ROLL else ()

    @override
    def decision(self, state: ToyState, role: Role) -> Decision[ToyCommand]:
        hand = known(state.hands[role])
        options: tuple[ToyCommand, ...]
        if state.stage == CHOOSE:
            options = (*(Lay(card=card) for card in hand), Hold())
            return Decision(
                role=role, rule=Rule("1.1"), prompt="Lay a card", options=options, default=Hold()
            )
        swaps = () if state.swapped else tuple(Swap(card=card) for card in hand)
        return Decision(
            role=role,
            rule=Rule("1.3"),
            prompt="Swap or roll",
            options=(*swaps, Roll()),
            default=Roll(),
            draft=False,
        )

    @override
    def resolve(self, ledger: Ledger[ToyState, ToyEvent], role: Role, command: ToyCommand) -> None:
        match command:
            case Lay(card=card):
                choose(ledger, role, card)
            case Hold():
                choose(ledger, role, HELD)
            case Swap(card=old):
                ledger.add(CardSwapped(role=role, card=old))
                _draw(ledger, role)
            case Roll():
                roll(ledger, role)
            case _:
                assert_never(command)

    @override
    def why_not(self, state: ToyState, role: Role, command: ToyCommand) -> tuple[Refusal, ...]:
        if command in self.decision(state, role).options:
            return ()
        return (Refusal(Rule("1.1"), "not a choice of this stage, or the card is not in the hand"),)

    @override
    def evolve(self, state: ToyState, event: ToyEvent) -> ToyState:
        change = msgspec.structs.replace
        match event:
            case GameSet():
                return ToyState(**{name: getattr(event, name) for name in event.__struct_fields__})
            case CardDrawn(role=role, card=drawn):
                deck = tuple(card for card in state.deck if card != drawn)
                hands = {**state.hands, role: ordered((*state.hands[role], drawn))}
                return change(state, deck=deck, deck_left=state.deck_left - 1, hands=hands)
            case ChoiceMade(role=role, choice=choice):
                return change(state, chosen={**state.chosen, role: choice or UNKNOWN})
            case ChoicesShown(choices=choices, roller=roller):
                hands = {
                    role: hand if choices[role] == HELD else without(hand, CardId(choices[role]))
                    for role, hand in state.hands.items()
                }
                return change(
                    state, stage=ROLL, swapped=0, roller=roller, chosen=choices, hands=hands
                )
            case CardSwapped(role=role, card=gone):
                hands = {**state.hands, role: without(state.hands[role], gone)}
                deck = _back_to_deck(state.deck, gone)
                return change(
                    state, hands=hands, deck=deck, deck_left=state.deck_left + 1, swapped=1
                )
            case DieRolled(face=face):
                return change(state, last_face=face)
            case Scored(role=role, points=points):
                return change(state, scores={**state.scores, role: state.scores[role] + points})
            case RoundEnded():
                return _next_round(state)
            case _:
                assert_never(event)

    @override
    def outcome(self, state: ToyState) -> Outcome | None:
        if state.stage != OVER or not state.scores:
            return None
        red, blue = state.scores[RED], state.scores[BLUE]
        winner = None if red == blue else (RED if red > blue else BLUE)
        return Outcome(winner=winner, level="", score=abs(red - blue), reason="1.5: higher score")

    @override
    def project(self, state: ToyState, role: Role | None) -> ToyView:
        hand = state.hands.get(role, ()) if role is not None else ()
        return ToyView(
            role=role,
            round=state.round,
            stage=state.stage,
            hand=known(hand),
            hand_sizes={each: len(cards) for each, cards in state.hands.items()},
            deck_left=state.deck_left,
            ready=tuple(each for each in ROLES if each in state.chosen),
            own_choice=None if role is None else state.chosen.get(role),
            shown={} if state.stage == CHOOSE else state.chosen,
            scores=state.scores,
            last_face=state.last_face,
        )

    @override
    def redact(self, event: ToyEvent, role: Role | None) -> ToyEvent | None:
        match event:
            case GameSet(hands=hands, chosen=chosen):
                seen = {
                    each: cards if each == role else (None,) * len(cards)
                    for each, cards in hands.items()
                }
                laid = {
                    each: choice if each == role or event.stage != CHOOSE else UNKNOWN
                    for each, choice in chosen.items()
                }
                return msgspec.structs.replace(event, deck=(), hands=seen, chosen=laid)
            case CardDrawn() | CardSwapped() if event.role != role:
                return msgspec.structs.replace(event, card=None)
            case ChoiceMade() if event.role != role:
                return msgspec.structs.replace(event, choice=None)
            case _:
                return event

    @override
    def secret_owner(self, event: ToyEvent) -> Role | None:
        return event.role if isinstance(event, CardDrawn | CardSwapped | ChoiceMade) else None

    @override
    def redact_command(
        self, command: ToyCommand, giver: Role, role: Role | None
    ) -> ToyCommand | None:
        """Hide face-down choices completely, and only the card of a swap."""
        if giver == role:
            return command
        if isinstance(command, Lay | Hold):
            return None
        return Swap(card=None) if isinstance(command, Swap) else command

    @override
    def log_sentence(self, event: ToyEvent) -> str:
        match event:
            case GameSet():
                return f"A game of {event.rounds} rounds begins."
            case CardDrawn():
                return f"{event.role} draws {event.card or 'a card'}."
            case ChoiceMade():
                return f"{event.role} has chosen."
            case ChoicesShown():
                shown = ", ".join(f"{role} {choice}" for role, choice in event.choices.items())
                return f"The choices: {shown}."
            case CardSwapped():
                return f"{event.role} swaps {event.card or 'a card'}."
            case DieRolled():
                return f"{event.role} rolls {event.face}."
            case Scored():
                return f"{event.role} scores {event.points}."
            case RoundEnded():
                return ""
            case _:
                assert_never(event)

    @override
    def heading(self, state: ToyState) -> str:
        return f"{self.turn_name(state)}, {state.stage}"

    @override
    def turn_name(self, state: ToyState) -> str:
        return f"Round {state.round} of {state.rounds}"

    @override
    def violations(self, state: ToyState) -> Iterator[str]:
        if state.deck_left != len(state.deck):
            yield "deck_left differs from the deck"
        hands = [card for hand in state.hands.values() for card in hand]
        if None in hands or len(set(hands)) != len(hands) or set(hands) & set(state.deck):
            yield "a card is unknown or in two places"


def _draw(ledger: Ledger[ToyState, ToyEvent], role: Role) -> None:
    ledger.add(CardDrawn(role=role, card=CardId(ledger.dice.pick(ledger.state.deck))))


def choose(ledger: Ledger[ToyState, ToyEvent], role: Role, choice: str) -> None:
    """Lay a card or hold. After the last role has chosen, turn the choices up."""
    ledger.add(ChoiceMade(role=role, choice=choice))
    chosen = ledger.state.chosen
    if len(chosen) == len(ROLES):
        red, blue = _value(chosen[RED]), _value(chosen[BLUE])
        ledger.add(ChoicesShown(choices=chosen, roller=BLUE if blue > red else RED))


def roll(ledger: Ledger[ToyState, ToyEvent], role: Role) -> None:
    """Roll, score and end the round."""
    face = ledger.dice.roll(D10)
    ledger.add(DieRolled(role=role, face=face))
    ledger.add(Scored(role=role, points=face + _value(ledger.state.chosen[role])))
    laid = [each for each in ROLES if ledger.state.chosen[each] != HELD]
    ledger.add(RoundEnded())
    if ledger.state.stage == CHOOSE:
        for each in laid:
            _draw(ledger, each)


def _next_round(state: ToyState) -> ToyState:
    deck = state.deck
    back = [choice for choice in state.chosen.values() if choice != HELD]
    for choice in back:
        deck = _back_to_deck(deck, CardId(choice))
    last = state.round >= state.rounds
    return msgspec.structs.replace(
        state,
        deck=deck,
        deck_left=state.deck_left + len(back),
        round=state.round if last else state.round + 1,
        stage=OVER if last else CHOOSE,
        chosen={},
    )


TOY = ToyGame()
REGISTERED = registry.Game(
    ruleset="tests.toy_game:TOY",
    script_words="",
    position_decoder="",
    reference="",
    bots={},
)
"""The toy game's entry in the registry, for tests that name it on a command line or in another process."""
