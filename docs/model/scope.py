"""The scope of one search: the seats, the toy game that they play, and the attacker's options."""

from typing import NamedTuple

from docs.model.rules import Rule


class Scope(NamedTuple):
    """One bounded configuration of the model.

    Seats have one-letter names. Each deck has one owner. Two cards make the smallest hand in which a pick hides
    anything.
    """

    name: str
    honest: tuple[str, ...]
    attackers: tuple[str, ...]
    """Seats that the attacker plays, in addition to the host."""
    decks: tuple[str, ...]
    """Seats that own a deck."""
    turns: tuple[str, ...]
    """For each record after the opening, the seats that may act, such as ``("B", "AB")``."""
    commands: tuple[tuple[str, str], ...]
    """Commands of the toy game, each preceded by the seats that may give it."""
    deck_size: int = 2
    deal: int = 2
    """Cards dealt to each hand in the opening."""
    requests: int = 3
    """Maximum number of requests in one history, including those repeated after takebacks."""
    offers: int = 0
    """Maximum number of takeback offers in one history."""
    offerers: str = ""
    """Seats that may offer a takeback."""
    enders: tuple[str, ...] = ()
    """Seats, or the host, that may end the match."""
    headers: tuple[str, ...] = ("h1",)
    """Set-ups that the host may send. h1 and h2 match a scenario of the game; h0 matches none."""
    restart: str = ""
    """Kinds of restart: crash, partial (old files, current state directory) or complete (both old)."""
    restarts: int = 0
    is_informed: bool = False
    """True if files are restored only while another honest seat has the whole transcript and is answering."""
    ack_wait: bool = False
    """True if the time limit for acknowledgements may expire."""
    skipped: frozenset[str] = frozenset()
    """Properties that the requirements do not promise in this scope (section 4)."""

    @property
    def seats(self) -> tuple[str, ...]:
        """Return all seats in header order."""
        return tuple(sorted(self.honest + self.attackers))

    def deck_of(self, header: str, owner: str) -> tuple[str, ...]:
        """Return the cards of an owner's deck under one header."""
        if owner not in self.decks:
            return ()
        cards = [f"{owner.lower()}{number + 1}" for number in range(self.deck_size)]
        if header == "h2":
            cards[-1] = f"{owner.lower()}{self.deck_size + 1}"
        if header == "h0":
            cards[-1] = cards[0]
        return tuple(cards)


class Setting(NamedTuple):
    """A scope, and the rules that are switched off in it."""

    scope: Scope
    off: frozenset[Rule] = frozenset()

    def has(self, rule: Rule) -> bool:
        """Return whether a rule is switched on in this search."""
        return rule not in self.off
