"""Computes what the attacker learns from honest seats' messages: opened cards, mix orders and seeds."""

from collections.abc import Iterator

from docs.model.fold import Fold
from docs.model.game import ASKING, Phase
from docs.model.messages import Msg, Term


class Knowledge:
    """All information that can be inferred from honest seats' messages. Hashes and commitments are opaque."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._terms: dict[frozenset[Msg], frozenset[Term]] = {}

    def challenges(self, known: frozenset[Msg]) -> dict[Term, int]:
        """Return how many distinct challenges were answered for each mix key."""
        answered: dict[Term, set[Term]] = {}
        for m in known:
            if m.kind == "proof":
                mix, term = m.key
                assert isinstance(mix, tuple)
                assert isinstance(term, tuple)
                answered.setdefault(mix, set()).add(term)
        return {key: len(terms) for key, terms in answered.items()}

    def _cracked(self, known: frozenset[Msg]) -> set[Term]:
        """Return the keys of mixes whose order is known because they answered two challenges or hid different cards."""
        cracked = {key for key, count in self.challenges(known).items() if count > 1}
        uses: dict[Term, set[tuple[str, ...]]] = {}
        for m in known:
            if m.kind == "mix":
                uses.setdefault(m.key, set()).add(tuple(card for card, _ in m.inside))
        return cracked | {key for key, cards in uses.items() if len(cards) > 1}

    def terms(self, known: frozenset[Msg]) -> frozenset[Term]:
        """Return the honest seats' commitments whose cards the attacker knows."""
        found = self._terms.get(known)
        if found is None:
            found = self._terms[known] = self._close(known)
        return found

    def _close(self, known: frozenset[Msg]) -> frozenset[Term]:
        seeds = {m.author for m in known if m.kind == "seed"}
        cracked = self._cracked(known)
        terms = {opened for m in known if m.kind == "open" for opened in _terms_of(m)}
        links = [
            (inner, ("out", m.key, place), m.author)
            for m in known
            if m.kind == "mix"
            for place, (_, inner) in enumerate(m.inside)
            if m.key in cracked or m.author in seeds
        ]
        while True:
            more = {
                term
                for inner, outer, author in links
                if inner in terms or outer in terms or inner[:1] == ("card",) or author in seeds
                for term in (inner, outer)
            } - terms
            if not more:
                return frozenset(terms)
            terms |= more

    def exposed(self, known: frozenset[Msg]) -> Iterator[str]:
        """Yield outputs of honest mixes whose cards are known but were not opened under the rules."""
        seeds = {m.author for m in known if m.kind == "seed"}
        terms = self.terms(known)
        legal = {m.key for m in known if m.kind == "open" and self._is_legal(m)}
        for m in known:
            if m.kind == "mix" and m.author not in seeds:
                for place, (card, _) in enumerate(m.inside):
                    term: Term = ("out", m.key, place)
                    if term in terms and (term, (m.at, m.after)) not in legal:
                        yield f"{card} under output {place} of the {m.what} mix of {m.author} at {m.at}"

    def _is_legal(self, m: Msg) -> bool:
        """Return whether an open follows the rules, judged by the transcript in which it is anchored."""
        g = self._fold.game(m.after)
        if g.phase != Phase.ASK:
            return g.actor == m.author and g.command == f"play {m.what}"
        wanted = 2 if g.verb == "double" else 1
        if g.verb not in ASKING or g.target != m.author or len(g.picks) > wanted:
            return False
        throw = g.thrown[-1] if g.thrown else None
        seats = self._fold.setting.scope.seats
        if throw is None or sorted(throw.values) != [(seat, "true") for seat in seats]:
            return False
        pile = [n for n, one in enumerate(g.labels) if (one.owner, one.pile) == (m.author, "hand")]
        return m.labels == (pile[0],) and g.labels[pile[0]].made < throw.start


def _terms_of(m: Msg) -> Iterator[Term]:
    term = m.key[0]
    assert isinstance(term, tuple)
    yield term
