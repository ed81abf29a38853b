"""Event steps that affect an Offensive and its battles (C4.2)."""

from typing import Literal

import msgspec

from engine.eots.deck_steps import (
    AskingStep,
    DieKind,
    Group,
    Intelligence,
    Logistic,
    LossRow,
    RangeTo,
    ReactionClass,
    Step,
)
from engine.eots.deck_terms import CardService, Condition, Filter, HqSelector, PlaceFilter, Window
from engine.eots.ids import AreaId, HexId, Side, UnitId


class ActivateStep(Step, frozen=True, kw_only=True, tag="activate"):
    """Carry out an EC Offensive, or a counter-offensive if `reaction` is set (7.21)."""

    hq: tuple[HqSelector, ...] = ()
    logistic: Logistic | None = None
    units: tuple[UnitId, ...] = ()
    """Units that are activated automatically; empty if the player chooses."""
    multi_hq: bool = False
    """True if all of the owner's headquarters activate together."""
    reaction: bool = False
    at_hex: HexId | None = None


class AllowOnly(Step, frozen=True, kw_only=True, tag="allow_only"):
    """The owner may activate only units that match one of the filters."""

    filters: tuple[Filter, ...]


class Limit(Step, frozen=True, kw_only=True, tag="limit"):
    """The owner may activate at most this many matching units."""

    filter: Filter
    maximum: int = msgspec.field(name="max")


class RequireActivated(Step, frozen=True, kw_only=True, tag="require_activated"):
    """The owner must activate at least this many matching units."""

    filter: Filter
    minimum: int = msgspec.field(name="min")
    if_available: bool = False
    """True if the requirement is waived when no matching unit can be activated."""


class ExclusiveChoice(Step, frozen=True, kw_only=True, tag="exclusive_choice"):
    """The owner picks one group and may not activate units from the other groups."""

    groups: tuple[Group, ...]


class FreeActivation(Step, frozen=True, kw_only=True, tag="free_activation"):
    """Matching units do not count towards the activation limit."""

    filter: Filter


class WaiveSupply(Step, frozen=True, kw_only=True, tag="waive_supply"):
    """The named HQs or units need not be in supply to activate units or be activated."""

    who: tuple[Literal["hq", "units"], ...] = msgspec.field(name="for")


class OverrideCommand(Step, frozen=True, kw_only=True, tag="override_command"):
    """National limits on command do not apply to matching units (6.12)."""

    filters: tuple[Filter, ...]


class IsrException(Step, frozen=True, kw_only=True, tag="isr_exception"):
    """Under inter-service rivalry, the owner may activate units of only one of these groups. This replaces 14.1C."""

    service: CardService
    groups: tuple[Group, ...]


class NavalMove(Step, frozen=True, kw_only=True, tag="naval_move"):
    """Sets the Offensive's naval movement allowance for these sides, in hexes."""

    hexes: int
    sides: tuple[Side, ...]


class AspTemp(Step, frozen=True, kw_only=True, tag="asp_temp"):
    """Extra amphibious shipping points for this Offensive only."""

    side: Side
    n: int


class AspForbid(Step, frozen=True, kw_only=True, tag="asp_forbid"):
    """The side may not spend amphibious shipping points in this Offensive."""

    side: Side


class AspPermanent(Step, frozen=True, kw_only=True, tag="asp_permanent"):
    """Change a side's number of amphibious shipping points permanently."""

    side: Side
    delta: int
    floor: int = 0
    """The minimum to which the number of shipping points can fall."""


class NoReactivation(Step, frozen=True, kw_only=True, tag="no_reactivation"):
    """The activated units may not be activated again in this game turn."""


class WaiveMarineRequirement(Step, frozen=True, kw_only=True, tag="waive_marine_requirement"):
    """US Army units may assault without the Marines that 8.45D requires, in this Offensive."""


class Intel(Step, frozen=True, kw_only=True, tag="intel"):
    """Set the intelligence condition."""

    condition: Intelligence
    locked: bool = False
    """True if reaction cards may not change the condition."""


class Immune(Step, frozen=True, kw_only=True, tag="immune"):
    """Reaction cards of these classes have no effect on the Offensive."""

    to: tuple[ReactionClass, ...]


class BattleHexes(Step, frozen=True, kw_only=True, tag="battle_hexes"):
    """Every battle hex declared by the owner must match the place filter."""

    must_be: PlaceFilter


class RequireBattleHex(Step, frozen=True, kw_only=True, tag="require_battle_hex"):
    """At least this many declared battle hexes must be in the region or among the hexes."""

    region: tuple[AreaId, ...] = ()
    hexes: tuple[HexId, ...] = ()
    minimum: int = msgspec.field(name="min")
    ground_combat_possible: bool = False
    """True if at least one of the owner's ground units must be able to fight in that battle."""
    occupied_by: Side | None = None


class RequireAmphib(Step, frozen=True, kw_only=True, tag="require_amphib"):
    """At least this many of the owner's ground units must make an assault near a hex (8.45)."""

    within: int
    """Maximum distance from `of`, in hexes."""
    of: HexId
    minimum: int = msgspec.field(name="min")


class CancelOffensive(Step, frozen=True, kw_only=True, tag="cancel_offensive"):
    """The Offensive is cancelled (7.2 step 4)."""


class DeactivateUnit(AskingStep, frozen=True, kw_only=True, tag="deactivate_unit"):
    """Matching activated units are deactivated and return to their starting hex."""

    filter: Filter
    n: int
    where: PlaceFilter


class DieMod(Step, frozen=True, kw_only=True, tag="die_mod"):
    """Add a modifier to a die roll."""

    combat: DieKind
    side: Side
    mod: int
    mode: Literal["add", "final"]
    """`final` replaces all other modifiers to that side's roll."""
    until: Condition | None = None


class StrengthMod(Step, frozen=True, kw_only=True, tag="strength_mod"):
    """Change the strength of every matching unit for the Offensive."""

    filter: Filter
    attack: int = 0
    defense: int = 0


class CritOnModified(Step, frozen=True, kw_only=True, tag="crit_on_modified"):
    """A modified roll at or above the threshold is a critical hit (9.2F)."""

    combat: DieKind
    side: Side
    threshold: int


class StepLoss(AskingStep, frozen=True, kw_only=True, tag="step_loss"):
    """Matching units lose steps."""

    filter: Filter
    steps: int
    max_units: int
    may_eliminate: bool
    """True if a reduced unit may be chosen, which eliminates it."""
    where: PlaceFilter | None = None
    fixed_in: Window | None = None
    """The step of 7.2 in which the possible units are recorded; None if they are determined when the loss occurs."""


class StepLossRoll(Step, frozen=True, kw_only=True, tag="step_loss_roll"):
    """A die roll determines how many steps a matching unit loses."""

    table: tuple[LossRow, ...]
    filter: Filter
    where: PlaceFilter | None = None


class Kamikaze(Step, frozen=True, kw_only=True, tag="kamikaze"):
    """A kamikaze card: an air unit strikes the ships in a battle (C3.5)."""

    max_range_to: RangeTo
    air_steps: int
    """Steps that the striking air unit loses."""
    steps: int


class KamikazeBonus(Step, frozen=True, kw_only=True, tag="kamikaze_bonus"):
    """One kamikaze card played together with this card removes additional steps in one battle."""

    extra: int
