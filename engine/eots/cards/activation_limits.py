"""Limits that the card in play imposes on activation, movement and battle hexes (5.31A and card texts)."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, TypeVar

from engine.eots.cards.conditions import is_condition_met, matches_filter
from engine.eots.counters import counters
from engine.eots.deck import Card, cards, selects_hq
from engine.eots.deck_offensive import (
    ActivateStep,
    AllowOnly,
    AspForbid,
    AspTemp,
    BattleHexes,
    ExclusiveChoice,
    FreeActivation,
    Immune,
    IsrException,
    Limit,
    NavalMove,
    NoReactivation,
    OverrideCommand,
    RequireActivated,
    RequireAmphib,
    RequireBattleHex,
    WaiveMarineRequirement,
    WaiveSupply,
)
from engine.eots.deck_steps import Group, Logistic, Step
from engine.eots.deck_terms import GameTurn, PlaceFilter
from engine.eots.ids import CardId, Side, UnitId
from engine.eots.rulings import OBOE_COMMAND
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo
from engine.kernel.sentences import count_noun

_STEPS: Final = Memo[dict[tuple[Side, type | tuple[type, ...]], tuple[Step, ...]]]()
_UNIT_LIMITS: Final = (AllowOnly, Limit, ExclusiveChoice)
"""Types of event steps that restrict which units may be activated, or how many."""

T = TypeVar("T", bound=Step)
OBOE: Final = CardId("A-76")


def event_card(state: State, side: Side) -> Card | None:
    """Return the card whose event controls a side's activation, or None if there is none.

    For the Offensive player, this is the card played as an EC. In reaction, it is the counteroffensive (5.31, 5.32C).
    """
    offensive = state.offensive
    if offensive is None:
        return None
    if side is offensive.side:
        return cards()[offensive.card] if offensive.event else None
    counter = offensive.reaction.counter_card
    return None if counter is None else cards()[counter]


def event_steps(state: State, side: Side) -> tuple[Step, ...]:
    """Return the steps whose conditions are true, from the event that controls a side's activation.

    Empty if there is no such event. Results are cached.
    """
    return active_steps(state, side, Step)


def _event_steps(state: State, side: Side) -> tuple[Step, ...]:
    card = event_card(state, side)
    if card is None:
        return ()
    return tuple(
        step
        for step in card.effects
        if step.only_if is None or is_condition_met(state, step.only_if, side)
    )


def active_steps(state: State, side: Side, kind: type[T] | tuple[type[T], ...]) -> tuple[T, ...]:
    """Return the steps of the given types whose conditions are true, from the event that controls activation.

    Cached.
    """
    steps_by_key = _STEPS.get(state, (state,), dict)
    cached_steps = steps_by_key.get((side, kind))
    if cached_steps is None:
        # All kinds are filtered from one cached list, so each condition is evaluated only once.
        steps = _event_steps(state, side) if kind is Step else event_steps(state, side)
        cached_steps = steps_by_key[side, kind] = tuple(
            [step for step in steps if isinstance(step, kind)]
        )
    return cached_steps  # type: ignore[return-value]  # filtered by this kind


def logistics_value(logistic: Logistic, hq: UnitId, ov: int) -> int:
    """Return an event's logistics value for an HQ (7.21).

    Args:
        logistic: The formula printed on the card.
        hq: The activating HQ.
        ov: Operations value of the Offensive card, for values that depend on it (CP-41).
    """
    row = counters()[hq].hq
    assert row is not None
    if logistic.formula == "attacker_oc":
        return ov + logistic.add
    special_value = logistic.by_hq.get(row.command_key)
    if special_value is not None:
        return special_value
    return logistic.base or 0


def activation_base(state: State, side: Side, hq: UnitId) -> int:
    """Return the number that the card adds to an HQ's efficiency: its OV or an event's logistics value (5.1, 7.21)."""
    offensive = current_offensive(state)
    for step in active_steps(state, side, ActivateStep):
        if step.logistic is not None:
            return logistics_value(step.logistic, hq, offensive.ov)
    return offensive.ov


def combined_limit(state: State, side: Side) -> int | None:
    """Return the card's activation limit for all HQs together; None if it sets no such limit (J-2)."""
    for step in active_steps(state, side, ActivateStep):
        if step.logistic is not None and step.logistic.combined_efficiency is not None:
            return (step.logistic.base or 0) + step.logistic.combined_efficiency
    return None


def is_reactivation_barred(state: State, unit: UnitId) -> bool:
    """Return whether a card that activated this unit earlier this turn bars a second activation (J-1)."""
    return any(
        turn == state.turn and card in state.events_played
        for card, turn in _reactivation_bars().get(unit, ())
    )


@cache
def _reactivation_bars() -> Mapping[UnitId, tuple[tuple[CardId, int], ...]]:
    """For each unit that may not be activated twice, return the cards that say so and the turn in which they apply."""
    bars: dict[UnitId, tuple[tuple[CardId, int], ...]] = {}
    for card in cards().values():
        if any(isinstance(step, NoReactivation) for step in card.effects):
            units = [
                unit_id
                for step in card.effects
                if isinstance(step, ActivateStep)
                for unit_id in step.units
            ]
            for turn in card.play.event_requires:
                if isinstance(turn, GameTurn):
                    for unit in units:
                        bars[unit] = (*bars.get(unit, ()), (card.id, turn.n))
    return bars


def hq_refusals(state: State, side: Side, hq: UnitId) -> Iterator[Refusal]:
    """Refuse an HQ that the card does not allow to activate units (5.31A)."""
    card = event_card(state, side)
    if card is None or card.hq is None:
        return
    if not any(selects_hq(selector, counters()[hq]) for selector in card.hq):
        yield Refusal(Rule("5.31"), f"{card.id} does not let {hq} activate units")


def waives_supply(state: State, side: Side, requirement: str) -> bool:
    """Return whether the card waives the supply requirement for HQs (``hq``) or for units (``units``) (J-48)."""
    return any(requirement in step.who for step in active_steps(state, side, WaiveSupply))


def overrides_command(state: State, side: Side, unit: UnitId) -> bool:
    """Return whether the card waives the national limits of 6.12 for a unit (A-25, A-76, CP-10)."""
    if current_offensive(state).card == OBOE and OBOE_COMMAND.uses_alternative(state.options):
        return False
    return any(
        matches_filter(state, unit_filter, unit)
        for step in active_steps(state, side, OverrideCommand)
        for unit_filter in step.filters
    )


def is_free_activation(state: State, side: Side, unit: UnitId) -> bool:
    """Return whether a unit's activation does not count towards the limit (A-48)."""
    return any(
        matches_filter(state, step.filter, unit)
        for step in active_steps(state, side, FreeActivation)
    )


def card_limit_refusals(state: State, side: Side, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why the current card or an earlier card forbids activating a unit (5.31A, 17.11)."""
    if is_reactivation_barred(state, unit):
        yield Refusal(Rule("17.11"), f"{unit} may not be activated again this turn")
    for step in active_steps(state, side, _UNIT_LIMITS):
        card = event_card(state, side)
        assert card is not None, "the step must belong to a card"
        match step:
            case AllowOnly(filters=filters):
                if not any(matches_filter(state, unit_filter, unit) for unit_filter in filters):
                    yield Refusal(Rule("5.31"), f"{card.id} does not activate {unit}")
            case Limit(filter=unit_filter, maximum=max_count):
                chosen_count = sum(
                    matches_filter(state, unit_filter, other_unit)
                    for other_unit in _activated_units(state, side)
                )
                if matches_filter(state, unit_filter, unit) and chosen_count >= max_count:
                    units = count_noun(max_count, "unit")
                    yield Refusal(Rule("5.31"), f"{card.id} allows only {units} of this kind")
            case ExclusiveChoice(groups=groups):
                if not _fits_some_group(state, groups, side, unit):
                    yield Refusal(
                        Rule("5.31"),
                        f"{card.id} lets you activate one group only, and {unit} is in another",
                    )
            case _:
                pass


def isr_groups(state: State, side: Side) -> tuple[Group, ...] | None:
    """Return the groups of units that a card allows in place of 14.1C or 14.2A; None if no card does."""
    steps = active_steps(state, side, IsrException)
    return next((step.groups for step in steps if step.service.side is side), None)


def rivalry_group_refusals(
    state: State, groups: tuple[Group, ...], side: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Refuse a unit if no single group covers both it and the units already activated (A-46, A-50)."""
    if not _fits_some_group(state, groups, side, unit):
        yield Refusal(
            Rule("14.1"), f"the card allows one group under rivalry, and {unit} is in another"
        )


def _fits_some_group(state: State, groups: tuple[Group, ...], side: Side, unit: UnitId) -> bool:
    """Return whether one group, including its extra units, contains this unit and all units already activated."""
    units = (*_activated_units(state, side), unit)
    return any(_is_group(state, group, units) for group in groups)


def _is_group(state: State, group: Group, units: tuple[UnitId, ...]) -> bool:
    other_units = tuple(unit for unit in units if not matches_filter(state, group.filter, unit))
    if not other_units:
        return True
    extra_filter = group.plus
    return (
        extra_filter is not None
        and len(other_units) <= extra_filter.maximum
        and all(matches_filter(state, extra_filter.filter, unit) for unit in other_units)
    )


def missing_activations(state: State, side: Side) -> tuple[tuple[RequireActivated, int], ...]:
    """Return the units that the card still requires to be activated: each requirement and the number missing (A-38)."""
    missing_steps = []
    for step in active_steps(state, side, RequireActivated):
        chosen_count = sum(
            matches_filter(state, step.filter, unit) for unit in _activated_units(state, side)
        )
        if chosen_count < step.minimum:
            missing_steps.append((step, step.minimum - chosen_count))
    return tuple(missing_steps)


def naval_move(state: State, card: CardId, side: Side) -> int | None:
    """Return the naval movement allowance that an event sets instead of 5 x OV; None if it sets none (J-9)."""
    # This function runs before the offensive begins, when active_steps() would find nothing.
    for step in cards()[card].effects:
        if not isinstance(step, NavalMove) or side not in step.sides:
            continue
        if step.only_if is None or is_condition_met(state, step.only_if, cards()[card].side):
            return step.hexes
    return None


def temporary_asp(state: State, side: Side) -> int:
    """Return the amphibious shipping points that the card adds for this offensive (CP-21)."""
    steps = (step for owner in Side for step in active_steps(state, owner, AspTemp))
    return sum(step.n for step in steps if step.side is side)


def is_asp_forbidden(state: State, side: Side) -> bool:
    """Return whether a card forbids a side from spending amphibious shipping points (A-5)."""
    steps = (step for owner in Side for step in active_steps(state, owner, AspForbid))
    return any(step.side is side for step in steps)


def is_marine_requirement_waived(state: State) -> bool:
    """Return whether the card waives 8.45D, the need for Marines, in this offensive (A-62)."""
    return any(active_steps(state, current_offensive(state).side, WaiveMarineRequirement))


def ineffective_reaction_classes(state: State) -> frozenset[str]:
    """Return the classes of reaction cards that have no effect on this offensive (A-84)."""
    steps = active_steps(state, current_offensive(state).side, Immune)
    return frozenset(kind for step in steps for kind in step.to)


def battle_hex_places(state: State) -> tuple[PlaceFilter, ...]:
    """Return the conditions that every declared battle hex must meet (J-12)."""
    return tuple(
        step.must_be for step in active_steps(state, current_offensive(state).side, BattleHexes)
    )


def required_battles(state: State) -> tuple[RequireBattleHex, ...]:
    """Return the card's requirements for the battle hexes that its owner declares (A-9, A-30, A-62, A-65; CP-04)."""
    return tuple(active_steps(state, current_offensive(state).side, RequireBattleHex))


def required_landings(state: State) -> tuple[RequireAmphib, ...]:
    """Return the card's requirements for landings by its owner (A-74, A-75; CP-04)."""
    return tuple(active_steps(state, current_offensive(state).side, RequireAmphib))


def _activated_units(state: State, side: Side) -> tuple[UnitId, ...]:
    offensive = current_offensive(state)
    return offensive.activated if side is offensive.side else offensive.reaction.activated
