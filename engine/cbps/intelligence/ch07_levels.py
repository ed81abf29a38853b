"""Intelligence levels: revealing a force one level at a time (7.3, 7.4)."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events.japan import (
    AdvantageChanged,
    ChitsReturned,
    LevelChanged,
    PointsMoved,
    ShipsDrawn,
)
from engine.cbps.forces.ch07_forces import (
    FALSE_CONTACT_REASON,
    double_partner,
    is_unknown,
    maximum_level,
    remove_force,
    set_chit_aside,
)
from engine.cbps.forces.ch09_butai import open_butai
from engine.cbps.forces.ch09_lost import become_surface_force
from engine.cbps.ids import CARRIER, DOUBLE_FORCE, FALSE_CONTACT, Context
from engine.cbps.intelligence.ch07_double import DRAW_AGAIN, resolve_double_force
from engine.cbps.intelligence.ch07_draws import (
    KIDO_BUTAI,
    draw_level_1,
    is_carrier_chit,
    read_level_2,
    read_level_3,
    read_level_4,
)
from engine.cbps.intelligence.ch07_fleet import (
    historical_force,
    historical_level_2_chit,
    is_all_fleet,
)
from engine.cbps.intelligence.ch07_pool import (
    draw_carriers,
    draw_cruisers,
    draw_screen,
    draw_surface,
)
from engine.cbps.intelligence.ch07_ships import assign_submarine_hits, score_force
from engine.cbps.intelligence.ch13_commitment import passes_commitment_test, recompute_commitment
from engine.cbps.rulings import HALVES_TESTED
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import Force, State


def promote(run: Run, force: str, target: int, context: Context) -> bool:
    """Raise a force's level to the target or its maximum, step by step (7.34). Its counter may change (9.11).

    In the raid procedure, the caller updates the Commitment Index (10.1). A false contact is not removed there, because
    the caller undoes everything (:func:`prove_type`).

    Returns:
        False if the force does not exist or has been removed.
    """
    while (state := run.state.forces[force]).level < min(target, maximum_level(state)):
        if not _PROMOTIONS[state.level](run, force, context):
            return False
    return True


def prove_type(run: Run, force: str) -> bool:
    """As part of the raid procedure, determine whether a force of unknown type has carriers (10.1C 1-2).

    If it has none, all changes are undone.
    """
    mark = run.mark()
    is_real = run.state.forces[force].level > 0 or promote(run, force, 1, "raid")
    if is_real and is_unknown(run.state.forces[force]) and scenario_rules(run.state).has_full_rules:
        is_real = promote(run, force, 2, "raid")
    if is_real and run.state.forces[force].is_carrier:
        return True
    run.undo_to(mark)
    return False


# -- level 0 to 1


def _draw_level_1(run: Run, name: str, context: Context) -> bool:
    """Draw the level-1 chit of a force (7.35)."""
    old_force = run.state.forces[name]
    drawn_carriers, chit = (
        (CARRIER, CARRIER) if old_force.historical else _draw_effective_chit(run, name)
    )
    if chit == DOUBLE_FORCE:
        return _continue_double_force(run, name, context)
    is_new = chit == CARRIER and not old_force.historical
    if chit == FALSE_CONTACT or (is_new and not _is_real(run, context, name)):
        _remove_false_contact(run, name, drawn_carriers, context)
        return False
    run.add(LevelChanged(force=name, level=1, chit=chit, is_carrier=chit == CARRIER))
    return _finish_promotion(run, name, context, was_carrier=False)


def _draw_effective_chit(run: Run, name: str) -> tuple[str, str]:
    """Draw chits until one has an effect. Return that chit and the chit that it counts as (7.56)."""
    drawn_chits, chit = "", DRAW_AGAIN
    while chit == DRAW_AGAIN:
        drawn_chits = draw_level_1(run, name)
        chit = resolve_double_force(run, name) if drawn_chits == DOUBLE_FORCE else drawn_chits
    return drawn_chits, chit


def _is_real(run: Run, context: Context, name: str) -> bool:
    """Return whether a new carrier force is real (13.22). If the historical fleet is in play, no such force is real."""
    return not is_all_fleet(run.state) and passes_commitment_test(run, context, name)


def _remove_false_contact(run: Run, name: str, chit: str, context: Context) -> None:
    """Remove a force that does not exist (7.35). In the raid procedure, the caller undoes everything (10.1C)."""
    if context == "raid":
        return
    if run.state.forces[name].level == 0 and chit != DOUBLE_FORCE:
        run.add(ChitsReturned(chits=(chit,), is_to_cup=False))
    score_force(run, "")
    remove_force(run, name, FALSE_CONTACT_REASON)


def _continue_double_force(run: Run, name: str, context: Context) -> bool:
    """Continue after a double force was formed (7.52, OP-70). Either half may turn out not to exist.

    Return whether the half with the given name exists.
    """
    names = [name, double_partner(run.state, name)]
    for half_force in names:
        if run.state.forces[half_force].is_carrier and not _is_real_half(run, context, half_force):
            if context == "raid" and half_force == name:
                return False
            remove_force(run, half_force, FALSE_CONTACT_REASON)
    if context != "raid":
        recompute_commitment(run)
    return name in run.state.forces


def _is_real_half(run: Run, context: Context, name: str) -> bool:
    """Return whether a half of a double force with a Carrier chit is real (OP-70)."""
    if is_all_fleet(run.state):
        return False
    return not HALVES_TESTED.uses_alternative(run.state.options) or passes_commitment_test(
        run, context, name
    )


# -- level 1 to 2


def _draw_level_2(run: Run, name: str, context: Context) -> bool:
    """Give a level-1 force its level-2 chit, which shows whether it has carriers (7.36)."""
    old_force = run.state.forces[name]
    fleet_force = historical_force(run.state, old_force)
    chit = (
        read_level_2(run, name)
        if fleet_force is None
        else historical_level_2_chit(run.state, fleet_force)
    )
    is_carrier = is_carrier_chit(chit)
    if is_carrier and not old_force.is_carrier and not _is_real(run, context, name):
        _remove_false_contact(run, name, chit, context)
        return False
    set_chit_aside(run, name)
    run.add(
        LevelChanged(
            force=name,
            level=2,
            chit=chit,
            is_carrier=is_carrier,
            is_kido_butai=chit == KIDO_BUTAI,
        )
    )
    if (
        is_carrier
        and not old_force.is_carrier
        and context == "search"
        and not old_force.has_advantage
    ):
        run.add(AdvantageChanged(force=name))  # 8.35
    return _finish_promotion(run, name, context, was_carrier=old_force.is_carrier)


# -- level 2 to 3


def _draw_level_3(run: Run, name: str, context: Context) -> bool:
    """Give a carrier force its level-3 chit, or a surface force its ships (7.332, 7.37-7.39)."""
    old_force = run.state.forces[name]
    if old_force.is_carrier:
        fleet_force = historical_force(run.state, old_force)
        chit = (
            read_level_3(run, name)
            if fleet_force is None
            else closest_level_3_chit(run.state, fleet_force.carriers)
        )
        run.add(LevelChanged(force=name, level=3, chit=chit, is_carrier=True))
        return _finish_promotion(run, name, context, was_carrier=True)
    chart = run.state.game_data.charts.l2_to_l3_surface
    ships = draw_surface(run, name, run.roll_on_column(chart, old_force.chit, name))
    run.add(LevelChanged(force=name, level=3, chit="surface"))
    if ships:
        run.add(ShipsDrawn(force=name, ships=ships))
    score_force(run, name)
    assign_submarine_hits(run, name)
    return name in run.state.forces


def closest_level_3_chit(state: State, carriers: tuple[str, ...]) -> str:
    """Return the level-3 chit closest to the carriers in a historical force."""
    types = [state.game_data.japanese_ships[ship].type for ship in carriers]
    cv, cvl = types.count("CV"), types.count("CVL")
    chits = [chit for chit in state.game_data.level_three.values() if chit.scenario is None]
    return min(chits, key=lambda chit: abs(chit.cv - cv) + abs(chit.cvl - cvl)).id


# -- level 3 to 4


def _draw_level_4(run: Run, name: str, context: Context) -> bool:
    """Give a level-3 carrier force its carriers and their screen (7.41-7.44)."""
    old_force = run.state.forces[name]
    if not scenario_rules(run.state).fights_strikes:
        _score_without_carriers(run, name, old_force)
        return True
    carriers = _draw_force_carriers(run, name, old_force)
    run.add(LevelChanged(force=name, level=4, chit=old_force.chit, is_carrier=True))
    fleet_force = historical_force(run.state, old_force)
    if fleet_force is None:
        screen = draw_screen(run, name, len(carriers))
    else:
        screen = fleet_force.screen + draw_cruisers(run, name, fleet_force.cruiser_forces)
    if ships := carriers + screen:
        run.add(ShipsDrawn(force=name, ships=ships))
    assign_submarine_hits(run, name)
    if name in run.state.forces and not carriers:
        become_surface_force(run, name)  # 7.43: no carriers were left
    return _finish_promotion(run, name, context, was_carrier=True)


def _draw_force_carriers(run: Run, name: str, force: Force) -> tuple[str, ...]:
    """Return a force's carriers: historical, from the Kido Butai, or drawn at random (7.41, 7.42)."""
    if (fleet_force := historical_force(run.state, force)) is not None:
        return fleet_force.carriers
    if force.is_kido_butai:
        return run.state.game_data.kido_butai.carriers
    return draw_carriers(run, name, read_level_4(run, name))


def _score_without_carriers(run: Run, name: str, force: Force) -> None:
    """Score the carriers of a level-4 force without placing any ships (Scenario 4, 7.42)."""
    level_4 = read_level_4(run, name)
    run.add(LevelChanged(force=name, level=4, chit=force.chit, is_carrier=True))
    score_force(run, name, (level_4.cv, level_4.cvl))


# -- after each step


def _finish_promotion(run: Run, force: str, context: Context, *, was_carrier: bool) -> bool:
    """Open the Butai display if the force now needs one, and update the Commitment Index (9.11, 13.12).

    Returns:
        False if the force has left play.
    """
    if force not in run.state.forces:
        if context != "raid":
            recompute_commitment(run)
        return False
    promoted = run.state.forces[force]
    if promoted.is_carrier and scenario_rules(run.state).has_raids:
        strength = run.state.game_data.scenarios[run.state.scenario].japan.known_air_strength
        is_first = strength is not None and not promoted.boxes
        if promoted.level > 1 or is_first:
            open_butai(run, force)
        if strength is not None and is_first:
            run.add(PointsMoved(owner=force, points=strength.value, to="aall"))
    score_force(run, force)
    if (promoted.is_carrier or was_carrier) and context != "raid":
        recompute_commitment(run)
    return force in run.state.forces


_Promotion = Callable[[Run, str, Context], bool]
_PROMOTIONS: Final[Mapping[int, _Promotion]] = {
    0: _draw_level_1,
    1: _draw_level_2,
    2: _draw_level_3,
    3: _draw_level_4,
}
"""The promotion function for each level. It returns False if the force does not exist or has been removed."""
