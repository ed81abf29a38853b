"""Events whose owner names a hex: the Tokyo Express and paratroops (6.23, CP-32, CP-39)."""

from collections.abc import Iterator, Mapping
from typing import Final

from typing_extensions import override

from engine.eots.board import board
from engine.eots.cards.asking import current_step, deciding_side, end_step, event_card
from engine.eots.ch06_supply.attrition import tokyo_express_hexes, tokyo_express_refusals
from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.ch08_movement.areas import closed_to_ground, enterable_hexes, entry_refusals
from engine.eots.ch08_movement.search import hexes_within
from engine.eots.commands import ChooseHex, Done, EotsCommand
from engine.eots.counters import Counter, counters
from engine.eots.deck import event_rule
from engine.eots.deck_campaign import ParadropControl, TokyoExpress
from engine.eots.deck_steps import Step
from engine.eots.events.tracks import TokyoExpressMoved
from engine.eots.events.units import UnitEliminated
from engine.eots.flow import DecisionHandler, EotsRun, Handler, Naming, PlainAction
from engine.eots.frames import EventFrame
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule


class NamingHex(DecisionHandler[EventFrame]):
    """Base class for decisions in which the owner of an event names a hex."""

    frame = EventFrame
    wrong_kind_text = "name the hex for {frame.card} first"

    @override
    def decision_rule(self, state: State, frame: EventFrame) -> Rule:
        return event_rule(event_card(frame))

    @override
    def active_roles(self, state: State, frame: EventFrame) -> tuple[Side, ...]:
        """Return the deciding side if it can do anything other than pass or finish."""
        side = deciding_side(frame)
        return (side,) if self.has_other_command(state, frame, side) else ()

    @override
    def step(self, run: EotsRun, frame: EventFrame) -> None:
        """Continue with the next step if there is no decision to make."""
        end_step(run, frame)


# -- the Tokyo Express: J-28 and J-44


def _apply_tokyo_express(run: EotsRun, frame: EventFrame, _side: Side, hex_id: HexId) -> None:
    run.add(TokyoExpressMoved(rule=Rule(frame.card), at=hex_id))
    end_step(run, frame)


def _unsupplied_count(state: State, hex_id: HexId) -> int:
    """Return how many Japanese units in a hex are out of supply."""
    return sum(
        counters()[unit].side is Side.JAPAN
        and not counters()[unit].is_hq
        and not supply(state).is_supplied(unit)
        for unit in units_at(state).get(hex_id, ())
    )


class TokyoExpressPart(NamingHex):
    """Japan places the Tokyo Express marker in a hex (6.23, CP-32)."""

    question = "{frame.card}: which hex does the Tokyo Express serve?"
    actions = (
        Naming(
            ChooseHex,
            lambda state, _frame, _role: tokyo_express_hexes(state),
            lambda state, _frame, _role, hex_id: tokyo_express_refusals(state, hex_id),
            _apply_tokyo_express,
        ),
    )

    @override
    def active_roles(self, state: State, frame: EventFrame) -> tuple[Side, ...]:
        return (deciding_side(frame),) if len(tokyo_express_hexes(state)) > 1 else ()

    @override
    def default(
        self, state: State, frame: EventFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> ChooseHex:
        """Choose the hex with the most units out of supply.

        In a tie, prefer the marker's current hex, then the first hex.
        """
        current_level = state.tracks.tokyo_express
        hexes = [option for option in options if isinstance(option, ChooseHex)]
        return max(
            hexes,
            key=lambda option: (_unsupplied_count(state, option.at), option.at == current_level),
        )

    @override
    def step(self, run: EotsRun, frame: EventFrame) -> None:
        """Place the marker in the only possible hex. If there is none, end the step."""
        hexes = tokyo_express_hexes(run.state)
        if hexes:
            _apply_tokyo_express(run, frame, deciding_side(frame), hexes[0])
        else:
            end_step(run, frame)


# -- paratroops: J-58, J-59 and J-60


def drop_hexes(state: State, frame: EventFrame) -> tuple[HexId, ...]:
    """Return the hexes that paratroops may capture, in hex order (CP-39)."""
    hex_occupancy, side = occupancy(state), deciding_side(frame)
    drop_zone = hex_occupancy.controlled[side.enemy] & enterable_hexes(hex_occupancy.bitsets)
    drop_zone &= _drop_range(state, hex_occupancy, side) & ~zoi(state).open_zones[side.enemy]
    drop_zone &= ~closed_to_ground(hex_occupancy.bitsets, _any_ground_unit(side))
    return tuple(
        hex_id
        for hex_id in hex_occupancy.bitsets.ids(drop_zone)
        if not hex_occupancy.bitsets.bit_by_id[hex_id] & hex_occupancy.anyone[side.enemy]
        or not _defenders(state, frame, hex_id)
    )


def _drop_range(state: State, hex_occupancy: Occupancy, side: Side) -> Bits:
    """Return the hexes within extended range of a side's activated air units. Bracketed ranges count."""
    hexes = 0
    for unit in current_offensive(state).activated:
        piece = state.units[unit]
        if counters()[unit].is_air and counters()[unit].side is side and piece.is_on_map:
            reach = counters()[unit].strength(piece.steps).reach
            hexes |= hexes_within(hex_occupancy.bitsets, board().index[HexId(piece.at)], reach)
    return hexes


def _any_ground_unit(side: Side) -> Counter:
    """Return any ground unit of a side, to test which hexes are closed to its ground units (8.41)."""
    return next(row for row in counters().values() if row.is_ground and row.side is side)


def _defenders(state: State, frame: EventFrame, place: str) -> tuple[UnitId, ...]:
    """Return the enemy units in a hex that prevent a paratroop landing.

    Intrinsic units are ignored because they exist only in Japanese hexes.
    """
    step = current_step(frame, ParadropControl)
    return tuple(
        unit
        for unit in units_at(state).get(place, ())
        if counters()[unit].side is deciding_side(frame).enemy
        and not step.eliminate.matches(counters()[unit])
    )


def _drop_refusals(
    state: State, frame: EventFrame, _role: Side, hex_id: HexId
) -> Iterator[Refusal]:
    """Yield the reasons why paratroops may not capture a hex (8.41, CP-39)."""
    hex_occupancy, side = occupancy(state), deciding_side(frame)
    bit, rule = hex_occupancy.bitsets.bit_by_id.get(hex_id, 0), event_rule(event_card(frame))
    yield from entry_refusals(hex_occupancy.bitsets, _any_ground_unit(side), hex_id)
    if not bit & hex_occupancy.controlled[side.enemy] & enterable_hexes(hex_occupancy.bitsets):
        yield Refusal(rule, f"{hex_id} is not land under enemy control")
    if _defenders(state, frame, hex_id):
        yield Refusal(rule, f"{hex_id} contains enemy units other than Dutch regiments")
    if bit & zoi(state).open_zones[side.enemy]:
        yield Refusal(rule, f"{hex_id} is in unneutralised enemy ZOI")
    if not bit & _drop_range(state, hex_occupancy, side):
        yield Refusal(rule, f"{hex_id} is not within extended range of an activated air unit")


def _capture_hex(run: EotsRun, frame: EventFrame, side: Side, hex_id: HexId) -> None:
    """Eliminate the regiments in the hex and capture it (6.5, CP-39)."""
    for unit in units_at(run.state).get(hex_id, ()):
        if counters()[unit].side is side.enemy:
            run.add(UnitEliminated(rule=Rule(frame.card), unit=unit))
    capture_hexes(run, side, (hex_id,), Rule(frame.card))
    end_step(run, frame)


def _hex_worth(hex_id: HexId) -> int:
    row = board().hexes[hex_id]
    return 4 * row.resource + 2 * row.port + row.airfield


class ParadropPart(NamingHex):
    """Japan may use paratroops to capture a hex, between activation and movement (CP-39)."""

    question = "{frame.card}: which hex do the paratroops seize?"
    actions = (
        Naming(
            ChooseHex,
            lambda state, frame, _: drop_hexes(state, frame),
            _drop_refusals,
            _capture_hex,
        ),
        PlainAction(Done, lambda run, frame, _: end_step(run, frame)),
    )

    @override
    def default(
        self, state: State, frame: EventFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> ChooseHex:
        """Choose a hex with a resource if possible; otherwise one with a port, otherwise one with an airfield."""
        hexes = [option for option in options if isinstance(option, ChooseHex)]
        return max(hexes, key=lambda option: _hex_worth(option.at))


PARTS: Final[Mapping[type[Step], Handler[EventFrame]]] = {
    TokyoExpress: TokyoExpressPart(),
    ParadropControl: ParadropPart(),
}
"""Handlers of the steps in this module."""
