"""Manages one person's drafts, one per role, and the files that keep them between runs of the program."""

from collections.abc import Callable, Iterable
from pathlib import Path

from engine.kernel.ids import Role
from engine.registry import AnyRuleset, AnyState
from play.draft import Draft
from play.saved_draft import restore_draft, save_draft


class Drafts:
    """A person's drafts, one per role."""

    def __init__(
        self, ruleset: AnyRuleset, path_of: Callable[[Role], Path | None] = lambda _: None
    ) -> None:
        """Start without drafts.

        Args:
            ruleset: The rules.
            path_of: Returns the path of the file that stores a role's draft between runs of the program. None stores
                nothing.
        """
        self._ruleset = ruleset
        self._path_of = path_of
        self._drafts: dict[Role | None, Draft] = {}
        self.restored_count = 0
        """Number of the player's own commands that were restored from the last run of the program."""

    def draft_of(self, role: Role | None, state: AnyState) -> Draft:
        """Return a role's draft. If the role has no drafted commands, return a new draft on its current state."""
        draft = self._drafts.get(role)
        return draft if draft is not None and draft.entries else Draft(self._ruleset, role, state)

    def set(self, draft: Draft) -> None:
        """Store a draft in place of its role's previous draft."""
        self._drafts[draft.role] = draft

    def discard(self, role: Role | None) -> None:
        """Discard a role's draft."""
        self._drafts.pop(role, None)

    def clear(self) -> None:
        """Discard every draft."""
        self._drafts.clear()

    def rebase(self, role: Role | None, state: AnyState) -> None:
        """Repeat a role's draft on the role's current state, up to the first command that is impossible there."""
        draft = self._drafts.get(role)
        if draft is not None and draft.base is not state:
            self.set(draft.rebased(state))

    def rebase_all(self, state: AnyState) -> None:
        """Repeat every draft on the state that all roles share."""
        # Rebasing can remove a draft from the dictionary, so iterate over a copy.
        for role in tuple(self._drafts):
            self.rebase(role, state)

    def save(self, roles: Iterable[Role], seq: int) -> None:
        """Save the given roles' drafts. If a draft is empty, delete its file.

        Args:
            roles: The roles.
            seq: Number of the last record.
        """
        for role in roles:
            if (path := self._path_of(role)) is not None:
                save_draft(path, self._ruleset, seq, self._drafts.get(role))

    def restore(self, role: Role, state: AnyState, seq: int) -> None:
        """Restore a role's saved draft. If records have been added since the draft was saved, do nothing.

        Args:
            role: The role.
            state: The role's current state.
            seq: Number of the last record.
        """
        if (path := self._path_of(role)) is not None:
            draft = Draft(self._ruleset, role, state)
            restore_draft(path, self._ruleset, seq, draft)
            self.set(draft)
            self.restored_count += draft.size
