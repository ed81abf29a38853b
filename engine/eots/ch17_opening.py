"""What the Allies may do before the first Japanese card of the 1942 set-up (17.25C, 17.25D)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.eots.ch05_cards.checks import check_event
from engine.eots.ch05_cards.playing import play_plain_event
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch08_movement.emergency import emergency_bits
from engine.eots.commands import Done, Emergency, EotsCommand, PlayEvent
from engine.eots.counters import counters
from engine.eots.events.units import UnitPlaced
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import OpeningFrame
from engine.eots.ids import CardId, ScenarioId, Side, UnitId
from engine.eots.scenarios import scenario
from engine.eots.state import State
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule

ARCADIA: Final = CardId("A-4")
"""May be played as event before the first Japanese card (17.25D)."""
_RULE: Final = Rule("17.25C")


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


def check_free_move(state: State, frame: OpeningFrame, unit: UnitId, to: str) -> Iterator[Refusal]:
    """Yield why a naval unit cannot make its free emergency move to a port (17.25C, 8.22, 8.24)."""
    if unit not in frame.waiting:
        yield Refusal(_RULE, f"{unit} has no free emergency move left")
        return
    if to == state.units[unit].at or not (
        emergency_bits(state, unit) & occupancy(state).ground.of.get(to, 0)
    ):
        yield Refusal(Rule("8.22"), f"{to} is no other friendly port within 10 hexes of {unit}")
    elif not has_room(state, unit, to):
        yield Refusal(Rule("8.24"), f"{to} has no room for {unit}")


def opening_options(state: State, frame: OpeningFrame) -> tuple[EotsCommand, ...]:
    """Return A-4 if it may be played, the moves by unit and port in ascending order, and the end."""
    found: list[EotsCommand] = []
    if next(check_arcadia(state), None) is None:
        found.append(PlayEvent(card=ARCADIA))
    ground = occupancy(state).ground
    for unit in frame.waiting:
        found += [
            Emergency(unit=unit, to=to)
            for to in ground.ids(emergency_bits(state, unit))
            if next(check_free_move(state, frame, unit, to), None) is None
        ]
    return (*found, Done())


def check_arcadia(state: State) -> Iterator[Refusal]:
    """Yield why A-4 cannot be an event before the first Japanese card (17.25D)."""
    if ARCADIA not in state.decks[Side.ALLIED].hand:
        yield Refusal(Rule("17.25D"), f"{ARCADIA} is not in the Allied hand")
    else:
        yield from check_event(state, Side.ALLIED, ARCADIA)


class OpeningHandler(Handler[OpeningFrame]):
    """Ask the Allies for free emergency moves and for A-4 until they are done (17.25C, 17.25D)."""

    frame = OpeningFrame

    def asked(self, state: State, frame: OpeningFrame) -> tuple[Side, ...]:
        """Ask the Allies always, so that nothing is told about their hand."""
        return (Side.ALLIED,)

    def decision(self, state: State, frame: OpeningFrame, side: Side) -> EotsDecision:
        """Offer the moves and the end; nothing moves by default (17-b)."""
        return Decision(
            role=Role(side),
            rule=_RULE,
            prompt="Free emergency naval moves before the first Japanese card",
            options=opening_options(state, frame),
            default=Done(),
        )

    def resolve(
        self,
        run: EotsRun,
        frame: OpeningFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Place the unit, play the card, or end."""
        match command:
            case Emergency(unit=unit, to=to):
                left = tuple(other for other in frame.waiting if other != unit)
                run.replace(OpeningFrame(waiting=left))
                steps = run.state.units[unit].steps
                run.add(UnitPlaced(rule=_RULE, unit=unit, at=to, steps=steps))
            case PlayEvent(card=card):
                play_plain_event(run, side, card)
            case _:
                run.leave()

    def why_not(
        self, state: State, frame: OpeningFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a move or a card."""
        match command:
            case Emergency(unit=unit, to=to):
                yield from check_free_move(state, frame, unit, to)
            case PlayEvent(card=card) if card == ARCADIA:
                yield from check_arcadia(state)
            case _:
                yield Refusal(_RULE, "the Allies make their free emergency naval moves now")


HANDLERS: Final = (OpeningHandler(),)
