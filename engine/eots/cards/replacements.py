"""Replacement steps from an event.

They are saved, or used immediately under the limits of the Replacement Segment (5.33, 11.0-7).
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from engine.eots.board import board
from engine.eots.cards.asking import current_step, deciding_side, end_step, event_card
from engine.eots.cards.conditions import is_place, matches_filter
from engine.eots.ch06_supply.activation import placement_refusals
from engine.eots.ch10_places import legal_places
from engine.eots.ch11_pools import kind_refusals, repairable_unit_refusals, returnable_unit_refusals
from engine.eots.commands import Done, Rebuild, Repair
from engine.eots.counters import counters
from engine.eots.deck import event_rule, selects_hq
from engine.eots.deck_campaign import Replacements
from engine.eots.deck_terms import PlaceFilter, is_of_nation
from engine.eots.events.tracks import JapanPointsSet
from engine.eots.events.units import StepGained, UnitPlaced
from engine.eots.flow import Action, DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import EventFrame
from engine.eots.ids import CHINA_BOX, HexId, Pool, Side, UnitId
from engine.eots.state import ELIMINATED, State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo
from engine.kernel.sentences import count_noun, pluralise

_POOLS: Final[Mapping[tuple[Side, str], Pool]] = {
    (Side.JAPAN, "ground"): Pool.JAPAN_GROUND,
    (Side.JAPAN, "air"): Pool.JAPAN_AIR,
    (Side.JAPAN, "naval"): Pool.JAPAN_NAVAL,
    (Side.ALLIED, "ground"): Pool.ALLIED_GROUND,
    (Side.ALLIED, "air"): Pool.ALLIED_AIR,
    (Side.ALLIED, "naval"): Pool.US_NAVAL,
}
_PREWAR: Final = Rule("11.1")

K = TypeVar("K", Repair, Rebuild)


class EventReplacementUses(msgspec.Struct, frozen=True, eq=False):
    """The possible uses of an event's replacement steps."""

    repairs: tuple[Repair, ...]
    rebuilds: tuple[Rebuild, ...]


_MEMO: Final = Memo[EventReplacementUses](8)


def step_pool(step: Replacements) -> Pool:
    """Return the pool to which the steps belong, as in the Replacement Segment (11)."""
    return Pool.CHINA_GROUND if step.nat == "chinese" else _POOLS[step.side, step.kind]


def steps_left(frame: EventFrame) -> int:
    """Return the number of the event's replacement steps that may still be used."""
    return current_step(frame, Replacements).n - frame.used


def possible_uses(state: State, frame: EventFrame) -> EventReplacementUses:
    """Return every possible use of the steps, ordered by unit, hex and number of steps. Results are cached."""
    key = (state.units, state.control, state.tracks, state.options, frame)
    return _MEMO.get(state, key, lambda: _possible_uses(state, frame))


def _possible_uses(state: State, frame: EventFrame) -> EventReplacementUses:
    step, steps_available = current_step(frame, Replacements), steps_left(frame)
    if steps_available < 1:
        return EventReplacementUses((), ())
    pool = step_pool(step)
    units = tuple(
        unit
        for unit in sorted(state.units)
        if next(recipient_refusals(state, frame, unit), None) is None
    )
    repairs = tuple(
        Repair(pool=pool, unit=unit)
        for unit in units
        if next(repair_refusals(state, frame, unit), None) is None
    )
    lost_units = tuple(
        unit
        for unit in units
        if step.may_return_eliminated
        and state.units[unit].at == ELIMINATED
        and next(returnable_unit_refusals(state, unit), None) is None
    )
    returns = tuple(
        Rebuild(pool=pool, unit=unit, at=hex_id, steps=count)
        for unit, places in legal_places(state, lost_units).items()
        for hex_id in places
        if next(_return_place_refusals(state, frame, hex_id), None) is None
        for count in range(1, min(steps_available, counters()[unit].max_steps) + 1)
    )
    return EventReplacementUses(repairs, returns)


def recipient_refusals(state: State, frame: EventFrame, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not receive one of the event's steps (11.1, 11.3, CP-19, CP-20)."""
    step, counter = current_step(frame, Replacements), counters()[unit]
    is_named = step.filter is not None and unit in step.filter.unit
    for refusal in kind_refusals(state, step_pool(step), unit):
        if not (is_named and refusal.rule == _PREWAR):  # an event may name a pre-war unit
            yield refusal
    if not is_of_nation(counter, step.nat) or (
        step.filter is not None and not matches_filter(state, step.filter, unit)
    ):
        yield Refusal(event_rule(event_card(frame)), f"{frame.card} has no step for {unit}")


def repair_refusals(state: State, frame: EventFrame, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not be flipped to full strength in its current hex (11.0-2)."""
    yield from repairable_unit_refusals(state, unit)
    place, hex_id = current_step(frame, Replacements).where, state.units[unit].at
    if place is not None and (hex_id == CHINA_BOX or state.units[unit].is_on_map):
        yield from _place_refusals(state, frame, place, hex_id)


def return_refusals(state: State, frame: EventFrame, command: Rebuild) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not return at this place with these steps (11.0-3, 10.11)."""
    unit, step = command.unit, current_step(frame, Replacements)
    if not step.may_return_eliminated:
        yield Refusal(
            event_rule(event_card(frame)),
            f"the steps from {frame.card} cannot return an eliminated unit",
        )
    if not 1 <= command.steps <= counters()[unit].max_steps:
        yield Refusal(
            Rule("11.0"), f"{unit} cannot return with {count_noun(command.steps, 'step')}"
        )
    if command.steps > steps_left(frame):
        yield Refusal(Rule("11.0"), pluralise(steps_left(frame), "step is left", "steps are left"))
    yield from returnable_unit_refusals(state, unit)
    yield from placement_refusals(state, unit, command.at)
    yield from _return_place_refusals(state, frame, command.at)


def _return_place_refusals(state: State, frame: EventFrame, location: str) -> Iterator[Refusal]:
    place = current_step(frame, Replacements).return_at
    if place is not None:
        yield from _place_refusals(state, frame, place, location)


def _place_refusals(
    state: State, frame: EventFrame, place: PlaceFilter, location: str
) -> Iterator[Refusal]:
    """Refuse a place that the card does not allow. Supply is checked separately under 11.0."""
    owner = event_card(frame).side
    if not (
        (location == CHINA_BOX or location in board().hexes)
        and is_place(state, place, location, owner)
        and _is_in_hq_range(state, place, location, owner)
    ):
        yield Refusal(
            event_rule(event_card(frame)), f"{location} is not a place that {frame.card} names"
        )


def _is_in_hq_range(state: State, place: PlaceFilter, location: str, owner: Side) -> bool:
    """Return whether a hex is in the command range of an HQ that the place filter names (A-15).

    True if the filter names no HQ.
    """
    selectors = place.within_hq_range
    if not isinstance(selectors, tuple):
        return True
    for hq, piece in state.units.items():
        counter = counters()[hq]
        if (
            counter.hq is not None
            and counter.side is owner
            and piece.is_on_map
            and any(selects_hq(word, counter) for word in selectors)
            and board().distance(HexId(piece.at), HexId(location)) <= counter.hq.command_range
        ):
            return True
    return False


class _Use(Action[EventFrame, K]):
    """Base class for spending an event's replacement steps on a unit (5.33, 11.0)."""

    is_exact = True

    @override
    def refusals(
        self, state: State, frame: EventFrame, side: Side, command: K
    ) -> Iterator[Refusal]:
        """Yield every reason why the event's steps may not be used this way."""
        if command.pool is not step_pool(current_step(frame, Replacements)):
            yield Refusal(
                event_rule(event_card(frame)), f"{frame.card} gives no {command.pool} step now"
            )
        elif command.unit not in state.units:
            yield Refusal(Rule("11.0"), f"there is no unit {command.unit}")
        else:
            yield from recipient_refusals(state, frame, command.unit)
            yield from self.check(state, frame, command)

    @abstractmethod
    def check(self, state: State, frame: EventFrame, command: K) -> Iterator[Refusal]:
        """Yield a refusal for every violated rule that is specific to this kind of use."""


class EventRepair(_Use[Repair]):
    """Flips a reduced unit to full strength (11.0-1)."""

    kind = Repair

    @override
    def candidates(self, state: State, frame: EventFrame, side: Side) -> tuple[Repair, ...]:
        return possible_uses(state, frame).repairs

    @override
    def check(self, state: State, frame: EventFrame, command: Repair) -> Iterator[Refusal]:
        """Yield the reasons why the unit may not be flipped to full strength."""
        return repair_refusals(state, frame, command.unit)

    @override
    def apply(self, run: EotsRun, frame: EventFrame, side: Side, command: Repair) -> None:
        run.add(StepGained(rule=Rule(frame.card), unit=command.unit))
        run.replace_top(replace(frame, used=frame.used + 1))


class EventReturn(_Use[Rebuild]):
    """Returns an eliminated unit to play (11.0-1)."""

    kind = Rebuild

    @override
    def candidates(self, state: State, frame: EventFrame, side: Side) -> tuple[Rebuild, ...]:
        """Return every way to return a unit to play, ordered by unit, hex and number of steps."""
        return possible_uses(state, frame).rebuilds

    @override
    def check(self, state: State, frame: EventFrame, command: Rebuild) -> Iterator[Refusal]:
        """Yield the reasons why the unit may not return in this hex with these steps."""
        return return_refusals(state, frame, command)

    @override
    def apply(self, run: EotsRun, frame: EventFrame, side: Side, command: Rebuild) -> None:
        """Return the unit to play.

        Unless this is the Replacement Segment, its zone neutralises enemy zones immediately.
        """
        steps = command.steps
        run.add(UnitPlaced(rule=Rule(frame.card), unit=command.unit, at=command.at, steps=steps))
        run.replace_top(replace(frame, used=frame.used + steps))


class ReplacementsPart(DecisionHandler[EventFrame]):
    """Lets a card's owner spend the replacement steps that the card provides (5.33)."""

    frame = EventFrame
    rule = Rule("5.33")
    wrong_kind_text = "use the replacement steps from {frame.card} first"
    actions = (
        EventRepair(),
        EventReturn(),
        PlainAction(Done, lambda run, frame, _: _save_remaining_steps(run, frame)),
    )

    @override
    def active_roles(self, state: State, frame: EventFrame) -> tuple[Side, ...]:
        """Return the card's owner while any steps can be used."""
        uses = possible_uses(state, frame)
        return (deciding_side(frame),) if uses.repairs or uses.rebuilds else ()

    @override
    def prompt(self, state: State, frame: EventFrame, role: Side) -> str:
        """Return the prompt, which states how many steps are left and what will happen to unused steps."""
        step = current_step(frame, Replacements)
        use_text = "lost" if step.use == "immediate" else "saved"
        steps = count_noun(steps_left(frame), f"{step_pool(step)} step")
        return f"{frame.card}: use {steps}; unused steps are {use_text}"

    @override
    def step(self, run: EotsRun, frame: EventFrame) -> None:
        _save_remaining_steps(run, frame)


def _save_remaining_steps(run: EotsRun, frame: EventFrame) -> None:
    """Save the remaining steps if the card allows it (5.33, 11.21, 11.22)."""
    step, steps_unused, tracks = (
        current_step(frame, Replacements),
        steps_left(frame),
        run.state.tracks,
    )
    if step.use == "bank_or_immediate" and steps_unused:
        naval, air = tracks.japan_naval_points, tracks.japan_air_points
        is_air = step.kind == "air"
        run.add(
            JapanPointsSet(
                naval=naval + steps_unused * (not is_air), air=air + steps_unused * is_air
            )
        )
    end_step(run, frame)
