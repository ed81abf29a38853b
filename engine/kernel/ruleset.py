"""The interface that every game implements, used by the screens, the network, records, bots and tools."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, Generic, TypeVar

import msgspec

from engine.kernel.course_orders import CourseOrders
from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice
from engine.kernel.die_rolls import DieRoll
from engine.kernel.errors import DataError, IllegalCommandError
from engine.kernel.hidden_cards import HiddenCards
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.lexicon import suggestion_or_list
from engine.kernel.memo import CachedState, Memo
from engine.kernel.notation import Notation
from engine.kernel.rulings import Ruling
from engine.kernel.scoring import Scoring
from engine.kernel.secrecy import deck_problem, hiding_problem, opening_problem


# Commands and events contain plain values without reference cycles, so gc=False is safe.
class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Base class for every command that a role can give."""


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Base class for every event. A state is the result of folding events."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Base class for views. A view contains what one role may see."""


class ScenarioInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Describes a scenario for menus."""

    id: str
    name: str
    rule: Rule
    summary: str
    """One line that states the turns, the players and the approximate length."""
    goal: str = ""
    """One sentence explaining how each side wins."""
    roles: tuple[Role, ...]
    teams: Mapping[Role, tuple[Role, ...]] = {}
    """Each team's roles, by team name. A team wins or loses together, and one person may play several of its roles."""
    seatings: tuple[tuple[tuple[Role, ...], ...], ...] = ()
    """How the roles are usually divided among people, for each number of people."""
    briefing: str = ""
    """Text to show before the first move, such as the rules that a lesson introduces. Each line is one paragraph."""

    @property
    def sides(self) -> Mapping[Role, tuple[Role, ...]]:
        """Return the roles that win together, keyed by the name that an outcome reports as the winner."""
        return self.teams or {role: (role,) for role in self.roles}


USER_DATA: Final = "data"
"""Placeholder for the file name in errors about the user's own data, because the game does not know the real name."""
_LEGAL_SETS_CACHED: Final = 8
"""Maximum number of decisions per match for which option sets are cached."""

S = TypeVar("S", bound=CachedState)
C = TypeVar("C", bound=Command)
E = TypeVar("E", bound=Event)
V = TypeVar("V", bound=View)
P = TypeVar("P", bound=msgspec.Struct)


class Ruleset(HiddenCards[S, C, E], CourseOrders[S, C], ABC, Generic[S, C, E, V, P]):
    """One game's rules.

    S is the state, C the union of commands, E the union of events, V the view and P a position (the schema for scenario
    files). All methods are pure: they change no data in place. The latest results about a state are cached.
    """

    game: str
    """The game's id, such as ``eots``. Record headers contain it."""
    title: str
    edition: str
    """The edition of the rulebook that is implemented."""
    version: int
    """Rules version. It is incremented when the same command may cause different events than before."""
    data_digest: str
    """Hex digest of the data files used by the rules."""
    sequence_rule: Rule
    """Number of the rule on the order of play. A refusal cites it if a role without a decision gives a command."""

    notation: Notation[C]
    command_type: object
    """Tagged union of all commands, used for decoding."""
    event_type: object
    """Tagged union of all events, used for decoding."""
    position_type: type[P]
    role_titles: Mapping[str, str] = {}  # read-only, like everything in a ruleset
    """Display names of roles, used before a colon. Roles that are omitted use their capitalised id."""
    is_open: bool = False
    """True if nothing is ever hidden. Players who share a keyboard then need no screen cover between turns."""
    has_windows: bool = True
    """True if the game has response windows, in which players may pass."""

    # set-up:

    def __init__(self) -> None:
        """Create the caches for the latest resolved command and for option sets."""
        self._latest_resolution: Memo[tuple[tuple[E, ...], S]] = Memo()
        self._legal_sets: Memo[frozenset[C]] = Memo(_LEGAL_SETS_CACHED)

    @abstractmethod
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return the playable scenarios, with all options set to their defaults."""

    @abstractmethod
    def options(self) -> tuple[Ruling, ...]:
        """Return the rulings that can be chosen for a game at set-up, in menu order."""

    @abstractmethod
    def position(self, scenario: str, options: Mapping[str, str]) -> P:
        """Return a scenario's starting position.

        Raises:
            DataError: The scenario, an option or its value is unknown.
        """

    @abstractmethod
    def check_position(self, position: P) -> None:
        """Check a position from outside the program.

        Raises:
            PositionError: The position contains unknown names or violates a rule that always applies.
        """

    @abstractmethod
    def open_game(self, position: P, dice: Dice) -> tuple[E, ...]:
        """Return the opening events: the set-up, the first deal, and everything that follows automatically."""

    @abstractmethod
    def initial_state(self) -> S:
        """Return the state before the first event."""

    @abstractmethod
    def to_position(self, state: S) -> P:
        """Return a position that represents exactly this state. A game can start from it."""

    @abstractmethod
    def roles(self, state: S) -> tuple[Role, ...]:
        """Return all of this game's roles, in a fixed order."""

    # the game loop:

    @abstractmethod
    def active_roles(self, state: S) -> tuple[Role, ...]:
        """Return the roles that have a decision to make, in a fixed order. Empty when the game is over."""

    @abstractmethod
    def decision(self, state: S, role: Role) -> Decision[C]:
        """Return one role's open decision. The result depends only on information that the role has."""

    def is_window(self, state: S, role: Role) -> bool:
        """Return whether a role's open decision is a response window. The result depends only on public information."""
        return self.decision(state, role).is_window

    @abstractmethod
    def resolve(self, ledger: Ledger[S, E], role: Role, command: C) -> None:
        """Carry out a legal command and everything that follows automatically, up to the next decision.

        Args:
            ledger: An empty ledger from :meth:`ledger`.
            role: The role that gives the command.
            command: The command.
        """

    @abstractmethod
    def why_not(self, state: S, role: Role, command: C) -> tuple[Refusal, ...]:
        """Return every rule that forbids a command now, even for a role without a decision.

        Empty if the command is legal.
        """

    @abstractmethod
    def evolve(self, state: S, event: E) -> S:
        """Return the state after an event. This method never refuses an event and never rolls dice."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Return the game's outcome, or None while the game continues."""

    # visibility:

    @property
    def scoring(self) -> Scoring[S, E] | None:
        """Return the object that explains this game's score; None if the game has no score to explain."""
        return None

    @abstractmethod
    def project(self, state: S, role: Role | None) -> V:
        """Return a role's view or, if the role is None, a spectator's."""

    @abstractmethod
    def redact(self, event: E, role: Role | None) -> E | None:
        """Blank everything in an event that the role may not know. ``evolve`` also accepts the result.

        The result is None if even the kind of event is hidden. In that case, the role's copy continues as if nothing
        had happened.
        """

    def secrecy_problem(self) -> str:
        """Return the reason why the game needs a trusted dealer; empty if it needs no dealer.

        Each deck must have one owner, and no rule may reveal a hidden card privately to another role. Only the opening
        is tested here. For the rest of the game, a ruleset declares any such rule in :attr:`peek_rule`.
        """
        if self.is_open:
            return ""
        if self.peek_rule:
            return f"under rule {self.peek_rule}, a player sees another player's hidden card"
        return deck_problem(self.decks()) or opening_problem(self)

    def hiding_problem(self) -> str:
        """Return the reason why seats cannot verify hidden information; empty if they can verify it.

        If redacted events lack ``HIDDEN`` or a :meth:`secret_owner`, the host must make all random choices.
        """
        return hiding_problem(self)

    # wording and checks:

    @abstractmethod
    def log_sentence(self, event: E) -> str:
        """Return one log sentence, or an empty string for bookkeeping events."""

    def log_sentences(self, events: Sequence[E]) -> Iterator[str]:
        """Yield the log sentences for one command's events. A game may combine several events in one sentence."""
        return (text for event in events if (text := self.log_sentence(event)))

    def die_rolls(self, event: E) -> tuple[DieRoll, ...]:
        """Return the rolls that an event reports. Each roll of a game is reported by exactly one event.

        Games without dice need not override this.
        """
        del event
        return ()

    @abstractmethod
    def heading(self, state: S) -> str:
        """Return a text that states the turn, the phase and the active side."""

    @abstractmethod
    def turn_name(self, state: S) -> str:
        """Return the current turn's name, which stays the same from the start to the end of the turn."""

    @abstractmethod
    def violations(self, state: S) -> Iterator[str]:
        """Yield every invariant that a full, unredacted state violates. Fuzzing uses this."""

    # methods shared by all games:

    def default_scenario(self) -> str:
        """Return the id of the default scenario."""
        return self.scenarios()[0].id

    def scenario_info(self, scenario: str, options: Mapping[str, str]) -> ScenarioInfo:
        """Return a scenario's details under the chosen options. Games whose options affect the roles override this.

        Raises:
            DataError: The scenario, or an option value that determines the roles, is unknown.
        """
        del options
        infos = {info.id: info for info in self.scenarios()}
        if scenario not in infos:
            problem = f"there is no scenario '{scenario}'{suggestion_or_list(scenario, infos)}"
            raise DataError(self.game, "scenario", problem)
        return infos[scenario]

    def scenario_variants(self) -> Iterator[ScenarioInfo]:
        """Yield every scenario with every combination of the options that determine roles, defaults first."""
        deciding_rulings = [ruling for ruling in self.options() if ruling.decides_roles]
        for values in product(*(ruling.values for ruling in deciding_rulings)):
            options = {
                deciding_ruling.id: value
                for deciding_ruling, value in zip(deciding_rulings, values, strict=True)
            }
            for info in self.scenarios():
                yield self.scenario_info(info.id, options)

    def all_roles(self) -> tuple[Role, ...]:
        """Return every role that a match can have, in any scenario and with any options."""
        return tuple(
            dict.fromkeys(role for info in self.scenario_variants() for role in info.roles)
        )

    def scenario_info_for_roles(self, roles: Collection[Role]) -> ScenarioInfo:
        """Return the scenario information for a match with exactly these roles.

        Custom positions use this method. The information comes from the first scenario with these roles. If no
        scenario has them, the result has no teams.
        """
        infos = (info for info in self.scenario_variants() if set(info.roles) == set(roles))
        unlisted_scenario = ScenarioInfo(
            id="", name="", rule=Rule(""), summary="", roles=tuple(roles)
        )
        return next(infos, unlisted_scenario)

    def roles_at(self, position: P) -> tuple[Role, ...]:
        """Return the roles in a match that starts from a position, in a fixed order."""
        # The roles do not depend on the dice, so any secret serves here.
        events = self.open_game(position, DerivedDice(bytes(SECRET_BYTES), 0))
        return self.roles(self.fold(self.initial_state(), events))

    def with_data(self, position: P, overlay: bytes) -> P:
        """Return a position with the user's own data added to it.

        Since the data is not secret, the opening events must pass it on to every copy. Most games accept no such data.

        Args:
            position: The starting position of a scenario, or a custom one.
            overlay: The content of the user's file.

        Raises:
            DataError: The game accepts no such data, or the data is invalid. In the latter case, the error's file is
                :data:`USER_DATA`.
        """
        del position, overlay
        raise DataError(self.game, "data", "this game does not accept your own data")

    def user_data(self, position: P) -> bytes:
        """Return the user's data that was added to a position, byte for byte. Empty if no data was added."""
        del position
        return b""

    def pending_decisions(self, state: S) -> tuple[Decision[C], ...]:
        """Return all open decisions, one per role. Empty when the game is over."""
        return tuple(self.decision(state, role) for role in self.active_roles(state))

    def free_actions(self, state: S, role: Role) -> tuple[C, ...]:
        """Return the any-time commands that a role may give now, such as the use of certain cards.

        The role itself need not have an open decision, but some role must have one. Most games have no such commands.
        The result depends only on information that the role has.
        """
        del state, role
        return ()

    def decision_with_free_actions(self, state: S, role: Role) -> Decision[C]:
        """Return a role's open decision with its any-time commands added to the options.

        This is for players that choose from a single list, such as bots.
        """
        decision, free_commands = self.decision(state, role), self.free_actions(state, role)
        if not free_commands:
            return decision
        # An any-time command may also be an answer to the decision. List it only once.
        options = tuple(dict.fromkeys((*decision.options, *free_commands)))
        return msgspec.structs.replace(decision, options=options)

    def redact_all(self, events: Iterable[E], role: Role | None) -> tuple[E, ...]:
        """Return the events as a role may see them. Events of a kind that is hidden from the role are omitted."""
        visible_events = (self.redact(event, role) for event in events)
        return tuple(event for event in visible_events if event is not None)

    def decide(self, state: S, role: Role, command: C, dice: Dice) -> tuple[E, ...]:
        """Validate a command and return the events that it causes.

        A command is legal if and only if it is among the options of the role's open decision, or among the commands
        that the role may give while any role has a decision to make. The resulting state is cached for :meth:`fold`.

        Raises:
            IllegalCommandError: The command is not legal. Nothing has changed.
        """
        ledger = self.run_command(state, role, command, dice)
        events = ledger.events
        self._latest_resolution.store(state, (events, ledger.state))
        return events

    def run_command(self, state: S, role: Role, command: C, dice: Dice) -> Ledger[S, E]:
        """Validate a command and return a ledger with the events that it causes and the state after them.

        Raises:
            IllegalCommandError: The command is not legal. Nothing has changed.
        """
        refusals = self.refusals(state, role, command)
        if refusals:
            raise IllegalCommandError(self.notation.line(command), refusals)
        ledger = self.ledger(state, dice)
        self.resolve(ledger, role, command)
        return ledger

    def hint_next_command(self, state: S, role: Role, hint: C) -> None:
        """Accept a performance hint: the command that will follow the next one. The hint never affects the result.

        If the hinted command is legal, the rules know that its role has an option and need not search for one.
        """
        del state, role, hint

    def ledger(self, state: S, dice: Dice) -> Ledger[S, E]:
        """Return an empty ledger that starts from a state."""
        return Ledger(state, self.evolve, dice)

    def refusals(self, state: S, role: Role, command: C) -> tuple[Refusal, ...]:
        """Return the reasons why :meth:`decide` refuses a command. Empty if and only if the command is legal."""
        if self.is_legal(state, role, command):
            return ()
        if role not in self.roles(state):
            return (Refusal(self.sequence_rule, f"there is no role '{role}' in this game"),)
        roles = self.active_roles(state)
        reasons = self.why_not(state, role, command)
        if reasons:
            return reasons
        if role not in roles:
            return (Refusal(self.sequence_rule, f"{role} has no decision to make now"),)
        rule = self.decision(state, role).rule
        return (Refusal(rule, "this is not one of the choices in this step"),)

    def is_legal(self, state: S, role: Role, command: C) -> bool:
        """Return whether a role may give a command now, either as an option of its decision or at any time."""
        roles = self.active_roles(state)
        if role in roles and self.is_option(state, role, command):
            return True
        return (
            bool(roles) and role in self.roles(state) and command in self.free_actions(state, role)
        )

    def is_option(self, state: S, role: Role, command: C) -> bool:
        """Return whether a command is among the options of a role that has a decision to make."""
        return command in self.legal_commands(state, role)

    def legal_commands(self, state: S, role: Role) -> frozenset[C]:
        """Return the options of a role's open decision as a set."""
        roles = self.roles(state)
        return self._legal_sets.get(
            state,
            # The memo compares roles by identity, but the caller's string may be a different object
            # with the same text.
            (state, roles[roles.index(role)]),
            lambda: frozenset(self.decision(state, role).options),
        )

    def to_cache(self, state: S) -> msgspec.Struct:
        """Return the form of a state that is written to a cache.

        A game may leave out data that is part of the program.
        """
        return state

    def from_cache(self, cached_value: Any) -> S:  # noqa: ANN401 - what this game's :meth:`to_cache` returns
        """Restore a state from the result of :meth:`to_cache`."""
        state: S = cached_value
        return state

    def fold(self, state: S, events: tuple[E, ...]) -> S:
        """Return the state after several events, reusing the result if :meth:`decide` has just returned them."""
        resolution = self._latest_resolution.result_for(state)
        # Comparing identities is enough, because decide() returned exactly this tuple for exactly
        # this state.
        if resolution is not None and resolution[0] is events:
            return resolution[1]
        for event in events:
            state = self.evolve(state, event)
        return state
