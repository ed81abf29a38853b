"""The possible compositions of a Japanese force, given its chit and the charts (7.36-7.44, 9.25)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from engine.cbps.charts.results import CarrierCount, CarrierSection, SurfaceCode, battleship_count
from engine.cbps.damage.ch12_hulls import (
    air_value,
    carriers_in_force,
    effective_lost_points,
    ships_in_force,
)
from engine.cbps.events.chance import Modifier
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.intelligence.ch07_draws import (
    KIDO_BUTAI,
    is_carrier_chit,
    level_2_result,
    scenario_modifiers,
)
from engine.cbps.planner.chances import cell_chances, column_chances
from engine.cbps.rulings import SERVICED_CAP
from engine.cbps.state import Force, State
from engine.cbps.strikes.ch05_flak import japanese_aa
from engine.kernel.chances import Chances, certain, map_results, mixture

SHIPS_KNOWN: Final = 3
"""Minimum level at which a surface force has its ships and a carrier force its Air Value (7.39, 9.25)."""
_SETTLED_LEVEL: Final = 2
_AWAY_BOXES: Final = ("raid-a", "raid-b", "r12", "r8", "r4", "r0")
_SERVICING_BOXES: Final = ("s1", "s2")


class ForceHypothesis(NamedTuple):
    """One possible composition of a force."""

    carriers: int
    """Number of carriers, or 0 for a surface force."""
    air_value: int
    """Air Value minus the points lost or away (5.41)."""
    screen: str = ""
    """Surface chart column for the screen or for a surface force's ships; ``drm`` is its modifier (7.39, 7.44)."""
    drm: int = 0
    types: tuple[str, ...] = ()
    """The type (CV or CVL) of each carrier whose type is known."""


def force_hypotheses(state: State, force: str) -> dict[ForceHypothesis, Fraction]:
    """Return a detected force's possible compositions with their probabilities. Level 3 or 4 has only one."""
    force_state = state.forces[force]
    if force_state.level >= SHIPS_KNOWN or ships_in_force(state, force):
        return certain(_known_hypothesis(state, force))
    if not force_state.level:
        return {}
    parts = []
    for chit, chance in _level_2_chances(state, force).items():
        if is_carrier_chit(chit):
            parts.append((chance, _carrier_hypotheses(state, force_state, chit)))
        else:
            parts.append((chance, certain(ForceHypothesis(carriers=0, air_value=0, screen=chit))))
    return mixture(parts)


def _known_hypothesis(state: State, force: str) -> ForceHypothesis:
    force_state = state.forces[force]
    ships = state.game_data.japanese_ships
    types = tuple(ships[ship].type for ship in carriers_in_force(state, force))
    value = max(air_value(state, force) - unavailable_points(state, force), 0)
    if types or not force_state.is_carrier:
        return ForceHypothesis(carriers=len(types), air_value=value, types=types)
    chit = state.game_data.level_three[force_state.chit]
    return _with_expected_screen(state, CarrierCount(chit.cv, chit.cvl), value)


def unavailable_points(state: State, force: str) -> int:
    """Return a force's points that are lost, away or being serviced (9.25, OP-13)."""
    boxes: Mapping[str, int] = {
        str(box): points for box, points in state.forces[force].boxes.items()
    }
    airborne = (
        _AWAY_BOXES
        if SERVICED_CAP.uses_alternative(state.options)
        else (*_AWAY_BOXES, *_SERVICING_BOXES)
    )
    return effective_lost_points(state, force) + sum(boxes.get(box, 0) for box in airborne)


def _level_2_chances(state: State, force: str) -> dict[str, Fraction]:
    """Return the distribution of a force's level-2 chit. It is certain if the chit has already been drawn (7.36)."""
    force_state, charts = state.forces[force], state.game_data.charts
    if force_state.level >= _SETTLED_LEVEL:
        return certain(force_state.chit)
    strength = known_strength(force_state)
    drm = 0 if strength is None else charts.known_air_strength_modifier.look_up(strength).result
    column = charts.l1_to_l2.column_for(force_state.chit)
    cells = [charts.l1_to_l2.look_up(face + drm, column) for face in range(1, 11)]
    return mixture(
        (Fraction(1, len(cells)), certain(level_2_result(state, force, cell))) for cell in cells
    )


def _carrier_hypotheses(
    state: State, force_state: Force, chit: str
) -> dict[ForceHypothesis, Fraction]:
    """Return the possible compositions of a level-2 carrier force, by its possible level-3 chits (7.37)."""
    if chit == KIDO_BUTAI:
        ships = [
            state.game_data.japanese_ships[ship] for ship in state.game_data.kido_butai.carriers
        ]
        value = sum(ship.air_value for ship in ships)
        return certain(_with_expected_screen(state, CarrierCount(len(ships), 0), value))
    chart = state.game_data.charts.l2_to_l3_carrier
    section: CarrierSection = chit  # type: ignore[assignment]  # level-2 carrier chits are its sections
    drm = sum(modifier.drm for modifier in scenario_modifiers(state, "l2_to_l3_carrier"))
    counts = cell_chances(
        lambda total: chart.look_up(total, section, known_strength(force_state)), drm
    )
    airborne = sum(
        points
        for box, points in force_state.boxes.items()
        if box in {*_AWAY_BOXES, *_SERVICING_BOXES, "lost"}
    )
    return map_results(
        counts,
        lambda count: _with_expected_screen(state, count, _air_value(state, count) - airborne),
    )


def _air_value(state: State, count: CarrierCount) -> int:
    """Return the Air Value of the level-3 chit for these carriers, or of the most similar chit (7.38)."""
    chits = [chit for chit in state.game_data.level_three.values() if chit.scenario is None]
    return min(
        chits, key=lambda chit: abs(chit.cv - count.cv) + abs(chit.cvl - count.cvl)
    ).air_value


def _with_expected_screen(state: State, count: CarrierCount, value: int) -> ForceHypothesis:
    screen = state.game_data.charts.screen_generation.look_up(count.cv + count.cvl).result
    return ForceHypothesis(
        carriers=count.cv + count.cvl,
        air_value=max(value, 0),
        screen=screen.column,
        drm=screen.drm,
        types=("CV",) * count.cv + ("CVL",) * count.cvl,
    )


# -- anti-aircraft fire


def aa_chances(state: State, force: str, hypothesis: ForceHypothesis) -> dict[int, Fraction]:
    """Return the distribution of a force's total anti-aircraft value (5.51).

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
