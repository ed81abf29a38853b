"""Searches all states that the attacker can reach, breadth first."""

from typing import NamedTuple

from docs.model.deadends import is_dead_end
from docs.model.fold import Fold
from docs.model.game import Phase
from docs.model.honest import Seat, State
from docs.model.messages import ROOT, Transcripts
from docs.model.moves import Moves
from docs.model.properties import Properties, Violation
from docs.model.scope import Setting
from docs.model.step import Step

Trace = tuple[tuple[Step, State], ...]


class LimitReachedError(Exception):
    """A search found more states than its limit allows."""


class Found(NamedTuple):
    """Result of a search."""

    states: int
    transitions: int
    transcripts: int
    """Number of distinct histories of one copy."""
    messages: int
    """Number of attacker messages that some copy accepted or refused."""
    depth: int
    """Maximum number of transitions from the first state to any other."""
    kinds: frozenset[str]
    """Kinds of messages that some copy accepted."""
    phases: frozenset[Phase]
    """States of 2.5 that some copy reached."""
    violation: Violation | None
    trace: Trace
    """Steps to the violation, each with the resulting state."""


class Search:
    """The search of one setting."""

    def __init__(self, setting: Setting, property: str = "", *, is_reduced: bool = True) -> None:  # noqa: A002
        """Prepare a search.

        Args:
            setting: Scope, and the rules that are switched off.
            property: The only property to check; empty for all properties that the scope promises.
            is_reduced: True to merge states that differ only in transcript names and messages that no copy can still
                accept.
        """
        self._setting = setting
        self._property = property
        self._transcripts = Transcripts()
        self._fold = Fold(setting, self._transcripts)
        self._moves = Moves(self._fold, is_reduced=is_reduced)
        self._properties = Properties(self._fold)

    def run(self, limit: int | None = None) -> Found:
        """Search all states, or stop at the first violation, which has the shortest possible trace.

        Args:
            limit: Maximum number of states to search; None for all.

        Raises:
            LimitReachedError: There are more states than the limit.
        """
        first = tuple(Seat(name) for name in self._setting.scope.honest)
        states, parents, depths = [first], [(-1, Step("start", ""))], [0]
        index = {first: 0}
        transitions = place = 0
        while place < len(states):
            state = states[place]
            violation = self._check(state)
            if violation is not None:
                trace = _trace(states, parents, place)
                return self._found(len(states), transitions, depths[place], violation, trace)
            for step, after in self._moves.successors(state):
                transitions += 1
                if after not in index:
                    index[after] = len(states)
                    states.append(after)
                    parents.append((place, step))
                    depths.append(depths[place] + 1)
            if limit is not None and len(states) > limit:
                raise LimitReachedError(f"more than {limit} states")
            place += 1
        return self._found(len(states), transitions, depths[-1], None, ())

    def _found(
        self,
        states: int,
        transitions: int,
        depth: int,
        violation: Violation | None,
        trace: Trace,
    ) -> Found:
        nodes = range(ROOT + 1, self._transcripts.count + 1)
        games = [node for node in nodes if self._fold.is_accepted(node)]
        return Found(
            states=states,
            transitions=transitions,
            transcripts=len(games),
            messages=self._moves.menu.tried,
            depth=depth,
            kinds=frozenset(self._transcripts.last(node).kind for node in games),
            phases=frozenset(self._fold.game(node).phase for node in games),
            violation=violation,
            trace=trace,
        )

    def _check(self, state: State) -> Violation | None:
        is_stuck = is_dead_end(self._fold, state)
        for violation in self._properties.violations(state, is_stuck=is_stuck):
            if self._property:
                if violation.property == self._property:
                    return violation
            elif violation.property not in self._setting.scope.skipped:
                return violation
        return None


def _trace(states: list[State], parents: list[tuple[int, Step]], place: int) -> Trace:
    steps = []
    while place >= 0:
        parent, step = parents[place]
        steps.append((step, states[place]))
        place = parent
    return tuple(steps[::-1])
