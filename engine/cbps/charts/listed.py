"""Charts that list values: constants, chits, boxes, damage levels and the turns of a day."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from engine.cbps.charts.chart import Chart, Row, Small, bracket_for
from engine.cbps.charts.results import DamageName, LevelOneChit


class Constant(Row, frozen=True, kw_only=True):
    """A named constant. Its value is one number or, for one constant, a number for each range of die rolls."""

    id: str
    value: Small | Mapping[str, Small]
    rule: str


class ValuesChart(Chart, frozen=True, kw_only=True, tag="values", dict=True):
    """A chart of named constants."""

    values: tuple[Constant, ...]

    @cached_property
    def _by_id(self) -> Mapping[str, Constant]:
        return {value.id: value for value in reversed(self.values)}

    def constant(self, name: str) -> Constant:
        """Return a constant with its rule and origin.

        Raises:
            KeyError: There is no constant with this name.
        """
        return self._by_id[name]

    def value(self, name: str) -> int:
        """Return the value of a constant that is a single number."""
        constant = self.constant(name).value
        assert isinstance(constant, int), ("the constant must be a single number", name)
        return constant


class Formula(Row, frozen=True, kw_only=True):
    """A threshold described in words."""

    id: str
    value: Small | str
    rule: str


class FormulaChart(Chart, frozen=True, kw_only=True, tag="formulas"):
    """The Japanese Damage Effects chart, with thresholds described in words (12.2, 12.52)."""

    values: tuple[Formula, ...]

    def formula(self, name: str) -> Formula:
        """Return the threshold with this name."""
        return next(formula for formula in self.values if formula.id == name)


class ChitCount(Row, frozen=True, kw_only=True):
    """The number of level-1 chits of one kind."""

    chit: LevelOneChit
    count: Small
    min_proved: Small = 0
    """Minimum number of these chits that the rules require."""


class DoubleForceChanges(Row, frozen=True, kw_only=True):
    """The changes that the double-force rule makes to the level-1 cup (7.51)."""

    add: Mapping[LevelOneChit, Small]
    remove: Mapping[LevelOneChit, Small]
    set_aside_for_double: tuple[LevelOneChit, ...]


class MixChart(Chart, frozen=True, kw_only=True, tag="mix"):
    """The numbers of level-1 chits in the game, by kind (7.32, 7.35)."""

    entries: tuple[ChitCount, ...]
    rule_7_5_changes: DoubleForceChanges

    def count(self, chit: LevelOneChit) -> int:
        """Return the number of level-1 chits of one kind."""
        return next(entry.count for entry in self.entries if entry.chit == chit)


class Chit(Row, frozen=True, kw_only=True):
    """A level 2 or level 3 chit with its printed values (13.13)."""

    id: str
    carrier: bool
    commitment: Small
    cv: Small = 0
    cvl: Small = 0
    air_value: Small = 0


class ChitChart(Chart, frozen=True, kw_only=True, tag="chits"):
    """The chart of the chits of one level."""

    chits: tuple[Chit, ...]


class ReturnBox(Row, frozen=True, kw_only=True):
    """A box of the return track, for a range of distances in hexes."""

    id: str
    min: Small | None
    max: Small | None


class TurnaroundBox(Row, frozen=True, kw_only=True):
    """A box for air points aboard. ``usable_range`` is in hexes, or None if the points cannot fly (9.12)."""

    id: str
    usable_range: Small | None


class GuamBoxes(Row, frozen=True, kw_only=True):
    """The boxes of Guam, in the order in which air points pass through them (11.29)."""

    first_box: str
    then: tuple[str, ...]


class BoxesChart(Chart, frozen=True, kw_only=True, tag="boxes"):
    """The chart of the boxes of a Butai display and of Guam (9.12)."""

    return_track: tuple[ReturnBox, ...]
    """Boxes from the farthest to the nearest."""
    turnaround: tuple[TurnaroundBox, ...]
    """Boxes in the order in which points pass through them."""
    guam: GuamBoxes
    other: tuple[str, ...]

    def return_box(self, hexes: int) -> str:
        """Return the box where points begin their return from the given distance."""
        return bracket_for(self.return_track[::-1], hexes).id


class DamageLevel(Row, frozen=True, kw_only=True):
    """A damage level with its range of hits and its effects (12.11, 12.51)."""

    level: DamageName
    min: Small | None
    max: Small | None
    aa: Literal["full", "half", "zero"]
    flight_ops: str | None
    """The flight operations that a damaged carrier may still carry out, or None for other ships."""
    move: bool


class DamageChart(Chart, frozen=True, kw_only=True, tag="damage_levels"):
    """The US Damage Effects chart (12.11, 12.51)."""

    ship_types: Mapping[
        Literal["CV", "CVL", "BB (capacity 20 or less)", "BB (capacity above 20)"],
        tuple[DamageLevel, ...],
    ]
    other_ships: str

    def level(
        self, ship: Literal["CV", "CVL", "BB"], capacity: int, hits: int
    ) -> DamageLevel | None:
        """Return the damage level for a number of hits, or None if there is no damage."""
        if ship != "BB":
            levels = self.ship_types[ship]
        elif capacity <= 20:  # noqa: PLR2004  # the two lines of 12.51
            levels = self.ship_types["BB (capacity 20 or less)"]
        else:
            levels = self.ship_types["BB (capacity above 20)"]
        return bracket_for(levels, hits) if hits > 0 else None


class TrackTurn(Row, frozen=True, kw_only=True):
    """One turn of the day."""

    index: Small
    label: str
    light: tuple[
        Literal["day", "dusk", "night"],
        Literal["day", "dusk", "night"],
        Literal["day", "dusk", "night"],
        Literal["day", "dusk", "night"],
    ]
    """The light in each of the four Action Phases."""
    crippled_ships_move: bool
    land_reinforcement_chits: bool
    crippled_sub_attack: bool


class TurnChart(Chart, frozen=True, kw_only=True, tag="turns", dict=True):
    """The turn track with the turns of one day (3.0)."""

    turns: tuple[TrackTurn, ...]

    @cached_property
    def _by_label(self) -> Mapping[str, TrackTurn]:
        return {turn.label: turn for turn in reversed(self.turns)}

    def turn(self, label: str) -> TrackTurn:
        """Return the turn with a label such as ``0530``.

        Raises:
            KeyError: There is no such turn.
        """
        return self._by_label[label]
