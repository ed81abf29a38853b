"""Positions: what each seat sees, and which commands it may give."""

import secrets

from typing_extensions import override

from engine.bots.player import Player, choose_command
from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import Refusal, Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset, AnyState
from saves.headers import FULL, Header, audience_role
from saves.match import derive_secret
from saves.record_views import SeatError
from saves.terms import Terms


class GamePosition:
    """A position in a game. It never changes: :meth:`apply` returns a new position."""

    def __init__(
        self, rules: AnyRuleset, state: AnyState, header: Header, terms: Terms | None, seq: int
    ) -> None:
        """Positions come from :class:`GameRecord` and :class:`LiveGame`.

        Args:
            rules: The game's rules.
            state: The game's state.
            header: The header of the copy from which the position comes.
            terms: The agreements about the match; None if there are none.
            seq: Number of the last record before the position.
        """
        self._rules = rules
        self._header = header
        self._terms = terms
        self.state = state
        """The full state. Its structure is private; views are public."""
        self.seq = seq
        """Number of the record after which the position occurs; -1 for a position from :meth:`apply`."""

    @override
    def __repr__(self) -> str:
        return f"<GamePosition {self.game} {self.heading!r}>"

    @property
    def game(self) -> str:
        """Return the game's id."""
        return self._rules.game

    @property
    def turn(self) -> str:
        """Return the turn's name."""
        return self._rules.turn_name(self.state)

    @property
    def heading(self) -> str:
        """Return a text that states the turn, the phase and the active side."""
        return self._rules.heading(self.state)

    @property
    def roles(self) -> tuple[str, ...]:
        """Return all roles of the game, in a fixed order."""
        return self._rules.roles(self.state)

    @property
    def active_roles(self) -> tuple[str, ...]:
        """Return the roles that have a decision to make. Empty if the game is over or adjourned."""
        if self._terms is not None:
            return self._terms.asked(self.state)
        return self._rules.active_roles(self.state)

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended, by its rules or by agreement; None while it continues."""
        if self._terms is not None:
            return self._terms.outcome(self.state)
        return self._rules.outcome(self.state)

    def view(self, role: str | None = None) -> View:
        """Return what a role sees, or what a spectator sees if the role is None.

        Raises:
            SeatError: There is no such role, or this copy of the game does not contain its view.
        """
        view: View = self._rules.project(self.state, None if role is None else self._seen(role))
        return view

    def decision(self, role: str) -> Decision[Command] | None:
        """Return a role's open decision; None if the role has none.

        Raises:
            SeatError: There is no such role, or this copy of the game does not contain its view.
        """
        known = self._seen(role)
        return self._rules.decision(self.state, known) if known in self.active_roles else None

    def legal_commands(self, role: str) -> tuple[Command, ...]:
        """Return every command that a role may give now, in a fixed order. Commands for its open decision are first.

        Raises:
            SeatError: There is no such role, or this copy of the game does not contain its view.
        """
        known = self._seen(role)
        if not self.active_roles:
            return ()
        if known in self.active_roles:
            return self._rules.decision_with_free_actions(self.state, known).options
        return self._rules.free_actions(self.state, known)

    def why_not(self, role: str, command: Command | str) -> tuple[Refusal, ...]:
        """Return the reasons why a command is illegal, each with its rule number. Empty if the command is legal.

        Args:
            role: The role that would give the command.
            command: A command, or its line in the game's notation.

        Raises:
            NotationError: The line cannot be read.
            SeatError: There is no such role, or this copy of the game does not contain its view.
        """
        return self._rules.refusals(self.state, self._seen(role), self.command(command))

    def is_legal(self, role: str, command: Command | str) -> bool:
        """Return whether a role may give a command now.

        The arguments and errors are the same as for :meth:`why_not`.
        """
        return not self.why_not(role, command)

    def command(self, line: Command | str) -> Command:
        """Parse a command from its line in the game's notation. Return a command unchanged.

        Raises:
            NotationError: The line cannot be read.
        """
        return self._rules.notation.parse(line) if isinstance(line, str) else line

    def notation(self, command: Command) -> str:
        """Return a command's line in the game's notation."""
        return self._rules.notation.line(command)

    def apply(
        self, role: str, command: Command | str, *, seed: int | None = None
    ) -> "GamePosition":
        """Return the position after a command, with dice of its own. The game itself does not change.

        Args:
            role: The role that gives the command.
            command: A command, or its line in the game's notation.
            seed: Equal seeds roll equal dice; None rolls different dice every time.

        Raises:
            IllegalCommandError: The rules do not allow the command.
            NotationError: The line cannot be read.
            SeatError: There is no such role, or the position comes from a redacted copy.
        """
        if self._header.audience != FULL:
            raise SeatError("commands can be applied only to positions from a full copy")
        secret = secrets.token_bytes(SECRET_BYTES) if seed is None else derive_secret(f"try {seed}")
        dice = DerivedDice(secret, 0)
        events = self._rules.decide(self.state, self._seen(role), self.command(command), dice)
        after = self._rules.fold(self.state, events)
        return GamePosition(self._rules, after, self._header, None, -1)

    def ask(self, role: str, player: Player) -> Command:
        """Return a player's command for a role that has a decision.

        The player receives only what the role may see. A bot that looks ahead computes its usual number of steps.

        Args:
            role: The role that must decide.
            player: A bot from :func:`create_bot`, or any object with its method ``choose``.

        Raises:
            SeatError: The role has no decision, or this copy of the game does not contain its view.
        """
        known = self._seen(role)
        if known not in self.active_roles:
            raise SeatError(f"{role} has no decision to make now")
        return choose_command(self._rules, self.state, known, player)

    def _seen(self, role: str) -> Role:
        """Return a role whose view this copy contains."""
        if role not in self.roles:
            raise SeatError(f"there is no role '{role}'; this game has {', '.join(self.roles)}")
        own_role = audience_role(self._header)
        if self._header.audience != FULL and role != own_role:
            raise SeatError(f"this is a redacted copy; it does not contain the view of '{role}'")
        return Role(role)
