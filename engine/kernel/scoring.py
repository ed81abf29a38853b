"""Lets a game explain its score: its scale, its course and where the points come from."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

import msgspec

from engine.kernel.decision import Outcome
from engine.kernel.ids import Role

S = TypeVar("S")
"""The game's state."""
E = TypeVar("E")
"""The union of the game's events."""


class ScoreSide(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two sides, with its names in texts about the score."""

    id: Role
    """The name that an outcome reports as the winner."""
    name: str
    """The side's name inside a sentence, such as ``the Allies``."""
    adjective: str
    """The word before *victory*, such as ``Allied``."""


class ScoreBand(msgspec.Struct, frozen=True, kw_only=True):
    """A range of points that leads to one result. The bounds are inclusive; None means no bound."""

    least: int | None
    most: int | None
    text: str
    """The result in words, such as ``Allied decisive victory``."""
    winner: Role | None
    is_decisive: bool = False
    """True for the best result of its side, if that side has several."""

    def contains(self, points: int) -> bool:
        """Return whether a number of points lies in this band."""
        return (self.least is None or points >= self.least) and (
            self.most is None or points <= self.most
        )


class ScoreCurve(msgspec.Struct, frozen=True, kw_only=True):
    """One line in the chart of the score."""

    name: str
    side: Role | None = None
    """The side whose points these are; None if the curve shows the points of all sides together."""


class ScoreScale(msgspec.Struct, frozen=True, kw_only=True):
    """Describes what the score counts, and the result for each number of points."""

    title: str
    """What is counted, such as ``Japanese victory points``."""
    step: str
    """What is played between two measurements, in the singular, such as ``card``."""
    curves: tuple[ScoreCurve, ...]
    bands: tuple[ScoreBand, ...] = ()
    """The results by number of points, lowest first. Empty if the result depends on more than points."""
    high: Role
    """The side that benefits from higher numbers."""


class ScoreEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One item that explains where points come from."""

    key: str
    """Identifies the source of the points. It stays the same throughout a game."""
    text: str
    rule: str
    points: int
    """Number of points with its sign, as counted by the scale."""
    side: Role
    """The side that benefits from these points."""


class Scoring(ABC, Generic[S, E]):
    """Explains one game's score. All methods are pure."""

    sides: tuple[ScoreSide, ScoreSide]
    """Both sides. The first one has the first colour on the screens."""
    battle_tags: ClassVar[frozenset[str]]
    """Tags of the events that begin or resolve a battle."""
    loss_tags: ClassVar[frozenset[str]]
    """Tags of the events that cost a side part of its forces."""
    gain_tags: ClassVar[frozenset[str]] = frozenset()
    """Tags of the events that `gain` handles."""

    @abstractmethod
    def scale(self, state: S) -> ScoreScale:
        """Return the scale: what the score counts, and the result for each number of points."""

    @abstractmethod
    def moment(self, state: S) -> Hashable:
        """Return a value that changes whenever the score should be measured again; None if no score is kept yet."""

    @abstractmethod
    def values(self, state: S) -> tuple[int, ...]:
        """Return the current points of each curve, in the order of the scale's curves."""

    def advantage(self, state: S) -> int:
        """Return a number that grows as the side that benefits from higher scores does better.

        The change in this number measures the effect of a battle.
        """
        return self.values(state)[0]

    def entries(self, state: S) -> tuple[ScoreEntry, ...]:
        """Return the sources of the current points; empty if `gain` reports them event by event."""
        del state
        return ()

    def has_gains(self, state: S) -> bool:
        """Return whether `gain` reports the sources of points in this scenario."""
        del state
        return False

    def gain(self, events: Sequence[E], index: int, values: Sequence[int]) -> ScoreEntry | None:
        """Return the points that an event with one of the `gain_tags` gives, or None if it gives none.

        Args:
            events: The known events of one record.
            index: Index of the event.
            values: The points of each curve before the event.
        """
        del events, index, values
        return None

    def headline(self, outcome: Outcome) -> str:
        """Return the verdict in a few words, such as ``Allied decisive victory``."""
        level = f"{outcome.level} " if outcome.level else ""
        return self.victory_of(outcome.winner, level) if not outcome.is_draw else "Draw"

    @abstractmethod
    def detail(self, state: S, outcome: Outcome) -> str:
        """Return the final points in words, as the continuation of the headline after a comma."""

    def victory_of(self, winner: Role | None, level: str = "") -> str:
        """Describe a victory. If no side is given, the winner is the game itself, which is the second side."""
        side = next((side for side in self.sides if side.id == winner), self.sides[1])
        return f"{side.adjective} {level}victory"

    def side_of(self, role: Role | None) -> Role | None:
        """Return the side of a role; None for a spectator."""
        return next((side.id for side in self.sides if side.id == role), None)


def band_of(bands: Sequence[ScoreBand], points: int) -> ScoreBand | None:
    """Return the band that contains a number of points; None if there is none."""
    return next((band for band in bands if band.contains(points)), None)
