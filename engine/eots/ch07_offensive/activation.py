"""Naming an HQ and activating units, in step 1 and in reaction (7.21, 7.26, 14)."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from engine.eots.cards.activation_limits import (
    activation_base,
    active_steps,
    card_limit_refusals,
    combined_limit,
    hq_refusals,
    is_free_activation,
    isr_groups,
    missing_activations,
    overrides_command,
    rivalry_group_refusals,
    waives_supply,
)
from engine.eots.cards.conditions import matches_filter
from engine.eots.ch06_supply.activation import activation_refusals
from engine.eots.ch06_supply.deployment import deployment
from engine.eots.ch06_supply.supply import (
    MAX_RAILWAY_MODIFIER,
    effective_efficiency,
    is_near_railway,
    supply,
)
from engine.eots.ch17_south_pacific import truk_unit_refusals
from engine.eots.counters import counters
from engine.eots.deck_offensive import ActivateStep, FreeActivation
from engine.eots.ids import Nationality, Service, Side, UnitId
from engine.eots.state import OFF_MAP, State, current_offensive
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo
from engine.kernel.sentences import count_noun

_SUPPLY_RULES: Final = frozenset({Rule("6.21"), Rule("6.0"), Rule("6.2")})
_COMMAND_RULE: Final = Rule("6.12")
_MEMO: Final = Memo[dict[UnitId, bool]](64)


def activation_rule(state: State, side: Side) -> Rule:
    """Return the rule for a side's activations: 7.21 for the Offensive player, 7.26 for the Reaction player."""
    return Rule("7.21") if side is current_offensive(state).side else Rule("7.26")


def activated_units(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the units that a side has activated, in order of activation."""
    offensive = current_offensive(state)
    return offensive.activated if side is offensive.side else offensive.reaction.activated


def activating_hq(state: State, side: Side) -> UnitId | None:
    """Return the HQ that a side has chosen to activate units, or None if it has not chosen one."""
    offensive = current_offensive(state)
    return offensive.hq if side is offensive.side else offensive.reaction.hq


def service_under_rivalry(state: State, side: Side, unit: UnitId) -> Service | None:
    """Return the service to which a side is committed once it activates this unit under rivalry (14.1C, 14.2A).

    None if rivalry does not affect the unit.
    """
    counter = counters()[unit]
    if side is Side.JAPAN:
        return counter.isr_service if state.tracks.japan_rivalry else None
    return (
        counter.isr_service
        if state.tracks.us_rivalry and counter.nationality is Nationality.US
        else None
    )


def rivalry_refusals(state: State, side: Side, unit: UnitId) -> Iterator[Refusal]:
    """Refuse a unit if units of the other service have already been activated (14.1C, 14.2A)."""
    service = service_under_rivalry(state, side, unit)
    if service is None:
        return
    groups = isr_groups(state, side)
    if groups is not None:
        yield from rivalry_group_refusals(state, groups, side, unit)
        return
    offensive = current_offensive(state)
    chosen_service = offensive.service if side is offensive.side else offensive.reaction.service
    if chosen_service is not None and chosen_service is not service:
        rule = Rule("14.2A") if side is Side.JAPAN else Rule("14.1C")
        yield Refusal(
            rule,
            f"under rivalry, only {chosen_service} units may be activated, and {unit} is {service}",
        )


def activation_limit(state: State, side: Side, hq: UnitId, units: tuple[UnitId, ...]) -> int:
    """Return how many units an HQ may activate, given the units chosen so far (7.21, 6.11)."""
    combined_maximum = combined_limit(state, side)
    if combined_maximum is not None:
        return combined_maximum
    return activation_base(state, side, hq) + effective_efficiency(state, hq, units)


def number_refusals(state: State, side: Side, hq: UnitId, unit: UnitId) -> Iterator[Refusal]:
    """Refuse a unit if the HQ has already activated its maximum number of units (7.21, 7.26)."""
    if is_free_activation(state, side, unit):
        return
    units = (*activated_units(state, side), unit)
    number = sum(not is_free_activation(state, side, other_unit) for other_unit in units)
    limit = activation_limit(state, side, hq, units)
    if number > limit:
        limit_text = (
            f"{hq} may activate {count_noun(limit, 'unit')}, and {number - 1} have been chosen"
        )
        yield Refusal(activation_rule(state, side), limit_text)


def reserved_refusals(state: State, side: Side, hq: UnitId, unit: UnitId) -> Iterator[Refusal]:
    """Refuse a unit if the activations left are all needed for units that the card requires (5.31, A-38)."""
    chosen_units = activated_units(state, side)
    # Otherwise, a player could use up all activations and then be unable to finish the step.
    for step, missing_step in missing_activations(state, side):
        if matches_filter(state, step.filter, unit) or is_free_activation(state, side, unit):
            continue
        reserved_count = sum(
            other_unit not in chosen_units
            and matches_filter(state, step.filter, other_unit)
            and next(rivalry_refusals(state, side, other_unit), None) is None
            for other_unit in reachable_units(state, side, hq)
        )
        number = sum(
            not is_free_activation(state, side, other_unit) for other_unit in (*chosen_units, unit)
        )
        limit = activation_limit(state, side, hq, (*chosen_units, unit))
        if number + min(missing_step, reserved_count) > limit:
            yield _demand_refusal(missing_step)


def _demand_refusal(missing_count: int) -> Refusal:
    units = count_noun(missing_count, "more unit")
    return Refusal(Rule("5.31"), f"the card requires {units} of one kind")


def activate_refusals(state: State, side: Side, unit: UnitId) -> Iterator[Refusal]:
    """Yield every reason why a side may not activate a unit now (7.21, 7.26, 6.3, 6.12, 14, and card texts)."""
    hq = activating_hq(state, side)
    if hq is None:
        yield Refusal(Rule("7.21"), "no HQ has been named")
        return
    if counters()[unit].side is not side:
        yield Refusal(Rule("7.21"), f"{unit} is not yours")
        return
    if unit in activated_units(state, side):
        yield Refusal(Rule("7.21"), f"{unit} is already activated")
    yield from reach_refusals(state, side, hq, unit)
    yield from card_limit_refusals(state, side, unit)
    yield from rivalry_refusals(state, side, unit)
    yield from number_refusals(state, side, hq, unit)
    yield from reserved_refusals(state, side, hq, unit)


def reach_refusals(state: State, side: Side, hq: UnitId, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why an HQ cannot reach, command or supply a unit (6.3, 6.12).

    Reasons that the card waives are left out. If all headquarters act together, one suitable HQ is enough (17.11).
    """
    hqs = _acting_hqs(state, side, hq)
    # If several HQs act together, yield the shortest list. It is empty if any HQ can reach the
    # unit.
    yield from min(
        (tuple(_reach_refusals(state, side, other_hq, unit)) for other_hq in hqs), key=len
    )


def _acting_hqs(state: State, side: Side, hq: UnitId) -> tuple[UnitId, ...]:
    """Return the HQs that activate units: the chosen HQ, or all HQs if they act together (17.11)."""
    return hq_options(state, side) if activates_together(state, side) else (hq,)


def _reach_refusals(state: State, side: Side, hq: UnitId, unit: UnitId) -> Iterator[Refusal]:
    reaction = side is not current_offensive(state).side
    yield from truk_unit_refusals(state, unit)
    for refusal in activation_refusals(state, hq, unit, is_reaction=reaction):
        if refusal.rule == _COMMAND_RULE and overrides_command(state, side, unit):
            continue
        if refusal.rule in _SUPPLY_RULES and waives_supply(state, side, "units"):
            continue
        yield refusal


def reachable_units(state: State, side: Side, hq: UnitId) -> Iterator[UnitId]:
    """Yield the units that an HQ can reach, sorted by id."""
    is_reached = _reach_predicate(state, side, hq)
    return (unit for unit in _units_other_than_hqs(side) if is_reached(unit))


def _reach_predicate(state: State, side: Side, hq: UnitId) -> Callable[[UnitId], bool]:
    """Return a function that tests whether an HQ can reach a unit.

    Results are cached per unit. They stay valid until the position changes.
    """
    offensive = current_offensive(state)
    # If the card lets units out of supply be activated, they project their zones once activated
    # (J-48, 6.4).
    freed_units = offensive.activated if waives_supply(state, side, "units") else None
    key = (
        state.units,
        state.control,
        state.tracks,
        offensive.before,
        freed_units,
        counters()[hq],
        offensive.battles,
        offensive.reaction.events,
    )
    reach_by_unit = _MEMO.get(state, key, dict)
    # Finding the HQs takes a search, so skip it if the result for every unit is cached.
    hqs = (
        ()
        if len(reach_by_unit) == len(_units_other_than_hqs(side))
        else _acting_hqs(state, side, hq)
    )

    def is_reached(unit: UnitId) -> bool:
        cached_reach = reach_by_unit.get(unit)
        if cached_reach is None:
            piece = state.units.get(unit)
            cached_reach = reach_by_unit[unit] = (
                piece is not None
                and piece.at not in OFF_MAP
                and any(next(_reach_refusals(state, side, hq, unit), None) is None for hq in hqs)
            )
        return cached_reach

    return is_reached


@cache
def _units_other_than_hqs(side: Side) -> tuple[UnitId, ...]:
    """Return a side's units other than HQs, sorted by id."""
    return tuple(
        unit
        for unit, counter in sorted(counters().items())
        if counter.side is side and not counter.is_hq
    )


def activatable_units(state: State, side: Side) -> Iterator[UnitId]:
    """Yield every unit that a side may activate now, sorted by id."""
    hq = activating_hq(state, side)
    assert hq is not None
    chosen_units = activated_units(state, side)
    number = sum(not is_free_activation(state, side, other_unit) for other_unit in chosen_units)
    limit = activation_limit(state, side, hq, chosen_units)
    has_free_activation = bool(active_steps(state, side, FreeActivation))
    # Only the Kwai railway makes the limit depend on which units are activated (6.11).
    is_fixed = side is Side.ALLIED or not is_near_railway(state, chosen_units)
    if number >= limit and side is Side.ALLIED and not has_free_activation:
        return
    is_reached: Callable[[UnitId], bool] | None = None
    for unit in _units_other_than_hqs(side):
        piece = state.units.get(unit)
        if piece is None or piece.at in OFF_MAP or unit in chosen_units:
            continue
        # The railway changes the limit by at most 1, so compute the exact limit only when the
        # number of units is close to it.
        if number >= limit - MAX_RAILWAY_MODIFIER and not (
            has_free_activation and is_free_activation(state, side, unit)
        ):
            is_plain = is_fixed and (side is Side.ALLIED or not is_near_railway(state, (unit,)))
            if number >= (
                limit if is_plain else activation_limit(state, side, hq, (*chosen_units, unit))
            ):
                continue
        if is_reached is None:
            is_reached = _reach_predicate(state, side, hq)
        if (
            is_reached(unit)
            and next(card_limit_refusals(state, side, unit), None) is None
            and next(rivalry_refusals(state, side, unit), None) is None
            and next(reserved_refusals(state, side, hq, unit), None) is None
        ):
            yield unit


def choose_hq_refusals(state: State, side: Side, hq: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why this HQ cannot activate units in this offensive (7.21, 7.26, 5.31A)."""
    counter = counters()[hq]
    if not counter.is_hq or counter.side is not side or not state.units[hq].is_on_map:
        yield Refusal(Rule("7.21"), f"{hq} is not one of your HQs on the map")
        return
    if not supply(state).is_hq_supplied(hq) and not waives_supply(state, side, "hq"):
        yield Refusal(Rule("7.21"), f"{hq} is not in supply")
    yield from hq_refusals(state, side, hq)


def hq_options(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the HQs that can be chosen to activate units, sorted by id."""
    return tuple(
        hq
        for hq, _ in deployment(state).hqs
        if counters()[hq].side is side and next(choose_hq_refusals(state, side, hq), None) is None
    )


def finish_refusals(state: State, side: Side) -> Iterator[Refusal]:
    """Refuse to end activation while the card requires more units (5.31, A-38).

    If the card requires the units only if available, refuse only while such units can be activated.
    """
    for step, missing_step in missing_activations(state, side):
        can_activate = any(
            matches_filter(state, step.filter, unit) for unit in activatable_units(state, side)
        )
        if can_activate or not step.if_available:
            yield _demand_refusal(missing_step)


def fixed_units(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the units that the card names and activates automatically; empty if it names none (J-1)."""
    return next((step.units for step in active_steps(state, side, ActivateStep)), ())


def activates_together(state: State, side: Side) -> bool:
    """Return whether all of a side's headquarters activate units together (J-2)."""
    return any(step.multi_hq for step in active_steps(state, side, ActivateStep))
