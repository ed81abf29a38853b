"""The start of a battle: unescorted landings, lost transports and participants (8.45B, 8.46, 9.1)."""

from engine.eots.ch06_supply.control import intrinsic_units, units_at
from engine.eots.ch09_battle.participants import (
    adds_strength,
    is_landed,
    participants,
)
from engine.eots.counters import counters
from engine.eots.events.battle import BattleBegan, BattleCancelled
from engine.eots.events.offensive import RetreatOrdered, UnitsExpelled
from engine.eots.events.units import UnitEliminated
from engine.eots.flow import EotsRun
from engine.eots.frames import BattleFrame, Stage
from engine.eots.ids import HexId, UnitId
from engine.eots.state import Mode, State, current_offensive
from engine.eots.unit_removal import lose_step
from engine.kernel.ids import Rule


def open_battle(run: EotsRun, frame: BattleFrame) -> None:
    """Resolve everything that precedes the first roll, and name the participants (8.45B, 8.46, 9.1, 9.34).

    Intrinsic units are counted afresh for each battle (OPB-30).
    """
    eliminate_carried(run, frame.hex)
    excluded = attack_unescorted_landing(run, frame.hex)
    state = run.state
    units = tuple(unit for unit in participants(state, frame.hex) if unit not in excluded)
    run.add(BattleBegan(at=frame.hex, units=units))
    side = current_offensive(state).side
    stage, winner = Stage.AIR_NAVAL, None
    if not any(counters()[unit].side is side for unit in units):
        rule = Rule("8.45B") if excluded else Rule("7.27")
        run.add(BattleCancelled(rule=rule, at=frame.hex))
        stage, winner = Stage.CONCLUSION, side.enemy
    elif not any(adds_strength(state, frame.hex, unit) for unit in units):
        stage, winner = Stage.GROUND, side  # 9.34
    run.replace_top(
        BattleFrame(
            hex=frame.hex,
            stage=stage,
            begun=True,
            participants=units,
            places=tuple(state.units[unit].at for unit in units),
            intrinsic=intrinsic_units(state, frame.hex),
            excluded=excluded,
            air_naval_winner=winner,
        ),
    )


def eliminate_carried(run: EotsRun, at: HexId) -> None:
    """Eliminate brigades whose ship was eliminated before they could fight on the ground (8.46)."""
    state = run.state
    for unit, move in sorted(current_offensive(state).moved.items()):
        if move.mode is not Mode.ORGANIC or move.ship is None or state.units[unit].at != at:
            continue
        if not state.units[move.ship].is_on_map:
            run.add(UnitEliminated(rule=Rule("8.46"), unit=unit))


def attack_unescorted_landing(run: EotsRun, at: HexId) -> tuple[UnitId, ...]:
    """Apply the Reaction ships' attack on an unescorted landing, and return the landed units (8.45B)."""
    state = run.state
    landed = landed_units(state, at)
    if not landed or not _has_ships(state, at) or is_escorted(state, at):
        return ()
    for unit in landed:
        lose_step(run, unit, Rule("8.45B"))
    expel_landed_units(run, at, landed, Rule("8.45B"))
    return landed


def landed_units(state: State, at: HexId) -> tuple[UnitId, ...]:
    """Return the offensive ground units that landed in a hex and are still there, sorted by id (8.45-8.47)."""
    side = current_offensive(state).side
    return tuple(
        unit
        for unit in units_at(state).get(at, ())
        if counters()[unit].is_ground and counters()[unit].side is side and is_landed(state, unit)
    )


def _has_ships(state: State, at: HexId) -> bool:
    """Return whether the hex contains Reaction ships that moved there in reaction (8.45B)."""
    enemy = current_offensive(state).side.enemy
    return any(
        counters()[unit].is_naval and counters()[unit].side is enemy
        for unit in units_at(state).get(at, ())
    )


def is_escorted(state: State, at: HexId) -> bool:
    """Return whether an offensive naval unit was in the hex when offensive movement ended (8.45B, OP-25)."""
    offensive = current_offensive(state)
    if any(
        counters()[unit].is_naval and counters()[unit].side is offensive.side
        for unit in units_at(state).get(at, ())
    ):
        return True
    return any(
        counters()[unit].is_naval
        and counters()[unit].side is offensive.side
        and move.path[-1] == at
        for unit, move in offensive.moved.items()
        if move.path
    )


def expel_landed_units(run: EotsRun, at: HexId, units: tuple[UnitId, ...], rule: Rule) -> None:
    """Make landed units leave: by sea in post-battle movement, or back across the hexside by barge (8.45C, 8.47)."""
    record, alive = current_offensive(run.state), run.state.units
    here = tuple(unit for unit in units if alive[unit].at == at and unit not in record.expelled)
    landed_by_barge = tuple(
        unit
        for unit in here
        if record.moved[unit].mode is Mode.BARGE and unit not in record.retreats
    )
    landed = tuple(unit for unit in here if record.moved[unit].mode is not Mode.BARGE)
    if landed:
        run.add(UnitsExpelled(rule=rule, units=landed))
    if landed_by_barge:
        run.add(RetreatOrdered(rule=Rule("8.47"), units=landed_by_barge, at=at))
