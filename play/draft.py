"""Defines drafts: commands tried on a private copy of the game, which can be undone until they are committed."""

from typing import Any, NamedTuple

from engine.kernel.decision import Decision
from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import HiddenError, IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event, View
from engine.registry import AnyRuleset, AnyState


class DraftEntry(NamedTuple):
    """One drafted command."""

    command: Command
    events: tuple[Event, ...]
    state: AnyState
    """The state of the private copy after the command."""
    is_automatic: bool = False
    """True if a standing order gave the command. Such a command is undone along with the player's preceding command."""
    is_held: bool = False
    """True if the command is held until the commit, because its result is random or hidden.

    No command can be drafted after it.
    """
    is_preparation: bool = False
    """True if a standing order gave the command in preparation for the player's next one. Both are undone together."""


class Draft:
    """The commands that a role has drafted but not committed."""

    def __init__(self, ruleset: AnyRuleset, role: Role | None, base: AnyState) -> None:
        """Start an empty draft.

        Args:
            ruleset: The rules.
            role: The role that drafts commands. None for a spectator, whose draft stays empty.
            base: The state before the draft. In a seat's own copy, it lacks hidden information.
        """
        self._ruleset = ruleset
        self.role = role
        self._base = base
        self._entries: list[DraftEntry] = []

    @property
    def state(self) -> AnyState:
        """Return the state of the private copy after the last drafted command."""
        return self._entries[-1].state if self._entries else self._base

    @property
    def entries(self) -> tuple[DraftEntry, ...]:
        """Return the entries, oldest first."""
        return tuple(self._entries)

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return the drafted commands, oldest first."""
        return tuple(entry.command for entry in self._entries)

    @property
    def size(self) -> int:
        """Return the number of commands that the player gave. Commands from standing orders do not count."""
        return sum(not (entry.is_automatic or entry.is_preparation) for entry in self._entries)

    @property
    def is_open(self) -> bool:
        """Return whether the role can draft another command: it has a decision to make, and no command is held."""
        is_held = bool(self._entries) and self._entries[-1].is_held
        return not is_held and self.role in self._ruleset.active_roles(self.state)

    def attempt(
        self,
        command: Command,
        *,
        is_automatic: bool = False,
        is_restored: bool = False,
        is_preparation: bool = False,
    ) -> bool:
        """Try a command. If it would reveal a random result or hidden information, return False and change nothing.

        In a planning step, such a command is instead held until the commit, and the result is True.

        Args:
            command: The command to try.
            is_automatic: True if a standing order, not the player, gives the command.
            is_restored: True if the command was already drafted on another state. It may then be held even outside a
                planning step.
            is_preparation: True if a standing order gives the command before the player's next one.

        Raises:
            IllegalCommandError: The rules refuse the command.
        """
        state = self.state
        decision = self._ruleset.decision(state, self._acting_role)
        # If the decision does not allow drafts, the attempt would always fail, so do not run the
        # rules.
        if not decision.draft:
            return False
        try:
            # DraftDice raises an error at the first roll or draw. Otherwise, a player could see a
            # result and undo the command.
            events = self._ruleset.decide(state, self._acting_role, command, DraftDice())
        except (ChanceRevealedError, HiddenError):
            is_held = is_restored or decision.is_plan
            if is_held:
                held_entry = DraftEntry(command, (), state, is_automatic, is_held=True)
                self._entries.append(held_entry._replace(is_preparation=is_preparation))
            return is_held
        state_after = self._ruleset.fold(state, events)
        entry = DraftEntry(
            command, events, state_after, is_automatic, is_preparation=is_preparation
        )
        self._entries.append(entry)
        return True

    @property
    def _acting_role(self) -> Role:
        assert self.role is not None, "a spectator cannot draft commands"
        return self.role

    def rebased(self, base: AnyState) -> "Draft":
        """Repeat the draft on another state, up to the first command that is impossible there.

        A command whose result is random in that state is held. For example, an answer triggers a roll if all other
        roles have answered in the meantime.
        """
        rebased_draft = Draft(self._ruleset, self.role, base)
        for entry in self._entries:
            if not rebased_draft._reapply(entry):
                break
        return rebased_draft

    @property
    def base(self) -> AnyState:
        """Return the state from which the draft began."""
        return self._base

    def view_before(self, number: int) -> View:
        """Return the role's view before an entry's command. Entries are counted from 0."""
        view: View = self._ruleset.project(self._state_before(number), self.role)
        return view

    def decision_before(self, number: int) -> Decision[Any] | None:
        """Return the decision that an entry's command answered. Entries are counted from 0."""
        state = self._state_before(number)
        is_active = self.role in self._ruleset.active_roles(state)
        return self._ruleset.decision(state, self._acting_role) if is_active else None

    def _state_before(self, number: int) -> AnyState:
        return self._entries[number - 1].state if number else self._base

    def preview(self, command: Command) -> tuple[View, Decision[Any]] | None:
        """Return the view and decision that would follow a command.

        Return None if these are unknown or the role would have no decision.
        """
        trial = Draft(self._ruleset, self.role, self.state)
        if not (trial.attempt(command) and trial.is_open):
            return None
        view: View = self._ruleset.project(trial.state, self.role)
        return view, self._ruleset.decision(trial.state, self._acting_role)

    def commits_at_once(self, command: Command) -> bool:
        """Return whether an offered command must be committed at once, because it cannot be part of a draft."""
        return not Draft(self._ruleset, self.role, self.state).attempt(command)

    def without(self, number: int) -> "tuple[Draft, tuple[Command, ...]]":
        """Return the draft without one entry, and the later commands that become impossible.

        Entries are counted from 0.
        """
        new_draft = Draft(self._ruleset, self.role, self._base)
        new_draft._entries = self._entries[:number]
        later_entries = self._entries[number + 1 :]
        # Drop the automatic answers to windows that the removed command had opened. The session
        # answers any window that is still open.
        while later_entries and later_entries[0].is_automatic:
            later_entries = later_entries[1:]
        lost_entries = [entry for entry in later_entries if not new_draft._reapply(entry)]
        return new_draft, tuple(entry.command for entry in lost_entries if not entry.is_automatic)

    def _reapply(self, entry: DraftEntry) -> bool:
        """Try an entry's command on this draft's state. Return False if the command is impossible in that state."""
        try:
            return self.is_open and self.attempt(
                entry.command,
                is_automatic=entry.is_automatic,
                is_restored=True,
                is_preparation=entry.is_preparation,
            )
        except IllegalCommandError:
            return False

    def undo(self) -> Command | None:
        """Undo the player's last command and any standing-order answers after it.

        Return the player's command, or None if the draft contains no command of the player.
        """
        # Undoing only an automatic answer would reopen its window, but the standing order would
        # answer it again.
        while self._entries:
            entry = self._entries.pop()
            if not (entry.is_automatic or entry.is_preparation):
                self.drop_preparation()
                return entry.command
        return None

    def drop_preparation(self) -> None:
        """Undo the standing-order commands that were given before a command that the player then did not give."""
        while self._entries and self._entries[-1].is_preparation:
            self._entries.pop()
