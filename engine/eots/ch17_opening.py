"""Allied actions after J-2, and before the first Japanese card of turn 2 (17.11, 17.25C, 17.25D)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from typing_extensions import override

from engine.eots.ch05_cards.checks import event_refusals
from engine.eots.ch05_cards.playing import play_plain_event
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch08_movement.emergency import emergency_bits
from engine.eots.ch12_deal import offered_card
from engine.eots.ch17_december import allied_ships
from engine.eots.commands import Done, Emergency, PlayEvent
from engine.eots.events.units import UnitPlaced
from engine.eots.flow import Action, DecisionHandler, EotsRun, Naming, PlainAction
from engine.eots.frames import OpeningFrame
from engine.eots.ids import CardId, ScenarioId, Side
from engine.eots.scenarios import scenario
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

ARCADIA: Final = CardId("A-4")
"""The card that may be played as an event before the first Japanese card (17.11, 17.25D)."""
_FREE_MOVES: Final = Rule("17.25C")
_CAMPAIGN: Final = Rule("17.11")
_MOVES: Final = "Free emergency naval moves"
_BUSY: Final = "the Allies make their free emergency naval moves first"


@cache
def _grants_moves(name: str) -> bool:
    return any(rule.id == _FREE_MOVES for rule in scenario(ScenarioId(name)).special_rules)


def opening_rule(state: State) -> Rule:
    """Return the scenario rule under which the Allies may act."""
    return _FREE_MOVES if _grants_moves(state.scenario) else _CAMPAIGN


def is_arcadia_offered(state: State) -> bool:
    """Return whether A-4 may be played before the first Japanese card of this turn (17.11, 17.25D).

    A-4 is offered until it has been played, which everyone sees. Whether it is in the Allied hand makes no difference,
    so the offer reveals nothing.
    """
    card_offer = offered_card(state)
    deck = state.decks[Side.ALLIED]
    return (
        card_offer is not None
        and card_offer.may_play_before_first_japanese_card
        and ARCADIA not in (*deck.discard, *deck.removed)
    )


def begin_opening(run: EotsRun) -> None:
    """Begin the Allied actions before the first Japanese card of a turn: free moves and A-4 (17.11, 17.25)."""
    state = run.state
    name = state.scenario
    moves = state.turn == scenario(ScenarioId(name)).start_turn and _grants_moves(name)
    if moves or is_arcadia_offered(state):
        run.push(OpeningFrame(waiting=allied_ships(state) if moves else ()))


def _arcadia_refusals(
    state: State, _frame: OpeningFrame, _side: Side, card: CardId
) -> Iterator[Refusal]:
    """Yield the reasons why a card cannot be played as an event before the first Japanese card (17.11, 17.25D)."""
    if card != ARCADIA or not is_arcadia_offered(state):
        yield Refusal(opening_rule(state), _BUSY)
    elif ARCADIA not in state.decks[Side.ALLIED].hand:
        rule = Rule("17.25D") if _grants_moves(state.scenario) else _CAMPAIGN
        yield Refusal(rule, f"{ARCADIA} is not in the Allied hand")
    else:
        yield from event_refusals(state, Side.ALLIED, ARCADIA)


class MoveFreely(Action[OpeningFrame, Emergency]):
    """Makes a naval unit's free emergency move (17.11, 17.25C, 8.22)."""

    kind = Emergency

    @override
    def candidates(self, state: State, frame: OpeningFrame, side: Side) -> Iterator[Emergency]:
        """Yield a command for each unit and each port in its range, in hex order."""
        bitsets = occupancy(state).bitsets
        for unit in frame.waiting:
            for destination in bitsets.ids(emergency_bits(state, unit)):
                yield Emergency(unit=unit, to=destination)

    @override
    def refusals(
        self, state: State, frame: OpeningFrame, side: Side, command: Emergency
    ) -> Iterator[Refusal]:
        """Yield the reasons why a naval unit cannot make its free move to a port (17.11, 17.25C, 8.22, 8.24)."""
        unit, destination = command.unit, command.to
        if unit not in frame.waiting:
            yield Refusal(opening_rule(state), f"{unit} has no free emergency move left")
        elif destination == state.units[unit].at or not (
            emergency_bits(state, unit) & occupancy(state).bitsets.bit_by_id.get(destination, 0)
        ):
            yield Refusal(
                Rule("8.22"),
                f"{destination} is not another friendly port within 10 hexes of {unit}",
            )
        elif not has_room(state, unit, destination):
            yield Refusal(Rule("8.24"), f"{destination} has no room for {unit}")

    @override
    def apply(self, run: EotsRun, frame: OpeningFrame, side: Side, command: Emergency) -> None:
        unit = command.unit
        remaining_units = tuple(other_unit for other_unit in frame.waiting if other_unit != unit)
        run.replace_top(OpeningFrame(waiting=remaining_units))
        steps = run.state.units[unit].steps
        run.add(UnitPlaced(rule=opening_rule(run.state), unit=unit, at=command.to, steps=steps))


_FREE_MOVE: Final = MoveFreely()


class OpeningHandler(DecisionHandler[OpeningFrame]):
    """Offers the Allies free emergency moves and A-4 until the Allies are done (17.11, 17.25C, 17.25D)."""

    frame = OpeningFrame
    wrong_kind_text = _BUSY
    actions = (
        Naming(
            PlayEvent,
            lambda state, _frame, _side: (ARCADIA,) if is_arcadia_offered(state) else (),
            _arcadia_refusals,
            lambda run, _, side, card: play_plain_event(run, side, card),
        ),
        _FREE_MOVE,
        PlainAction(Done),
    )

    @override
    def active_roles(self, state: State, frame: OpeningFrame) -> tuple[Side, ...]:
        """Return the Allied side. While A-4 is offered, always ask so that the prompt reveals nothing."""
        is_open = is_arcadia_offered(state) or _FREE_MOVE.is_open(state, frame, Side.ALLIED)
        return (Side.ALLIED,) if is_open else ()

    @override
    def decision_rule(self, state: State, frame: OpeningFrame) -> Rule:
        return opening_rule(state)

    @override
    def prompt(self, state: State, frame: OpeningFrame, role: Side) -> str:
        if not frame.waiting:
            return f"Play {ARCADIA} before the first Japanese card, or continue"
        if _grants_moves(state.scenario):
            return f"{_MOVES} before the first Japanese card"
        return f"{_MOVES} after J-2"

    @override
    def step(self, run: EotsRun, frame: OpeningFrame) -> None:
        """Finish once no ship can move."""
        run.pop()


HANDLERS: Final = (OpeningHandler(),)
