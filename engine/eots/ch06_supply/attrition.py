"""The Attrition Phase, and emergency supply by the Tokyo Express (4.4, 6.23, 6.24)."""

from collections.abc import Iterator

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import bitsets_in_play
from engine.eots.ch06_supply.control import controls
from engine.eots.ch06_supply.deployment import deployment
from engine.eots.ch06_supply.paths import is_in_command_range
from engine.eots.ch06_supply.supply import supply
from engine.eots.counters import counters
from engine.eots.events.units import StepLost, UnitEliminated
from engine.eots.flow import EotsRun
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule


def is_in_hq_range(state: State, side: Side, place: str) -> bool:
    """Return whether a hex is within command range of any of a side's HQs, including unsupplied HQs (6.24).

    The range is measured in a straight line, and nothing blocks it.
    """
    return any(
        counters()[hq].side is side and is_in_command_range(state, hq, place)
        for hq, _ in deployment(state).hqs
    )


def attrition(state: State) -> tuple[tuple[UnitId, ...], tuple[UnitId, ...]]:
    """Return the units that attrition eliminates and the units that it flips, each sorted by id (6.24).

    Both lists are based on the same position. Units in the China box are never eliminated (13.74-4).
    """
    lines = supply(state)
    eliminated_units, flipped = [], []
    for unit in sorted(state.units):
        counter, piece = counters()[unit], state.units[unit]
        suffers = (counter.is_air or counter.is_ground) and (
            piece.is_on_map or piece.at == CHINA_BOX
        )
        if not suffers or lines.is_supplied(unit):
            continue
        if piece.steps > 1:
            flipped.append(unit)
        elif piece.at != CHINA_BOX and not is_in_hq_range(state, counter.side, piece.at):
            eliminated_units.append(unit)
    return tuple(eliminated_units), tuple(flipped)


def apply_attrition(run: EotsRun) -> None:
    """Eliminate or flip the units that are out of supply (4.4, 6.24)."""
    # Both lists come from one position, so a unit that this phase flips is not also eliminated.
    eliminated_units, flipped = attrition(run.state)
    for unit in eliminated_units:
        run.add(UnitEliminated(rule=Rule("6.24"), unit=unit))
    for unit in flipped:
        run.add(StepLost(rule=Rule("6.24"), unit=unit))


def tokyo_express_refusals(state: State, place: str) -> Iterator[Refusal]:
    """Yield every reason why the Tokyo Express may not supply a hex (6.23, CP-32)."""
    index = board().index.get(place)  # type: ignore[call-overload]  # a place that is not a hex is not controlled
    if index is None or not controls(state, Side.JAPAN, place):
        yield Refusal(Rule("6.23"), f"Japan does not control {place}")
        return
    if not bitsets_in_play(state).board.is_in_play[index]:
        yield Refusal(Rule("17.10"), f"{place} is not on the map of this scenario")
        return
    if any(is_in_command_range(state, hq, place) for hq in supply(state).supplied_hqs(Side.JAPAN)):
        return
    yield Refusal(Rule("6.23"), f"{place} is not within command range of a Japanese HQ in supply")


def tokyo_express_hexes(state: State) -> tuple[HexId, ...]:
    """Return every hex that the Tokyo Express may supply, in hex order (6.23)."""
    return tuple(
        hex_id
        for hex_id in board().ids
        if hex_id in state.control and not any(tokyo_express_refusals(state, hex_id))
    )
