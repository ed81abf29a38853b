"""The fourteen steps of an offensive, and the handler that runs them (7.2).

Steps in which a side makes a decision directly have their own modules. This module contains all other steps, including
those that only open frames.
"""

from collections.abc import Mapping
from typing import Final

from typing_extensions import override

from engine.eots import ch17_december
from engine.eots.cards.interpreter import apply_steps, apply_window
from engine.eots.cards.losses import LossHandler, record_targets
from engine.eots.ch07_offensive import attacks, conclusion, declaration
from engine.eots.ch07_offensive.activation import fixed_units
from engine.eots.ch07_offensive.kamikaze import KamikazeHandler
from engine.eots.ch07_offensive.step import StepParts, enter_step, next_stage
from engine.eots.ch07_offensive.step_activating import ActivationStep, ReactionStep
from engine.eots.ch07_offensive.step_answers import (
    CancellationStep,
    IntelligenceStep,
    SpecialReactionStep,
)
from engine.eots.ch07_offensive.step_attacks import AttackStep, ExecutionStep
from engine.eots.ch08_movement.fleet import probe_frame
from engine.eots.deck import cards
from engine.eots.deck_terms import Window
from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import (
    BattlesFrame,
    DeclarationFrame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
    RetreatFrame,
)
from engine.eots.state import current_offensive
from engine.kernel.ids import Rule


def _begin_movement(run: EotsRun, frame: OffensiveFrame) -> None:
    """Apply the card, then let the Offensive player move. Ships named by the card move as one stack (7.22, 17.11)."""
    next_stage(run, frame)
    if current_offensive(run.state).activated:
        # The card's effects push frames on top of the movement frame, so they precede all moves.
        _enter_movement(run, Purpose.OFFENSIVE)
    apply_window(run, Window.STEP2)


def _enter_movement(run: EotsRun, purpose: Purpose) -> None:
    """Begin the Offensive player's movement. The J-1 ships move as one stack, both outbound and on return (17.11)."""
    side = current_offensive(run.state).side
    run.push(MovementFrame(side=side, purpose=purpose))
    stack = fixed_units(run.state, side)
    if stack:
        run.push(probe_frame(side, purpose, stack, run.state.units[stack[0]].at))


def _begin_declaration(run: EotsRun, frame: OffensiveFrame) -> None:
    """Declare the forced battle hexes, then let the side commit units to battles or to cover landings (7.24)."""
    declaration.declare_forced_battles(run)
    next_stage(run, frame)
    run.push(DeclarationFrame(side=current_offensive(run.state).side))


def _apply_event_effects(run: EotsRun, frame: OffensiveFrame) -> None:
    """Apply the event's effects that precede reaction (CP-01)."""
    enter_step(run, frame.step + 1)
    apply_window(run, Window.STEP5)


def _begin_battles(run: EotsRun, frame: OffensiveFrame) -> None:
    """Resolve coast gun fire (17.11), then begin all battles (9.0)."""
    ch17_december.fire_coast_guns(run)
    next_stage(run, frame)
    run.push(BattlesFrame())


def _fix_targets(run: EotsRun, frame: OffensiveFrame) -> None:
    """Record which units fought, because the card's event may affect them when the offensive ends (CP-15)."""
    next_stage(run, frame)
    if current_offensive(run.state).event:
        record_targets(run, cards()[current_offensive(run.state).card], Window.STEP11)


def _take_landings(run: EotsRun, frame: OffensiveFrame) -> None:
    """Give the Offensive player control of the hexes captured by landings (6.5)."""
    conclusion.take_landing_control(run)
    next_stage(run, frame)


def _retreat(run: EotsRun, frame: OffensiveFrame) -> None:
    """Begin the retreats of defeated ground units (9.5)."""
    next_stage(run, frame)
    retreats = current_offensive(run.state).retreats
    if retreats:
        run.push(RetreatFrame(waiting=tuple(sorted(retreats))))


def _move_reaction(run: EotsRun, frame: OffensiveFrame) -> None:
    """Begin the Reaction player's post-battle movement (9.6, 17.11)."""
    next_stage(run, frame)
    ch17_december.bring_carriers_to_oahu(run)
    offensive = current_offensive(run.state)
    if offensive.reaction.activated:
        run.push(MovementFrame(side=offensive.side.enemy, purpose=Purpose.POST_BATTLE))


def _move_offensive(run: EotsRun, frame: OffensiveFrame) -> None:
    """Begin the Offensive player's post-battle movement. The J-1 ships move as one stack (9.6, 17.11)."""
    next_stage(run, frame)
    if current_offensive(run.state).activated:
        _enter_movement(run, Purpose.POST_BATTLE)


def _apply_post_battle_cards(run: EotsRun, frame: OffensiveFrame) -> None:
    """Apply reaction cards that affect post-battle movement (J-65)."""
    next_stage(run, frame)
    for name in current_offensive(run.state).reaction.events:
        apply_steps(run, cards()[name], (Window.STEP13,))


def _begin_emergency_movement(run: EotsRun, frame: OffensiveFrame) -> None:
    """Begin emergency movement (8.22, 8.32)."""
    next_stage(run, frame)
    conclusion.begin_emergency(run)


def _apply_late_cards(run: EotsRun, frame: OffensiveFrame) -> None:
    """Apply cards that take effect at the conclusion, including A-78 if there are no battle hexes (CP-15, CP-31)."""
    enter_step(run, frame.step + 1)
    apply_window(run, Window.END_OF_OFFENSIVE)
    if not current_offensive(run.state).battles:
        attacks.apply_late_cards(run)


def _enforce_stacking(run: EotsRun, frame: OffensiveFrame) -> None:
    """Remove HQs from enemy hexes, then units in excess of the stacking limits (6.14, 8.34)."""
    conclusion.reposition_hqs(run, Rule("6.14"))
    next_stage(run, frame)
    conclusion.begin_stacking(run, current_offensive(run.state).side)


def _finish_offensive_step(run: EotsRun, frame: OffensiveFrame) -> None:
    """Put away the cards and end the offensive (7.28)."""
    del frame
    # Check this first, because ending the offensive removes the record that the check needs.
    is_free = ch17_december.grants_free_moves(run.state)
    conclusion.finish_offensive(run)
    run.pop()
    if is_free:
        ch17_december.begin_free_moves(run)


STEPS: Final[Mapping[int, Handler[OffensiveFrame]]] = {
    1: ActivationStep(),
    2: StepParts(_begin_movement, next_step=3),
    3: StepParts(_begin_declaration, next_step=4),
    4: CancellationStep(),
    5: StepParts(_apply_event_effects, next_step=6),
    6: SpecialReactionStep(),
    7: IntelligenceStep(),
    8: ReactionStep(),
    9: AttackStep(),
    10: ExecutionStep(),
    11: StepParts(_begin_battles, _fix_targets, next_step=12),
    12: AttackStep(),
    13: StepParts(
        _take_landings,
        _retreat,
        _move_reaction,
        _move_offensive,
        _apply_post_battle_cards,
        next_step=14,
    ),
    14: StepParts(_begin_emergency_movement, _apply_late_cards, next_step=15),
    15: StepParts(_enforce_stacking, _finish_offensive_step, next_step=15),
}
"""The handler for each step of 7.2, by number. The last step is the conclusion."""


class OffensiveHandler(Handler[OffensiveFrame]):
    """Runs an offensive with a separate handler for each step (7.2)."""

    frame = OffensiveFrame

    @override
    def handler_for(self, frame: OffensiveFrame) -> Handler[OffensiveFrame]:
        return STEPS[frame.step]


HANDLERS: Final = (OffensiveHandler(), LossHandler(), KamikazeHandler())
