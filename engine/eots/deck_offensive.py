"""Steps of events that shape an Offensive and its battles (C4.2)."""

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
from engine.eots.deck_terms import CardService, Condition, Filter, HqSelector, Place, Window
from engine.eots.ids import AreaId, HexId, Side, UnitId


class Activate(Step, frozen=True, kw_only=True, tag="activate"):
    """Run an EC Offensive, or a counter-offensive where `reaction` is set (7.21)."""

    hq: tuple[HqSelector, ...] = ()
    logistic: Logistic | None = None
    units: tuple[UnitId, ...] = ()
    """Exactly these units instead of a choice."""
    multi_hq: bool = False
    """Every own headquarters activates together."""
    reaction: bool = False
    at_hex: HexId | None = None


class AllowOnly(Step, frozen=True, kw_only=True, tag="allow_only"):
    """Only units that match one of the filters may be activated by the owner."""

    filters: tuple[Filter, ...]


class Limit(Step, frozen=True, kw_only=True, tag="limit"):
    """At most so many matching units may be activated by the owner."""

    filter: Filter
    maximum: int = msgspec.field(name="max")


class RequireActivated(Step, frozen=True, kw_only=True, tag="require_activated"):
    """At least so many matching units must be activated."""

    filter: Filter
    minimum: int = msgspec.field(name="min")
    if_available: bool = False
    """Waived when none can be activated."""


class ExclusiveChoice(Step, frozen=True, kw_only=True, tag="exclusive_choice"):
    """The owner picks one group; units of the others may not be activated."""

    groups: tuple[Group, ...]


class FreeActivation(Step, frozen=True, kw_only=True, tag="free_activation"):
    """Matching units may be activated on top of the number allowed."""

    filter: Filter


class WaiveSupply(Step, frozen=True, kw_only=True, tag="waive_supply"):
    """The listed things need not be in supply for activation."""

    who: tuple[Literal["hq", "units"], ...] = msgspec.field(name="for")


class OverrideCommand(Step, frozen=True, kw_only=True, tag="override_command"):
    """National limits of command are lifted for matching units (6.12)."""

    filters: tuple[Filter, ...]


class IsrException(Step, frozen=True, kw_only=True, tag="isr_exception"):
    """While the rivalry lasts, activation is one of these groups instead of 14.1C."""

    service: CardService
    groups: tuple[Group, ...]


class NavalMove(Step, frozen=True, kw_only=True, tag="naval_move"):
    """Naval movement of the Offensive becomes so many hexes for these sides."""

    hexes: int
    sides: tuple[Side, ...]


class AspTemp(Step, frozen=True, kw_only=True, tag="asp_temp"):
    """Extra shipping points for this Offensive only."""

    side: Side
    n: int


class AspForbid(Step, frozen=True, kw_only=True, tag="asp_forbid"):
    """The side may not spend shipping points in this Offensive."""

    side: Side


class AspPermanent(Step, frozen=True, kw_only=True, tag="asp_permanent"):
    """Lasting change of the shipping points of a side."""

    side: Side
    delta: int
    floor: int = 0
    """Never below."""


class NoReactivation(Step, frozen=True, kw_only=True, tag="no_reactivation"):
    """The activated units may not be activated again this game turn."""


class WaiveMarineRequirement(Step, frozen=True, kw_only=True, tag="waive_marine_requirement"):
    """8.45D does not bind US Army assaults in this Offensive."""


class Intel(Step, frozen=True, kw_only=True, tag="intel"):
    """The intelligence condition that the card sets."""

    condition: Intelligence
    locked: bool = False
    """No reaction card may change it."""


class Immune(Step, frozen=True, kw_only=True, tag="immune"):
    """Reaction cards of these classes do nothing to the Offensive."""

    to: tuple[ReactionClass, ...]


class BattleHexes(Step, frozen=True, kw_only=True, tag="battle_hexes"):
    """Every battle hex that the owner declares must fit the place."""

    must_be: Place


class RequireBattleHex(Step, frozen=True, kw_only=True, tag="require_battle_hex"):
    """At least so many declared battle hexes lie there."""

    region: tuple[AreaId, ...] = ()
    hexes: tuple[HexId, ...] = ()
    minimum: int = msgspec.field(name="min")
    ground_combat_possible: bool = False
    """An own ground unit must be able to fight there."""
    occupied_by: Side | None = None


class RequireAmphib(Step, frozen=True, kw_only=True, tag="require_amphib"):
    """At least so many own ground units must make an assault near a hex (8.45)."""

    within: int
    """Distance from `of`, in hexes."""
    of: HexId
    minimum: int = msgspec.field(name="min")


class CancelOffensive(Step, frozen=True, kw_only=True, tag="cancel_offensive"):
    """The Offensive is cancelled (7.2 step 4)."""


class DeactivateUnit(AskingStep, frozen=True, kw_only=True, tag="deactivate_unit"):
    """Matching activated units are de-activated and go back to their start hex."""

    filter: Filter
    n: int
    where: Place


class DieMod(Step, frozen=True, kw_only=True, tag="die_mod"):
    """Modifier of a die roll."""

    combat: DieKind
    side: Side
    mod: int
    mode: Literal["add", "final"]
    """`final` replaces every other modifier of that side."""
    until: Condition | None = None


class StrengthMod(Step, frozen=True, kw_only=True, tag="strength_mod"):
    """Strength change of every matching unit for the Offensive."""

    filter: Filter
    attack: int = 0
    defense: int = 0


class CritOnModified(Step, frozen=True, kw_only=True, tag="crit_on_modified"):
    """A modified roll of the threshold or more is a critical hit (9.2F)."""

    combat: DieKind
    side: Side
    threshold: int


class StepLoss(AskingStep, frozen=True, kw_only=True, tag="step_loss"):
    """Matching units lose steps."""

    filter: Filter
    steps: int
    max_units: int
    may_eliminate: bool
    """A reduced unit may be chosen and is eliminated."""
    where: Place | None = None
    fixed_in: Window | None = None
    """Step of 7.2 in which it is fixed who may lose a step; None = when it is lost."""


class StepLossRoll(Step, frozen=True, kw_only=True, tag="step_loss_roll"):
    """A die roll decides the steps that a matching unit loses."""

    table: tuple[LossRow, ...]
    filter: Filter
    where: Place | None = None


class Kamikaze(Step, frozen=True, kw_only=True, tag="kamikaze"):
    """Kamikaze strike (C3.5)."""

    max_range_to: RangeTo
    air_steps: int
    """Steps that own air units lose for it."""
    steps: int


class KamikazeBonus(Step, frozen=True, kw_only=True, tag="kamikaze_bonus"):
    """One kamikaze card played with this card removes more steps in one battle."""

    extra: int
