"""Generates all transitions from a state: messages added by the host, players' choices, and restarts."""

from collections.abc import Iterator
from typing import Final

from docs.model.attacker import Menu
from docs.model.fold import Fold, Verdict
from docs.model.game import Game, Phase
from docs.model.honest import Mode, Seat, State, choices, known_of, release, sign
from docs.model.messages import CHOICES, ROOT, SEQUENTIAL, Msg
from docs.model.restarts import restarts
from docs.model.rules import Rule
from docs.model.step import Step

_UNBOUND: Final = frozenset({Rule.REVEAL_BINDS_HISTORY, Rule.CONSENT_BOUND})
"""Rules that prevent a message from being used at another anchor."""
_FORGETTABLE: Final = frozenset({"request", "proposal", "offer", "consent", "end"})


class Moves:
    """Transitions of one search."""

    def __init__(self, fold: Fold, *, is_reduced: bool) -> None:
        self.fold = fold
        self.setting = fold.setting
        self.transcripts = fold.transcripts
        self.menu = Menu(fold)
        self._is_reduced = is_reduced and not fold.setting.scope.restarts

    def successors(self, state: State) -> Iterator[tuple[Step, State]]:
        """Yield every transition from a state."""
        known = known_of(state)
        for place, seat in enumerate(state):
            if seat.mode not in {Mode.UP, Mode.RESUMING}:
                continue
            for step, after in self._moves(place, state, known):
                if after != seat:
                    yield step, self._forget((*state[:place], after, *state[place + 1 :]))

    def _moves(
        self, place: int, state: State, known: frozenset[Msg]
    ) -> Iterator[tuple[Step, Seat]]:
        seat = state[place]
        for m, verdict in self._deliverable(place, state, known):
            if not self._is_on_way(seat, m):
                continue
            if verdict == Verdict.CRASH:
                yield Step("deliver", seat.name, m), seat._replace(mode=Mode.CRASHED)
                continue
            after = self._delivered(seat, m)
            yield Step("deliver", seat.name, m), after
            if not self.setting.has(Rule.HOST_SIGNATURE):
                yield Step("deliver unsigned", seat.name, m), after._replace(is_uncovered=True)
        if seat.mode == Mode.UP or not self.setting.has(Rule.RESUME_BEFORE_ALL):
            for after in choices(self.fold, seat):
                yield Step("choose", seat.name, _chosen(seat, after)), after
        yield from self._opening_again(seat)
        yield from self._acknowledged(seat, known)
        yield from self._demanded(seat)
        yield from restarts(self.fold, place, state)

    def _is_on_way(self, seat: Seat, m: Msg) -> bool:
        """Return whether a message continues the transcript that another seat has shown (2.8)."""
        transcripts = self.transcripts
        is_free = not self.setting.has(Rule.FETCH_FIRST)
        if is_free or transcripts.is_prefix(seat.reach, seat.tip):
            return True
        return transcripts.is_prefix(transcripts.child(seat.tip, m), seat.reach)

    def _delivered(self, seat: Seat, m: Msg) -> Seat:
        after = seat._replace(tip=self.fold.add(seat.tip, m))
        if m.author == seat.name and m in seat.sent:
            after = after._replace(journal=after.journal | {m}, kept=after.kept | {m})
        return release(self.fold, after)

    def _deliverable(
        self, place: int, state: State, known: frozenset[Msg]
    ) -> Iterator[tuple[Msg, Verdict]]:
        """Yield the messages that the host can add to a copy: existing ones, its own, and those of its seats."""
        seat = state[place]
        g = self.fold.game(seat.tip)
        made = self.menu.at(seat.tip, is_foreseen=self._is_foreseen(g, known))
        every = [(m, verdict) for m, verdict in made if self._is_possible(m, known)]
        extra = {m for m, _ in every}
        every += [
            (m, verdict)
            for m in self._replayed(seat.tip, known - extra)
            if (verdict := self.fold.check(seat.tip, m)) != Verdict.REFUSE
        ]
        if place == 0 and self._is_reduced:
            every = [one for one in every if self._is_next(seat.tip, one[0])]
        yield from every

    def _replayed(self, tip: int, known: frozenset[Msg]) -> list[Msg]:
        """Return honest messages that a copy may accept, in a fixed order.

        Under the rules that bind messages to their anchors, messages with another anchor would be refused and are not
        tried.
        """
        if not (self.setting.off & _UNBOUND):
            anchors = {tip, *(due.after for due in self.fold.dues(tip))}
            known = frozenset(m for m in known if m.after in anchors)
        return sorted(known)

    def _forget(self, state: State) -> State:
        """Return a state without the public messages that no copy has or can still accept.

        Each of them is bound to an anchor that no copy can still reach.
        """
        if not self._is_reduced or self.setting.off & _UNBOUND:
            return state
        tips = [seat.tip for seat in state]
        lost = {
            m
            for seat in state
            for m in seat.sent
            if m.kind in _FORGETTABLE and all(self._is_past(tip, m) for tip in tips)
        }
        if not lost:
            return state
        return tuple(
            seat._replace(journal=seat.journal - lost, kept=seat.kept - lost, sent=seat.sent - lost)
            for seat in state
        )

    def _is_past(self, tip: int, m: Msg) -> bool:
        """Return whether a copy can never accept a message and does not contain it."""
        transcripts = self.transcripts
        if transcripts.depth(tip) <= m.at or transcripts.is_prefix(tip, m.after):
            return False
        if m.kind == "consent" and self.fold.game(tip).phase == Phase.CONSENT:
            return False
        next_node = transcripts.ancestor(tip, m.at + 1)
        if m.kind != "consent":
            return transcripts.parent(next_node) != m.after or transcripts.last(next_node) != m
        return m not in transcripts.messages(tip)

    def _is_possible(self, m: Msg, known: frozenset[Msg]) -> bool:
        """Return whether the attacker can produce a message, validly signed if signatures are checked."""
        is_own = m.author not in self.setting.scope.honest
        return is_own or m in known or not self.setting.has(Rule.AUTHOR_SIGNATURE)

    def _is_foreseen(self, g: Game, known: frozenset[Msg]) -> bool:
        """Return whether the attacker already has the honest reveals that would challenge a new mix."""
        is_late = g.phase == Phase.COMPLETE and not self.setting.has(Rule.CHALLENGE_LATER)
        n = g.begun - is_late
        authors = {m.author for m in known if m.kind == "reveal" and m.n >= n}
        return authors >= set(self.setting.scope.honest)

    def _is_next(self, tip: int, m: Msg) -> bool:
        """Return whether the first seat's parallel messages stay in the fixed order if this message comes next.

        Another order would only change the name of the transcript. Messages from honest seats come first, so that the
        copy then waits for the attacker.
        """
        if m.kind in SEQUENTIAL | CHOICES:
            return True
        attackers = self.setting.scope.attackers
        order = sorted(self.fold.dues(tip), key=lambda due: (due.author in attackers, *due[:2]))
        if not any((due.kind, due.author) == (m.kind, m.author) for due in order):
            return True
        return (order[0].kind, order[0].author) == (m.kind, m.author)

    def _opening_again(self, seat: Seat) -> Iterator[tuple[Step, Seat]]:
        """Yield the seat after the host has sent it another set-up.

        A seat that has already agreed to one refuses it.
        """
        if seat.tip == ROOT or not self._may_begin_again(seat):
            return
        for m, verdict in self.menu.at(ROOT, is_foreseen=False):
            tip = self.fold.add(ROOT, m)
            if verdict == Verdict.ACCEPT and not self.transcripts.is_prefix(tip, seat.tip):
                fresh = Seat(seat.name, tip, sent=seat.sent, restarts=seat.restarts)
                yield Step("deliver", seat.name, m), release(self.fold, fresh)

    def _may_begin_again(self, seat: Seat) -> bool:
        has_agreed = any(m.kind == "agree" for m in seat.journal)
        return not has_agreed or not self.setting.has(Rule.AGREE_ONCE)

    def _acknowledged(self, seat: Seat, known: frozenset[Msg]) -> Iterator[tuple[Step, Seat]]:
        """Yield the seat after the end was acknowledged or the time limit for acknowledgements expired."""
        g = self.fold.game(seat.tip)
        if g.phase != Phase.ENDED or seat.is_acked:
            return
        there = {m.author for m in known if m.kind == "ack" and m.after == g.entered}
        after = release(self.fold, seat._replace(is_acked=True))
        if there >= set(self.setting.scope.honest) or not self.setting.has(Rule.ACKS_FIRST):
            yield Step("acknowledge", seat.name), after
        elif self.setting.scope.ack_wait:
            yield Step("ack_wait", seat.name), after

    def _demanded(self, seat: Seat) -> Iterator[tuple[Step, Seat]]:
        """Yield the seat after the host has requested a reveal without a command."""
        g = self.fold.game(seat.tip)
        if g.phase == Phase.IDLE and not self.setting.has(Rule.COMMAND_FIRST):
            at = self.transcripts.depth(seat.tip)
            m = Msg("reveal", seat.name, at, seat.tip, "true", g.begun)
            yield Step("demand", seat.name, m), sign(self.fold, seat, m)


def _chosen(before: Seat, after: Seat) -> Msg | None:
    return next((m for m in sorted(after.sent - before.sent) if m.kind in CHOICES), None)
