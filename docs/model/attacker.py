"""Messages that the attacker may create as the host, as its own seats, or in the name of honest seats."""

from collections.abc import Iterator
from typing import Final

from docs.model.fold import HIDDEN, OUT_OF_RANGE, Fold, Verdict, early
from docs.model.game import Due, Phase, expected
from docs.model.honest import answer, commands
from docs.model.messages import HOST, ROOT, Msg

_REPLACED: Final = {
    "reveal": ("lie0", "lie1"),
    "proof": ("wrong",),
    "seed": ("false",),
    "agree": ("h2",),
}
"""Wrong content to try for each kind of message, in addition to the right content."""


class Menu:
    """All attacker messages that some honest copy would accept, cached for each transcript."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._made: dict[tuple[int, bool], tuple[tuple[Msg, Verdict], ...]] = {}
        self.tried = 0

    def at(self, node: int, *, is_foreseen: bool) -> tuple[tuple[Msg, Verdict], ...]:
        """Return the messages that a copy with this transcript does not refuse.

        Args:
            node: Transcript of the copy.
            is_foreseen: True if the attacker knows the reveals of the next throw.
        """
        key = (node, is_foreseen)
        found = self._made.get(key)
        if found is None:
            made = list(dict.fromkeys(self._make(node, is_foreseen=is_foreseen)))
            self.tried += len(made)
            judged = [(m, self._fold.check(node, m)) for m in made]
            found = self._made[key] = tuple(one for one in judged if one[1] != Verdict.REFUSE)
        return found

    def _make(self, node: int, *, is_foreseen: bool) -> Iterator[Msg]:
        scope, g = self._fold.setting.scope, self._fold.game(node)
        if node == ROOT:
            yield from (Msg("setup", HOST, -1, ROOT, name) for name in scope.headers)
            return
        at = self._fold.transcripts.depth(node)
        for due in self._fold.dues(node):
            yield from self._answers(node, due, is_foreseen=is_foreseen)
        for seat in scope.attackers:
            yield from self._mixes(node, seat, is_foreseen=is_foreseen)
        for seat in scope.seats:  # these are forgeries if sent in the name of an honest seat
            yield from self._requests(node, seat)
            if seat in scope.offerers:
                yield from (Msg("offer", seat, at, node, n=n) for n in range(len(g.saves)))
            if seat in scope.enders:
                yield Msg("end", seat, at, node, "resign")
        if g.actor:
            yield from self._proposals(node, g.actor)
        if HOST in scope.enders:
            yield Msg("end", HOST, at, node, "time")

    def _answers(self, node: int, due: Due, *, is_foreseen: bool) -> Iterator[Msg]:
        """Yield right and wrong versions of a due message, each at its proper anchor and at the tip."""
        scope = self._fold.setting.scope
        if due.kind == "consent":
            at = self._fold.transcripts.depth(due.after)
            yield from (Msg("consent", due.author, at, due.after, word) for word in ("yes", "no"))
            return
        if due.author not in scope.attackers or due.kind == "mix":
            return
        m = answer(self._fold, node, due)
        if m is None:
            return
        if due.kind == "proof":
            mix = next(mix for mix in self._fold.game(node).mixes if mix.first == due.item)
            m = m._replace(what="wrong" if mix.content == "false" else "right")
        for one in (m, *(m._replace(what=word) for word in _REPLACED.get(due.kind, ()))):
            yield one
            yield one._replace(at=self._fold.transcripts.depth(node), after=node)

    def _mixes(self, node: int, seat: str, *, is_foreseen: bool) -> Iterator[Msg]:
        """Yield mixes of the seat's own pile, due or not: true mixes, and those with a duplicated or missing card."""
        g = self._fold.game(node)
        contents = ("true", "false", "fitted") if is_foreseen else ("true", "false")
        anchors = {due.after for due in self._fold.dues(node) if due.author == seat} | {node}
        for name in ("hand", "deck"):
            pile = g.pile(seat, name)
            cards = tuple(g.labels[n].card for n in pile)
            for after in sorted(anchors) if pile else ():
                at = self._fold.transcripts.depth(after)
                for content in contents:
                    held = cards if content == "true" else cards[:1] * len(cards)
                    inside = tuple((card, ()) for card in held)
                    m = Msg("mix", seat, at, after, name, -1, pile, (content, at, after), inside)
                    yield m
                    yield m._replace(inside=inside[1:])

    def _requests(self, node: int, seat: str) -> Iterator[Msg]:
        at = self._fold.transcripts.depth(node)
        if self._fold.game(node).phase not in {Phase.IDLE, Phase.CONSENT}:
            return  # no search accepts a request in another state
        for names, command in self._fold.setting.scope.commands:
            for whole, chance in commands(self._fold, node, seat, command):
                if seat in names or seat in self._fold.setting.scope.attackers:
                    yield Msg("request", seat, at, node, whole, chance)
                    yield Msg("request", seat, at, node, whole, 1 - chance)

    def _proposals(self, node: int, actor: str) -> Iterator[Msg]:
        """Yield the right proposal, and wrong ones that ask for a hidden label, change a result or show a face."""
        g, at = self._fold.game(node), self._fold.transcripts.depth(node)
        if g.phase not in {Phase.RESOLVE, Phase.REVEAL}:
            return
        m = Msg("proposal", actor, at, node)
        hidden = [n for n, label in enumerate(g.labels) if label.pile in HIDDEN]
        yield from (m._replace(what="ask", labels=(n,)) for n in (*hidden, OUT_OF_RANGE))
        yield m._replace(what="stage")
        if g.phase == Phase.REVEAL:
            yield from self._early(node, m)
            return
        right = expected(g)._replace(author=actor, at=at, after=node)
        yield right
        closed = [n for n in hidden if not g.labels[n].is_opened and n not in right.labels]
        if right.what == "done":
            others = {"roll": (0, 1), "drop": hidden}.get(g.verb, ())
            yield from (right._replace(labels=(n,)) for n in others)
            yield from (right._replace(key=(n, g.labels[n].card)) for n in closed[:1])

    def _early(self, node: int, m: Msg) -> Iterator[Msg]:
        """Yield proposals sent before all reveals have arrived, one for each possible result of the draw or roll."""
        g = self._fold.game(node)
        for value in (0, 1):
            wanted = expected(early(g, m._replace(n=value)))
            yield m._replace(what=wanted.what, labels=wanted.labels, n=value)
