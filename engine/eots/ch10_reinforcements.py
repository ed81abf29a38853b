"""The Reinforcement Segment: shipping points, arrivals and their placement (4.11, 10)."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from engine.eots.ch06_supply.activation import placement_refusals
from engine.eots.ch10_delay import box_unit, entering_steps, roll_for_europe, units_to_place
from engine.eots.ch10_places import legal_places
from engine.eots.ch15_europe import grants_shipping
from engine.eots.commands import Place
from engine.eots.counters import Counter, counters
from engine.eots.events.tracks import AspLevelChanged, AspQuotaFixed, SegmentClosed, UnitArrived
from engine.eots.events.units import UnitPlaced, UnitScheduled
from engine.eots.flow import Action, DecisionHandler, EotsRun, is_in_segment
from engine.eots.frames import Phase, ReinforcementFrame
from engine.eots.ids import Side, UnitId
from engine.eots.scenarios import schedules
from engine.eots.state import DELAY_BOX, State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

SEGMENT: Final = "reinforcement"


class Placements(msgspec.Struct, frozen=True, eq=False):
    """The placements that a side can make now."""

    automatic: Place | None
    """A placement that can be made automatically; None if there is none."""
    options: tuple[Place, ...]


_MEMO: Final = Memo[Placements](16)


def begin_reinforcements(run: EotsRun) -> None:
    """Determine which units arrive this turn, and begin placement: first the Allies, then Japan (4.11, 10.11-6)."""
    _gain_shipping(run)
    allied = units_to_place(run, Side.ALLIED)
    japan = units_to_place(run, Side.JAPAN)
    # The frame pushed last is handled first.
    run.push(ReinforcementFrame(side=Side.JAPAN, waiting=japan))
    run.push(ReinforcementFrame(side=Side.ALLIED, waiting=allied))


def _gain_shipping(run: EotsRun) -> None:
    """Add the turn's Allied shipping point, if any (10.31)."""
    state = run.state
    if grants_shipping(state):
        level = state.tracks.allied_asp + schedules().asp.allied_gain
        run.add(AspLevelChanged(rule=Rule("10.31"), side=Side.ALLIED, level=level))


def placements(state: State, frame: ReinforcementFrame) -> Placements:
    """Return the placements that the frame's side can make now. Results are cached."""
    key = (
        state.units,
        state.control,
        state.tracks,
        state.arrived_hqs,
        state.arrived_air,
        state.options,
        frame,
    )
    return _MEMO.get(state, key, lambda: _placements(state, frame))


def _placements(state: State, frame: ReinforcementFrame) -> Placements:
    hexes = legal_places(state, frame.waiting)
    options = tuple(Place(unit=unit, at=hex_id) for unit in frame.waiting for hex_id in hexes[unit])
    automatic = options[0] if len(options) == 1 else _without_choice(hexes)
    return Placements(automatic, options)


def _stacks_with(counter: Counter) -> str:
    """Return the name of the group of units with which a unit shares its stacking limit (6.11, 8.24, 8.34, 8.48)."""
    if counter.is_hq:
        return "hq"
    return "naval" if counter.is_naval else "air-ground"


def _without_choice(hexes: Mapping[UnitId, tuple[str, ...]]) -> Place | None:
    """Return a placement in which neither the place nor the order leaves a choice; None if there is none.

    The unit has only one place. No other unit of its stacking group could go there, and no HQ still to arrive could
    open another place for it (10.11-5).
    """
    rows = {unit: places for unit, places in hexes.items() if places}
    if any(counters()[unit].is_hq and len(places) > 1 for unit, places in rows.items()):
        return None
    for unit, places in rows.items():
        stacking_group = _stacks_with(counters()[unit])
        is_contested = any(
            other_row != unit
            and places[0] in row
            and _stacks_with(counters()[other_row]) == stacking_group
            for other_row, row in rows.items()
        )
        if len(places) == 1 and not is_contested:
            return Place(unit=unit, at=places[0])
    return None


def postpone_unit(run: EotsRun, unit: UnitId) -> None:
    """Postpone a unit that has no legal hex (10.12).

    OPB-11: HQs wait on the turn track, as do B29s because of 10.23. All other units go to the delay box and roll for
    Europe.
    """
    state, counter = run.state, counters()[unit]
    if counter.is_hq or counter.b29:
        steps = entering_steps(state, unit)
        run.add(
            UnitScheduled(
                rule=Rule("OPB-11"), unit=unit, turn=state.turn + 1, steps=steps, delayable=False
            )
        )
        return
    box_unit(run, unit, Rule("10.12"))
    roll_for_europe(run, unit)


class PlaceReinforcement(Action[ReinforcementFrame, Place]):
    """Places a reinforcement (10.11)."""

    kind = Place
    is_exact = True

    @override
    def candidates(self, state: State, frame: ReinforcementFrame, side: Side) -> tuple[Place, ...]:
        """Return the legal placements, sorted by unit (HQs first, then by id) and by hex, with the China box last."""
        return placements(state, frame).options

    @override
    def refusals(
        self, state: State, frame: ReinforcementFrame, side: Side, command: Place
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit may not be placed at the given place."""
        check = placement_refusals if command.unit in frame.waiting else _waiting_refusals
        return check(state, command.unit, command.at)

    @override
    def apply(self, run: EotsRun, frame: ReinforcementFrame, side: Side, command: Place) -> None:
        """Place the unit.

        HQs and air-capable units placed in this segment are recorded. Until the segment ends, HQs supply only their own
        hex, and air-capable units do not neutralise enemy zones.
        """
        unit = command.unit
        counter, steps = counters()[unit], entering_steps(run.state, unit)
        run.add(UnitPlaced(rule=Rule("10.11"), unit=unit, at=command.at, steps=steps))
        if is_in_segment(run.state, Phase.REINFORCEMENT) and (
            counter.is_hq or counter.is_air_capable
        ):
            run.add(UnitArrived(unit=unit, segment=SEGMENT))
        waiting_units = tuple(other_unit for other_unit in frame.waiting if other_unit != unit)
        run.replace_top(replace(frame, waiting=waiting_units))


def _waiting_refusals(state: State, unit: UnitId, place: str) -> Iterator[Refusal]:
    """Refuse a unit that is not due to be placed now (10.1, 10.21)."""
    del place
    yield Refusal(Rule("10.1"), f"{unit} is not a reinforcement waiting to be placed")
    if unit in state.units and state.units[unit].at == DELAY_BOX:
        yield Refusal(Rule("10.21"), f"{unit} is delayed until the next turn")


class ReinforcementHandler(DecisionHandler[ReinforcementFrame]):
    """Asks a side to place its reinforcements (4.11, 10.11).

    Units may be placed in any order (10-a). Placements that leave no choice are made automatically. Units without a
    legal hex are postponed once nothing else can be placed.
    """

    frame = ReinforcementFrame
    rule = Rule("10.11")
    actions = (PlaceReinforcement(),)
    wrong_kind_text = "place the reinforcements first"

    @override
    def active_roles(self, state: State, frame: ReinforcementFrame) -> tuple[Side, ...]:
        """Return the side that places units if it has a choice."""
        by_side = placements(state, frame)
        return (frame.side,) if by_side.options and by_side.automatic is None else ()

    @override
    def prompt(self, state: State, frame: ReinforcementFrame, side: Side) -> str:
        """Return the prompt, which states how many units are still to be placed."""
        return f"Place your reinforcements: {len(frame.waiting)} left"

    @override
    def step(self, run: EotsRun, frame: ReinforcementFrame) -> None:
        """Make an automatic placement. If there is none, postpone the remaining units and finish."""
        automatic = placements(run.state, frame).automatic
        if automatic is not None:
            self.resolve(run, frame, frame.side, automatic)
            return
        for unit in frame.waiting:
            postpone_unit(run, unit)
        _finish_side(run, frame)


def _finish_side(run: EotsRun, frame: ReinforcementFrame) -> None:
    """End one side's placement. Once Japan is done, the segment is over (10.11-7, 16.47)."""
    if frame.side is Side.JAPAN and is_in_segment(run.state, Phase.REINFORCEMENT):
        run.add(AspQuotaFixed(level=run.state.tracks.allied_asp))
        run.add(SegmentClosed())
    run.pop()


HANDLERS: Final = (ReinforcementHandler(),)
