"""State of one copy of the match, computed by ``fold`` from a transcript."""

from enum import IntEnum
from typing import NamedTuple

from docs.model.messages import Msg, Pile, Term


class Phase(IntEnum):
    """States of 2.5, without Closed and Halted."""

    START = 0
    AGREE = 1
    PREPARE = 2
    REVEAL = 3
    RESOLVE = 4
    ASK = 5
    COMPLETE = 6
    IDLE = 7
    CONSENT = 8
    ENDED = 9


class Label(NamedTuple):
    """One entry in the label table."""

    owner: str
    pile: str
    """Name of the pile; ``gone`` once the label has been an input of a mix."""
    card: str
    """Card that the label hides. The owner and the property checks read it, but ``fold`` does not."""
    term: Term
    """Commitment as a symbolic term."""
    source: tuple[int, int]
    """Anchor of the mix that created the label: index and node."""
    made: int
    """Index of the mix that created the label; -1 for an initial label."""
    n: int
    """Number of the throw that challenges this mix; -1 for an initial label."""
    is_false: bool = False
    """True if the mix does not contain the same cards as its inputs. Read only by property checks."""
    is_opened: bool = False


class Mix(NamedTuple):
    """A mix that no throw has challenged yet, or whose proof is due."""

    owner: str
    pile: str
    first: int
    """First label among its outputs."""
    key: Term
    n: int
    content: str
    """``true``, ``false``, or ``fitted``: false, but made to pass a challenge known in advance."""
    due: int = -1
    """Node of the throw's last reveal, which made the proof due; -1 before that reveal."""


class Throw(NamedTuple):
    """A throw with all its reveals."""

    n: int
    values: tuple[tuple[str, str], ...]
    start: int
    """Index of the first reveal."""
    ready: int
    """Node of T(ready)."""
    last: int
    """Node of the last reveal."""


class Save(NamedTuple):
    """Game state and label table at the end of a record, kept for takebacks."""

    piles: tuple[str, ...]
    turn: int
    dirty: frozenset[Pile]
    begun: int


class Due(NamedTuple):
    """A parallel message that ``fold`` requires."""

    kind: str
    author: str
    after: int
    """Node of its anchor."""
    item: object
    """Pile name of a mix, label of an open, first label of a proof, or throw number of a reveal."""


class Game(NamedTuple):
    """State of one copy."""

    phase: Phase = Phase.START
    header: str = ""
    agreed: frozenset[str] = frozenset()
    entered: int = 0
    """Node at which Agree, Prepare, Complete, Consent or Ended was entered."""
    labels: tuple[Label, ...] = ()
    dirty: frozenset[Pile] = frozenset()
    mixes: tuple[Mix, ...] = ()
    begun: int = 0
    """Number of throws begun, which is n in 2.5."""
    throw: int = -1
    """Number of the throw in progress."""
    ready: int = -1
    values: tuple[tuple[str, str], ...] = ()
    """Reveals for the throw in progress, each with author and value."""
    start: int = -1
    thrown: tuple[Throw, ...] = ()
    """Throws in the record in progress."""
    last_ready: int = -1
    """Index of T(ready) for the match's last completed throw."""
    record: int = 0
    turn: int = 0
    requests: int = 0
    offers: int = 0
    actor: str = ""
    command: str = ""
    chance: bool = True
    """True if the record in progress needs a throw, as the opening does."""
    request: int = 0
    """Node of the request for the record in progress."""
    mixed: int = -1
    """Node of the acting seat's hand mix in this Prepare phase; -1 if there is none."""
    picks: tuple[int, ...] = ()
    """Labels requested in this record, in order."""
    asked: int = -1
    """Node of the last ask."""
    shown: tuple[Term, ...] = ()
    """Labels and faces shown by events although their owner has not opened them. Empty unless a rule is off."""
    saves: tuple[Save, ...] = ()
    back_to: int = -1
    """Record that a takeback offer would return to."""
    consents: frozenset[str] = frozenset()
    seeds: frozenset[str] = frozenset()

    def pile(self, owner: str, name: str) -> tuple[int, ...]:
        """Return the labels of a pile in ascending order."""
        return tuple(
            number
            for number, label in enumerate(self.labels)
            if label.pile == name and label.owner == owner
        )

    @property
    def verb(self) -> str:
        """Return the verb of the command in progress."""
        return self.command.partition(" ")[0]

    @property
    def target(self) -> str:
        """Return the seat or card that the command names."""
        return self.command.partition(" ")[2]


PICKING = frozenset({"raid", "peek", "double", "drop"})
"""Commands with a random pick from the named seat's hand."""
ASKING = frozenset({"raid", "peek", "double"})
"""Commands after which the picked label's owner opens it."""


def chance_of(values: tuple[tuple[str, str], ...], size: int) -> int:
    """Return the result of a random pick or a die roll.

    True reveals give 0, because picks from a mixed pile, and the faces of a die, differ only in name. A false reveal
    gives the value that its sender wants.
    """
    return int(any(value == "lie1" for _, value in values)) % size


def has_chance(g: Game, author: str, command: str) -> bool:
    """Return whether a command needs a throw. Drawing a whole segment needs none (2.6)."""
    verb = command.partition(" ")[0]
    return verb in PICKING | {"roll"} or (verb == "draw" and len(g.pile(author, "deck")) > 1)


def expected(g: Game) -> Msg:
    """Return the only valid proposal in a state, without author and anchor (2.5)."""
    verb, picks = g.verb, g.picks
    what, labels = "done", picks
    if verb in ASKING and len(picks) < (2 if verb == "double" else 1):
        is_stage = len(picks) == 1 and len(g.thrown) == 1
        what = "stage" if is_stage else "ask"
        labels = () if is_stage else (picked(g, g.target, "hand"),)
    elif verb == "drop":
        labels = (picked(g, g.target, "hand"),)
    elif verb == "draw":
        labels = (picked(g, g.actor, "deck"),)
    elif verb == "roll":
        labels = (chance_of(_values(g), 2),)
    return Msg("proposal", "", -1, -1, what, labels=labels)


def picked(g: Game, owner: str, name: str) -> int:
    """Return the label that the record's last throw picks from a pile's labels, in ascending order (2.6)."""
    pile = g.pile(owner, name)
    return pile[chance_of(_values(g), len(pile))]


def _values(g: Game) -> tuple[tuple[str, str], ...]:
    return g.thrown[-1].values if g.thrown else ()
