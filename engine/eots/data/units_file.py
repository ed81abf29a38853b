"""Schema of `units.json`. README.md in the same directory explains the keys."""

from typing import Literal

import msgspec

from engine.eots.ids import (
    ActivationNation,
    CardId,
    Category,
    CommonwealthNation,
    Face,
    Flag,
    HexId,
    HqKey,
    Nationality,
    Pool,
    Service,
    Side,
    UnitId,
    UnitSize,
    UnitType,
)

FILE = "units.json"

Command = Literal["all", "air-only", "none"]


class FaceRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values printed on one face of a combat unit (1.24)."""

    attack: int
    defense: int
    range: int = 0
    """Range in hexes; 0 for ground units and for ships without aircraft."""
    extended_range: int | None = None
    """Extended range in hexes, or None if the unit has no extended range."""
    extended_in_parentheses: bool = False
    """True if the extended range is printed in parentheses. Such a range may not be used to join a battle (1.3)."""

    @property
    def reach(self) -> int:
        """Return the extended range, even if printed in parentheses. If there is none, return the normal range."""
        return max(self.range, self.extended_range or 0)


class HqRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A headquarters' values (1.24, 6.1)."""

    command_range: int
    """Command range in hexes (6.1)."""
    efficiency: int
    command_key: HqKey


class EventCardRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The card whose event brings a unit into play."""

    id: CardId
    side: Side
    number: int


class EntryRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When and how a counter enters the full campaign (1.24, 18.0)."""

    kind: Literal["setup", "turn", "event", "none"]
    face: Face
    hex: HexId | None = None
    turn: int | None = None
    event_card: EventCardRow | None = None


class AspRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cost of one assault in amphibious shipping points, by face (8.45A)."""

    full: int
    reduced: int | None


class GroundRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ground unit's abilities and limits, except for ground movement (8.4)."""

    amphibious_assault: bool
    asp_cost: AspRow | None
    strategic_ground_transport: bool
    organic_cargo: bool
    us_army_one_hex_island_limit: bool


class DelayRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Delays that can affect a reinforcement (10.2, 14.1)."""

    delayable: bool
    europe_divert: bool
    delayed_by_us_isr: bool


class MasterListRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Year columns as printed in the master list (18.0)."""

    y1941: str = msgspec.field(name="1941")
    y1942: str = msgspec.field(name="1942")
    y1943: str = msgspec.field(name="1943")
    y1944: str = msgspec.field(name="1944")


class UnitRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One counter, as stored in the file."""

    id: UnitId
    name: str
    counter_label: str
    """Text printed on the counter."""
    master_name: str | None
    """Name in the master list, which card texts also use (18.0)."""
    side: Side
    nationality: Nationality
    cw_nation: CommonwealthNation | None
    activation_nation: ActivationNation
    isr_service: Service | None
    """The unit's service, or None if inter-service rivalry does not restrict the unit (14)."""
    marine: bool
    """True for US Marine ground and air units (8.45D)."""
    category: Category
    type: UnitType
    size: UnitSize | None
    full: FaceRow | None
    """Values on the full-strength face; None only for headquarters."""
    reduced: FaceRow | None
    """Values on the reduced face; None for one-step units and headquarters."""
    steps: int | None
    hq: HqRow | None
    prewar: bool
    """True if the unit cannot receive replacements (11.1). A pre-war headquarters never returns (6.14)."""
    entry: EntryRow
    ground: GroundRow | None
    flags: tuple[Flag, ...]
    air_stack_group: str | None
    """Stacking group, or None. Air units in the same group count as one for stacking (8.34)."""
    delay: DelayRow
    replacement_pool: Pool | None
    """The pool whose steps may be spent on the unit; None if it can never be replaced (11)."""
    notes: tuple[str, ...] = ()
    master_list: MasterListRow | None
    south_pacific: str | None


class ChartRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The units that one nation's headquarters may command (6.12). An omitted column means `none`."""

    us: Command = "none"
    commonwealth: Command = "none"
    china: Command = "none"
    dutch: Command = "none"
    japan: Command = "none"


class CommandChart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For each nation, the units that the nation's headquarters may command (6.12)."""

    rule: str
    us: ChartRow
    commonwealth: ChartRow
    joint: ChartRow
    japan: ChartRow


class UnitsFile(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of `units.json` that the program uses."""

    hq_activation_chart: CommandChart
    units: tuple[UnitRow, ...]
