"""The probability that a strike contacts its target (5.2)."""

from fractions import Fraction
from typing import Final

import msgspec

from engine.cbps.charts.results import Contact
from engine.cbps.events.chance import Modifier
from engine.cbps.planner.chances import column_chances
from engine.cbps.run import chart_modifier
from engine.cbps.state import State
from engine.cbps.strikes.ch05_contact import distance_to_groups
from engine.kernel.chances import Chances

_WRONG_TARGET_HEXES: Final = 2
"""Maximum distance of a wrong target, in hexes (5.24)."""


class AttemptChances(msgspec.Struct, frozen=True, kw_only=True):
    """The probabilities of the results of one contact attempt."""

    contact: Fraction
    wrong_force: Fraction
    """Probability of contacting another force instead (5.24-5.26)."""
    no_contact: Fraction


class ContactChances(msgspec.Struct, frozen=True, kw_only=True):
    """The probabilities of a strike's first and second contact attempts on one target."""

    column: str
    """The chart column: the distance in hexes to the nearest task group (5.21)."""
    modifiers: tuple[Modifier, ...]
    """The die roll modifiers for the first attempt."""
    first: AttemptChances
    second: AttemptChances
    within_two: Fraction
    """Probability of contacting the target within two attempts. The second attempt follows a miss (5.22)."""


def target_hex(state: State, target: str) -> str:
    """Return the hex of a force or of a lone crippled ship."""
    return state.forces[target].hex if target in state.forces else state.hulls[target].hex


def contact_chances(state: State, target: str) -> ContactChances:
    """Return a strike's probabilities of contacting a force or lone crippled ship in its hex (5.21-5.26)."""
    chart = state.game_data.charts.strike_contact
    hex = target_hex(state, target)
    force = state.forces.get(target)
    is_vague = force is not None and force.detection == "?"
    modifiers = (chart_modifier(chart, "approximate"),) if is_vague else ()
    column = distance_to_groups(state, hex)
    first_chances = _attempt_chances(state, target, column_chances(chart, column, modifiers))
    second_modifiers = (*modifiers, chart_modifier(chart, "second_attempt"))
    second = _attempt_chances(state, target, column_chances(chart, column, second_modifiers))
    return ContactChances(
        column=chart.column_for(column),
        modifiers=modifiers,
        first=first_chances,
        second=second,
        within_two=first_chances.contact + first_chances.no_contact * second.contact,
    )


def _attempt_chances(state: State, target: str, chances: Chances[Contact]) -> AttemptChances:
    """Return the probabilities of one attempt. If there is no other force, W results count as contact (5.24, 5.26)."""
    no_chance = Fraction(0)
    two_hexes, same_hex = chances.get("W/2", no_chance), chances.get("W/0", no_chance)
    wrong_force = (
        two_hexes if _has_other_force(state, target, _WRONG_TARGET_HEXES) else no_chance
    ) + (same_hex if _has_other_force(state, target, 0) else no_chance)
    no_contact = chances.get("-", no_chance)
    return AttemptChances(
        contact=1 - wrong_force - no_contact, wrong_force=wrong_force, no_contact=no_contact
    )


def _has_other_force(state: State, target: str, reach: int) -> bool:
    """Return whether another force, detected or not, is close enough to be contacted instead of the target."""
    grid, hex = state.game_data.map.grid, target_hex(state, target)
    return any(
        name != target and grid.distance(hex, force.hex) <= reach
        for name, force in state.forces.items()
    )
