"""Checks the properties that every reachable state must have.

The checks read messages and transcripts. They do not rely on ``fold`` under the rules of the search to decide what is
valid. Where validity must be judged (E2), ``fold`` is used with all rules on.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from docs.model.fold import Fold, Verdict
from docs.model.game import Game, Phase
from docs.model.honest import Mode, Seat, State, known_of
from docs.model.knowledge import Knowledge
from docs.model.messages import ROOT, Msg, slot

NAMES: Final = {
    "P-a": "no mix answers two challenges",
    "P-b": "no honest seat signs a slot twice",
    "P-c": "an honest seat's card is known only if it was opened under the rules",
    "P-d": "a fork cannot continue past the next throw, and leaves proof",
    "P-e": "no evidence names an honest seat",
    "P-f": "no dead end without a culprit",
    "P-g": "a seat releases reveal n for only one T(ready), after the command is fixed",
    "P-h": "public results follow the rules and the true reveals",
    "P-i": "the labels of a mixed pile are indistinguishable",
    "P-j": "each deck contains exactly its own cards once a throw has challenged the mix",
    "P-k": "nothing is attributed to an honest seat without its signature",
    "P-l": "no pick uses a throw that the owner already knew when it arranged the pile",
}


class Violation(NamedTuple):
    """A property that does not hold in a state, with the reason."""

    property: str
    text: str


class Properties:
    """Checks every state of one search. Results that depend only on part of a state are cached."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._nodes: dict[int, tuple[Violation, ...]] = {}
        self._sent: dict[frozenset[Msg], tuple[Violation, ...]] = {}
        self._accused: dict[Msg, bool] = {}
        self._pure: dict[int, bool] = {ROOT: True}
        self.knowledge = Knowledge(fold)

    def violations(self, seats: State, *, is_stuck: bool) -> Iterator[Violation]:
        """Yield the properties that do not hold in a state.

        Args:
            seats: All honest seats.
            is_stuck: True if no existing message, and none that is due from the attacker, lets a seat continue.
        """
        known = known_of(seats)
        found = self._sent.get(known)
        if found is None:
            found = self._sent[known] = tuple(self._of_sent(known))
        yield from found
        for seat in seats:
            yield from self._of_node(seat.tip)
            yield from self._of_seat(seat, seats, known)
        yield from self._forks(seats)
        if is_stuck:
            yield Violation("P-f", "everything that is awaited is owed by honest seats")

    def _of_sent(self, known: frozenset[Msg]) -> Iterator[Violation]:
        """Yield violations that can be seen from honest seats' messages alone."""
        slots: dict[object, Msg] = {}
        reveals: dict[tuple[str, int], Msg] = {}
        for m in sorted(known):
            if m.kind == "ack":
                continue
            other = slots.setdefault(slot(m), m)
            if other != m:
                yield Violation("P-b", f"{m.author} signed two messages for slot {slot(m)[1:]}")
                yield Violation("P-e", f"E1 names {m.author}")
            if m.kind == "reveal":
                first = reveals.setdefault((m.author, m.n), m)
                if first.after != m.after:
                    yield Violation("P-g", f"{m.author} released reveal {m.n} for two anchors")
            if self._is_accused(m):
                yield Violation("P-e", f"E2 names {m.author}: {m.kind} at {m.at}")
        for key, count in self.knowledge.challenges(known).items():
            if count > 1:
                yield Violation("P-a", f"mix {key} was answered for {count} challenges")
        for text in self.knowledge.exposed(known):
            yield Violation("P-c", text)

    def _is_accused(self, m: Msg) -> bool:
        """Return whether ``fold`` with all rules refuses an honest message at its anchor (E2)."""
        found = self._accused.get(m)
        if found is None:
            found = self._is_pure(m.after) and self._is_refused(m)
            self._accused[m] = found
        return found

    def _is_refused(self, m: Msg) -> bool:
        return self._fold.judge(m.after, m) == Verdict.REFUSE

    def _is_pure(self, node: int) -> bool:
        """Return whether ``fold`` with all rules accepts every message in a transcript."""
        found = self._pure.get(node)
        if found is None:
            parent = self._fold.transcripts.parent(node)
            m = self._fold.transcripts.last(node)
            is_accepted = self._fold.judge(parent, m) == Verdict.ACCEPT
            found = self._pure[node] = is_accepted and self._is_pure(parent)
        return found

    def _of_node(self, node: int) -> tuple[Violation, ...]:
        """Return the violations in one transcript, excluding those of its prefixes."""
        found = self._nodes.get(node)
        if found is None:
            found = self._nodes[node] = tuple(self._in_copy(node)) if node != ROOT else ()
        return found

    def _in_copy(self, node: int) -> Iterator[Violation]:
        scope, g = self._fold.setting.scope, self._fold.game(node)
        m = self._fold.transcripts.last(node)
        before = self._fold.game(self._fold.transcripts.parent(node))
        if g.header == "h0":
            yield Violation("P-h", "the set-up follows from no scenario")
        if m.kind == "request" and m.author not in scope.turns[before.turn]:
            yield Violation("P-h", f"the rules do not ask {m.author}")
        if m.kind == "consent" and m.after != before.entered:
            yield Violation("P-k", f"{m.author} gave this consent to another offer")
        if m.kind == "proposal":
            yield from self._of_proposal(before, m)
        if g.shown:
            yield Violation("P-k", f"{g.shown[0]} is shown, its owner has not opened it")
        if g.phase == Phase.IDLE:
            yield from self._of_decks(g)
            yield from _of_hands(g)

    def _of_proposal(self, before: Game, m: Msg) -> Iterator[Violation]:
        """Yield the dice and picks that differ from the results of true reveals."""
        is_true = _is_true_throw(self._fold, before)
        if before.verb == "roll" and m.what == "done" and not (is_true and m.labels == (0,)):
            yield Violation("P-h", f"the die {m.labels} does not follow from the reveals")
        label = -1
        if m.what == "ask" or (m.what == "done" and before.verb in {"drop", "draw"}):
            label = m.labels[0]
        if label < 0 or (before.verb == "draw" and not before.chance):
            return
        owner = before.actor if before.verb == "draw" else before.target
        name = "deck" if before.verb == "draw" else "hand"
        pile = [n for n, one in enumerate(before.labels) if (one.owner, one.pile) == (owner, name)]
        if not is_true or label != pile[0]:
            yield Violation("P-h", f"the pick of label {label} does not follow from the reveals")
        if label in pile and before.thrown and before.labels[label].made > before.thrown[-1].start:
            yield Violation("P-l", f"label {label} was mixed after the throw that picks it")
        if before.picks and any(before.labels[n].is_opened for n in pile):
            yield Violation("P-l", f"label {label} is picked by a throw that its owner knew")

    def _of_decks(self, g: Game) -> Iterator[Violation]:
        scope = self._fold.setting.scope
        for owner in scope.decks:
            rest = [one for one in g.labels if one.owner == owner and one.pile != "gone"]
            if len(rest) != len(scope.deck_of(g.header, owner)):
                yield Violation("P-j", f"the deck of {owner} has {len(rest)} labels")
            if any(one.is_false and one.n < g.begun for one in rest):
                yield Violation("P-j", f"a false mix of {owner} passed throw {g.begun - 1}")

    def _of_seat(self, seat: Seat, seats: State, known: frozenset[Msg]) -> Iterator[Violation]:
        scope, g = self._fold.setting.scope, self._fold.game(seat.tip)
        last = self._fold.transcripts.last(seat.tip) if seat.tip != ROOT else None
        if last is not None and last.author in scope.honest and last not in known:
            yield Violation("P-k", f"{last.author} did not sign {last.kind} {last.what}")
        # A seat with restored files may be misled into accepting another command, but cannot complete its throw.
        phases = {Phase.RESOLVE} if scope.restarts else {Phase.PREPARE, Phase.REVEAL}
        n = g.begun if g.phase == Phase.PREPARE else g.throw
        if g.chance and g.phase in phases and self._is_foreseen(g, n, known):
            yield Violation("P-g", f"throw {n} was known before {g.command!r} was fixed")
        if g.phase in {Phase.IDLE, Phase.REVEAL}:
            yield from self._tracked(seat, g, known)
        has_given = any(m.kind == "seed" for m in seat.sent)
        for other in seats if has_given else ():
            if self._fold.game(other.tip).phase != Phase.ENDED:
                yield Violation("P-c", f"{seat.name} gave its seed while {other.name} plays on")
        if seat.mode == Mode.CRASHED:
            yield Violation("P-f", f"the program of {seat.name} ends at every start")
        if seat.mode == Mode.HALTED and not self._is_forked(seats):
            yield Violation("P-f", f"{seat.name} halted, and no evidence names a culprit")

    def _is_foreseen(self, g: Game, n: int, known: frozenset[Msg]) -> bool:
        """Return whether every honest reveal of a throw was released before the request."""
        fold = self._fold
        released = {
            m.author
            for m in known
            if m.kind == "reveal"
            and m.n >= n
            and not fold.transcripts.is_prefix(g.request, m.after)
        }
        return released >= set(fold.setting.scope.honest)

    def _tracked(self, seat: Seat, g: Game, known: frozenset[Msg]) -> Iterator[Violation]:
        """Yield the labels in a seat's clean hidden piles whose cards the attacker has already seen opened."""
        transcripts = self._fold.transcripts
        ahead = {m for m in known if m.kind == "open" and transcripts.is_prefix(seat.tip, m.after)}
        terms = self.knowledge.terms(known - ahead)
        for number, label in enumerate(g.labels):
            is_hidden = label.pile in {"hand", "deck"} and (label.owner, label.pile) not in g.dirty
            is_own = label.owner == seat.name
            if is_hidden and is_own and label.made >= 0 and label.term in terms:
                yield Violation("P-i", f"label {number} is known to be {label.card}")

    def _is_forked(self, seats: State) -> bool:
        transcripts = self._fold.transcripts
        return any(
            not transcripts.is_prefix(one.tip, two.tip)
            and not transcripts.is_prefix(two.tip, one.tip)
            for one in seats
            for two in seats
        )

    def _forks(self, seats: State) -> Iterator[Violation]:
        transcripts = self._fold.transcripts
        for place, one in enumerate(seats):
            for two in seats[place + 1 :]:
                if not self._is_forked((one, two)):
                    continue
                common = transcripts.depth(transcripts.common(one.tip, two.tip))
                if one.is_uncovered or two.is_uncovered:
                    yield Violation("P-d", f"a fork at index {common + 1} without evidence")
                for seat in (one, two):
                    if self._fold.game(seat.tip).last_ready > common:
                        yield Violation("P-d", f"the copy of {seat.name} passed a throw in a fork")


def _is_true_throw(fold: Fold, g: Game) -> bool:
    """Return whether a record's last throw contains each seat's true reveal."""
    values = g.thrown[-1].values if g.thrown else ()
    authors = sorted(author for author, _ in values)
    is_whole = authors == sorted(fold.setting.scope.seats)
    return is_whole and all(value == "true" for _, value in values)


def _of_hands(g: Game) -> Iterator[Violation]:
    """Yield hands whose labels come from several mixes and therefore reveal when a card was drawn."""
    for owner in {label.owner for label in g.labels}:
        hand = g.pile(owner, "hand")
        if len({g.labels[n].source for n in hand}) > 1:
            yield Violation("P-i", f"the hand of {owner} shows when its cards were drawn")
