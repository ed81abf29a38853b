"""Charts with special layouts: sections, matrices, and lists of values or turns."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from engine.cbps.charts.chart import (
    Axis,
    Cell,
    Chart,
    ColumnChart,
    DieChart,
    DieRange,
    LookupChart,
    Row,
    Small,
    bracket_for,
    cell_at,
)
from engine.cbps.charts.results import (
    CarrierCount,
    CarrierSection,
    LevelTwo,
    Screen,
    SurfaceCode,
    SurpriseWord,
    Waves,
)

ShipLine: TypeAlias = Literal["historical", "additional", "scenario_9"]
"""The Japanese ships in play, which determine the line in the Commitment Test (13.21)."""


class SurpriseEffect(Row, frozen=True, kw_only=True):
    """The effects of one degree of surprise (5.3)."""

    cap_roll_drm: Small | None
    """The modifier of the CAP roll, or None if there is no CAP."""
    cap: str
    aa: str
    damage_drm: Small


class SurpriseChart(DieChart[SurpriseWord], frozen=True, kw_only=True, tag="die"):
    """The Surprise chart, with the effects of each degree of surprise (5.3)."""

    effects: Mapping[SurpriseWord, SurpriseEffect]


class Footnote(Row, frozen=True, kw_only=True):
    """A footnote that chart cells refer to."""

    text: str


class FirstLevelChart(
    ColumnChart[LevelTwo | Literal["note1"]], frozen=True, kw_only=True, tag="die_by_column"
):
    """The L1 to L2 Intelligence chart, with its footnotes (7.36)."""

    footnotes: Mapping[str, Footnote]


class ColumnShift(Row, frozen=True, kw_only=True):
    """The number of columns to shift for one type of force."""

    force: str
    shift: Small


class KnownStrengthChart(ColumnChart[Waves], frozen=True, kw_only=True, tag="die_by_column"):
    """The chart for the strength of raids, by Known Air Strength (10.1E)."""

    column_shift: tuple[ColumnShift, ...]

    def shift(self, force: str) -> ColumnShift:
        """Return the number of columns to shift for a type of force: ``L1 Carrier`` or a level-2 chit."""
        return next(shift for shift in self.column_shift if shift.force == force)


class TorpedoColumn(Row, frozen=True, kw_only=True):
    """The column used for torpedo fire (21.25)."""

    cells: tuple[Cell[Small], ...]


class DefenceValue(Row, frozen=True, kw_only=True):
    """The defence value of one type of target, which is subtracted from the attack value (21.25)."""

    target: str
    value: Small


class SurfaceFireChart(ColumnChart[Small], frozen=True, kw_only=True, tag="die_by_column"):
    """The Surface Combat Fire chart (21.25)."""

    torpedo_column: TorpedoColumn
    defence_values: tuple[DefenceValue, ...]

    def torpedo_at(self, total: int) -> Cell[Small]:
        """Return the cell for a modified die roll in the torpedo column."""
        return cell_at(self.torpedo_column.cells, total)

    def defence(self, target: str) -> DefenceValue:
        """Return the defence value of ``BB``, ``CV/CVL``, ``cruiser unit or CLAA`` or ``destroyer unit``."""
        return next(value for value in self.defence_values if value.target == target)


class NamedScreen(Row, frozen=True, kw_only=True):
    """A force whose screen is printed on the chart instead of rolled."""

    id: str
    result: SurfaceCode


class ScreenChart(LookupChart[Screen], frozen=True, kw_only=True, tag="lookup"):
    """The Screen Generation chart (7.44)."""

    special: tuple[NamedScreen, ...] = ()


class Unknown(Row, frozen=True, kw_only=True):
    """The value to use if the number that selects the column is unknown."""

    value: Small


class CommitmentOneChart(LookupChart[Small], frozen=True, kw_only=True, tag="lookup"):
    """The L1 Commitment Value chart (13.13)."""

    unknown: Unknown


class StrengthRow(Row, frozen=True, kw_only=True):
    """A row in a chart section, for a range of Known Air Strength."""

    label: str
    min: Small | None
    max: Small | None
    includes_unknown: bool = False
    cells: tuple[Cell[CarrierCount], ...]


class SectionChart(Chart, frozen=True, kw_only=True, tag="sectioned_die"):
    """The L2 to L3 Carrier Forces chart, with a section per chit and rows by Known Air Strength (7.37)."""

    die: DieRange
    sections: Mapping[CarrierSection, tuple[StrengthRow, ...]]

    def row_for(self, section: CarrierSection, strength: int | None) -> StrengthRow:
        """Return the row for a Known Air Strength. None means that the strength is unknown."""
        rows = self.sections[section]
        if strength is None:
            return next(row for row in rows if row.includes_unknown)
        return bracket_for(rows, strength)

    def look_up(
        self, total: int, section: CarrierSection, strength: int | None
    ) -> Cell[CarrierCount]:
        """Return the cell for a modified die roll in the section and row."""
        return cell_at(self.row_for(section, strength).cells, total)


class Bracket(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The range of numbers that a row or column of a matrix covers."""

    min: Small | None
    max: Small | None = None


class MatrixChart(Chart, frozen=True, kw_only=True, tag="matrix"):
    """The Air Raid Strength Reduction chart, which needs no die roll (10.1F)."""

    row_axis: Axis
    column_axis: Axis
    rows: tuple[Bracket, ...]
    columns: tuple[Bracket, ...]
    cells: tuple[tuple[Small, ...], ...]
    prov: Literal["seed", "inferred", "assumed", "printed"] = "printed"

    def look_up(self, initial_total: int, points_lost: int) -> int:
        """Return the strength of a raid after subtracting lost or unavailable points."""
        row = self.rows.index(bracket_for(self.rows, initial_total))
        column = self.columns.index(bracket_for(self.columns, points_lost))
        return self.cells[row][column]


class NamedRow(Row, frozen=True, kw_only=True):
    """A named row with one value per column."""

    id: str
    values: tuple[Small, ...]


class NamedMatrixChart(Chart, frozen=True, kw_only=True, tag="matrix_named"):
    """The Carrier Operations Limits chart (6.2)."""

    columns: tuple[str, ...]
    rows: tuple[NamedRow, ...]

    def look_up(self, row: str, column: str) -> int:
        """Return the value in a row and column, such as ``flight_deck`` for a ``CVL``."""
        place = self.columns.index(column)
        return next(matrix_row.values[place] for matrix_row in self.rows if matrix_row.id == row)


class CommitmentColumn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One column of a Commitment Test line, for a range of the Commitment Index."""

    min: Small | None
    max: Small | None
    cells: tuple[Cell[Literal["real", "false contact"]], ...]

    @property
    def key(self) -> str:
        """Return the column heading, such as ``3-5``."""
        return f"{self.min}+" if self.max is None else f"{self.min}-{self.max}"


class CommitmentLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the Commitment Test."""

    line: ShipLine
    columns: tuple[CommitmentColumn, ...]


class CommitmentTestChart(Chart, frozen=True, kw_only=True, tag="commitment_test"):
    """The Commitment Test chart. Ships in play select the line, and the Commitment Index the column (13.22)."""

    die: DieRange
    lines: tuple[CommitmentLine, ...]

    def column_for(self, line: ShipLine, index: int) -> CommitmentColumn:
        """Return the column for a Commitment Index."""
        columns = next(entry.columns for entry in self.lines if entry.line == line)
        return bracket_for(columns, index)

    def look_up(
        self, total: int, line: ShipLine, index: int
    ) -> Cell[Literal["real", "false contact"]]:
        """Return the cell for a die roll in the line and column."""
        return cell_at(self.column_for(line, index).cells, total)


class RaidTurn(Row, frozen=True, kw_only=True):
    """The maximum range and the modifier for raids in one turn."""

    turn: str
    max_range: Small | None
    """The maximum range in hexes, or None if no raids can fly."""
    drm: Small


class RangeDrm(Row, frozen=True, kw_only=True):
    """A modifier for a range of distances in hexes."""

    min: Small | None
    max: Small | None
    drm: Small


class PhaseLimit(Row, frozen=True, kw_only=True):
    """A limit that is described in words."""

    value: str


class RaidGenerationChart(Chart, frozen=True, kw_only=True, tag="raid_generation"):
    """The Japanese Air Raid Generation chart (10.1B)."""

    launch_at_or_above: Unknown
    turns: tuple[RaidTurn, ...]
    phase_limit: PhaseLimit
    range_drm: tuple[RangeDrm, ...]

    def turn(self, label: str) -> RaidTurn:
        """Return the maximum range and the modifier for a turn."""
        return next(turn for turn in self.turns if turn.turn == label)

    def range_for(self, hexes: int) -> RangeDrm:
        """Return the modifier for the distance to the target."""
        return bracket_for(self.range_drm, hexes)

    def is_launched(self, total: int) -> bool:
        """Return whether a modified die roll is high enough to launch a raid."""
        return total >= self.launch_at_or_above.value
