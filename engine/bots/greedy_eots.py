"""Defines the greedy Empire of the Sun bot, which plans whole offensives and chooses options by hand-tuned values.

Like a human player, the bot sees only its seat's view and options.
"""

from collections.abc import Callable, Sequence
from typing import Final, cast

from msgspec.structs import replace

from engine.bots.greedy_eots_cards import (
    CardProspects,
    activatable_units,
    card_value,
    offensive_means,
    ordered_plan,
    reaction_card_value,
)
from engine.bots.greedy_eots_places import (
    base_value,
    excess_value,
    place_value,
    repair_value,
)
from engine.bots.greedy_eots_plan import NO_PLAN, OffensivePlan, plan_offensive
from engine.bots.greedy_eots_reasons import card_reason, hq_reason, place_reason
from engine.bots.greedy_eots_situation import EotsSituation, attack_strength
from engine.bots.greedy_eots_values import (
    LAST_RESORT,
    declaration_value,
    hit_value,
    pick_value,
    reaction_unit_value,
    stack_move_value,
)
from engine.eots import commands as orders
from engine.eots.deck import cards
from engine.eots.frames import (
    BombingFrame,
    CardPlayFrame,
    DeclarationFrame,
    EmergencyFrame,
    EventFrame,
    HitsFrame,
    MovementFrame,
    OffensiveFrame,
    OpeningFrame,
    ReinforcementFrame,
    ReplacementFrame,
    StackFrame,
    StackingFrame,
)
from engine.eots.ids import Side, UnitId
from engine.eots.view import EotsView, OffensiveView
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import Command, View

Scorer = Callable[[orders.EotsCommand], int]
PLANNED_UNIT_VALUE: Final = 100
"""Value of activating the plan's most important unit. Each further unit is worth 1 less."""


class GreedyEots:
    """Answers every decision with the most valuable option. In a tie, it chooses the first one."""

    reason: str
    """The last command's reason in one sentence, based on public information; empty if no reason is given."""

    def __init__(self, dice: DerivedDice) -> None:
        """Create the bot without a plan. It does not use the dice."""
        del dice
        self.reason = ""
        self._last_reason = ""
        """The last reason that was not empty."""
        self._plan: OffensivePlan | None = None
        self._planned_offensive: tuple[int, str] = (0, "")
        self._idle: set[UnitId] = set()
        """Units that the bot put back in the current movement step. They are not picked again."""
        self._last_situation: EotsSituation | None = None

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return the chosen option."""
        options = decision.options
        self.reason = ""
        if not isinstance(view, EotsView) or not view.frames:
            return decision.default
        # A card play is evaluated even if it is the only option, because its reason is worth
        # giving.
        if len(options) == 1 and not isinstance(view.frames[-1], CardPlayFrame):
            self._record_put_back(view, options[0])
            return options[0]
        side = Side(decision.role)
        situation = self._situation(view, side)
        score = self._scorer(view, situation, decision)
        best_index = self._pick_index(
            view, [score(cast("orders.EotsCommand", option)) for option in options]
        )
        self._record_put_back(view, options[best_index])
        self.reason = self._reason(view, situation, cast("orders.EotsCommand", options[best_index]))
        self._last_reason = self.reason or self._last_reason
        return options[best_index]

    def _pick_index(self, view: EotsView, values: Sequence[int]) -> int:
        """Return the index of the best option. In a tie, return the first index."""
        del view
        return values.index(max(values))

    def _situation(self, view: EotsView, side: Side) -> EotsSituation:
        """Return the data computed from the view. Reuse the previous data if nothing relevant has changed."""
        last_situation = self._last_situation
        if (
            last_situation is not None
            and last_situation.side is side
            # Successive views share these objects as long as nothing in them changes.
            and last_situation.view.units is view.units
            and last_situation.view.zones is view.zones
            and last_situation.view.turn == view.turn
            and last_situation.view.japan_controls == view.japan_controls
        ):
            self._last_situation = replace(last_situation, view=view)
        else:
            self._last_situation = EotsSituation.from_view(view, side)
        return self._last_situation

    def _record_put_back(self, view: EotsView, chosen_command: Command) -> None:
        """Record a unit that was put back, so that the bot does not pick it again."""
        frame = view.frames[-1]
        if isinstance(chosen_command, orders.Drop) and isinstance(frame, StackFrame):
            self._idle.add(frame.units[0])
        elif isinstance(frame, MovementFrame) and isinstance(chosen_command, orders.Done):
            self._idle.clear()

    def _scorer(
        self, view: EotsView, situation: EotsSituation, decision: Decision[Command]
    ) -> Scorer:
        """Return the evaluation function for the current decision."""
        match view.frames[-1]:
            case CardPlayFrame():
                prospects = CardProspects(situation)
                return lambda order: card_value(situation, prospects, order)
            case OffensiveFrame():
                return self._offensive_scorer(view, situation, decision)
            case MovementFrame() as step:
                plan = self._current_plan(view)
                return lambda order: self._pick_priority(situation, plan, step, order)
            case StackFrame() as frame:
                plan = self._current_plan(view)
                is_idle = frame.units[0] in self._idle
                return lambda order: (
                    LAST_RESORT
                    if is_idle and isinstance(order, orders.Drop)
                    else stack_move_value(situation, plan, frame, order)
                )
            case DeclarationFrame():
                plan = self._current_plan(view)
                return lambda order: declaration_value(situation, plan, order)
            case HitsFrame():
                return lambda order: hit_value(situation, order)
            case _:
                return _quiet_scorer(view, situation, decision)

    def _current_plan(self, view: EotsView) -> OffensivePlan | None:
        """Return the current offensive's plan, or None if the side is reacting or has no plan."""
        offensive = view.offensive
        if offensive is None:
            return None
        if self._planned_offensive != (view.turn, offensive.card):
            return ordered_plan(offensive.card)
        return self._plan

    def _offensive_scorer(
        self, view: EotsView, situation: EotsSituation, decision: Decision[Command]
    ) -> Scorer:
        """Return the evaluation function for an offensive's steps.

        Steps of the side's own offensive are valued by the plan. Reactions are valued by strength.
        """
        offensive = view.offensive
        assert offensive is not None
        offered_plans = tuple(
            order.unit for order in decision.options if isinstance(order, orders.Activate)
        )
        if offensive.side is not situation.side:
            return lambda order: _reaction_value(situation, order, offered_plans)
        if offered_plans:
            self._update_plan(view, situation, offensive, offered_plans)
        prospects = CardProspects(situation)
        is_event = offensive.event
        return lambda order: self._own_step_value(situation, prospects, order, is_event=is_event)

    def _own_step_value(
        self,
        situation: EotsSituation,
        prospects: CardProspects,
        order: orders.EotsCommand,
        *,
        is_event: bool,
    ) -> int:
        """Return the value of a step in the bot's own offensive."""
        offensive = situation.view.offensive
        assert offensive is not None
        match order:
            case orders.ChooseHq(hq=hq):
                return prospects.plan_with_hq(
                    offensive.card, situation.units[hq], is_event=is_event
                ).value
            case orders.Activate(unit=unit):
                plan = self._plan or NO_PLAN
                return PLANNED_UNIT_VALUE - plan.units.index(unit) if unit in plan.units else 0
            case orders.Done():
                # Stopping ranks below activating a planned unit and above activating any other
                # unit.
                return 1
            case orders.TakeBack() | orders.Ferry():
                return LAST_RESORT
            case orders.React(card=card):
                return 40 + reaction_card_value(card)
            case _:
                return 0

    def _update_plan(
        self,
        view: EotsView,
        situation: EotsSituation,
        offensive: OffensiveView,
        offered_units: tuple[UnitId, ...],
    ) -> None:
        """Make a plan when the first units are offered. Extend it once none of its units is offered any more."""
        key = (view.turn, offensive.card)
        if self._planned_offensive != key or self._plan is None:
            self._planned_offensive, self._plan = key, NO_PLAN
        if any(unit in offered_units for unit in self._plan.units):
            return
        activated_units = set(offensive.activated)
        kept_goals = tuple(
            goal for goal in self._plan.goals if activated_units.intersection(goal.units)
        )
        asp_spent = sum(goal.asp for goal in kept_goals)
        assert offensive.hq is not None
        current_means = offensive_means(
            situation,
            cards()[offensive.card],
            situation.units[offensive.hq],
            is_event=offensive.event,
        )
        means = replace(
            current_means,
            limit=offensive.limit - len(activated_units),
            naval_move=offensive.naval_move,
            asp=current_means.asp - asp_spent,
            battles=current_means.battles - sum(goal.is_battle for goal in kept_goals),
        )
        units_in_reach = tuple(situation.units[unit] for unit in offered_units)
        new_plan = plan_offensive(
            situation, units_in_reach, means, tuple(goal.target for goal in kept_goals)
        )
        self._plan = OffensivePlan(goals=kept_goals).extended_by(new_plan)

    def _pick_priority(
        self,
        situation: EotsSituation,
        plan: OffensivePlan | None,
        frame: MovementFrame,
        order: orders.EotsCommand,
    ) -> int:
        """Return the priority of moving a unit or of ending the step. Ending the step ranks above useless moves."""
        if isinstance(order, orders.Pick):
            return 0 if order.unit in self._idle else pick_value(situation, plan, frame, order.unit)
        return 1

    def _reason(
        self, view: EotsView, situation: EotsSituation, chosen_command: orders.EotsCommand
    ) -> str:
        """Return the reason for a command, using only public information; empty if there is none to give."""
        match view.frames[-1], chosen_command:
            case CardPlayFrame(), orders.PlayEvent(card=card) | orders.OperationsOffensive(
                card=card
            ):
                is_event = isinstance(chosen_command, orders.PlayEvent)
                plan = (
                    ordered_plan(card)
                    or CardProspects(situation).best_plan(card, is_event=is_event)[0]
                )
                return card_reason(situation, plan, chosen_command)
            case CardPlayFrame(), _:
                return card_reason(situation, NO_PLAN, chosen_command)
            case OffensiveFrame(), orders.ChooseHq(hq=hq) if view.offensive is not None:
                if view.offensive.side is not situation.side:
                    return ""
                plan = CardProspects(situation).plan_with_hq(
                    view.offensive.card, situation.units[hq], is_event=view.offensive.event
                )
                return hq_reason(situation, plan, chosen_command, self._last_reason)
            case ReinforcementFrame(), _:
                return place_reason(situation, chosen_command)
            case _:
                return ""


def _quiet_scorer(view: EotsView, situation: EotsSituation, decision: Decision[Command]) -> Scorer:
    """Return the evaluation function for decisions outside offensives (4, 5.3, 8.22-8.48, 10-12)."""
    match view.frames[-1]:
        case ReinforcementFrame():
            return lambda order: place_value(situation, order)
        case ReplacementFrame():
            return lambda order: repair_value(situation, order)
        case EmergencyFrame() | OpeningFrame():
            return lambda order: _refuge_value(situation, order)
        case BombingFrame():
            return lambda order: isinstance(order, orders.Bomb)
        case StackingFrame():
            return lambda order: -excess_value(situation, order)
        case EventFrame():
            # Doubling the values leaves room for the default to break ties.
            return lambda order: 2 * _event_value(situation, order) + (order == decision.default)
        case _:
            return lambda order: 1 if order == decision.default else 0


def _reaction_value(
    situation: EotsSituation, order: orders.EotsCommand, offered_units: tuple[UnitId, ...]
) -> int:
    """Return the value of a step in the enemy's offensive (7.25-7.27)."""
    match order:
        case orders.ChooseHq(hq=hq):
            return 5 + len(tuple(activatable_units(situation, situation.units[hq])))
        case orders.Activate(unit=unit):
            return reaction_unit_value(situation, unit, offered_units)
        case orders.Done():
            return 1
        case orders.RollIntelligence():
            return 50
        case orders.SpecialReaction(at=hex_id):
            return 60 + situation.hex_value(hex_id)
        case orders.React(card=card):
            return 51 + reaction_card_value(card)
        case orders.TakeBack() | orders.Ferry():
            return LAST_RESORT
        case _:
            return 0


def _refuge_value(situation: EotsSituation, order: orders.EotsCommand) -> int:
    """Return the value of a refuge for a displaced unit (8.22, 8.32)."""
    if isinstance(order, orders.Emergency):
        return base_value(situation, order.unit, order.to)
    return 0


def _event_value(situation: EotsSituation, order: orders.EotsCommand) -> int:
    """Return the value of an option in an event's decision. Taking a benefit is better than declining it (5.3)."""
    match order:
        case orders.Place():
            return place_value(situation, order)
        case orders.BuildRoute():
            return 1
        case orders.Deactivate(unit=unit):
            return attack_strength(situation.units[unit])
        case _:
            return repair_value(situation, order)
