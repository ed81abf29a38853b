"""The greedy player of Empire of the Sun: one target per offensive, picked by hand-made values.

It sees what a person in its seat sees: the view and the options.
"""

from collections.abc import Callable, Mapping
from typing import Final, cast

from engine.bots.greedy_eots_situation import Plan, Situation, best_plan
from engine.bots.greedy_eots_values import (
    card_value,
    event_value,
    hit_value,
    place_value,
    repair_value,
    stack_move_value,
)
from engine.eots import commands as orders
from engine.eots.frames import (
    CardPlayFrame,
    DeclarationFrame,
    EventFrame,
    HitsFrame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
    ReinforcementFrame,
    ReplacementFrame,
    StackFrame,
)
from engine.eots.ids import Side, UnitId
from engine.eots.view import EotsView
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import Command, View

Score = Callable[[orders.EotsCommand], int]
LAST_RESORT: Final = -1_000
"""Value of options that are taken only when nothing else is left."""


class GreedyEots:
    """Answers every question with the option of the highest value; the first one on a tie."""

    def __init__(self, dice: DerivedDice) -> None:
        """Keep the dice for breaking ties between card plays."""
        self._dice = dice
        self._plan: Plan | None = None
        self._plan_of: tuple[int, str] = (0, "")
        self._idle: set[UnitId] = set()
        """Units that found nothing to do since the movement under way began."""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the options."""
        options = decision.options
        if not isinstance(view, EotsView) or not view.frames:
            return decision.default
        if len(options) == 1:
            self._note(view, options[0])
            return options[0]
        side = Side(decision.role)
        board = Situation.of(view, side)
        score = self._scorer(view, board, decision)
        best = max(
            range(len(options)), key=lambda i: (score(cast("orders.EotsCommand", options[i])), -i)
        )
        self._note(view, options[best])
        return options[best]

    def _note(self, view: EotsView, chosen: Command) -> None:
        """Remember which unit was put back, so that it is not picked again and again."""
        frame = view.frames[-1]
        if isinstance(chosen, orders.Drop) and isinstance(frame, StackFrame):
            self._idle.add(frame.units[0])
        elif isinstance(frame, MovementFrame) and isinstance(chosen, orders.Done):
            self._idle.clear()

    def _scorer(self, view: EotsView, board: Situation, decision: Decision[Command]) -> Score:
        """Return the value function for the open question."""
        match view.frames[-1]:
            case CardPlayFrame():
                return lambda order: card_value(board, order)
            case OffensiveFrame():
                return self._offensive(view, board)
            case MovementFrame(purpose=purpose):
                return lambda order: self._pick(board, purpose, order)
            case StackFrame() as frame:
                plan = self._current_plan(view)
                again = frame.units[0] in self._idle or frame.purpose is not Purpose.OFFENSIVE
                return lambda order: (
                    LAST_RESORT
                    if again and isinstance(order, orders.Drop)
                    else stack_move_value(board, plan, frame, order)
                )
            case DeclarationFrame():
                return _declaration
            case HitsFrame():
                return lambda order: hit_value(board, order)
            case ReinforcementFrame():
                return lambda order: place_value(board, order)
            case ReplacementFrame():
                return lambda order: repair_value(board, order)
            case EventFrame():
                return lambda order: 2 * event_value(board, order) + (order == decision.default)
            case _:
                return lambda order: 1 if order == decision.default else 0

    def _current_plan(self, view: EotsView) -> Plan | None:
        """Return the plan of the offensive under way, None in reaction or without one."""
        offensive = view.offensive
        if offensive is None or self._plan_of != (view.turn, offensive.card):
            return None
        return self._plan

    def _offensive(self, view: EotsView, board: Situation) -> Score:
        """Value the steps of an offensive: own ones by plan, reactions by strength."""
        offensive = view.offensive
        assert offensive is not None
        own = offensive.side is board.side
        plans: dict[str, Plan | None] = {}

        def plan_of(hq: str) -> Plan | None:
            if hq not in plans:
                plans[hq] = best_plan(board, offensive, hq)
            return plans[hq]

        def value(order: orders.EotsCommand) -> int:
            match order:
                case orders.ChooseHq(hq=hq) if own:
                    plan = plan_of(hq)
                    return 0 if plan is None else plan.value
                case orders.ChooseHq():
                    return 5
                case orders.Activate(unit=unit) if own:
                    plan = self._plan_for(view, board)
                    return (
                        0
                        if plan is None or unit not in plan.units
                        else 10 + plan.units.index(unit) * -1 + 100
                    )
                case orders.Activate(unit=unit):
                    return board.reaction_value(unit)
                case orders.Done():
                    return 1
                case orders.RollIntelligence():
                    return 50
                case orders.SpecialReaction():
                    return 60
                case orders.React():
                    return 40 if offensive.side is not board.side else 0
                case orders.TakeBack() | orders.Ferry():
                    return LAST_RESORT
                case _:
                    return 0

        return value

    def _plan_for(self, view: EotsView, board: Situation) -> Plan | None:
        """Return the plan for the HQ that was named, made once per offensive."""
        offensive = view.offensive
        assert offensive is not None
        key = (view.turn, offensive.card)
        if self._plan_of != key and offensive.hq is not None:
            self._plan = best_plan(board, offensive, offensive.hq)
            self._plan_of = key
        return self._plan

    def _pick(self, board: Situation, purpose: Purpose, order: orders.EotsCommand) -> int:
        """Move ships with carriers first, then the landing, then the rest; stop when nothing helps."""
        if isinstance(order, orders.Pick):
            return 0 if order.unit in self._idle else board.pick_value(order.unit, purpose)
        return 1


def _declaration(order: orders.EotsCommand) -> int:
    """Fight with everything that can; cover when it cannot."""
    ranks: Mapping[type, int] = {orders.Join: 3, orders.Cover: 2, orders.Done: 1}
    return ranks.get(type(order), LAST_RESORT)
