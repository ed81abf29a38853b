"""A draft: commands tried on a private copy of the game. They can be undone until they are all committed together."""

from typing import Any, NamedTuple

from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import HiddenError, IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from engine.registry import AnyRuleset


class DraftEntry(NamedTuple):
    """One drafted command."""

    command: Command
    events: tuple[Event, ...]
    state: Any
    """The state of the private copy after the command."""
    is_automatic: bool = False
    """True if a standing order gave the command. It is then undone along with the player's preceding command."""
    is_held: bool = False
    """True if the command has a random result and is held until the commit; nothing can be tried after it."""


class Draft:
    """The commands that a role has drafted since the game last advanced."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        role: Role,
        base: Any,  # noqa: ANN401  # the state is opaque here
    ) -> None:
        """Start an empty draft.

        Args:
            ruleset: The rules.
            role: The role that drafts commands.
            base: The real state, or the seat's own copy, which lacks hidden information.
        """
        self._ruleset = ruleset
        self._role = role
        self._base = base
        self._steps: list[DraftEntry] = []

    @property
    def state(self) -> Any:  # noqa: ANN401  # the state is opaque here
        """Return the state of the private copy after the last drafted command."""
        return self._steps[-1].state if self._steps else self._base

    @property
    def steps(self) -> tuple[DraftEntry, ...]:
        """Return the entries, oldest first."""
        return tuple(self._steps)

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return the drafted commands, oldest first."""
        return tuple(step.command for step in self._steps)

    @property
    def is_open(self) -> bool:
        """Return whether the role still has a decision to make after the drafted commands."""
        is_held = bool(self._steps) and self._steps[-1].is_held
        return not is_held and self._role in self._ruleset.active_roles(self.state)

    def attempt(
        self, command: Command, *, is_automatic: bool = False, is_restored: bool = False
    ) -> bool:
        """Try a command. Return False and change nothing if it would reveal a random result or hidden information.

        In a planning step, such a command is held until the commit instead.

        Args:
            command: The command to try.
            is_automatic: True if a standing order, not the player, gives the command.
            is_restored: True if the command was tried before on another state; it is then held as in a planning step.

        Raises:
            IllegalCommandError: The rules refuse it.
        """
        state = self.state
        question = self._ruleset.decision(state, self._role)
        if not question.draft:
            return False
        try:
            events = self._ruleset.decide(state, self._role, command, DraftDice())
        except (ChanceRevealedError, HiddenError):
            is_held = is_restored or question.is_plan
            if is_held:
                self._steps.append(DraftEntry(command, (), state, is_automatic, is_held=True))
            return is_held
        self._steps.append(
            DraftEntry(command, events, self._ruleset.fold(state, events), is_automatic)
        )
        return True

    def rebased(self, base: Any) -> "Draft":  # noqa: ANN401  # the state is opaque here
        """Repeat the draft on another state, up to the first command that is impossible there.

        A command whose result is random in that state, such as the last of several roles' answers, is held.
        """
        moved = Draft(self._ruleset, self._role, base)
        for step in self._steps:
            if not moved._reapply(step):
                break
        return moved

    @property
    def base(self) -> Any:  # noqa: ANN401  # the state is opaque here
        """Return the state from which the draft began."""
        return self._base

    def state_before(self, number: int) -> Any:  # noqa: ANN401  # the state is opaque here
        """Return the state before an entry's command; entries are counted from 0."""
        return self._steps[number - 1].state if number else self._base

    def without(self, number: int) -> "tuple[Draft, tuple[Command, ...]]":
        """Return the draft without one entry, counted from 0, and the later commands that become impossible."""
        kept = Draft(self._ruleset, self._role, self._base)
        kept._steps = self._steps[:number]
        later = self._steps[number + 1 :]
        while later and later[0].is_automatic:
            later = later[1:]
        lost = [step for step in later if not kept._reapply(step)]
        return kept, tuple(step.command for step in lost if not step.is_automatic)

    def _reapply(self, step: DraftEntry) -> bool:
        """Try an entry's command on this draft's state; return False if it is impossible there."""
        try:
            return self.is_open and self.attempt(
                step.command, is_automatic=step.is_automatic, is_restored=True
            )
        except IllegalCommandError:
            return False

    def undo(self) -> Command | None:
        """Undo the player's last command and any standing-order answers after it. Return the command; None if none."""
        while self._steps:
            step = self._steps.pop()
            if not step.is_automatic:
                return step.command
        return None
