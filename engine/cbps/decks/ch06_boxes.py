"""Moving units between a carrier's boxes: raise, service, store, lower (6.25-6.27)."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar, Generic, TypeVar

from typing_extensions import override

from engine.cbps.commands import Lower, Raise, Service, Store
from engine.cbps.decks.ch06_decks import (
    NO_UNIT,
    closed_deck_refusals,
    deck_limits,
    open_carriers,
    units_on_deck,
)
from engine.cbps.events.air import UnitMoved
from engine.cbps.frames import OperationsFrame
from engine.cbps.ids import Box
from engine.cbps.locations import units_at, units_by_location
from engine.cbps.run import Action, Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.seats import commands_carrier
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule

K = TypeVar("K", Raise, Service, Store, Lower)


class BoxAction(Action[OperationsFrame, K], Generic[K]):
    """Moves a unit from one box of its carrier to another (6.25-6.27)."""

    is_exact = True
    timing = Refusal(Rule("6.23"), "units are moved aboard in the US Air Operations Segment")
    boxes: ClassVar[tuple[Box, ...]]
    """Boxes from which the action moves units."""
    step: ClassVar[int]
    """Position of the action in the order of air operations (6.23)."""
    rule: ClassVar[Rule]
    wrong_box_text: ClassVar[str]
    too_late_text: ClassVar[str]

    @override
    def candidates(self, state: State, frame: OperationsFrame, role: str) -> Iterable[K]:
        if not scenario_rules(state).has_servicing:
            return
        units_by_box = units_by_location(state)
        for carrier in open_carriers(state):
            if state.ships[carrier].step > self.step or not commands_carrier(state, role, carrier):
                continue
            for box in self.boxes:
                units = units_by_box.get((box, carrier))
                if units and next(self.capacity_refusals(state, carrier, box), None) is None:
                    yield from (self.kind(unit=unit) for unit in units)

    @override
    def refusals(
        self, state: State, frame: OperationsFrame, role: str, command: K
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot be moved."""
        unit = state.units.get(command.unit)
        if unit is None:
            yield NO_UNIT
            return
        if not scenario_rules(state).has_servicing:
            yield Refusal(Rule("4.16"), "units are not serviced in this scenario")
        if unit.place not in self.boxes:
            yield Refusal(self.rule, self.wrong_box_text)
            return
        if not commands_carrier(state, role, unit.at):
            yield Refusal(Rule("6.1"), "this carrier is under another commander")
        yield from self.deck_refusals(state, unit.at, unit.place)

    def deck_refusals(self, state: State, carrier: str, box: Box) -> Iterator[Refusal]:
        """Yield the reasons why no unit in this box of the carrier can move now."""
        yield from closed_deck_refusals(state, carrier)
        if state.ships[carrier].step > self.step:
            yield Refusal(Rule("6.23"), self.too_late_text)
        yield from self.capacity_refusals(state, carrier, box)

    @abstractmethod
    def capacity_refusals(self, state: State, carrier: str, box: Box) -> Iterator[Refusal]:
        """Yield a refusal for each limit of the carrier that the move would exceed (6.22)."""

    @abstractmethod
    def target_box(self, box: Box) -> Box:
        """Return the box that this action moves a unit to."""

    @override
    def apply(self, run: Run, frame: OperationsFrame, role: str, command: K) -> None:
        unit = run.state.units[command.unit]
        box = self.target_box(unit.place)  # type: ignore[arg-type]  # refusals() allows only these boxes
        tag = self.kind.__struct_config__.tag
        run.add(UnitMoved(unit=command.unit, place=box, at=unit.at, why=str(tag)))


def _servicing_box_refusals(state: State, carrier: str) -> Iterator[Refusal]:
    if len(units_at(state, "servicing", carrier)) >= deck_limits(state, carrier).servicing:
        yield Refusal(Rule("6.22"), "the Servicing box is full")


def _servicing_limit_refusals(state: State, carrier: str) -> Iterator[Refusal]:
    if state.ships[carrier].serviced >= deck_limits(state, carrier).servicing:
        text = "the carrier cannot move any more units between hangar and servicing in this phase"
        yield Refusal(Rule("6.26"), text)


class RaiseAction(BoxAction[Raise]):
    """Moves a unit from Servicing to Ready, within the flight deck limit (6.25)."""

    kind = Raise
    boxes = ("servicing",)
    step = 2
    rule = Rule("6.25")
    wrong_box_text = "only a unit in a Servicing box can be raised"
    too_late_text = (
        "raising comes before servicing, lowering and landing: this carrier is past that step"
    )

    @override
    def capacity_refusals(self, state: State, carrier: str, box: Box) -> Iterator[Refusal]:
        """Yield a refusal if the flight deck is full."""
        if units_on_deck(state, carrier) >= deck_limits(state, carrier).flight_deck:
            yield Refusal(Rule("6.22"), "there is no room on the flight deck")

    @override
    def target_box(self, box: Box) -> Box:
        return "ready"


class ServiceAction(BoxAction[Service]):
    """Moves a unit from Hangar to Servicing (6.26)."""

    kind = Service
    boxes = ("hangar",)
    step = 3
    rule = Rule("6.26")
    wrong_box_text = "only a unit in a Hangar box can go to servicing"
    too_late_text = "servicing comes before lowering and landing: this carrier is past that step"

    @override
    def capacity_refusals(self, state: State, carrier: str, box: Box) -> Iterator[Refusal]:
        """Yield refusals if the Servicing box is full or the servicing limit is used up."""
        yield from _servicing_limit_refusals(state, carrier)
        yield from _servicing_box_refusals(state, carrier)

    @override
    def target_box(self, box: Box) -> Box:
        return "servicing"


class StoreAction(BoxAction[Store]):
    """Moves a unit from Servicing back to the Hangar. The move also counts as servicing (6.26)."""

    kind = Store
    boxes = ("servicing",)
    step = 3
    rule = Rule("6.26")
    wrong_box_text = "only a unit in a Servicing box can be stored"
    too_late_text = "servicing comes before lowering and landing: this carrier is past that step"

    @override
    def capacity_refusals(self, state: State, carrier: str, box: Box) -> Iterator[Refusal]:
        """Yield a refusal if the servicing limit is used up."""
        yield from _servicing_limit_refusals(state, carrier)

    @override
    def target_box(self, box: Box) -> Box:
        return "hangar"


class LowerAction(BoxAction[Lower]):
    """Lowers a unit from Landed to Hangar, or from Ready to Servicing (6.27)."""

    kind = Lower
    boxes = ("landed", "ready")
    step = 4
    rule = Rule("6.27")
    wrong_box_text = "only a unit on a flight deck can be lowered"
    too_late_text = "lowering comes before landing: this carrier is past that step"

    @override
    def capacity_refusals(self, state: State, carrier: str, box: Box) -> Iterator[Refusal]:
        """Yield refusals if the lowering limit is used up or the Servicing box is full."""
        if state.ships[carrier].lowered >= deck_limits(state, carrier).lower:
            yield Refusal(Rule("6.27"), "the carrier cannot lower any more units in this phase")
        if box == "ready":
            yield from _servicing_box_refusals(state, carrier)

    @override
    def target_box(self, box: Box) -> Box:
        return "hangar" if box == "landed" else "servicing"
