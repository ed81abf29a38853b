"""Japanese submarines. They have no counters and are not exposed to ASW (14.2, 14.21, 14.26)."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.cbps.clock import is_full_daylight
from engine.cbps.damage.ch12_fires import start_fire
from engine.cbps.damage.ch12_hulls import us_level
from engine.cbps.damage.ch12_us_damage import hit_us_ship, sink_us_ship
from engine.cbps.events.chance import Modifier
from engine.cbps.locations import lit_groups, ship_hex
from engine.cbps.rulings import SUBMARINE_ROLLS
from engine.cbps.run import Run, chart_modifier
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State

_HIT_COUNTS: Final[Mapping[str, int]] = {"1 hit": 1, "2 hits": 2, "3 hits": 3, "2 hits + fire": 2}
_FIRE: Final = "2 hits + fire"


def resolve_japanese_submarines(run: Run) -> None:
    """Resolve submarine attacks on lit hexes and, after a full-daylight turn, on crippled US ships (14.22, 14.25).

    Crippled ships are attacked only in Scenario 6 and later (appendix C).
    """
    lit_hexes = [run.state.groups[name].hex for name in lit_groups(run.state)]
    # OP-51: one roll per hex, regardless of the number of groups
    for hex in (
        lit_hexes
        if SUBMARINE_ROLLS.uses_alternative(run.state.options)
        else dict.fromkeys(lit_hexes)
    ):
        _attack_hex(run, hex)
    if is_full_daylight(run.state) and scenario_rules(run.state).has_full_rules:
        for ship in run.state.ships:
            if us_level(run.state, ship) == "crippled":
                _attack_cripple(run, ship)


def _attack_hex(run: Run, hex: str) -> None:
    """Roll for a submarine attack on a lit hex. A success hits a random carrier there (14.22, 14.24, OP-51)."""
    carriers = [
        name
        for name in run.state.ships
        if run.state.game_data.us_ships[name].is_carrier and ship_hex(run.state, name) == hex
    ]
    if (
        carriers
        and run.roll_on_chart(run.state.game_data.charts.japanese_submarine_attack, hex) != "none"
    ):
        _roll_damage(run, run.pick(carriers, "14.24", hex))


def _attack_cripple(run: Run, ship: str) -> None:
    """Roll for an attack on a crippled ship, alone or still with its group (12.47, 14.25)."""
    chart = run.state.game_data.charts.japanese_submarine_attack
    if run.roll_on_chart(chart, ship, _cripple_modifiers(run.state, ship)) != "none":
        _roll_damage(run, ship)


def _cripple_modifiers(state: State, ship: str) -> Iterator[Modifier]:
    chart = state.game_data.charts.japanese_submarine_attack
    yield chart_modifier(chart, "crippled_target")
    hex = ship_hex(state, ship)
    screen = sum(
        name != ship
        and not state.game_data.us_ships[name].is_carrier
        and ship_hex(state, name) == hex
        for name in state.ships
    )
    screen_modifier = chart.modifier("screen")
    yield Modifier(
        id=screen_modifier.id,
        drm=screen_modifier.total_for(screen),
        is_assumed=screen_modifier.is_assumed,
    )


def _roll_damage(run: Run, ship: str) -> None:
    """Roll for the damage of a submarine attack and apply it (14.23, 12.311)."""
    result = run.roll_on_chart(run.state.game_data.charts.japanese_submarine_attack_second, ship)
    if result not in _HIT_COUNTS:
        sink_us_ship(run, ship)
        return
    hit_us_ship(run, ship, _HIT_COUNTS[result], "submarine")
    is_carrier = run.state.game_data.us_ships[ship].is_carrier
    if (
        result == _FIRE
        and is_carrier
        and scenario_rules(run.state).has_full_rules
        and not run.state.ships[ship].is_sunk
    ):
        start_fire(run, ship)
