"""What a game must be able to do, so that screens, network, records, bots and tools serve every game alike."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, Generic, TypeVar

import msgspec

from engine.kernel.cards import CardPlace, padded_size, texts
from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice
from engine.kernel.errors import DataError, IllegalCommandError
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.memo import IdentityMemo, LatestMemo, Remembering
from engine.kernel.notation import Notation
from engine.kernel.rulings import Ruling
from engine.kernel.secrecy import deck_problem, hiding_problem, opening_problem


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Base of every order a role can give."""


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Base of every fact; state is a fold of facts."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what one role may see."""


class ScenarioInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario as the menu lists it."""

    id: str
    name: str
    rule: Rule
    summary: str
    """One line: turns, players, rough length."""
    goal: str = ""
    """One sentence: what wins, for both sides."""
    roles: tuple[Role, ...]
    teams: Mapping[Role, tuple[Role, ...]] = {}
    """Roles of each team by its name: they win together, and one person may play several of them."""
    seatings: tuple[tuple[tuple[Role, ...], ...], ...] = ()
    """Usual ways to share out the roles, one per number of people."""
    briefing: str = ""
    """What to know before the first move, such as the rules that a lesson adds; paragraphs, one a line."""

    @property
    def sides(self) -> Mapping[Role, tuple[Role, ...]]:
        """Return the roles that win together, by the name that an outcome gives to the winner."""
        return self.teams or {role: (role,) for role in self.roles}


OWN_DATA: Final = "data"
"""What errors call the user's own data, whose file a game does not know."""
_QUESTIONS: Final = 8
"""Questions of a match whose options are remembered as sets."""

S = TypeVar("S", bound=Remembering)
C = TypeVar("C", bound=Command)
E = TypeVar("E", bound=Event)
V = TypeVar("V", bound=View)
P = TypeVar("P", bound=msgspec.Struct)


class Ruleset(ABC, Generic[S, C, E, V, P]):
    """One game.

    S is the state, C the union of commands, E of events, V the view and P a position (the schema of scenario files).
    All methods are pure; nothing is changed in place. What was computed last about a state is remembered.
    """

    game: str
    """Id of the game, such as ``eots``; also in record headers."""
    title: str
    edition: str
    """Edition of the rulebook that is implemented."""
    version: int
    """Rises when the same command may cause other events than before."""
    data_digest: str
    """Hex digest of the data files that the rules read."""
    sequence_rule: Rule
    """The rule of this game about who acts when, by which a role that is not asked is refused."""

    notation: Notation[C]
    command_type: object
    """Tagged union of all commands, for decoding."""
    event_type: object
    """Tagged union of all events, for decoding."""
    position_type: type[P]
    role_titles: Mapping[str, str] = {}  # read only, as all of a ruleset
    """What a role is called before a colon, where that is not its id with a capital."""
    is_open: bool = False
    """True where nothing is hidden from anybody, so that people at one keyboard need no cover between them."""

    # set-up:

    def __init__(self) -> None:
        """Prepare to remember the latest judgement and the latest lists of options."""
        self._decided: LatestMemo[tuple[tuple[E, ...], S]] = LatestMemo()
        self._legal: IdentityMemo[frozenset[C]] = IdentityMemo(_QUESTIONS)

    @abstractmethod
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return the scenarios that can be played from the start, as they are without switches."""

    @abstractmethod
    def options(self) -> tuple[Ruling, ...]:
        """Return the rulings that a game may switch, in the order of menus."""

    @abstractmethod
    def position(self, scenario: str, options: Mapping[str, str]) -> P:
        """Return the starting position of a scenario.

        Raises:
            DataError: Unknown scenario, option or value.
        """

    @abstractmethod
    def check_position(self, position: P) -> None:
        """Accept a position from outside.

        Raises:
            PositionError: It names unknown things or breaks a rule that always holds.
        """

    @abstractmethod
    def start(self, position: P, dice: Dice) -> tuple[E, ...]:
        """Return the opening events: set-up, first deal, and what follows by itself."""

    @abstractmethod
    def blank(self) -> S:
        """Return the state before the first event."""

    @abstractmethod
    def export(self, state: S) -> P:
        """Return the position from which this very state can be started again."""

    @abstractmethod
    def roles(self, state: S) -> tuple[Role, ...]:
        """Return all roles of this game in a fixed order."""

    # the wheel:

    @abstractmethod
    def asked(self, state: S) -> tuple[Role, ...]:
        """Return the roles that have an open question, in a fixed order; empty when the game is over."""

    @abstractmethod
    def decision(self, state: S, role: Role) -> Decision[C]:
        """Return the open question of one asked role; depends on nothing that the role cannot know."""

    def is_window(self, state: S, role: Role) -> bool:
        """Return whether the open question of an asked role is a response window; a public copy is enough for that."""
        return self.decision(state, role).is_window

    @abstractmethod
    def resolve(self, ledger: Ledger[S, E], role: Role, command: C) -> None:
        """Carry out a legal command and everything that follows by itself up to the next question.

        Args:
            ledger: From :meth:`ledger`, with no events yet.
            role: The giver.
            command: The command.
        """

    @abstractmethod
    def why_not(self, state: S, role: Role, command: C) -> tuple[Refusal, ...]:
        """Return the rules that forbid a command now, also to a role that is not asked; empty when nothing does."""

    @abstractmethod
    def evolve(self, state: S, event: E) -> S:
        """Return the state after an event; never refuses, never rolls."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Return how the game ended, None while it goes on."""

    # what may be seen:

    @abstractmethod
    def project(self, state: S, role: Role | None) -> V:
        """Return what a role may see; None is a spectator."""

    @abstractmethod
    def redact(self, event: E, role: Role | None) -> E | None:
        """Return the event with what the role may not know blanked; ``evolve`` folds it too.

        None when even its kind is hidden; the role's copy goes on as if nothing had happened.
        """

    @abstractmethod
    def redact_command(self, command: C, giver: Role, role: Role | None) -> C | None:
        """Return the command as another role may see it; None when even its kind is hidden."""

    # cards that a table deals in cipher (``docs/fair-play.md``); a game without hidden cards leaves all of it:

    def decks(self) -> Mapping[Role, tuple[str, ...]]:
        """Return every card that can ever lie in the deck of a role, by role, in a fixed order."""
        return {}

    peek_rule: Rule = Rule("")
    """A rule by which one role privately sees a hidden card of another; empty in games without one."""
    hidden_entry_bytes: int = 0
    """Most bytes of a command or event that is hidden from somebody, rounded up to a multiple of 64; set-up aside."""

    def secrecy_problem(self) -> str:
        """Return in one sentence why no match without a trusted dealer can be played, empty when it can.

        Each deck must have one owner, and no rule may show a hidden card to another role alone. What rules do after
        the opening is not tried out here: a game declares it as :attr:`peek_rule`.
        """
        if self.is_open:
            return ""
        if self.peek_rule:
            return f"by rule {self.peek_rule} a player sees a hidden card of another"
        return deck_problem(self.decks()) or opening_problem(self)

    def hiding_problem(self) -> str:
        """Return in one sentence why seats cannot check what the host hides, empty when they can.

        Rules whose redacted events lack ``HIDDEN`` or a :meth:`keeper` can be played only where the host makes the
        chance.
        """
        return hiding_problem(self)

    def padded_bytes(self, shown: C | E) -> int:
        """Return the size to which the hidden form of a command or event is padded, from what everybody sees of it.

        At most :attr:`hidden_entry_bytes`; it depends on nothing hidden.
        """
        return padded_size(shown, self.decks())

    def max_asks(self, command: C) -> int:
        """Return how often the resolution of a command can stop at a card of another role that everybody then sees."""
        del command
        return 0

    def card_piles(self, state: S, role: Role) -> Mapping[str, CardPlace]:
        """Return where every card of a role's deck is; empty in a game without hidden cards.

        The names and their order are fixed once the game has begun; segments of the deck come first, in the order in
        which they are drawn, and the pile with public faces last. Each card is in exactly one pile after every event.
        Counts are the same on every copy. A face that a copy does not know is
        :data:`~engine.kernel.hidden.HIDDEN`; the owner's copy knows all of its own.
        """
        del state, role
        return {}

    def with_face(self, state: S, role: Role, pile: str, card: str) -> S:
        """Return the state of a copy that has been shown a card of a role in one of its piles.

        Args:
            state: On any copy; it stays as it is where the copy knows the card already.
            role: The owner.
            pile: Name of the pile in :meth:`card_piles`, which holds the card.
            card: The face; it takes the place of a hidden one.
        """
        del role, pile, card
        return state

    def named_cards(self, role: Role, command: C) -> tuple[str, ...]:
        """Return the cards of the giver's deck that a command shows to everybody by naming them, each once."""
        shown = self.redact_command(command, role, None)
        deck = frozenset(self.decks().get(role, ()))
        words = texts(msgspec.to_builtins(shown)) if deck and shown is not None else ()
        return tuple(dict.fromkeys(word for word in words if word in deck))

    def keeper(self, event: E) -> Role | None:
        """Return the role whose secret cards an event may hold; None when it holds nobody's.

        Set-up holds everybody's, and is made by who knows the position.
        """
        del event
        return None

    def turned_up(self, event: E) -> tuple[str, ...]:
        """Return the cards whose faces an event shows to everybody, having lain hidden.

        A card may be among them that everybody knew already, such as one of a discard pile that is open in part.
        """
        del event
        return ()

    def pile(
        self,
        state: S,
        role: Role,
        place: str,
        event: E | None = None,
        picked: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Return a pile of a role in the order in which chance counts it; empty where there is none.

        Args:
            state: On a copy that knows these cards, before the event that a pick is for.
            role: Whose pile.
            place: As a :class:`CardPile` names it, such as ``deck`` or ``hand``.
            event: What the pick is for, as its giver worked it out; what lies in the pile may depend on it.
            picked: What was picked for that event before.
        """
        del state, role, place, event, picked
        return ()

    def filled(self, state: S, event: E, picked: Sequence[str]) -> tuple[E, int]:
        """Return an event of another giver with the faces that its keeper knows, and how many picks it took.

        Args:
            state: On the keeper's copy, before the event.
            event: As its giver worked it out, with :data:`HIDDEN` for faces that he does not know.
            picked: Faces that chance picked from the keeper's piles for this event, in order; more may follow.
        """
        del state, picked
        return event, 0

    # words and checks:

    @abstractmethod
    def describe(self, event: E) -> str:
        """Return one sentence for the log, empty for events that only keep the books."""

    def told(self, events: Sequence[E]) -> Iterator[str]:
        """Yield the sentences of the log about the events of one command; a game may tell several events in one."""
        return (text for event in events if (text := self.describe(event)))

    @abstractmethod
    def heading(self, state: S) -> str:
        """Return where the game stands: turn, phase, whose play."""

    @abstractmethod
    def turn(self, state: S) -> str:
        """Return the name of the turn, which stays the same until it ends."""

    @abstractmethod
    def violations(self, state: S) -> Iterator[str]:
        """Yield every broken invariant of a full, unredacted state; used by fuzzing."""

    # for everybody alike:

    def usual_scenario(self) -> str:
        """Return the scenario that is played when none is named."""
        return self.scenarios()[0].id

    def scenario_info(self, scenario: str, options: Mapping[str, str]) -> ScenarioInfo:
        """Return a scenario as it is with chosen switches; a game whose switches decide about its roles adds them.

        Raises:
            DataError: Unknown scenario, or a value that roles depend on.
        """
        del options
        infos = {info.id: info for info in self.scenarios()}
        if scenario not in infos:
            problem = f"there is no scenario '{scenario}'; known: {', '.join(infos)}"
            raise DataError(self.game, "scenario", problem)
        return infos[scenario]

    def infos(self) -> Iterator[ScenarioInfo]:
        """Yield every scenario with every value of the switches that decide about roles, the defaults first."""
        deciding = [ruling for ruling in self.options() if ruling.decides_roles]
        for values in product(*(ruling.values for ruling in deciding)):
            options = {one.id: value for one, value in zip(deciding, values, strict=True)}
            for info in self.scenarios():
                yield self.scenario_info(info.id, options)

    def all_roles(self) -> tuple[Role, ...]:
        """Return every role that a match may have, whatever its scenario and its switches."""
        return tuple(dict.fromkeys(role for info in self.infos() for role in info.roles))

    def info_with(self, roles: Collection[Role]) -> ScenarioInfo:
        """Return what the game says of a match with just these roles, for positions of the players' own.

        That is the first scenario which has them; where there is none, one without teams.
        """
        found = (info for info in self.infos() if set(info.roles) == set(roles))
        alone = ScenarioInfo(id="", name="", rule=Rule(""), summary="", roles=tuple(roles))
        return next(found, alone)

    def roles_at(self, position: P) -> tuple[Role, ...]:
        """Return the roles of a match that begins with a position, in a fixed order."""
        events = self.start(position, DerivedDice(bytes(SECRET_BYTES), 0))
        return self.roles(self.fold(self.blank(), events))

    def with_data(self, position: P, overlay: bytes) -> P:
        """Return a position that is played with data of the user's own, which it holds from now on.

        The opening events must hand them on to every copy; they are no secret. Most games take none.

        Args:
            position: As a scenario begins, or one of the players' own.
            overlay: The content of the user's file.

        Raises:
            DataError: The game takes no such data, or these are wrong; then its file is :data:`OWN_DATA`.
        """
        del position, overlay
        raise DataError(self.game, "data", "this game takes no data of your own")

    def own_data(self, position: P) -> bytes:
        """Return the overlay that a position was given, byte for byte; empty when it has none."""
        del position
        return b""

    def pending(self, state: S) -> tuple[Decision[C], ...]:
        """Return all open questions, one per asked role; empty when the game is over."""
        return tuple(self.decision(state, role) for role in self.asked(state))

    def any_time(self, state: S, role: Role) -> tuple[C, ...]:
        """Return commands that a role may give now although nobody asks it.

        Such as a card usable at any time; empty in most games. Depends on nothing that the role cannot
        know. Nothing can be given when nobody is asked, whatever this returns.
        """
        del state, role
        return ()

    def offered(self, state: S, role: Role) -> Decision[C]:
        """Return the question of an asked role with what it may give at any time among the options.

        For players who choose from one list, such as bots.
        """
        question, extra = self.decision(state, role), self.any_time(state, role)
        if not extra:
            return question
        options = tuple(dict.fromkeys((*question.options, *extra)))
        return msgspec.structs.replace(question, options=options)

    def redacted(self, events: Iterable[E], role: Role | None) -> tuple[E, ...]:
        """Return events as a role may know them, without those whose kind is hidden from it."""
        seen = (self.redact(event, role) for event in events)
        return tuple(event for event in seen if event is not None)

    def decide(self, state: S, role: Role, command: C, dice: Dice) -> tuple[E, ...]:
        """Judge a command and return the events that it causes.

        A command is legal if and only if it is among the options of the role's open question, or
        may be given at any time while somebody is asked. The state after the events is remembered for
        :meth:`fold`.

        Raises:
            IllegalCommandError: It is not; nothing happened.
        """
        ledger = self.judged(state, role, command, dice)
        events = ledger.events
        self._decided.keep(state, (events, ledger.state))
        return events

    def judged(self, state: S, role: Role, command: C, dice: Dice) -> Ledger[S, E]:
        """Judge a command and return the events that it causes with the state after them.

        Raises:
            IllegalCommandError: It is not legal; nothing happened.
        """
        if not self.is_legal(state, role, command):
            raise IllegalCommandError(
                self.notation.line(command), self._reasons(state, role, command)
            )
        ledger = self.ledger(state, dice)
        self.resolve(ledger, role, command)
        return ledger

    def expect(self, state: S, role: Role, command: C) -> None:
        """Hear which command will follow the one that is decided next, from a caller who knows.

        What is decided does not depend on it, only how fast: whether a role has anything to choose is known at once
        when the choice is legal that it will make.
        """
        del state, role, command

    def ledger(self, state: S, dice: Dice) -> Ledger[S, E]:
        """Return an empty ledger on a state."""
        return Ledger(state, self.evolve, dice)

    def _reasons(self, state: S, role: Role, command: C) -> tuple[Refusal, ...]:
        """Return why a command is refused; never empty."""
        if role not in self.roles(state):
            return (Refusal(self.sequence_rule, f"there is no role '{role}' in this game"),)
        asked = self.asked(state)
        reasons = self.why_not(state, role, command)
        if reasons:
            return reasons
        if role not in asked:
            return (Refusal(self.sequence_rule, f"{role} has no decision to make now"),)
        rule = self.decision(state, role).rule
        return (Refusal(rule, "this is not among the choices of this step"),)

    def is_legal(self, state: S, role: Role, command: C) -> bool:
        """Return whether a role may give a command now: an option of its question, or one for any time."""
        asked = self.asked(state)
        if role in asked and self.is_option(state, role, command):
            return True
        return bool(asked) and role in self.roles(state) and command in self.any_time(state, role)

    def is_option(self, state: S, role: Role, command: C) -> bool:
        """Return whether a command is among the options of an asked role."""
        return command in self.legal(state, role)

    def legal(self, state: S, role: Role) -> frozenset[C]:
        """Return the options of an asked role as a set."""
        roles = self.roles(state)
        return self._legal.get(
            state,
            (state, roles[roles.index(role)]),
            lambda: frozenset(self.decision(state, role).options),
        )

    def kept(self, state: S) -> msgspec.Struct:
        """Return a state as a cache keeps it: itself, or without the data that every copy of the program holds."""
        return state

    def restored(self, kept: Any) -> S:  # noqa: ANN401 - what this game's :meth:`kept` returns
        """Return the state that was kept."""
        found: S = kept
        return found

    def fold(self, state: S, events: tuple[E, ...]) -> S:
        """Return the state after several events; those just decided here have been folded already."""
        known = self._decided.get(state)
        if known is not None and known[0] is events:
            return known[1]
        for event in events:
            state = self.evolve(state, event)
        return state
