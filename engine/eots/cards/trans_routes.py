"""The event step that lets a card's owner build a transport route free of charge (13.77, CP-07)."""

from collections.abc import Iterator

from typing_extensions import override

from engine.eots.cards.asking import current_step, deciding_side, end_step, event_card
from engine.eots.ch13_nations.routes import build_route_refusals
from engine.eots.commands import BuildRoute, Done
from engine.eots.deck import event_rule
from engine.eots.deck_campaign import BuildTransRoute
from engine.eots.events.tracks import RouteBuilt
from engine.eots.flow import Action, DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import EventFrame
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule


class BuildFree(Action[EventFrame, BuildRoute]):
    """Builds the card's first route. If that route is already built, builds one of the card's other routes."""

    kind = BuildRoute

    @override
    def candidates(self, state: State, frame: EventFrame, side: Side) -> Iterator[BuildRoute]:
        """Yield a command for each of the card's routes, in printed order."""
        step = current_step(frame, BuildTransRoute)
        for hex_id in (step.first, *step.then_one_of):
            yield BuildRoute(card=frame.card, at=hex_id)

    @override
    def refusals(
        self, state: State, frame: EventFrame, side: Side, command: BuildRoute
    ) -> Iterator[Refusal]:
        """Yield the reasons why the card cannot build a route in the hex. The cost in 13.77B is waived (CP-07).

        Under CP-07's alternative reading, all of 13.77B is waived.
        """
        step = current_step(frame, BuildTransRoute)
        if command.card != frame.card or command.at not in (step.first, *step.then_one_of):
            yield Refusal(
                event_rule(event_card(frame)), f"{frame.card} builds no route in {command.at}"
            )
        yield from build_route_refusals(state, side, command.at, by_event=True)

    @override
    def apply(self, run: EotsRun, frame: EventFrame, side: Side, command: BuildRoute) -> None:
        run.add(RouteBuilt(rule=Rule(frame.card), at=command.at))
        end_step(run, frame)


class TransRoutePart(DecisionHandler[EventFrame]):
    """The owner of a card may build a route (13.77)."""

    frame = EventFrame
    rule = Rule("13.77")
    question = "{frame.card}: build a transport route free of charge?"
    wrong_kind_text = "decide first whether {frame.card} builds a transport route"
    actions = (BuildFree(), PlainAction(Done, lambda run, frame, _: end_step(run, frame)))

    @override
    def active_roles(self, state: State, frame: EventFrame) -> tuple[Side, ...]:
        """Return the card's owner if a route can be built."""
        side = deciding_side(frame)
        return (side,) if self.has_other_command(state, frame, side) else ()

    @override
    def step(self, run: EotsRun, frame: EventFrame) -> None:
        """Continue with the next step if no route can be built."""
        end_step(run, frame)
