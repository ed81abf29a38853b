"""India: the status track, surrender and the evacuation of Continental India (13.6)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.control import controls, units_at
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.commands import EotsCommand, Evacuate, Stay
from engine.eots.counters import Counter, counters
from engine.eots.events.tracks import IndiaMoved, NorthIndiaLost
from engine.eots.events.units import UnitPlaced, UnitRemoved, UnitScheduled
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import EvacuationFrame
from engine.eots.ids import (
    ActivationNation,
    AreaId,
    CommonwealthNation,
    HexId,
    Nationality,
    NationId,
    Side,
    UnitId,
)
from engine.eots.state import REMOVED, India, State
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule

INDIA: Final = NationId("india")
NORTH: Final = AreaId("northern-india")
CONTINENT: Final = AreaId("continental-india")
WHOLE: Final = AreaId("india")
REFUGES: Final = (AreaId("maldives"), AreaId("ceylon"))
_RULE: Final = Rule("13.63")


# -- the track (13.62)


def is_north_lost(state: State) -> bool:
    """Return whether Japan controls every hex of Northern India (13.62-1)."""
    return all(controls(state, Side.JAPAN, at) for at in board().areas[NORTH].hexes)


def move_india(run: EotsRun, delta: int, rule: Rule) -> None:
    """Move the India marker by an event, never beyond the ends and never to surrender (13.62-3).

    Args:
        run: The game; nothing moves once India has surrendered.
        delta: Boxes; negative towards Revolts.
        rule: The card.
    """
    tracks = run.state.tracks
    if INDIA in tracks.surrendered:
        return
    to = India(min(max(tracks.india + delta, India.REVOLTS), India.STABLE))
    if to is not tracks.india:
        run.add(IndiaMoved(rule=rule, to=to))


def relieve_india(run: EotsRun) -> None:
    """Return the marker to Stable when the Allies regain a hex of lost Northern India; note its loss (13.62-4b)."""
    tracks = run.state.tracks
    lost = is_north_lost(run.state)
    if INDIA in tracks.surrendered or lost is tracks.north_india_lost:
        return
    run.add(NorthIndiaLost(lost=lost))
    if not lost:
        _stabilise(run)


def _stabilise(run: EotsRun) -> None:
    if run.state.tracks.india is not India.STABLE:
        run.add(IndiaMoved(rule=Rule("13.62"), to=India.STABLE))


def advance_india(run: EotsRun) -> None:
    """Move the marker in the National Status Segment: to Stable, else one box towards Revolts (13.62-1, 13.62-4a)."""
    if INDIA in run.state.tracks.surrendered:
        return
    relieve_india(run)
    if is_north_lost(run.state):
        move_india(run, -1, Rule("13.62"))
    else:
        _stabilise(run)


def is_in_revolt(state: State) -> bool:
    """Return whether India surrenders in this National Status Segment (13.62-2)."""
    return INDIA not in state.tracks.surrendered and state.tracks.india is India.REVOLTS


# -- surrender: 13.63


def surrender_india(run: EotsRun) -> None:
    """Take Indian units out of the game; Commonwealth HQs and other units leave by the evacuation (13.63)."""
    for unit, piece in sorted(run.state.units.items()):
        indian = counters()[unit].cw_nation is CommonwealthNation.INDIAN
        if indian and piece.at != REMOVED:
            run.add(UnitRemoved(rule=_RULE, unit=unit))


def begin_evacuation(run: EotsRun) -> None:
    """Ask where the units of Continental India go, then take the Commonwealth HQs off (13.63)."""
    there = units_at(run.state)
    waiting = tuple(
        sorted(
            unit
            for at in board().areas[CONTINENT].hexes
            for unit in there.get(at, ())
            if _must_leave(counters()[unit]) or _may_leave(counters()[unit])
        )
    )
    run.enter(EvacuationFrame(waiting=waiting))


def _must_leave(counter: Counter) -> bool:
    return counter.nationality is Nationality.COMMONWEALTH and not counter.is_hq


def _may_leave(counter: Counter) -> bool:
    return counter.nationality is Nationality.US and not counter.is_hq


def refuges(state: State, unit: UnitId) -> tuple[HexId, ...]:
    """Return the hexes to which a unit may be evacuated, in ascending order (13.63, OPB-18)."""
    return tuple(
        at
        for area in REFUGES
        for at in board().areas[area].bases
        if next(check_evacuate(state, unit, at), None) is None
    )


def check_evacuate(state: State, unit: UnitId, at: HexId) -> Iterator[Refusal]:
    """Yield every reason why a unit cannot be evacuated to a hex (13.63, OPB-18)."""
    if not any(at in board().areas[area].bases for area in REFUGES):
        yield Refusal(_RULE, f"{at} is no port or airfield of Ceylon or the Maldives")
        return
    lines = supply(state)
    # OPB-18: the destination, not the unit, is supply eligible and out of the zone.
    if not (lines.is_eligible_port(Side.ALLIED, at) or lines.is_eligible_airfield(Side.ALLIED, at)):
        yield Refusal(_RULE, f"{at} is not supply eligible")
    if zoi(state).unneutralised(Side.JAPAN, board().index[at]):
        yield Refusal(_RULE, f"{at} lies in an unneutralised Japanese zone of influence")
    if not has_room(state, unit, at):
        yield Refusal(_RULE, f"{at} has no room for {unit}")


def _lost_hqs(state: State) -> tuple[UnitId, ...]:
    there = units_at(state)
    return tuple(
        sorted(
            unit
            for at in board().areas[WHOLE].hexes
            for unit in there.get(at, ())
            if counters()[unit].is_hq
            and counters()[unit].activation_nation is ActivationNation.COMMONWEALTH
        )
    )


def _withdraw_hqs(run: EotsRun) -> None:
    """Take the Commonwealth HQs out of India: dotted ones for good, others to the turn track (13.63, 6.14)."""
    for hq in _lost_hqs(run.state):
        if counters()[hq].prewar:
            run.add(UnitRemoved(rule=_RULE, unit=hq))
        else:
            turn = run.state.turn + 1
            run.add(UnitScheduled(rule=_RULE, unit=hq, turn=turn, steps=1, delayable=False))


def evacuation_options(state: State, frame: EvacuationFrame) -> tuple[EotsCommand, ...]:
    """Return every move out of Continental India, by unit, then by hex; empty when nobody has a place to go."""
    found: list[EotsCommand] = []
    for unit in frame.waiting:
        places = refuges(state, unit)
        found += [Evacuate(unit=unit, to=at) for at in places]
        if _may_leave(counters()[unit]):
            found.append(Stay(unit=unit))
    return tuple(found) if any(isinstance(option, Evacuate) for option in found) else ()


def _default(state: State, options: tuple[EotsCommand, ...]) -> EotsCommand:
    """Place the strongest Commonwealth unit first; US units stay (13-b)."""
    moves = [
        option
        for option in options
        if isinstance(option, Evacuate) and _must_leave(counters()[option.unit])
    ]
    stays = [option for option in options if isinstance(option, Stay)]
    if not moves:
        return stays[0]
    return max(moves, key=lambda option: _strength(state, option.unit))


def _evacuate(run: EotsRun, frame: EvacuationFrame, command: EotsCommand) -> None:
    match command:
        case Evacuate(unit=unit, to=at):
            steps = run.state.units[unit].steps
            run.add(UnitPlaced(rule=_RULE, unit=unit, at=at, steps=steps))
        case Stay(unit=unit):
            assert _may_leave(counters()[unit])
        case _:
            raise AssertionError(command)
    left = tuple(other for other in frame.waiting if other != unit)
    run.replace(EvacuationFrame(waiting=left))


def _strength(state: State, unit: UnitId) -> int:
    face = counters()[unit].strength(state.units[unit].steps)
    return face.attack + face.defense


class EvacuationHandler(Handler[EvacuationFrame]):
    """Ask the Allied player where the units of Continental India go (13.63)."""

    frame = EvacuationFrame

    def asked(self, state: State, frame: EvacuationFrame) -> tuple[Side, ...]:
        """Ask while there is a choice: the Allied player names the order and so who finds no room."""
        return (Side.ALLIED,) if len(evacuation_options(state, frame)) > 1 else ()

    def decision(self, state: State, frame: EvacuationFrame, side: Side) -> EotsDecision:
        """Offer every unit with its refuges, US units also to stay."""
        options = evacuation_options(state, frame)
        prompt = "Move a unit out of Continental India"
        default = _default(state, options)
        return Decision(
            role=Role(side), rule=_RULE, prompt=prompt, options=options, default=default
        )

    def resolve(
        self,
        run: EotsRun,
        frame: EvacuationFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Move the unit, or leave it."""
        _evacuate(run, frame, command)

    def step(self, run: EotsRun, frame: EvacuationFrame) -> None:
        """Carry out the only move; at the end units without refuge and the Commonwealth HQs leave."""
        options = evacuation_options(run.state, frame)
        if options:
            _evacuate(run, frame, options[0])
            return
        for unit in frame.waiting:
            if _must_leave(counters()[unit]):
                run.add(UnitRemoved(rule=_RULE, unit=unit))
        _withdraw_hqs(run)
        run.leave()

    def why_not(
        self, state: State, frame: EvacuationFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against an evacuation."""
        match command:
            case Evacuate(unit=unit) | Stay(unit=unit) if unit not in frame.waiting:
                yield Refusal(_RULE, f"{unit} does not wait to leave Continental India")
            case Evacuate(unit=unit, to=at):
                yield from check_evacuate(state, unit, at)
            case Stay(unit=unit):
                yield Refusal(_RULE, f"{unit} is a Commonwealth unit and must leave")
            case _:
                yield Refusal(_RULE, "units leave Continental India now")
