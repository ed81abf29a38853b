"""The start of a battle: unescorted landings, lost transports and participants (8.45B, 8.46, 9.1)."""

from msgspec.structs import replace

from engine.eots.ch06_supply.control import units_at
from engine.eots.ch09_battle.battle_view import BattleView, opening_frame
from engine.eots.ch09_battle.participants import is_landed
from engine.eots.counters import counters
from engine.eots.events.battle import BattleBegan, BattleCancelled
from engine.eots.events.offensive import RetreatOrdered, UnitsExpelled
from engine.eots.events.units import UnitEliminated
from engine.eots.flow import EotsRun
from engine.eots.frames import Stage
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode, State, current_offensive
from engine.eots.unit_removal import lose_step
from engine.kernel.ids import Rule


def open_battle(run: EotsRun, hex_id: HexId) -> None:
    """Resolve everything before the first roll, and determine who takes part (8.45B, 8.46, 9.1, 9.34).

    Intrinsic units are counted again for each battle (OPB-30).
    """
    eliminate_carried(run, hex_id)
    excluded_units = attack_unescorted_landing(run, hex_id)
    frame = opening_frame(run.state, hex_id, excluded_units)
    stage, winner = _first_stage(BattleView(run.state, frame))
    run.add(BattleBegan(at=hex_id, units=frame.participants))
    if stage is Stage.CONCLUSION:
        run.add(BattleCancelled(rule=Rule("8.45B") if excluded_units else Rule("7.27"), at=hex_id))
    run.replace_top(replace(frame, stage=stage, air_naval_winner=winner))


def _first_stage(battle: BattleView) -> tuple[Stage, Side | None]:
    """Return the stage in which a battle starts. If air-naval combat is skipped, also return its winner."""
    if not battle.attacker.present:
        return Stage.CONCLUSION, battle.defender.side
    if not battle.attacker.shooters and not battle.defender.shooters:
        return Stage.GROUND, battle.attacker.side  # 9.34
    return Stage.AIR_NAVAL, None


def eliminate_carried(run: EotsRun, hex_id: HexId) -> None:
    """Eliminate each brigade whose ship has been eliminated before the brigade could fight (8.46)."""
    state = run.state
    for unit, move in sorted(current_offensive(state).moved.items()):
        if move.mode is not Mode.ORGANIC or move.ship is None or state.units[unit].at != hex_id:
            continue
        if not state.units[move.ship].is_on_map:
            run.add(UnitEliminated(rule=Rule("8.46"), unit=unit))


def attack_unescorted_landing(run: EotsRun, hex_id: HexId) -> tuple[UnitId, ...]:
    """Let Reaction ships attack an unescorted landing.

    Return the landed units that take no part in the battle (8.45B).
    """
    state = run.state
    landed_troops = landed_units(state, hex_id)
    if not landed_troops or not _has_ships(state, hex_id) or is_escorted(state, hex_id):
        return ()
    for unit in landed_troops:
        lose_step(run, unit, Rule("8.45B"))
    expel_landed_units(run, hex_id, landed_troops, Rule("8.45B"))
    return landed_troops


def landed_units(state: State, hex_id: HexId) -> tuple[UnitId, ...]:
    """Return the Offensive player's ground units that have landed in a hex and are still there, by id (8.45-8.47)."""
    side = current_offensive(state).side
    return tuple(
        unit
        for unit in units_at(state).get(hex_id, ())
        if counters()[unit].is_ground and counters()[unit].side is side and is_landed(state, unit)
    )


def _has_ships(state: State, hex_id: HexId) -> bool:
    """Return whether the hex contains Reaction ships, which must have moved there in reaction (8.45B)."""
    enemy = current_offensive(state).side.enemy
    return any(
        counters()[unit].is_naval and counters()[unit].side is enemy
        for unit in units_at(state).get(hex_id, ())
    )


def is_escorted(state: State, hex_id: HexId) -> bool:
    """Return whether an offensive naval unit was in the hex at the end of offensive movement (8.45B, OP-25)."""
    offensive = current_offensive(state)
    if any(
        counters()[unit].is_naval and counters()[unit].side is offensive.side
        for unit in units_at(state).get(hex_id, ())
    ):
        return True
    return any(
        counters()[unit].is_naval
        and counters()[unit].side is offensive.side
        and move.path[-1] == hex_id
        for unit, move in offensive.moved.items()
        if move.path
    )


def expel_landed_units(run: EotsRun, hex_id: HexId, units: tuple[UnitId, ...], rule: Rule) -> None:
    """Make landed units leave. Barge units retreat. All others leave in post-battle movement (8.45C, 8.47)."""
    record, units_on_map = current_offensive(run.state), run.state.units
    landed_here = tuple(
        unit for unit in units if units_on_map[unit].at == hex_id and unit not in record.expelled
    )
    landed_by_barge = tuple(
        unit
        for unit in landed_here
        if record.moved[unit].mode is Mode.BARGE and unit not in record.retreats
    )
    landed_troops = tuple(unit for unit in landed_here if record.moved[unit].mode is not Mode.BARGE)
    if landed_troops:
        run.add(UnitsExpelled(rule=rule, units=landed_troops))
    if landed_by_barge:
        run.add(RetreatOrdered(rule=Rule("8.47"), units=landed_by_barge, at=hex_id))
