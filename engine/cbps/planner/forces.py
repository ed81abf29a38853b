"""The possible compositions of a Japanese force, given its chit and the charts (7.36-7.44, 9.25)."""

from fractions import Fraction
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.cbps.charts.results import CarrierSection, SurfaceCode, battleship_count
from engine.cbps.damage.ch12_hulls import carriers_in_force, net_air_value, ships_in_force
from engine.cbps.events.chance import Modifier
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.intelligence.ch07_draws import (
    KIDO_BUTAI,
    is_carrier_chit,
    level_2_result,
    level_3_cell,
    nearest_level_3_chits,
    scenario_modifiers,
)
from engine.cbps.intelligence.ch07_fleet import (
    historical_force,
    historical_level_2_chit,
    is_all_fleet,
)
from engine.cbps.intelligence.ch07_levels import closest_level_3_chit
from engine.cbps.planner.chances import cell_chances, column_chances
from engine.cbps.state import State
from engine.cbps.strikes.ch05_flak import japanese_aa
from engine.kernel.chances import Chances, certain, map_results, mixture, uniform

SHIPS_KNOWN: Final = 3
"""Lowest level at which a surface force's ships or a carrier force's Air Value are determined (7.39, 9.25)."""
_SETTLED_LEVEL: Final = 2


class ForceHypothesis(NamedTuple):
    """One possible composition of a force."""

    carriers: int
    """Number of carriers, or 0 for a surface force."""
    air_value: int
    """Air Value minus the points lost or away (5.41)."""
    screen: str = ""
    """Surface chart column for a surface force's ships or a carrier force's screen.

    ``drm`` is the die roll modifier (7.39, 7.44).
    """
    drm: int = 0
    types: tuple[str, ...] = ()
    """The type (CV or CVL) of each carrier whose type is known."""


def force_hypotheses(state: State, force: str) -> dict[ForceHypothesis, Fraction]:
    """Return a detected force's possible compositions with their probabilities.

    There is only one for forces at level 3 or 4, and none at level 0. With the historical fleet, the probabilities add
    up to less than 1 if the force may turn out to be a false contact.
    """
    force_state = state.forces[force]
    if force_state.level >= SHIPS_KNOWN or ships_in_force(state, force):
        return certain(_known_hypothesis(state, force))
    if not force_state.level:
        return {}
    parts = []
    for chit, chance in _level_2_chances(state, force).items():
        if not is_carrier_chit(chit):
            parts.append((chance, certain(ForceHypothesis(carriers=0, air_value=0, screen=chit))))
        elif force_state.is_carrier or not is_all_fleet(state):
            parts.append((chance, _carrier_hypotheses(state, force, chit)))
    return mixture(parts)


def _known_hypothesis(state: State, force: str) -> ForceHypothesis:
    force_state = state.forces[force]
    ships = state.game_data.japanese_ships
    types = tuple(ships[ship].type for ship in carriers_in_force(state, force))
    value = net_air_value(state, force)
    if types or not force_state.is_carrier:
        return ForceHypothesis(carriers=len(types), air_value=value, types=types)
    chit = state.game_data.level_three[force_state.chit]
    screen = state.game_data.charts.screen_generation.look_up(chit.cv + chit.cvl).result
    return ForceHypothesis(
        carriers=chit.cv + chit.cvl,
        air_value=value,
        screen=screen.column,
        drm=screen.drm,
        types=("CV",) * chit.cv + ("CVL",) * chit.cvl,
    )


def _level_2_chances(state: State, force: str) -> dict[str, Fraction]:
    """Return a force's possible level-2 chits with their probabilities.

    A chit that is already drawn is certain (7.36).
    """
    force_state, charts = state.forces[force], state.game_data.charts
    if force_state.level >= _SETTLED_LEVEL:
        return certain(force_state.chit)
    fleet_force = historical_force(state, force_state)
    if fleet_force is not None:
        return certain(historical_level_2_chit(state, fleet_force))
    strength = known_strength(force_state)
    drm = 0 if strength is None else charts.known_air_strength_modifier.look_up(strength).result
    column = charts.l1_to_l2.column_for(force_state.chit)
    cells = [charts.l1_to_l2.look_up(face + drm, column) for face in range(1, 11)]
    return mixture(
        (Fraction(1, len(cells)), certain(level_2_result(state, force, cell))) for cell in cells
    )


def _carrier_hypotheses(state: State, force: str, chit: str) -> dict[ForceHypothesis, Fraction]:
    """Return the possible compositions of a carrier force with a level-2 chit, and their probabilities (7.37)."""

    def with_chit(level_3_chit: str) -> ForceHypothesis:
        revealed_force = replace(
            state.forces[force], level=SHIPS_KNOWN, chit=level_3_chit, is_carrier=True
        )
        return _known_hypothesis(
            replace(state, forces={**state.forces, force: revealed_force}), force
        )

    return map_results(_level_3_chances(state, force, chit), with_chit)


def _level_3_chances(state: State, force: str, chit: str) -> dict[str, Fraction]:
    """Return the possible level-3 chits of a force with a level-2 carrier chit, with probabilities (7.37, 7.38)."""
    fleet_force = historical_force(state, state.forces[force])
    if fleet_force is not None:
        return certain(closest_level_3_chit(state, fleet_force.carriers))
    if chit == KIDO_BUTAI:
        return certain(KIDO_BUTAI)
    section: CarrierSection = chit  # type: ignore[assignment]  # level-2 carrier chits are its sections
    strength = known_strength(state.forces[force])
    drm = sum(modifier.drm for modifier in scenario_modifiers(state, "l2_to_l3_carrier"))
    chance_by_count = cell_chances(lambda total: level_3_cell(state, section, strength, total), drm)
    return mixture(
        (chance, uniform(nearest_level_3_chits(state, count)))
        for count, chance in chance_by_count.items()
    )


# -- anti-aircraft fire


def aa_chances(state: State, force: str, hypothesis: ForceHypothesis) -> dict[int, Fraction]:
    """Return a force's possible total anti-aircraft values with their probabilities (5.51).

    Unknown ships have the average value of their type.
    """
    if not hypothesis.screen:
        return certain(japanese_aa(state, ships_in_force(state, force)))
    carriers = sum((_average_aa(state, kind) for kind in hypothesis.types), Fraction(0))
    modifiers = (Modifier(id="screen", drm=hypothesis.drm),)
    codes: Chances[SurfaceCode] = column_chances(
        state.game_data.charts.l2_to_l3_surface, hypothesis.screen, modifiers
    )
    return map_results(codes, lambda code: int(carriers + _screen_aa(state, code)))


def _screen_aa(state: State, code: SurfaceCode) -> Fraction:
    if code == "DD":
        return _average_aa(state, "DD")
    return battleship_count(code) * _average_aa(state, "BB") + _average_aa(state, "CA")


def _average_aa(state: State, kind: str) -> Fraction:
    ships = state.game_data.japanese_ships_of_type(kind)
    return Fraction(sum(ship.aa for ship in ships), len(ships))
