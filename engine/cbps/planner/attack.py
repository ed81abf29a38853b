"""Expected results of a strike after contact: surprise, CAP, flak, hits (4.53, 5.3-5.6)."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

import msgspec

from engine.cbps.air.ch04_air_to_air import (
    ABORT,
    ELIMINATE,
    engaging_fighters,
    fire_effects,
    japanese_modifiers,
)
from engine.cbps.air.ch04_fuel import can_pay
from engine.cbps.charts.results import AbortElim, AirCode, SurpriseWord
from engine.cbps.events.chance import Modifier
from engine.cbps.planner.chances import column_chances, die_chances
from engine.cbps.planner.forces import ForceHypothesis, aa_chances, force_hypotheses
from engine.cbps.run import chart_modifier
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State
from engine.cbps.strikes.ch05_cap import (
    escort_modifiers,
    fixed_cap,
    strike_attackers,
    strike_escorts,
    surprise_modifiers,
)
from engine.cbps.strikes.ch05_combat import attack_value, is_attack_doubled
from engine.cbps.strikes.ch05_flak import japanese_aa
from engine.kernel.chances import (
    Chances,
    certain,
    map_results,
    mean,
    mixture,
    probability,
    sum_distribution,
)

_NO_FIRE: Final = AbortElim(0, 0)


class Losses(NamedTuple):
    """The numbers of a strike's units that are lost or will not attack."""

    escorts: int = 0
    attackers: int = 0
    aborted: int = 0
    """Attackers that have aborted: they survive but do not attack."""
    has_fought: bool = False
    """True if the strike has fought aircraft, so that its attack is not doubled (5.61)."""


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """Expected results against one possible kind of force: with carriers or without."""

    chance: Fraction
    """Probability that the target is of this kind."""
    surprise: Mapping[SurpriseWord, Fraction]
    """Probability of each degree of surprise. Empty against ships without carriers."""
    cap: Mapping[int, Fraction]
    """Probability of each number of CAP points that meet the strike. 0 means no CAP."""
    aa: Mapping[int, Fraction]
    """Probability of each anti-aircraft value, before halving for surprise."""
    by_cap: Fraction
    """Average number of US units lost to CAP."""
    by_aa: Fraction
    """Average number of US units lost to anti-aircraft fire."""
    aborted: Fraction
    lost_chances: Mapping[int, Fraction]
    """Probability of each number of units lost before the return flight."""
    hit_chances: Mapping[int, Fraction]
    """Probability of each number of hits, with dice aimed at carriers or, if there are none, at other ships (5.61)."""

    @property
    def average_losses(self) -> Fraction:
        """Return the average number of units lost before the return flight."""
        return self.by_cap + self.by_aa

    @property
    def most_lost(self) -> int:
        """Return the largest possible number of units lost."""
        return max(self.lost_chances)

    @property
    def hits(self) -> Fraction:
        """Return the average number of hits."""
        return mean(self.hit_chances)

    @property
    def most_hits(self) -> int:
        """Return the largest possible number of hits."""
        return max(self.hit_chances)


def forecasts(state: State, mission: str, target: str) -> tuple[Forecast, ...]:
    """Return the expected results of a strike that has contacted a force or lone crippled ship.

    Returns:
        One forecast with carriers in the force and one without, omitting impossible cases. Empty if strikes end with
        contact (Scenario 4) or if nothing is known about the force.
    """
    if not scenario_rules(state).fights_strikes:
        return ()
    if target in state.hulls:
        aa = certain(japanese_aa(state, (target,)))
        is_carrier = state.game_data.japanese_ships[target].is_carrier
        return (_forecast_without_cap(state, mission, Fraction(1), aa, is_carrier=is_carrier),)
    hypotheses = force_hypotheses(state, target)
    carriers = {nature: chance for nature, chance in hypotheses.items() if nature.carriers}
    other_chances = {nature: chance for nature, chance in hypotheses.items() if not nature.carriers}
    result = []
    if carriers:
        result.append(_forecast_with_cap(state, mission, target, carriers))
    if other_chances:
        chance, aa = _aa_distribution(state, target, other_chances)
        result.append(_forecast_without_cap(state, mission, chance, aa, is_carrier=False))
    return tuple(result)


def _aa_distribution(
    state: State, target: str, hypotheses: Chances[ForceHypothesis]
) -> tuple[Fraction, dict[int, Fraction]]:
    """Return the total probability of the given compositions, and the probabilities of their anti-aircraft values."""
    total_chance = sum(hypotheses.values(), Fraction(0))
    parts = (
        (Fraction(share, total_chance), aa_chances(state, target, hypothesis))
        for hypothesis, share in hypotheses.items()
    )
    return total_chance, mixture(parts)


# -- ships without carriers: no surprise, no CAP (5.3, 5.33, OP-61)


def _forecast_without_cap(
    state: State,
    mission: str,
    chance: Fraction,
    aa: Chances[int],
    *,
    is_carrier: bool,
) -> Forecast:
    results = _losses_under_fire(state, mission, certain(Losses()), aa, "none")
    hits = _hit_distribution(
        state, mission, results, "none" if is_carrier else None, is_carrier_force=False
    )
    return Forecast(
        chance=chance,
        surprise={},
        cap=certain(0),
        aa=aa,
        by_cap=Fraction(0),
        by_aa=mean(results, lambda losses: losses.attackers),
        aborted=mean(results, lambda losses: losses.aborted),
        lost_chances=map_results(results, lambda losses: losses.attackers),
        hit_chances=hits,
    )


# -- carrier forces


def _forecast_with_cap(
    state: State, mission: str, target: str, hypotheses: Chances[ForceHypothesis]
) -> Forecast:
    chance, aa = _aa_distribution(state, target, hypotheses)
    words = surprise_chances(state, target)
    cap_by_word = {
        word: _cap_distribution(state, target, hypotheses, chance, word) for word in words
    }
    points = dict.fromkeys(number for caps in cap_by_word.values() for number in caps)
    combats = {number: air_combat_losses(state, mission, number) for number in points}
    by_cap = by_aa = aborted = Fraction(0)
    loss_forecasts: list[tuple[Fraction, dict[int, Fraction]]] = []
    hits: list[tuple[Fraction, dict[int, Fraction]]] = []
    for word, weight in words.items():
        combat = mixture((share, combats[number]) for number, share in cap_by_word[word].items())
        results = _losses_under_fire(state, mission, combat, aa, word)
        in_air = mean(combat, lambda losses: losses.escorts + losses.attackers)
        by_cap += weight * in_air
        by_aa += weight * (mean(results, lambda losses: losses.escorts + losses.attackers) - in_air)
        aborted += weight * mean(results, lambda losses: losses.aborted)
        loss_forecasts.append(
            (weight, map_results(results, lambda losses: losses.escorts + losses.attackers))
        )
        hits.append(
            (weight, _hit_distribution(state, mission, results, word, is_carrier_force=True))
        )
    return Forecast(
        chance=chance,
        surprise=words,
        cap=mixture((weight, cap_by_word[word]) for word, weight in words.items()),
        aa=aa,
        by_cap=by_cap,
        by_aa=by_aa,
        aborted=aborted,
        lost_chances=mixture(loss_forecasts),
        hit_chances=mixture(hits),
    )


def surprise_chances(state: State, force: str) -> dict[SurpriseWord, Fraction]:
    """Return the probability of each degree of surprise for a carrier force (5.31, 5.32)."""
    return die_chances(state.game_data.charts.surprise, surprise_modifiers(state, force))


def _cap_distribution(
    state: State,
    force: str,
    hypotheses: Chances[ForceHypothesis],
    total_chance: Fraction,
    word: SurpriseWord,
) -> dict[int, Fraction]:
    """Return the probability of each number of CAP points at a degree of surprise (5.41, 5.43)."""
    if state.game_data.charts.surprise.effects[word].cap == "none":
        return certain(0)
    force_state = state.forces[force]
    if force_state.cap is not None:
        return certain(force_state.cap)
    chart = state.game_data.charts.japanese_cap_strength
    modifiers = (chart_modifier(chart, "surprise_partial"),) if word == "partial" else ()
    return mixture(
        (
            Fraction(share, total_chance),
            certain(fixed_cap(state, force, nature.carriers))
            if scenario_rules(state).is_fixed_strength
            else column_chances(chart, nature.air_value, modifiers),
        )
        for nature, share in hypotheses.items()
    )


def air_combat_losses(state: State, mission: str, cap: int) -> dict[Losses, Fraction]:
    """Return a strike's possible losses to CAP with their probabilities (4.53-4.57, 5.42)."""
    if not cap:
        return certain(Losses())
    escorts, attackers = len(strike_escorts(state, mission)), len(strike_attackers(state, mission))
    charts, modifiers = state.game_data.charts, japanese_modifiers(state, mission)

    def at_attackers(points: int, lost_escorts: int) -> dict[Losses, Fraction]:
        if not points or not attackers:
            return certain(Losses(lost_escorts, has_fought=True))
        fire = column_chances(charts.japanese_air_to_air, points, modifiers)
        return map_results(fire, lambda code: _losses_from_code(attackers, code, lost_escorts))

    if not escorts:
        return at_attackers(2 * cap, 0)
    engaged = min(cap, engaging_fighters(state, escorts))
    own_modifiers = escort_modifiers(state, mission)
    kill_chances = map_results(
        column_chances(charts.us_air_to_air, escorts, own_modifiers),
        lambda points: min(points, engaged),
    )
    fire = column_chances(charts.japanese_air_to_air, engaged, modifiers)
    parts = []
    for code, share in fire.items():
        escorts_lost = min(fire_effects(code).count(ELIMINATE), escorts)
        is_broken = ABORT in fire_effects(code)  # 4.57: a surviving point fights the attackers
        through_chance = (
            probability(kill_chances, lambda points: points < engaged) if is_broken else Fraction(0)
        )
        parts.append((share * through_chance, at_attackers(cap - engaged + 1, escorts_lost)))
        parts.append((share * (1 - through_chance), at_attackers(cap - engaged, escorts_lost)))
    return mixture(parts)


def _losses_from_code(attackers: int, code: AirCode, lost_escorts: int) -> Losses:
    attackers_lost = min(fire_effects(code).count(ELIMINATE), attackers)
    aborted_count = min(fire_effects(code).count(ABORT), attackers - attackers_lost)
    return Losses(lost_escorts, attackers_lost, aborted_count, has_fought=True)


# -- flak and attack


def _losses_under_fire(
    state: State,
    mission: str,
    chances_before: Chances[Losses],
    aa: Chances[int],
    word: SurpriseWord,
) -> dict[Losses, Fraction]:
    """Return the possible losses after anti-aircraft fire, including those to CAP, with their probabilities (5.51)."""
    effect = state.game_data.charts.surprise.effects[word].aa
    if effect == "none":
        return dict(chances_before)
    chart = state.game_data.charts.anti_aircraft_fire
    fire = mixture(
        (
            share,
            column_chances(chart, value if effect == "normal" else value // 2)
            if value
            else certain(_NO_FIRE),
        )
        for value, share in aa.items()
    )
    attackers = len(strike_attackers(state, mission))
    return mixture(
        (share, map_results(fire, partial(_losses_from_fire, attackers, losses)))
        for losses, share in chances_before.items()
    )


def _losses_from_fire(attackers: int, losses: Losses, shot_result: AbortElim) -> Losses:
    surviving_count = attackers - losses.attackers - losses.aborted
    attackers_lost = min(shot_result.elim, surviving_count)
    aborted_count = min(shot_result.abort, surviving_count - attackers_lost)
    return losses._replace(
        attackers=losses.attackers + attackers_lost, aborted=losses.aborted + aborted_count
    )


def _hit_distribution(
    state: State,
    mission: str,
    chances_after: Chances[Losses],
    word: SurpriseWord | None,
    *,
    is_carrier_force: bool,
) -> dict[int, Fraction]:
    """Return the probability of each number of hits (5.61).

    The degree of surprise is None if the target has no carriers. Each remaining attacker is assumed to have the average
    attack value.
    """
    units = strike_attackers(state, mission)
    value = attack_value(state, units)
    effects = state.game_data.charts.surprise.effects
    bonus = () if word is None else (Modifier(id="surprise", drm=effects[word].damage_drm),)
    is_doubled = is_attack_doubled(state, mission, word or "none", is_carrier=is_carrier_force)
    by_total: dict[int, dict[int, Fraction]] = {}
    parts: list[tuple[Fraction, dict[int, Fraction]]] = []
    for losses, chance in chances_after.items():
        surviving_count = len(units) - losses.attackers - losses.aborted
        if not surviving_count:
            parts.append((chance, certain(0)))
            continue
        total = value * surviving_count // len(units)
        if is_doubled and not losses.has_fought:
            total *= 2
        if total not in by_total:
            by_total[total] = sum_distribution(damage_chances(state, mission, total, bonus))
        parts.append((chance, by_total[total]))
    return mixture(parts)


def damage_chances(
    state: State, mission: str, total: int, bonus: tuple[Modifier, ...] = ()
) -> tuple[dict[int, Fraction], ...]:
    """Return, for each damage die at a total attack value, the probability of each number of hits (5.61)."""
    charts = state.game_data.charts
    entry = charts.air_attack_die_rolls.look_up(total)
    if not can_pay(state.missions[mission], 1):
        columns = charts.air_attack_die_rolls.columns
        entry = columns[max(columns.index(entry) - 1, 0)]
    return tuple(
        die_chances(charts.air_attack_damage, (Modifier(id="die_modifier", drm=die), *bonus))
        for die in entry.result
    )
