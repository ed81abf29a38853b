"""The model's messages, slots and transcripts. Hashes and commitments are opaque terms.

A transcript is a node in a tree of messages. A node's number stands for the hash ``T(i)``: two nodes
are equal exactly when the whole histories are equal.
"""

from typing import Final, NamedTuple

Pile = tuple[str, str]
"""Owner and name of a pile, such as ``("A", "hand")``."""
Term = tuple[object, ...]
"""Symbolic value: a mix key, commitment or challenge. Equal terms are equal bytes, and terms cannot be inverted."""

HOST: Final = "host"
ROOT: Final = 0
"""Node of the empty transcript."""
SEQUENTIAL: Final = frozenset({"setup", "request", "proposal", "offer", "close"})
"""Kinds that share one slot per anchor. ``end`` has its own slot."""
CHOICES: Final = frozenset({"request", "offer", "consent", "end"})
"""Kinds that a player chooses to send. All others are determined by the transcript."""


class Msg(NamedTuple):
    """One protocol message, without its signature."""

    kind: str
    author: str
    at: int
    """Index of the anchor; -1 for the empty transcript."""
    after: int
    """Node of the anchor, which replaces ``T(anchor)``."""
    what: str = ""
    """Header name, pile name, command, revealed value, status of a proposal, or face of an opened card."""
    n: int = -1
    """Number of a throw, or target record of an offer."""
    labels: tuple[int, ...] = ()
    key: Term = ()
    """Opaque term in the body: mix key, response to a challenge, opened commitment, or faces shown by events."""
    inside: tuple[tuple[str, Term], ...] = ()
    """Card and input term of each mix output. Only the author and the property checks read this field."""


Slot = tuple[str, int, str, object]


def slot(m: Msg) -> Slot:
    """Return the slot of a message: author, anchor index, group and item (2.4)."""
    if m.kind in SEQUENTIAL:
        return (m.author, m.at, "sequential", None)
    if m.kind == "mix":
        return (m.author, m.at, "mix", m.what)
    if m.kind in {"open", "proof"}:
        return (m.author, m.at, m.kind, m.labels[0])
    return (m.author, m.at, m.kind, None)


class Transcripts:
    """All histories found by one search, as a tree. Equal histories share one node."""

    def __init__(self) -> None:
        self._parent = [-1]
        self._depth = [-1]
        self._message: list[Msg | None] = [None]
        self._child: dict[tuple[int, Msg], int] = {}

    def child(self, node: int, m: Msg) -> int:
        """Return the node of a history with one more message."""
        key = (node, m)
        found = self._child.get(key)
        if found is None:
            found = self._child[key] = len(self._parent)
            self._parent.append(node)
            self._depth.append(self._depth[node] + 1)
            self._message.append(m)
        return found

    @property
    def count(self) -> int:
        """Return the number of histories, not counting the empty one."""
        return len(self._parent) - 1

    def depth(self, node: int) -> int:
        """Return the index of the last message; -1 for the empty transcript."""
        return self._depth[node]

    def parent(self, node: int) -> int:
        """Return the history without its last message."""
        return self._parent[node]

    def last(self, node: int) -> Msg:
        """Return the last message of a non-empty history."""
        m = self._message[node]
        assert m is not None
        return m

    def messages(self, node: int) -> list[Msg]:
        """Return the messages of a history in order."""
        path = []
        while node != ROOT:
            path.append(self.last(node))
            node = self._parent[node]
        return path[::-1]

    def ancestor(self, node: int, depth: int) -> int:
        """Return the prefix that ends with the message at the given index."""
        while self._depth[node] > depth:
            node = self._parent[node]
        return node

    def is_prefix(self, first: int, second: int) -> bool:
        """Return whether the first history equals the second or is a prefix of it."""
        return self.ancestor(second, self._depth[first]) == first

    def common(self, first: int, second: int) -> int:
        """Return the longest common prefix of two histories."""
        shorter = min(self._depth[first], self._depth[second])
        first, second = self.ancestor(first, shorter), self.ancestor(second, shorter)
        while first != second:
            first, second = self._parent[first], self._parent[second]
        return first
