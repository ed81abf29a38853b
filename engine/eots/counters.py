"""The counters of the game and the values printed on them (1.24, 6.12, 18.0)."""

from collections.abc import Mapping
from functools import cache
from typing import Final, assert_never

import msgspec

from engine.eots.data import units_file
from engine.eots.data.reading import content, require
from engine.eots.data.units_file import ChartRow, Command, FaceRow, UnitRow, UnitsFile
from engine.eots.ids import ActivationNation, Category, Face, Flag, Side, UnitId
from engine.kernel.data_files import decode
from engine.kernel.structs import shared_fields

FULL_STEPS: Final = 2


class Counter(UnitRow, frozen=True, kw_only=True):
    """One counter with all the properties that the rules use."""

    max_steps: int
    """Number of steps at full strength: 2, or 1 for one-step units and headquarters (0.5)."""
    delayable: bool
    """True if the unit may be delayed when it arrives as a reinforcement (10.21, 10.23)."""
    europe_divert: bool
    """True if the unit may be diverted to Europe (10.22)."""
    delayed_by_us_isr: bool
    """True if the unit is delayed while US rivalry lasts (14.1A)."""
    is_air: bool
    is_naval: bool
    is_ground: bool
    is_hq: bool
    is_air_capable: bool
    """True for air units and carriers, which project zones of influence (6.4)."""
    carrier: bool
    """True for a CV, CVL or CVE (1.3)."""
    organic_transport: bool
    """True for a Japanese CA, CL or APD that may carry a ground unit (8.46)."""
    lrb: bool
    """True for a long-range bomber, including a B29 (1.3)."""
    b29: bool
    armor: bool
    special_forces: bool
    airborne: bool
    burma: bool
    """True if the unit leaves the game when Burma surrenders (13.52)."""

    def strength(self, steps: int) -> FaceRow:
        """Return the combat values for a number of remaining steps. A one-step unit has only a `full` face (0.5).

        Args:
            steps: 1 to `max_steps`. The unit must not be a headquarters.
        """
        face = self.reduced if self.reduced is not None and steps < FULL_STEPS else self.full
        assert face is not None, f"{self.id} must have combat values"
        return face

    def uses_brackets(self, steps: int, hexes: int) -> bool:
        """Return whether a leg of the given length uses an extended range printed in parentheses (1.3, 8.31)."""
        row = self.strength(steps)
        return row.extended_in_parentheses and hexes > row.range

    def asp_cost(self, steps: int) -> int | None:
        """Return the unit's amphibious assault cost in shipping points; None if the unit cannot assault (8.45A)."""
        if self.ground is None or self.ground.asp_cost is None:
            return None
        cost = self.ground.asp_cost
        return cost.full if steps == self.max_steps or cost.reduced is None else cost.reduced

    def steps_on(self, face: Face) -> int:
        """Return the number of steps that the unit has with this face up."""
        return 1 if face is Face.REDUCED else self.max_steps


def _check_row(row: UnitRow) -> None:
    """Check that a counter's values are consistent."""

    def must(problem: str, *, holds: bool) -> None:
        require(units_file.FILE, f"units.{row.id}", holds=holds, problem=problem)

    is_hq = row.category is Category.HQ
    must(
        "headquarters, and only they, must have headquarters values",
        holds=is_hq == (row.hq is not None),
    )
    must("combat units, and only they, must have combat values", holds=is_hq == (row.full is None))
    must(
        "steps do not match the faces",
        holds=is_hq or row.steps == (1 if row.reduced is None else FULL_STEPS),
    )
    must(
        "ground units, and only they, must have ground values",
        holds=(row.category is Category.GROUND) == (row.ground is not None),
    )
    must(
        "side and nationality disagree",
        holds=(row.side is Side.JAPAN) == (row.activation_nation is ActivationNation.JAPAN),
    )


def _build_counter(row: UnitRow) -> Counter:
    """Build one counter from its row in the units file."""
    _check_row(row)
    is_carrier = Flag.CARRIER in row.flags
    values = shared_fields(row, Counter) | shared_fields(row.delay, Counter)
    values |= {f"is_{family}": row.category is family for family in Category}
    values |= {flag.replace("-", "_"): flag in row.flags for flag in Flag}
    return Counter(
        **values,
        max_steps=1 if row.reduced is None else FULL_STEPS,
        is_air_capable=row.category is Category.AIR or is_carrier,
    )


def _build_counters(file: UnitsFile) -> Mapping[UnitId, Counter]:
    """Build all counters. Each id may appear only once."""
    counters_by_id: dict[UnitId, Counter] = {}
    for row in sorted(file.units, key=lambda row: row.id):
        path = f"units.{row.id}"
        require(
            units_file.FILE,
            path,
            holds=row.id not in counters_by_id,
            problem="the id appears twice",
        )
        counters_by_id[row.id] = _build_counter(row)
    return counters_by_id


@cache
def _units_file() -> UnitsFile:
    """Return the packaged units file, which is decoded only once."""
    return decode(units_file.FILE, content(units_file.FILE), UnitsFile)


@cache
def counters() -> Mapping[UnitId, Counter]:
    """Return all of the game's counters, sorted by id. They are built only once."""
    return _build_counters(_units_file())


@cache
def command_over(hq: ActivationNation, unit: ActivationNation) -> Command:
    """Return which units of a nation the HQs of another nation may command: all, air units only, or none (6.12).

    Nations without HQs command none.
    """
    row = getattr(_units_file().hq_activation_chart, hq, ChartRow())
    columns: dict[str, Command] = msgspec.structs.asdict(row)
    return columns.get(unit, "none")


def hq_can_command(hq: Counter, unit: Counter) -> bool:
    """Return whether a headquarters may activate and supply a unit, judged by their nations (6.12).

    No headquarters commands another one. Card texts may extend or restrict command.
    """
    if not hq.is_hq or unit.is_hq or hq.side is not unit.side:
        return False
    match command_over(hq.activation_nation, unit.activation_nation):
        case "all":
            return True
        case "air-only":
            return unit.is_air
        case "none":
            return False
        case other_case:
            assert_never(other_case)
