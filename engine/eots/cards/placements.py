"""Event steps that bring units and HQs onto the map (5.33, CP-01, CP-11, CP-14)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.board import board
from engine.eots.cards.asking import deciding_side, end_step, event_card
from engine.eots.cards.conditions import is_place
from engine.eots.ch06_supply.placement import event_hex_refusals
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch06_supply.supply import supply, would_be_supplied
from engine.eots.commands import Place as PlaceCommand
from engine.eots.counters import counters, hq_can_command
from engine.eots.deck import Card, event_rule, selects_hq
from engine.eots.deck_campaign import PlaceUnit, ReplaceHq
from engine.eots.deck_terms import PlaceFilter
from engine.eots.events.units import UnitPlaced, UnitRemoved, UnitScheduled
from engine.eots.flow import Action, DecisionHandler, EotsRun
from engine.eots.frames import EventFrame
from engine.eots.ids import CHINA_BOX, HexId, NationId, Side, UnitId
from engine.eots.state import EVENT, REMOVED, State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

CHINA: Final = NationId("china")
_MEMO: Final = Memo[tuple[str, ...]](8)


def _current_step(frame: EventFrame) -> PlaceUnit | ReplaceHq:
    step = event_card(frame).effects[frame.waiting[0]]
    assert isinstance(step, PlaceUnit | ReplaceHq)
    return step


def _step_unit(step: PlaceUnit | ReplaceHq) -> UnitId:
    return step.unit if isinstance(step, PlaceUnit) else step.incoming


def _step_places(step: PlaceUnit | ReplaceHq) -> tuple[PlaceFilter, ...]:
    return step.where if isinstance(step, PlaceUnit) else step.if_absent.places


def arrival_places(state: State, card: Card, step: PlaceUnit | ReplaceHq) -> tuple[str, ...]:
    """Return the places where a step's unit may arrive: hexes in hex order, then the China box.

    Only the first entry on the card with a legal place counts. If the HQ to be replaced is on the map, the new HQ takes
    its hex. Results are cached.
    """
    if state.units[_step_unit(step)].at != EVENT:
        return ()
    if isinstance(step, ReplaceHq) and state.units[step.out].is_on_map:
        return (state.units[step.out].at,)
    key = (state.units, state.control, state.tracks, state.options, step)
    return _MEMO.get(state, key, lambda: _arrival_places(state, card, step))


def _arrival_places(state: State, card: Card, step: PlaceUnit | ReplaceHq) -> tuple[str, ...]:
    unit = _step_unit(step)
    for place in _step_places(step):
        places = tuple(
            hex_id
            for hex_id in (*sorted(board().hexes), CHINA_BOX)
            if is_place(state, place, hex_id, card.side)
            and next(_place_refusals(state, card, place, unit, hex_id), None) is None
        )
        if places:
            return places
    return ()


def _place_refusals(
    state: State, card: Card, place: PlaceFilter, unit: UnitId, location: str
) -> Iterator[Refusal]:
    """Yield the reasons why an entry on a card does not allow a unit's placement.

    The China box needs no supply (CP-14).
    """
    is_known_place = location == CHINA_BOX or location in board().hexes
    if not is_known_place or not is_place(state, place, location, card.side):
        yield Refusal(event_rule(card), f"{location} is not a place that {card.id} names")
    elif location != CHINA_BOX:
        yield from event_hex_refusals(state, unit, location)
        if place.within_hq_range is True and not _is_in_hq_range(state, unit, HexId(location)):
            yield Refusal(event_rule(card), f"no HQ in supply has {location} in its command range")
    elif CHINA in state.tracks.surrendered:
        yield Refusal(Rule("13.74"), "China has surrendered")
    elif not has_room(state, unit, location):
        yield Refusal(Rule("13.74"), "the China box already contains two air units")


def _is_in_hq_range(state: State, unit: UnitId, hex_id: HexId) -> bool:
    """Return whether a hex is in the command range of a supplied HQ that may command the unit."""
    for hq in supply(state).supplied_hqs(counters()[unit].side):
        counter = counters()[hq]
        assert counter.hq is not None
        distance = board().distance(HexId(state.units[hq].at), hex_id)
        if hq_can_command(counter, counters()[unit]) and distance <= counter.hq.command_range:
            return True
    return False


def brings_hq(state: State, card: Card) -> bool:
    """Return whether an event places an HQ that will be in supply and may activate the event's units (5.31, A-20)."""
    return any(
        selects_hq(word, counters()[step.incoming])
        and any(would_be_supplied(state, step.incoming, HexId(hex_id)) for hex_id in places)
        for step in card.effects
        if isinstance(step, ReplaceHq)
        for places in (arrival_places(state, card, step),)
        for word in card.hq or ()
    )


class PlaceArrival(Action[EventFrame, PlaceCommand]):
    """Places the unit that the event brings in (5.33)."""

    kind = PlaceCommand
    is_exact = True

    @override
    def candidates(self, state: State, frame: EventFrame, side: Side) -> Iterator[PlaceCommand]:
        """Yield a command for each legal place, in hex order, with the China box last."""
        step = _current_step(frame)
        for hex_id in arrival_places(state, event_card(frame), step):
            yield PlaceCommand(unit=_step_unit(step), at=hex_id)

    @override
    def refusals(
        self, state: State, frame: EventFrame, side: Side, command: PlaceCommand
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit may not be placed in a hex. The card's earlier entries take precedence."""
        step, card = _current_step(frame), event_card(frame)
        if command.unit != _step_unit(step):
            yield Refusal(Rule("5.33"), f"{card.id} does not bring in {command.unit} now")
        elif command.at not in arrival_places(state, card, step):
            # Each entry on the card yields its own list of reasons. Only the shortest list is
            # shown.
            reasons = [
                tuple(_place_refusals(state, card, place, command.unit, command.at))
                for place in _step_places(step)
            ]
            yield from min(reasons, key=len, default=()) or (
                Refusal(event_rule(card), f"{card.id} lists another place first"),
            )

    @override
    def apply(self, run: EotsRun, frame: EventFrame, side: Side, command: PlaceCommand) -> None:
        _place_arrival(run, frame, command.at)


class ArrivalPart(DecisionHandler[EventFrame]):
    """Lets the card's owner decide where its unit or HQ arrives (5.33)."""

    frame = EventFrame
    rule = Rule("5.33")
    wrong_kind_text = "place the unit from {frame.card} first"
    actions = (PlaceArrival(),)

    @override
    def active_roles(self, state: State, frame: EventFrame) -> tuple[Side, ...]:
        """Return the card's owner if there is more than one legal place."""
        places = arrival_places(state, event_card(frame), _current_step(frame))
        return (deciding_side(frame),) if len(places) > 1 else ()

    @override
    def prompt(self, state: State, frame: EventFrame, role: Side) -> str:
        return f"{frame.card}: place {counters()[_step_unit(_current_step(frame))].name}"

    @override
    def step(self, run: EotsRun, frame: EventFrame) -> None:
        """Place the unit in the only legal place. If there is none, the unit is lost (5.33)."""
        places = arrival_places(run.state, event_card(frame), _current_step(frame))
        _place_arrival(run, frame, places[0] if places else None)


def _place_arrival(run: EotsRun, frame: EventFrame, place: str | None) -> None:
    """Place the step's unit at full strength. If it has no legal place, remove it from the game."""
    step, rule = _current_step(frame), Rule(frame.card)
    unit = _step_unit(step)
    end_step(run, frame)
    if run.state.units[unit].at != EVENT:
        return
    if isinstance(step, ReplaceHq) and not _replace_old_hq(run, step, rule, place):
        return
    if place is None:
        run.add(UnitRemoved(rule=rule, unit=unit))
    else:
        run.add(UnitPlaced(rule=rule, unit=unit, at=place, steps=counters()[unit].max_steps))


def _replace_old_hq(run: EotsRun, step: ReplaceHq, rule: Rule, place: str | None) -> bool:
    """Remove the old HQ from the game. Return False if the new HQ has to wait on the turn track (CP-11)."""
    arrival = run.state.arrivals.get(step.out)
    is_waiting = place is None and step.if_absent.out == "same_place_on_turn_track"
    if is_waiting and arrival is None:  # the old HQ is not part of this scenario
        return False
    if run.state.units[step.out].at != REMOVED:
        run.add(UnitRemoved(rule=rule, unit=step.out))
    if is_waiting and arrival is not None:
        run.add(
            UnitScheduled(
                rule=rule,
                unit=step.incoming,
                turn=arrival.turn,
                steps=1,
                delayable=arrival.delayable,
            )
        )
    return not is_waiting
