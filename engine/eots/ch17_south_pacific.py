"""What the South Pacific scenario forbids in addition to the normal rules (17.10.5, 17.10.6)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.counters import counters
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

FIRST_TURN: Final = 3
TRUK: Final = HexId("4017")


def _is_first_turn(state: State) -> bool:
    return state.scenario == SOUTH_PACIFIC and state.turn == FIRST_TURN


def future_offensive_refusals(state: State, side: Side) -> Iterator[Refusal]:
    """Refuse a Japanese future offensives card in the first turn (17.10.5E)."""
    if side is Side.JAPAN and _is_first_turn(state):
        yield Refusal(Rule("17.10.5E"), "Japan may not place a future offensives card in turn 3")


def end_of_rivalry_refusals(state: State) -> Iterator[Refusal]:
    """Refuse to end a rivalry with a value-3 card (17.10.6)."""
    if state.scenario == SOUTH_PACIFIC:
        yield Refusal(Rule("17.10.6"), "in the South Pacific, only events end a rivalry")


def truk_unit_refusals(state: State, unit: UnitId) -> Iterator[Refusal]:
    """Refuse to activate Japanese units at Truk in the first turn (17.10.5F)."""
    is_there = counters()[unit].side is Side.JAPAN and state.units[unit].at == TRUK
    if is_there and _is_first_turn(state):
        yield Refusal(Rule("17.10.5F"), f"{unit} is at Truk, where units must wait until turn 4")


def is_battle_barred(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a side may not declare a battle in a hex: the Allies at Truk in the first turn (17.10.5F)."""
    return hex_id == TRUK and side is Side.ALLIED and _is_first_turn(state)


def battle_refusals(state: State, side: Side, hex_id: HexId) -> Iterator[Refusal]:
    """Refuse an Allied battle at Truk in the first turn (17.10.5F)."""
    if is_battle_barred(state, side, hex_id):
        yield Refusal(
            Rule("17.10.5F"), f"the Allies may not declare a battle in {hex_id} in turn 3"
        )
