"""The model's ``fold``: ``Checks`` accepts or refuses messages, and ``Fold`` stores the resulting states."""

from collections.abc import Callable
from enum import Enum
from typing import Final

from docs.model.dues import dues
from docs.model.game import ASKING, Due, Game, Phase, Throw, expected, has_chance
from docs.model.messages import HOST, ROOT, Msg, Term, Transcripts
from docs.model.rules import Rule
from docs.model.scope import Setting
from docs.model.steps import Step, apply_kind, settle

OUT_OF_RANGE: Final = 999
"""A label number that exists in no copy."""
HIDDEN: Final = frozenset({"hand", "deck", "down"})
"""Piles whose cards are face down."""
_RUNNING: Final = frozenset(Phase) - {Phase.START, Phase.AGREE, Phase.ENDED}


class Verdict(Enum):
    """A copy's reaction to a message."""

    REFUSE = 0
    ACCEPT = 1
    CRASH = 2
    """The program crashes on this message, and crashes again each time it starts."""


class Fold:
    """``fold`` under the rules of one search, with its results cached for each transcript."""

    def __init__(self, setting: Setting, transcripts: Transcripts) -> None:
        self.setting = setting
        self.transcripts = transcripts
        self._games: dict[int, Game] = {ROOT: Game()}
        self._verdicts: dict[tuple[int, Msg], Verdict] = {}
        self._dues: dict[int, tuple[Due, ...]] = {}
        self._checks = Checks(self, setting)
        self._judge = Checks(self, Setting(setting.scope))

    def game(self, node: int) -> Game:
        """Return the state after a transcript whose messages were all accepted."""
        return self._games[node]

    def is_accepted(self, node: int) -> bool:
        """Return whether some copy accepted the messages of a transcript."""
        return node in self._games

    def dues(self, node: int) -> tuple[Due, ...]:
        """Return the parallel messages that are required after a transcript."""
        found = self._dues.get(node)
        if found is None:
            found = self._dues[node] = dues(self.setting, self._games[node])
        return found

    def check(self, node: int, m: Msg) -> Verdict:
        """Return how a copy with this transcript reacts to a message, ignoring signatures."""
        key = (node, m)
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = self._verdicts[key] = self._checks.verdict(node, m)
        return verdict

    def judge(self, node: int, m: Msg) -> Verdict:
        """Return the verdict of a copy to which every rule applies."""
        return self._judge.verdict(node, m)

    def add(self, node: int, m: Msg) -> int:
        """Return the transcript extended by an accepted message."""
        new = self.transcripts.child(node, m)
        if new not in self._games:
            begun = self._games[m.after].begun
            step = Step(self.setting, self.transcripts, new, m, begun)
            g = apply_kind(step, self._games[node])
            self._games[new] = settle(self.setting, self.transcripts, g, new)
        return new


class Checks:
    """Validity of each kind of message under a set of rules."""

    def __init__(self, fold: Fold, setting: Setting) -> None:
        self._fold = fold
        self._setting = setting
        self._kinds: dict[str, Callable[[int, Game, Msg], bool]] = {
            "setup": self._setup,
            "agree": self._agree,
            "mix": self._mix,
            "request": self._request,
            "reveal": self._reveal,
            "proof": self._proof,
            "proposal": self._proposal,
            "open": self._open,
            "offer": self._offer,
            "consent": self._consent,
            "end": self._end,
            "seed": self._seed,
        }

    def verdict(self, node: int, m: Msg) -> Verdict:
        """Return how a copy reacts to a message. Acknowledgements do not appear in transcripts."""
        g = self._fold.game(node)
        if m.kind not in self._kinds:
            return Verdict.REFUSE
        if m.kind == "proposal" and OUT_OF_RANGE in m.labels:
            is_asking = g.phase == Phase.RESOLVE and m.author == g.actor
            is_unguarded = is_asking and not self._setting.has(Rule.LABEL_RANGE)
            return Verdict.CRASH if is_unguarded else Verdict.REFUSE
        return Verdict.ACCEPT if self._kinds[m.kind](node, g, m) else Verdict.REFUSE

    def _has(self, rule: Rule) -> bool:
        return self._setting.has(rule)

    def _is_anchored(self, m: Msg, node: int) -> bool:
        return m.after == node and m.at == self._fold.transcripts.depth(node)

    def _is_due(self, node: int, m: Msg, item: object) -> bool:
        """Return whether a parallel message is due after a transcript, with this anchor."""
        return any(
            due[:2] == (m.kind, m.author) and due.item == item and self._is_anchored(m, due.after)
            for due in self._fold.dues(node)
        )

    def _setup(self, node: int, g: Game, m: Msg) -> bool:
        is_right = m.what != "h0" or not self._has(Rule.SETUP_RECOMPUTED)
        return is_right and node == ROOT and m.author == HOST and self._is_anchored(m, ROOT)

    def _agree(self, node: int, g: Game, m: Msg) -> bool:
        return m.what == g.header and self._is_due(node, m, "")

    def _mix(self, node: int, g: Game, m: Msg) -> bool:
        pile = g.pile(m.author, m.what)
        if not pile or m.labels != pile:
            return False
        missing = len(pile) - len(m.inside)
        if missing and (missing > 1 or self._has(Rule.INPUTS_EXACT)):
            return False
        if self._is_due(node, m, m.what):
            return True
        if self._has(Rule.MIX_WHEN_DUE) or g.phase != Phase.RESOLVE or not g.thrown:
            return False
        # Allowed only once for each throw and pile, so that the search ends.
        is_first = all(g.labels[n].made < g.thrown[-1].start for n in pile)
        return is_first and self._is_anchored(m, node)

    def _request(self, node: int, g: Game, m: Msg) -> bool:
        scope = self._setting.scope
        if g.phase not in {Phase.IDLE, Phase.CONSENT} or g.requests >= scope.requests:
            return False
        is_asked = g.turn < len(scope.turns) and m.author in scope.turns[g.turn]
        if not is_asked and self._has(Rule.ACTOR_ASKED):
            return False
        is_right = bool(m.n) == has_chance(g, m.author, m.what) or not self._has(Rule.ASK_ALLOWED)
        return is_right and is_legal(g, m.author, m.what) and self._is_anchored(m, node)

    def _reveal(self, node: int, g: Game, m: Msg) -> bool:
        if g.phase != Phase.REVEAL or m.n != g.throw:
            return False
        if m.what != "true" and self._has(Rule.REVEALS_VERIFIED):
            return False
        if self._has(Rule.REVEAL_BINDS_HISTORY):
            return self._is_due(node, m, m.n)
        return any(due.author == m.author for due in self._fold.dues(node))

    def _proof(self, node: int, g: Game, m: Msg) -> bool:
        is_right = m.what == "right" or not self._has(Rule.PROOF_CHECKED)
        return is_right and self._is_due(node, m, m.labels[0])

    def _proposal(self, node: int, g: Game, m: Msg) -> bool:
        is_early = g.phase == Phase.REVEAL and not self._has(Rule.ALL_REVEALS)
        if g.phase != Phase.RESOLVE and not is_early:
            return False
        if m.author != g.actor or not self._is_anchored(m, node):
            return False
        if m.key and self._has(Rule.FACES_BY_OPEN):
            return False
        wanted = expected(early(g, m) if is_early else g)
        if (m.what, m.labels) == (wanted.what, wanted.labels):
            return True
        return self._is_let_through(g, m, wanted)

    def _is_let_through(self, g: Game, m: Msg, wanted: Msg) -> bool:
        """Return whether a wrong proposal is accepted because the rule against it is switched off."""
        if m.what == "done":
            is_free = not self._has(Rule.USES_CHECKED) and g.verb in {"roll", "drop"}
            return is_free and wanted.what == "done"
        if m.what != "ask" or m.labels[0] >= len(g.labels):
            return False
        label = g.labels[m.labels[0]]
        if label.is_opened or label.pile not in HIDDEN:
            return False
        if wanted.what == "ask":
            return not self._has(Rule.PICK_CHECKED)
        if wanted.what == "stage":
            return not self._has(Rule.STAGE_NEEDED)
        return not self._has(Rule.ASK_LIMIT if g.verb in ASKING else Rule.ASK_ALLOWED)

    def _open(self, node: int, g: Game, m: Msg) -> bool:
        number = m.labels[0]
        if not 0 <= number < len(g.labels):
            return False
        label = g.labels[number]
        if label.owner != m.author or label.card != m.what:
            return False
        if g.phase == Phase.ASK:
            return self._is_due(node, m, number)
        is_own = label.pile == "hand" and m.what == g.target
        return is_own and self._is_due(node, m, -1)

    def _offer(self, node: int, g: Game, m: Msg) -> bool:
        is_free = g.phase == Phase.IDLE and g.offers < self._setting.scope.offers
        return is_free and 0 <= m.n < len(g.saves) - 1 and self._is_anchored(m, node)

    def _consent(self, node: int, g: Game, m: Msg) -> bool:
        if g.phase == Phase.CONSENT and not self._has(Rule.CONSENT_BOUND):
            return m.author not in g.consents
        return self._is_due(node, m, "")

    def _end(self, node: int, g: Game, m: Msg) -> bool:
        is_seat = m.author in self._setting.scope.seats
        is_named = is_seat if m.what == "resign" else m.author == HOST
        return is_named and g.phase in _RUNNING and self._is_anchored(m, node)

    def _seed(self, node: int, g: Game, m: Msg) -> bool:
        return m.what == "true" and self._is_due(node, m, "")


def is_legal(g: Game, author: str, command: str) -> bool:
    """Return whether the toy game's rules allow an open command."""
    verb, _, target = command.partition(" ")
    if verb in ASKING | {"drop"}:
        return len(g.pile(target, "hand")) > 1
    if verb == "draw":
        return bool(g.pile(author, "deck"))
    if verb == "play":
        return bool(g.pile(author, "hand"))
    return verb in {"pass", "roll"}


def early(g: Game, m: Msg) -> Game:
    """Return a state in which the missing reveals have the values that a proposal assumes."""
    values = (*g.values, ("missing", f"lie{max(m.n, 0)}"))
    return g._replace(thrown=(*g.thrown, Throw(g.throw, values, g.start, g.ready, g.ready)))


def challenge(setting: Setting, g: Game, throw: Throw, owner: str, name: str) -> Term:
    """Return a throw's challenge to a pile's mix (2.3)."""
    values = tuple(sorted(throw.values))
    term: Term = ("challenge", g.header, throw.n, owner, name, values)
    return term if setting.has(Rule.CHALLENGE_FIXED) else (*term, throw.last)


def mix_key(setting: Setting, g: Game, m: Msg) -> Term:
    """Return an honest owner's mix key W for a message that is complete except for the key (2.3)."""
    term: Term = ("W", m.author, m.what)
    if setting.has(Rule.KEY_BINDS_HISTORY):
        term = (*term, g.header, m.at, m.after)
    if setting.has(Rule.KEY_BINDS_INPUTS):
        term = (*term, m.labels)
    return term
