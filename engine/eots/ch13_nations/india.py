"""India: the status track, surrender, and the evacuation of Continental India (13.6)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.board import board
from engine.eots.ch06_supply.control import controls, units_at
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.commands import EotsCommand, Evacuate, Stay
from engine.eots.counters import Counter, counters
from engine.eots.events.tracks import IndiaMoved, NorthIndiaLost
from engine.eots.events.units import UnitPlaced, UnitRemoved
from engine.eots.flow import Action, DecisionHandler, EotsRun, Naming
from engine.eots.frames import EvacuationFrame
from engine.eots.ids import (
    ActivationNation,
    AreaId,
    CommonwealthNation,
    Nationality,
    NationId,
    Side,
    UnitId,
)
from engine.eots.state import REMOVED, IndiaStatus, State
from engine.eots.unit_removal import remove_hq
from engine.kernel.ids import Refusal, Rule

INDIA: Final = NationId("india")
NORTH: Final = AreaId("northern-india")
CONTINENT: Final = AreaId("continental-india")
INDIA_AREA: Final = AreaId("india")
REFUGES: Final = (AreaId("maldives"), AreaId("ceylon"))
_RULE: Final = Rule("13.63")


# -- the track (13.62)


def is_north_lost(state: State) -> bool:
    """Return whether Japan controls every hex of Northern India (13.62-1)."""
    return all(controls(state, Side.JAPAN, hex_id) for hex_id in board().areas[NORTH].hexes)


def move_india(run: EotsRun, delta: int, rule: Rule) -> None:
    """Move the India marker because of an event.

    It stops at the ends of the track, so India cannot surrender (13.62-3).

    Args:
        run: Records the events. If India has surrendered, nothing happens.
        delta: Number of boxes to move. Negative numbers move towards Revolts.
        rule: The card that moves the marker.
    """
    tracks = run.state.tracks
    if INDIA in tracks.surrendered:
        return
    new_status = IndiaStatus(
        min(max(tracks.india + delta, IndiaStatus.REVOLTS), IndiaStatus.STABLE)
    )
    if new_status is not tracks.india:
        run.add(IndiaMoved(rule=rule, to=new_status))


def relieve_india(run: EotsRun) -> None:
    """Record whether Japan controls all of Northern India.

    If it no longer does, return the marker to Stable (13.62-4b).
    """
    tracks = run.state.tracks
    is_lost = is_north_lost(run.state)
    if INDIA in tracks.surrendered or is_lost is tracks.north_india_lost:
        return
    run.add(NorthIndiaLost(lost=is_lost))
    if not is_lost:
        _stabilise(run)


def _stabilise(run: EotsRun) -> None:
    if run.state.tracks.india is not IndiaStatus.STABLE:
        run.add(IndiaMoved(rule=Rule("13.62"), to=IndiaStatus.STABLE))


def advance_india(run: EotsRun) -> None:
    """Move the marker one box towards Revolts or back to Stable in the National Status Segment (13.62-1, 13.62-4a)."""
    if INDIA in run.state.tracks.surrendered:
        return
    relieve_india(run)
    if is_north_lost(run.state):
        move_india(run, -1, Rule("13.62"))
    else:
        _stabilise(run)


def is_in_revolt(state: State) -> bool:
    """Return whether India surrenders in this National Status Segment (13.62-2)."""
    return INDIA not in state.tracks.surrendered and state.tracks.india is IndiaStatus.REVOLTS


# -- surrender: 13.63


def surrender_india(run: EotsRun) -> None:
    """Remove Indian units from the game. The evacuation handles Commonwealth HQs and all other units (13.63)."""
    for unit, piece in sorted(run.state.units.items()):
        indian = counters()[unit].cw_nation is CommonwealthNation.INDIAN
        if indian and piece.at != REMOVED:
            run.add(UnitRemoved(rule=_RULE, unit=unit))


def begin_evacuation(run: EotsRun) -> None:
    """Begin the evacuation of Continental India. Afterwards, the Commonwealth HQs are removed (13.63)."""
    units_by_place = units_at(run.state)
    waiting_units = tuple(
        sorted(
            unit
            for hex_id in board().areas[CONTINENT].hexes
            for unit in units_by_place.get(hex_id, ())
            if _must_leave(counters()[unit]) or _may_leave(counters()[unit])
        )
    )
    run.push(EvacuationFrame(waiting=waiting_units))


def _must_leave(counter: Counter) -> bool:
    return counter.nationality is Nationality.COMMONWEALTH and not counter.is_hq


def _may_leave(counter: Counter) -> bool:
    return counter.nationality is Nationality.US and not counter.is_hq


def _lost_hqs(state: State) -> tuple[UnitId, ...]:
    units_by_place = units_at(state)
    return tuple(
        sorted(
            unit
            for hex_id in board().areas[INDIA_AREA].hexes
            for unit in units_by_place.get(hex_id, ())
            if counters()[unit].is_hq
            and counters()[unit].activation_nation is ActivationNation.COMMONWEALTH
        )
    )


class EvacuateUnit(Action[EvacuationFrame, Evacuate]):
    """Moves a unit out of Continental India (13.63, OPB-18)."""

    kind = Evacuate

    @override
    def candidates(self, state: State, frame: EvacuationFrame, side: Side) -> Iterator[Evacuate]:
        """Yield a command for each unit and each base in Ceylon and the Maldives."""
        for unit in frame.waiting:
            for area in REFUGES:
                for hex_id in board().areas[area].bases:
                    yield Evacuate(unit=unit, to=hex_id)

    @override
    def refusals(
        self, state: State, frame: EvacuationFrame, side: Side, command: Evacuate
    ) -> Iterator[Refusal]:
        """Yield every reason why a unit cannot be evacuated to a hex."""
        unit, hex_id = command.unit, command.to
        if unit not in frame.waiting:
            yield _not_waiting(unit)
            return
        if not any(hex_id in board().areas[area].bases for area in REFUGES):
            yield Refusal(_RULE, f"{hex_id} is not a port or airfield in Ceylon or the Maldives")
            return
        # OPB-18: these conditions apply to the destination, not to the unit.
        lines, allied_side = supply(state), Side.ALLIED
        if not (
            lines.is_eligible_port(allied_side, hex_id)
            or lines.is_eligible_airfield(allied_side, hex_id)
        ):
            yield Refusal(_RULE, f"{hex_id} is not supply eligible")
        if zoi(state).is_unneutralised(Side.JAPAN, board().index[hex_id]):
            yield Refusal(_RULE, f"{hex_id} is in an unneutralised Japanese zone of influence")
        if not has_room(state, unit, hex_id):
            yield Refusal(_RULE, f"{hex_id} has no room for {unit}")

    @override
    def apply(self, run: EotsRun, frame: EvacuationFrame, side: Side, command: Evacuate) -> None:
        steps = run.state.units[command.unit].steps
        run.add(UnitPlaced(rule=_RULE, unit=command.unit, at=command.to, steps=steps))
        _remove_from_waiting(run, frame, command.unit)


def _stay_refusals(
    _state: State, frame: EvacuationFrame, _side: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not stay in Continental India (13.63)."""
    if unit not in frame.waiting:
        yield _not_waiting(unit)
    elif _must_leave(counters()[unit]):
        yield Refusal(_RULE, f"{unit} is a Commonwealth unit and must leave")


def _not_waiting(unit: UnitId) -> Refusal:
    return Refusal(_RULE, f"{unit} is not waiting to leave Continental India")


def _remove_from_waiting(run: EotsRun, frame: EvacuationFrame, unit: UnitId) -> None:
    remaining_units = tuple(other_unit for other_unit in frame.waiting if other_unit != unit)
    run.replace_top(EvacuationFrame(waiting=remaining_units))


def _unit_strength(state: State, unit: UnitId) -> int:
    face = counters()[unit].strength(state.units[unit].steps)
    return face.attack + face.defense


class EvacuationHandler(DecisionHandler[EvacuationFrame]):
    """Asks the Allied player where to move the units in Continental India (13.63)."""

    frame = EvacuationFrame
    rule = _RULE
    actions = (
        EvacuateUnit(),
        Naming(
            Stay,
            lambda _state, frame, _side: frame.waiting,
            _stay_refusals,
            lambda run, frame, _, unit: _remove_from_waiting(run, frame, unit),
        ),
    )
    question = "Move a unit out of Continental India"
    wrong_kind_text = "finish the evacuation of Continental India first"

    @override
    def active_roles(self, state: State, frame: EvacuationFrame) -> tuple[Side, ...]:
        """Return the Allied side if there is a choice.

        The order in which units leave is also a choice, because there may not be room for all of them.
        """
        side = Side.ALLIED
        is_choice = (
            self._next_evacuation(state, frame) and len(self.options(state, frame, side)) > 1
        )
        return (side,) if is_choice else ()

    def _next_evacuation(self, state: State, frame: EvacuationFrame) -> Evacuate | None:
        return next(EvacuateUnit().options(state, frame, Side.ALLIED), None)

    @override
    def options(self, state: State, frame: EvacuationFrame, side: Side) -> tuple[EotsCommand, ...]:
        """Return the options, unit by unit.

        For each unit, the destinations are in ascending order, followed by the option to stay.
        """
        options: list[EotsCommand] = []
        for unit in frame.waiting:
            options += super().options(state, EvacuationFrame(waiting=(unit,)), side)
        return tuple(options)

    @override
    def default(
        self, state: State, frame: EvacuationFrame, side: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Move the strongest Commonwealth unit first. US units stay (13-b)."""
        moves = [
            option
            for option in options
            if isinstance(option, Evacuate) and _must_leave(counters()[option.unit])
        ]
        if not moves:
            return next(option for option in options if isinstance(option, Stay))
        return max(moves, key=lambda option: _unit_strength(state, option.unit))

    @override
    def step(self, run: EotsRun, frame: EvacuationFrame) -> None:
        """Make the only possible move.

        If there is none, remove the Commonwealth HQs and the units that cannot go anywhere.
        """
        evacuation = self._next_evacuation(run.state, frame)
        if evacuation is not None:
            self.resolve(run, frame, Side.ALLIED, evacuation)
            return
        for unit in frame.waiting:
            if _must_leave(counters()[unit]):
                run.add(UnitRemoved(rule=_RULE, unit=unit))
        for hq in _lost_hqs(run.state):
            remove_hq(run, hq, _RULE)
        run.pop()


HANDLERS: Final = (EvacuationHandler(),)
