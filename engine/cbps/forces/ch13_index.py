"""The Commitment Index, a measure of the Japanese carrier strength revealed so far (13.1, 13.11)."""

from engine.cbps.charts.special import ShipLine
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.rulings import ADDITIONAL_SHIPS, DEPARTED_COMMITMENT, is_on
from engine.cbps.state import State


def ships_in_play(state: State) -> ShipLine:
    """Return the chart line for the Japanese ships in play, which determines the threshold and limit (13.21)."""
    if "scenario_9" in state.game_data.scenarios[state.scenario].japan.ships:
        return "scenario_9"
    return "additional" if is_on(state, ADDITIONAL_SHIPS) else "historical"


def commitment_threshold(state: State) -> int:
    """Return the Commitment Threshold (13.21)."""
    line = ships_in_play(state)
    limits = state.game_data.scenarios[state.scenario].japan.commitment.get(line)
    if limits is None:
        return state.game_data.charts.commitment_defaults.value(f"{line}_threshold")
    return limits.threshold


def commitment_limit(state: State) -> int:
    """Return the Commitment Limit (13.21)."""
    line = ships_in_play(state)
    limits = state.game_data.scenarios[state.scenario].japan.commitment.get(line)
    if limits is None:
        return state.game_data.charts.commitment_defaults.value(f"{line}_limit")
    return limits.limit


def commitment_share(state: State, name: str) -> int:
    """Return a force's share of the index (13.13). Lost carriers still count (OP-46)."""
    force, game_data = state.forces[name], state.game_data
    if force.first_carriers:
        values = game_data.charts.commitment_l4
        types = [game_data.japanese_ships[ship].type for ship in force.first_carriers]
        per_cv, per_cvl = values.value("per_CV"), values.value("per_CVL")
        return types.count("CV") * per_cv + types.count("CVL") * per_cvl
    if not force.is_carrier:
        return 0
    if force.level == 1:
        strength = known_strength(force)
        chart = game_data.charts.commitment_l1
        return chart.unknown.value if strength is None else chart.look_up(strength).result
    chits = game_data.level_two if force.level == 2 else game_data.level_three  # noqa: PLR2004  # 13.13
    return chits[force.chit].commitment


def commitment_index(state: State) -> int:
    """Return the current index, including forces that have left play (13.13, OP-46)."""
    departed_count = (
        0 if DEPARTED_COMMITMENT.uses_alternative(state.options) else state.departed_commitment
    )
    return departed_count + sum(commitment_share(state, name) for name in state.forces)
