"""What the Allies may do before the first Japanese card of the 1942 set-up (17.25C, 17.25D)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.eots.ch05_cards.checks import check_event
from engine.eots.ch05_cards.playing import play_plain_event
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch08_movement.emergency import emergency_bits
from engine.eots.commands import Done, Emergency, PlayEvent
from engine.eots.counters import counters
from engine.eots.events.units import UnitPlaced
from engine.eots.flow import Action, EotsRun, Naming, PlainAction, Question
from engine.eots.frames import OpeningFrame
from engine.eots.ids import CardId, ScenarioId, Side
from engine.eots.scenarios import scenario
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

ARCADIA: Final = CardId("A-4")
"""May be played as event before the first Japanese card (17.25D)."""
_RULE: Final = Rule("17.25C")
_BUSY: Final = "the Allies make their free emergency naval moves now"


@cache
def _grants_opening(name: str) -> bool:
    return any(rule.id == _RULE for rule in scenario(ScenarioId(name)).special_rules)


def begin_opening(run: EotsRun) -> None:
    """Open the free emergency naval moves in the first turn of a scenario that grants them (17.25C)."""
    state = run.state
    name = state.scenario
    if state.turn != scenario(ScenarioId(name)).start_turn or not _grants_opening(name):
        return
    ships = tuple(
        sorted(
            unit
            for unit, piece in state.units.items()
            if piece.is_on_map
            and counters()[unit].is_naval
            and counters()[unit].side is Side.ALLIED
        )
    )
    run.enter(OpeningFrame(waiting=ships))


def _check_arcadia(
    state: State, _frame: OpeningFrame, _side: Side, card: CardId
) -> Iterator[Refusal]:
    """Yield why A-4, or another card, cannot be an event before the first Japanese card (17.25D)."""
    if card != ARCADIA:
        yield Refusal(_RULE, _BUSY)
    elif ARCADIA not in state.decks[Side.ALLIED].hand:
        yield Refusal(Rule("17.25D"), f"{ARCADIA} is not in the Allied hand")
    else:
        yield from check_event(state, Side.ALLIED, ARCADIA)


class MoveFreely(Action[OpeningFrame, Emergency]):
    """Make the free emergency move of a naval unit (17.25C, 8.22)."""

    kind = Emergency

    def candidates(self, state: State, frame: OpeningFrame, side: Side) -> Iterator[Emergency]:
        """Yield the ports in range of each unit, in ascending order."""
        ground = occupancy(state).ground
        for unit in frame.waiting:
            for to in ground.ids(emergency_bits(state, unit)):
                yield Emergency(unit=unit, to=to)

    def refusals(
        self, state: State, frame: OpeningFrame, side: Side, command: Emergency
    ) -> Iterator[Refusal]:
        """Yield why a naval unit cannot make its free move to a port (17.25C, 8.22, 8.24)."""
        unit, to = command.unit, command.to
        if unit not in frame.waiting:
            yield Refusal(_RULE, f"{unit} has no free emergency move left")
        elif to == state.units[unit].at or not (
            emergency_bits(state, unit) & occupancy(state).ground.of.get(to, 0)
        ):
            yield Refusal(Rule("8.22"), f"{to} is no other friendly port within 10 hexes of {unit}")
        elif not has_room(state, unit, to):
            yield Refusal(Rule("8.24"), f"{to} has no room for {unit}")

    def apply(self, run: EotsRun, frame: OpeningFrame, side: Side, command: Emergency) -> None:
        """Place the unit."""
        unit = command.unit
        left = tuple(other for other in frame.waiting if other != unit)
        run.replace(OpeningFrame(waiting=left))
        steps = run.state.units[unit].steps
        run.add(UnitPlaced(rule=_RULE, unit=unit, at=command.to, steps=steps))


class OpeningHandler(Question[OpeningFrame]):
    """Ask the Allies for free emergency moves and for A-4 until they are done (17.25C, 17.25D)."""

    frame = OpeningFrame
    rule = _RULE
    asks = "Free emergency naval moves before the first Japanese card"
    busy = _BUSY
    actions = (
        Naming(
            PlayEvent,
            lambda _state, _frame, _side: (ARCADIA,),
            _check_arcadia,
            lambda run, _, side, card: play_plain_event(run, side, card),
        ),
        MoveFreely(),
        PlainAction(Done),
    )

    def asked(self, state: State, frame: OpeningFrame) -> tuple[Side, ...]:
        """Ask the Allies always, so that nothing is told about their hand."""
        return (Side.ALLIED,)


HANDLERS: Final = (OpeningHandler(),)
