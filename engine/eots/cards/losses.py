"""Step losses caused by cards, with or without a die roll (5.31-5.33, C3.6, C4.2)."""

from collections.abc import Iterator
from functools import cache

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.cards.conditions import matching_units
from engine.eots.commands import EotsCommand, Hit
from engine.eots.counters import counters
from engine.eots.deck import Card, cards, event_rule
from engine.eots.deck_offensive import StepLoss, StepLossRoll
from engine.eots.deck_terms import Window
from engine.eots.events.offensive import LossTargetsFixed
from engine.eots.flow import DecisionHandler, EotsRun, Naming
from engine.eots.frames import LossFrame
from engine.eots.ids import Side, UnitId
from engine.eots.state import State, current_offensive
from engine.eots.unit_removal import lose_step
from engine.kernel.ids import Refusal, Rule
from engine.kernel.tables import DieTable


def loss_targets(state: State, card: Card, step: StepLossRoll | StepLoss) -> tuple[UnitId, ...]:
    """Return the units that may lose steps to a card now, sorted by id (CP-31)."""
    return matching_units(state, step.filter, step.where, card.side)


@cache
def losses_by_face(step: StepLossRoll) -> DieTable[int]:
    """Return the number of steps lost for each die result."""
    rows = ((row.start, row.end, row.steps) for row in step.table)
    return DieTable(*rows, is_clamped=False)


def record_targets(run: EotsRun, card: Card, window: Window) -> None:
    """Record which units may later lose a step to a card (CP-15, CP-29)."""
    for step in card.effects:
        if isinstance(step, StepLoss) and step.fixed_in is window:
            units = loss_targets(run.state, card, step)
            if units:
                run.add(LossTargetsFixed(rule=Rule(card.id), units=units))


def lose_steps(run: EotsRun, card: Card, step: StepLoss) -> None:
    """Ask which unit loses a step. If the card's targets were recorded earlier, only those targets can be chosen."""
    is_fixed = step.fixed_in is not None
    named_targets = (
        current_offensive(run.state).loss_targets
        if is_fixed
        else loss_targets(run.state, card, step)
    )
    begin_losses(run, card, step, named_targets)


def begin_losses(run: EotsRun, card: Card, step: StepLoss, named_units: tuple[UnitId, ...]) -> None:
    """Ask which unit loses a step. If the card may not eliminate units, only units with two steps can be chosen."""
    min_steps = 1 if step.may_eliminate else 2
    units = tuple(unit for unit in named_units if run.state.units[unit].steps >= min_steps)
    if units:
        side = step.chooser or card.side
        run.push(LossFrame(side=side, card=card.id, targets=units, steps=step.steps))


def roll_losses(run: EotsRun, card: Card, step: StepLossRoll) -> None:
    """Roll for a card's losses and let the choosing side name the units that lose steps (C3.6)."""
    face = run.roll(event_rule(card), card.side, card.id)
    steps = losses_by_face(step).result(face)
    targets = loss_targets(run.state, card, step)
    if steps and targets:
        side = step.chooser or card.side
        run.push(LossFrame(side=side, card=card.id, targets=targets, steps=steps))


def eligible_targets(state: State, frame: LossFrame) -> tuple[UnitId, ...]:
    """Return the targets that may lose the next step. One unit may lose several steps (C3.5, C3.6)."""
    surviving_units = tuple(unit for unit in frame.targets if state.units[unit].steps > 0)
    full_units = tuple(unit for unit in surviving_units if state.units[unit].steps > 1)
    return full_units if frame.spare and full_units else surviving_units


def _target_refusals(
    state: State, frame: LossFrame, _side: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Yield the reasons why a unit cannot be chosen to lose a step (C3.6)."""
    if unit not in eligible_targets(state, frame):
        yield Refusal(event_rule(cards()[frame.card]), f"{unit} is not a target of {frame.card}")


def _lose_step(run: EotsRun, frame: LossFrame, _side: Side, unit: UnitId) -> None:
    lose_step(run, unit, Rule(frame.card))
    run.replace_top(replace(frame, steps=frame.steps - 1))


class LossHandler(DecisionHandler[LossFrame]):
    """Asks which unit loses the next step."""

    frame = LossFrame
    actions = (
        Naming(
            Hit,
            lambda state, frame, _: eligible_targets(state, frame),
            _target_refusals,
            _lose_step,
        ),
    )
    question = "{frame.card} costs {frame.steps:step|steps}: name a unit"
    wrong_kind_text = "first name the units that lose steps to {frame.card}"

    @override
    def decision_rule(self, state: State, frame: LossFrame) -> Rule:
        """Return the rule number to cite for the card's losses."""
        return event_rule(cards()[frame.card])

    @override
    def active_roles(self, state: State, frame: LossFrame) -> tuple[Side, ...]:
        """Return the choosing side if more than one unit can lose the next step."""
        return (frame.side,) if frame.steps and len(eligible_targets(state, frame)) > 1 else ()

    @override
    def default(
        self, state: State, frame: LossFrame, side: Side, options: tuple[EotsCommand, ...]
    ) -> Hit:
        """Choose the strongest target if the targets are enemy units, or the weakest if they are the chooser's own."""

        def loss_rank(unit: UnitId) -> tuple[int, str]:
            attack = counters()[unit].strength(state.units[unit].steps).attack
            return (attack if counters()[unit].side is side else -attack), unit

        return Hit(unit=min(eligible_targets(state, frame), key=loss_rank))

    @override
    def step(self, run: EotsRun, frame: LossFrame) -> None:
        """Remove the step from the only possible target. If there is no target, finish."""
        units = eligible_targets(run.state, frame)
        if frame.steps and units:
            _lose_step(run, frame, frame.side, units[0])
        else:
            run.pop()
