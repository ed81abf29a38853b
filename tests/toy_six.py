"""A small game for tests with six roles in two teams, hidden hands, traps, a response window and an any-time command.

In its turn a role strikes with a card, sets a card face down as its trap, or rests (1.1). After a strike every
role of the other team that has a trap is asked at once: it may spring a trap of the strike's parity, which stops
the strike, or pass (1.2). A strike that is not stopped scores its number for the team (1.3). Once per round, at any
time, a role may trade a card of its hand unseen (1.4). After the last round the team with the higher score
wins (1.5).
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias, assert_never

import msgspec
from typing_extensions import override

from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import Dice
from engine.kernel.errors import DataError, PositionError
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.memo import CachedState
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command, Event, Ruleset, ScenarioInfo, View
from engine.kernel.rulings import Ruling
from tests.toy_game import CardDrawn, CardId, CardSwapped, known, ordered, without

Cards = tuple[CardId | None, ...]
"""Cards of one role; None is a card that is not known in this copy."""

ASH, GEM, ELM, JET, FIR, ORE = map(Role, ("ash", "gem", "elm", "jet", "fir", "ore"))
ROLES: Final = (ASH, GEM, ELM, JET, FIR, ORE)
"""In the order of their turns."""
WOOD, STONE = (ASH, ELM, FIR), (GEM, JET, ORE)
TEAMS: Final = {Role("wood"): WOOD, Role("stone"): STONE}
SEATINGS: Final = (
    (WOOD, STONE),
    ((ASH,), (ELM, FIR), STONE),
    ((ASH,), (ELM, FIR), (GEM,), (JET, ORE)),
    ((ASH, ELM), (FIR,), (GEM,), (JET,), (ORE,)),
    tuple((role,) for role in ROLES),
)
HAND: Final = 3
_ROUNDS: Final = {"short": 2, "middle": 8, "long": 400}


class Strike(Command, frozen=True, kw_only=True, tag="strike"):
    """Strike with a card of the hand (1.1)."""

    card: CardId


class SetTrap(Command, frozen=True, kw_only=True, tag="trap"):
    """Set a card of the hand face down (1.1)."""

    card: CardId | None
    """None where the card may not be seen."""


class Rest(Command, frozen=True, kw_only=True, tag="rest"):
    """Do nothing this turn (1.1)."""


class Spring(Command, frozen=True, kw_only=True, tag="spring"):
    """Turn the trap up and stop the strike (1.2)."""

    card: CardId


class LetPass(Command, frozen=True, kw_only=True, tag="pass"):
    """Let the strike pass (1.2)."""


class Trade(Command, frozen=True, kw_only=True, tag="trade"):
    """Return a card to the deck unseen and draw another, at any time (1.4)."""

    card: CardId | None
    """None where the card may not be seen."""


SixCommand: TypeAlias = Strike | SetTrap | Rest | Spring | LetPass | Trade


class SixPosition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position in the form stored in a file."""

    rounds: int
    deck: tuple[CardId, ...]
    """Empty where it may not be seen."""
    hands: Mapping[Role, Cards]
    traps: Mapping[Role, Cards]
    scores: Mapping[Role, int]
    round: int = 1
    turn: int = 0
    strike: CardId | None = None
    waiting: tuple[Role, ...] = ()
    traded: tuple[Role, ...] = ()
    deal: int = 0
    """Number of cards that each role draws before the first decision."""


_SHARED: Final = tuple(name for name in SixPosition.__struct_fields__ if name != "deal")
"""Fields that a state has as well."""


class SixSet(Event, frozen=True, kw_only=True, tag="six-set"):
    """The table was laid out."""

    position: SixPosition
    deck_left: int


class Struck(Event, frozen=True, kw_only=True, tag="struck"):
    """A role struck; these roles may answer (1.2)."""

    role: Role
    card: CardId
    waiting: tuple[Role, ...]


class TrapSet(Event, frozen=True, kw_only=True, tag="trap-set"):
    """A role set a trap face down (1.1)."""

    role: Role
    card: CardId | None


class Passed(Event, frozen=True, kw_only=True, tag="passed"):
    """A role let the strike pass (1.2)."""

    role: Role


class Sprung(Event, frozen=True, kw_only=True, tag="sprung"):
    """A trap stopped the strike; both cards went back to the deck (1.2)."""

    role: Role
    card: CardId


class Stood(Event, frozen=True, kw_only=True, tag="stood"):
    """The strike scored; its card went back to the deck (1.3)."""

    team: Role
    points: int


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn-ended"):
    """The next role has its turn."""


SixEvent: TypeAlias = (
    SixSet | CardDrawn | Struck | TrapSet | Passed | Sprung | Stood | CardSwapped | TurnEnded
)


class SixState(CachedState, frozen=True, kw_only=True):
    """The whole table. A seat's copy has None for cards that it does not know."""

    rounds: int
    round: int
    turn: int
    deck: tuple[CardId, ...]
    """In a seat's copy it may contain cards that have already left the deck."""
    deck_left: int
    hands: Mapping[Role, Cards]
    traps: Mapping[Role, Cards]
    strike: CardId | None
    waiting: tuple[Role, ...]
    """Roles that have not answered the strike yet."""
    traded: tuple[Role, ...]
    scores: Mapping[Role, int]


class SixView(View, frozen=True, kw_only=True):
    """What one role sees."""

    role: Role | None
    round: int
    turn: Role
    hand: tuple[CardId, ...]
    hand_sizes: Mapping[Role, int]
    trap: tuple[CardId, ...]
    trap_counts: Mapping[Role, int]
    deck_left: int
    strike: CardId | None
    waiting: tuple[Role, ...]
    traded: tuple[Role, ...]
    scores: Mapping[Role, int]


SixLedger: TypeAlias = Ledger[SixState, SixEvent]


def team_of(role: Role) -> Role:
    """Return the team of a role."""
    return next(team for team, roles in TEAMS.items() if role in roles)


def _number(card: CardId) -> int:
    return int(card[1:])


def _is_over(state: SixState) -> bool:
    return state.round > state.rounds


def _struck_at(state: SixState, role: Role) -> tuple[Role, ...]:
    """Return the roles asked about a strike: each role of the other team with a trap (1.2)."""
    return tuple(each for each in ROLES if team_of(each) != team_of(role) and state.traps[each])


class ToySix(Ruleset[SixState, SixCommand, SixEvent, SixView, SixPosition]):
    """The game of six roles."""

    game = "six"
    title = "Six"
    edition = "first"
    sequence_rule = Rule("1.0")
    version = 1
    data_digest = "66" * 32
    notation: Notation[SixCommand] = Notation((Strike, SetTrap, Rest, Spring, LetPass, Trade))
    command_type = SixCommand
    event_type = SixEvent
    position_type = SixPosition

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return games of 2, 8 and 400 rounds."""
        return tuple(
            ScenarioInfo(
                id=name,
                name=name.title(),
                rule=Rule("1.5"),
                summary=f"{rounds} rounds",
                roles=ROLES,
                teams=TEAMS,
                seatings=SEATINGS,
            )
            for name, rounds in _ROUNDS.items()
        )

    @override
    def options(self) -> tuple[Ruling, ...]:
        return ()

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> SixPosition:
        if scenario not in _ROUNDS or options:
            raise DataError("six", "scenario", f"there is no scenario '{scenario}' with {options}")
        return SixPosition(
            rounds=_ROUNDS[scenario],
            deck=tuple(CardId(f"c{number:02}") for number in range(1, 41)),
            hands=dict.fromkeys(ROLES, ()),
            traps=dict.fromkeys(ROLES, ()),
            scores=dict.fromkeys(TEAMS, 0),
            deal=HAND,
        )

    @override
    def check_position(self, position: SixPosition) -> None:
        """Accept only positions in which every card is known and in one place."""
        held = [*position.hands.values(), *position.traps.values()]
        cards = [*position.deck, *(card for some in held for card in some)]
        if None in cards or len(set(cards)) != len(cards):
            raise PositionError("six", "deck", "a card is unknown or in two places")

    @override
    def open_game(self, position: SixPosition, dice: Dice) -> tuple[SixEvent, ...]:
        ledger: SixLedger = Ledger(self.initial_state(), self.evolve, dice)
        ledger.add(SixSet(position=position, deck_left=len(position.deck)))
        for role in ROLES:
            for _ in range(position.deal):
                _draw(ledger, role)
        return ledger.events

    @override
    def initial_state(self) -> SixState:
        return SixState(
            rounds=0,
            round=1,
            turn=0,
            deck=(),
            deck_left=0,
            hands={},
            traps={},
            strike=None,
            waiting=(),
            traded=(),
            scores={},
        )

    @override
    def to_position(self, state: SixState) -> SixPosition:
        fields = {name: getattr(state, name) for name in _SHARED}
        for held in ("hands", "traps"):
            fields[held] = {role: known(cards) for role, cards in fields[held].items()}
        return SixPosition(**fields)

    @override
    def roles(self, state: SixState) -> tuple[Role, ...]:
        return ROLES

    @override
    def active_roles(self, state: SixState) -> tuple[Role, ...]:
        """Return the roles that have not answered a strike or, if there is none, the role whose turn it is."""
        if _is_over(state):
            return ()
        return state.waiting if state.strike is not None else (ROLES[state.turn],)

    @override
    def decision(self, state: SixState, role: Role) -> Decision[SixCommand]:
        if state.strike is None:
            return self._turn(state, role)
        springs = tuple(
            Spring(card=card)
            for card in known(state.traps[role])
            if _number(card) % 2 == _number(state.strike) % 2
        )
        return Decision(
            role=role,
            rule=Rule("1.2"),
            prompt=f"Answer the strike with {state.strike}",
            options=(*springs, LetPass()),
            default=LetPass(),
            is_window=True,
        )

    def _turn(self, state: SixState, role: Role) -> Decision[SixCommand]:
        hand = known(state.hands[role])
        traps = () if state.traps[role] else tuple(SetTrap(card=card) for card in hand)
        return Decision(
            role=role,
            rule=Rule("1.1"),
            prompt="Strike, set a trap or rest",
            options=(*(Strike(card=card) for card in hand), *traps, Rest()),
            default=Rest(),
        )

    @override
    def free_actions(self, state: SixState, role: Role) -> tuple[SixCommand, ...]:
        """Return the trades of a role that has not traded this round (1.4)."""
        if role in state.traded or not state.deck_left or _is_over(state):
            return ()
        return tuple(Trade(card=card) for card in known(state.hands[role]))

    @override
    def resolve(self, ledger: SixLedger, role: Role, command: SixCommand) -> None:
        match command:
            case Strike(card=card):
                ledger.add(Struck(role=role, card=card, waiting=_struck_at(ledger.state, role)))
                _close_window(ledger)
            case SetTrap(card=trap):
                ledger.add(TrapSet(role=role, card=trap))
                _end_turn(ledger)
            case Rest():
                _end_turn(ledger)
            case Spring(card=card):
                ledger.add(Sprung(role=role, card=card))
                _end_turn(ledger)
            case LetPass():
                ledger.add(Passed(role=role))
                _close_window(ledger)
            case Trade(card=old):
                _draw(ledger, role)
                ledger.add(CardSwapped(role=role, card=old))
            case _:
                assert_never(command)

    @override
    def why_not(self, state: SixState, role: Role, command: SixCommand) -> tuple[Refusal, ...]:
        if self.is_legal(state, role, command):
            return ()
        match command:
            case Trade():
                return (Refusal(Rule("1.4"), "traded already this round, or not in the hand"),)
            case Spring() | LetPass():
                return (Refusal(Rule("1.2"), "no strike that this can answer"),)
            case _:
                return (Refusal(Rule("1.1"), "not a choice of this turn"),)

    @override
    def evolve(self, state: SixState, event: SixEvent) -> SixState:
        change = msgspec.structs.replace
        match event:
            case SixSet(position=at, deck_left=left):
                return SixState(**{name: getattr(at, name) for name in _SHARED}, deck_left=left)
            case CardDrawn(role=role, card=drawn):
                deck = tuple(card for card in state.deck if card != drawn)
                hands = {**state.hands, role: ordered((*state.hands[role], drawn))}
                return change(state, deck=deck, deck_left=state.deck_left - 1, hands=hands)
            case Struck(role=role, card=card, waiting=waiting):
                hands = {**state.hands, role: without(state.hands[role], card)}
                return change(state, hands=hands, strike=card, waiting=waiting)
            case TrapSet(role=role, card=trap):
                hands = {**state.hands, role: without(state.hands[role], trap)}
                return change(state, hands=hands, traps={**state.traps, role: (trap,)})
            case Passed(role=role):
                return change(state, waiting=tuple(each for each in state.waiting if each != role))
            case Sprung(role=role, card=card):
                traps = {**state.traps, role: ()}
                return _back(change(state, traps=traps, waiting=()), card, state.strike)
            case Stood(team=team, points=points):
                scores = {**state.scores, team: state.scores[team] + points}
                return _back(change(state, scores=scores), state.strike)
            case CardSwapped(role=role, card=gone):
                hands = {**state.hands, role: without(state.hands[role], gone)}
                return _back(change(state, hands=hands, traded=(*state.traded, role)), gone)
            case TurnEnded():
                turn = (state.turn + 1) % len(ROLES)
                if turn:
                    return change(state, turn=turn, strike=None)
                return change(state, turn=0, strike=None, traded=(), round=state.round + 1)
            case _:
                assert_never(event)

    @override
    def outcome(self, state: SixState) -> Outcome | None:
        """Return the winning team after the last round."""
        if not _is_over(state):
            return None
        wood, stone = (state.scores[team] for team in TEAMS)
        first, second = TEAMS
        winner = None if wood == stone else first if wood > stone else second
        return Outcome(winner=winner, level="", score=abs(wood - stone), reason="1.5: higher score")

    @override
    def project(self, state: SixState, role: Role | None) -> SixView:
        return SixView(
            role=role,
            round=state.round,
            turn=ROLES[state.turn],
            hand=() if role is None else known(state.hands.get(role, ())),
            hand_sizes={each: len(cards) for each, cards in state.hands.items()},
            trap=() if role is None else known(state.traps.get(role, ())),
            trap_counts={each: len(cards) for each, cards in state.traps.items()},
            deck_left=state.deck_left,
            strike=state.strike,
            waiting=state.waiting,
            traded=state.traded,
            scores=state.scores,
        )

    @override
    def redact(self, event: SixEvent, role: Role | None) -> SixEvent:
        match event:
            case SixSet(position=at):
                hands, traps = _seen(at.hands, role), _seen(at.traps, role)
                seen = msgspec.structs.replace(at, deck=(), hands=hands, traps=traps)
                return msgspec.structs.replace(event, position=seen)
            case CardDrawn() | TrapSet() | CardSwapped() if event.role != role:
                return msgspec.structs.replace(event, card=None)
            case _:
                return event

    @override
    def secret_owner(self, event: SixEvent) -> Role | None:
        return event.role if isinstance(event, CardDrawn | CardSwapped | TrapSet) else None

    @override
    def redact_command(
        self, command: SixCommand, giver: Role, role: Role | None
    ) -> SixCommand | None:
        """Hide the card of a trap and of a trade."""
        if giver != role and isinstance(command, SetTrap | Trade):
            return msgspec.structs.replace(command, card=None)
        return command

    @override
    def log_sentence(self, event: SixEvent) -> str:
        match event:
            case SixSet():
                return f"A game of {event.position.rounds} rounds begins."
            case CardDrawn():
                return f"{event.role} draws {event.card or 'a card'}."
            case Struck():
                return f"{event.role} strikes with {event.card}."
            case TrapSet():
                return f"{event.role} sets {event.card or 'a trap'}."
            case Passed():
                return f"{event.role} lets it pass."
            case Sprung():
                return f"{event.role} springs {event.card}."
            case Stood():
                return f"The {event.team} scores {event.points}."
            case CardSwapped():
                return f"{event.role} trades {event.card or 'a card'}."
            case TurnEnded():
                return ""
            case _:
                assert_never(event)

    @override
    def heading(self, state: SixState) -> str:
        """Return the round and whose turn it is."""
        return self.turn_name(state)

    @override
    def turn_name(self, state: SixState) -> str:
        """Return the round and whose turn it is."""
        return f"Round {min(state.round, state.rounds)} of {state.rounds}, {ROLES[state.turn]}"

    @override
    def violations(self, state: SixState) -> Iterator[str]:
        held = [
            *state.hands.values(),
            *state.traps.values(),
            (state.strike,) if state.strike else (),
        ]
        cards = [card for some in held for card in some]
        if None in cards or len({*cards, *state.deck}) != len(cards) + len(state.deck):
            yield "a card is unknown or in two places"
        if state.deck_left != len(state.deck):
            yield "deck_left differs from the deck"


def _seen(cards: Mapping[Role, Cards], role: Role | None) -> Mapping[Role, Cards]:
    return {each: some if each == role else (None,) * len(some) for each, some in cards.items()}


def _back(state: SixState, *cards: CardId | None) -> SixState:
    """Return cards to the deck. An unknown card changes only the count."""
    known = {card for card in cards if card is not None}
    deck = tuple(sorted({*state.deck, *known}))
    strike = None if state.strike in cards else state.strike
    return msgspec.structs.replace(
        state, deck=deck, deck_left=state.deck_left + len(cards), strike=strike
    )


def _draw(ledger: SixLedger, role: Role) -> None:
    ledger.add(CardDrawn(role=role, card=CardId(ledger.dice.pick(ledger.state.deck))))


def _close_window(ledger: SixLedger) -> None:
    """Score the strike if no role is left to answer it (1.3)."""
    state = ledger.state
    if state.strike is not None and not state.waiting:
        ledger.add(Stood(team=team_of(ROLES[state.turn]), points=_number(state.strike)))
        _end_turn(ledger)


def _end_turn(ledger: SixLedger) -> None:
    role = ROLES[ledger.state.turn]
    while len(ledger.state.hands[role]) < HAND and ledger.state.deck_left:
        _draw(ledger, role)
    ledger.add(TurnEnded())


SIX = ToySix()
