"""Stacking limits at the end of a card play, and the removal of excess units (8.24, 8.34, 8.48)."""

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from typing import Final

from typing_extensions import override

from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.stacking import LAND_LIMIT, NAVAL_LIMIT, land_stack
from engine.eots.ch06_supply.supply import would_be_supplied
from engine.eots.commands import EotsCommand, RemoveExcess
from engine.eots.counters import counters
from engine.eots.events.units import UnitEliminated
from engine.eots.flow import Action, DecisionHandler, EotsRun
from engine.eots.frames import StackingFrame
from engine.eots.ids import PLAYERS, HexId, Side, UnitId
from engine.eots.rulings import EXCESS_AIR, NAVAL_STACKING
from engine.eots.state import State
from engine.eots.unit_removal import move_to_turn_track
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

NAVAL_DELAY_TURNS: Final = 1
LAND_DELAY_TURNS: Final = 2
"""An air or ground unit that was removed while in supply returns after this many turns (OP-13)."""


def _excess_ships(state: State, units: tuple[UnitId, ...]) -> tuple[UnitId, ...]:
    ships = tuple(unit for unit in units if counters()[unit].is_naval)
    if not NAVAL_STACKING.uses_alternative(state.options):
        return ships if len(ships) > NAVAL_LIMIT else ()
    kinds = Tally(counters()[unit].type for unit in ships)
    return tuple(unit for unit in ships if kinds[counters()[unit].type] > NAVAL_LIMIT)


def _excess_land(units: tuple[UnitId, ...]) -> tuple[UnitId, ...]:
    """Return the units that may be removed next. Air units must be removed before ground units (8.34)."""
    if land_stack(units) <= LAND_LIMIT:
        return ()
    air = tuple(unit for unit in units if counters()[unit].is_air)
    return air or tuple(unit for unit in units if counters()[unit].is_ground)


_Excess = Mapping[Side, tuple[str, tuple[UnitId, ...]]]


def _find_excess(state: State) -> _Excess:
    stacks = units_at(state)
    full_hexes = [
        at
        for at, units in stacks.items()
        # No hex with this many units or fewer can be overstacked. This rules out most hexes
        # quickly.
        if len(units) > LAND_LIMIT and state.units[units[0]].is_on_map
    ]
    excess: dict[Side, tuple[str, tuple[UnitId, ...]]] = {}
    # Lower hexes come later and replace higher ones, so each side keeps its lowest overstacked hex.
    for hex_id in sorted(full_hexes, reverse=True):
        for side in PLAYERS:
            own_units = tuple([unit for unit in stacks[hex_id] if counters()[unit].side is side])
            if units := _excess_ships(state, own_units) or _excess_land(own_units):
                excess[side] = hex_id, units
    return excess


_EXCESS: Final = Memo[_Excess]()


def excess_at(state: State, side: Side) -> tuple[str, tuple[UnitId, ...]] | None:
    """Return a side's first overstacked hex and the units that may be removed; None if no hex is overstacked."""
    return _EXCESS.get(state, (state.units,), lambda: _find_excess(state)).get(side)


def stacking_rule(units: tuple[UnitId, ...]) -> Rule:
    """Return the rule that requires a removal: 8.24 for ships, 8.34 for air units, 8.48 for ground units."""
    counter = counters()[units[0]]
    return Rule("8.24" if counter.is_naval else "8.34" if counter.is_air else "8.48")


def remove_unit(run: EotsRun, unit: UnitId) -> None:
    """Move a unit to the turn track if it is in supply; otherwise eliminate it (8.24, 8.34, 8.48, OP-13)."""
    state = run.state
    counter, piece = counters()[unit], state.units[unit]
    rule = stacking_rule((unit,))
    # Offensive units count as supplied only until the offensive ends (6.0), so test them again.
    if not would_be_supplied(state, unit, HexId(piece.at)):
        run.add(UnitEliminated(rule=rule, unit=unit))
        return
    delay = NAVAL_DELAY_TURNS if counter.is_naval else LAND_DELAY_TURNS
    if counter.is_air and EXCESS_AIR.uses_alternative(state.options):
        delay = NAVAL_DELAY_TURNS
    move_to_turn_track(run, unit, rule, turns=delay)


class Removing(Action[StackingFrame, RemoveExcess]):
    """Removes a unit from the first overstacked hex (8.24, 8.34, 8.48)."""

    kind = RemoveExcess

    @override
    def candidates(self, state: State, frame: StackingFrame, role: Side) -> Iterator[RemoveExcess]:
        """Yield a command for each unit that may be removed, sorted by id."""
        for unit in _excess_units(state, frame.side):
            yield RemoveExcess(unit=unit)

    @override
    def refusals(
        self, state: State, frame: StackingFrame, role: Side, command: RemoveExcess
    ) -> Iterator[Refusal]:
        """Yield every reason why a unit may not be removed (8.24, 8.34, 8.48)."""
        unit, excess = command.unit, excess_at(state, frame.side)
        if excess is None or state.units[unit].at != excess[0]:
            rule = stacking_rule((unit,) if excess is None else excess[1])
            yield Refusal(rule, f"{unit} is not in the overstacked hex")
        elif unit not in excess[1]:
            rule = stacking_rule(excess[1])
            yield Refusal(
                rule,
                "only ships exceed the limit here"
                if rule == "8.24"
                else "air units must be removed before ground units",
            )

    @override
    def apply(self, run: EotsRun, frame: StackingFrame, role: Side, command: RemoveExcess) -> None:
        remove_unit(run, command.unit)


class StackingHandler(DecisionHandler[StackingFrame]):
    """Lets a side choose which units to remove (8.24, 8.34, 8.48)."""

    frame = StackingFrame
    actions = (Removing(),)
    wrong_kind_text = "remove the units over the stacking limit first"

    @override
    def active_roles(self, state: State, frame: StackingFrame) -> tuple[Side, ...]:
        """Return the side if it can choose which unit to remove."""
        return (frame.side,) if len(_excess_units(state, frame.side)) > 1 else ()

    @override
    def decision_rule(self, state: State, frame: StackingFrame) -> Rule:
        """Return the stacking rule that the first overstacked hex violates."""
        excess = _excess_units(state, frame.side)
        return stacking_rule(excess) if excess else Rule("8.34")

    @override
    def prompt(self, state: State, frame: StackingFrame, role: Side) -> str:
        excess = excess_at(state, frame.side)
        assert excess is not None
        return f"Too many units in {excess[0]}: remove one"

    @override
    def default(
        self, state: State, frame: StackingFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        units = _excess_units(state, frame.side)
        return RemoveExcess(unit=min(units, key=lambda unit: (_attack_strength(state, unit), unit)))

    @override
    def step(self, run: EotsRun, frame: StackingFrame) -> None:
        """If only one unit may be removed, remove it. If no hex is overstacked, finish."""
        units = _excess_units(run.state, frame.side)
        if units:
            remove_unit(run, units[0])
        else:
            run.pop()


def _excess_units(state: State, side: Side) -> tuple[UnitId, ...]:
    excess = excess_at(state, side)
    return () if excess is None else excess[1]


def _attack_strength(state: State, unit: UnitId) -> int:
    return counters()[unit].strength(state.units[unit].steps).attack
