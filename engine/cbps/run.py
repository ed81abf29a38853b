"""Carries out commands and records each random result as an event. Defines base classes for handlers (0)."""

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from typing_extensions import override

from engine.cbps.charts.chart import Chart, ColumnChart, DieChart
from engine.cbps.charts.results import AbortElim, CarrierCount, Screen
from engine.cbps.commands import CbpsCommand
from engine.cbps.event_counters import event_with_counters
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.chance import ChartRead, Chosen, DieRolled, Modifier
from engine.cbps.events.turns import FramesChanged
from engine.cbps.force_ids import counter_of, force_with_counter
from engine.cbps.frames import Frame, FrameBase
from engine.cbps.ids import D10
from engine.cbps.state import State
from engine.kernel import machine
from engine.kernel.ledger import Mark

F = TypeVar("F", bound=FrameBase)
K = TypeVar("K", bound=CbpsCommand)
R = TypeVar("R")


def chart_modifier(chart: Chart, name: str) -> Modifier:
    """Return a modifier of a chart by its id, in the form recorded with a roll."""
    modifier = chart.modifier(name)
    return Modifier(id=name, drm=modifier.drm, is_assumed=modifier.is_assumed)


def result_text(result: object) -> str:
    """Return a chart result as shown in the log."""
    match result:
        case AbortElim(abort=abort, elim=elim):
            return f"{abort} aborted, {elim} eliminated"
        case CarrierCount(cv=cv, cvl=cvl):
            return f"{cv}/{cvl}"
        case Screen(column=column):
            return str(column)
        case tuple():
            return "/".join(map(str, result)) or "-"
        case _:
            return str(result)


class Run(machine.StackRun[State, CbpsEvent, Frame]):
    """The execution of one command. The frame stack is recorded once, when the run stops for a decision."""

    __slots__ = ()

    @override
    def stack_changed(self, keep: int, frames: tuple[Frame, ...]) -> CbpsEvent:
        """Return the event that keeps the outermost ``keep`` frames and puts new frames on top."""
        return FramesChanged(keep=keep, frames=frames)

    def undo_to(self, mark: Mark[State]) -> None:
        """Undo everything since a mark except the recorded die rolls, chart results and random picks (10.1C, OP-36)."""
        self.undo(mark, lambda event: isinstance(event, ChartRead | DieRolled | Chosen))

    @override
    def add(self, event: CbpsEvent) -> None:
        """Record and apply an event that names forces by id. The record names them by counter."""
        super().add(event_with_counters(self.state, event))

    def d10(self, rule: str, subject: str) -> int:
        """Roll a die for a rule that has no chart, and record the result."""
        die = self.dice.roll(D10)
        self.add(DieRolled(rule=rule, about=subject, die=die))
        return die

    def pick(self, items: Sequence[str], rule: str, subject: str) -> str:
        """Pick one of several items at random. The pick is recorded only if there is more than one (0)."""
        if len(items) == 1:
            return items[0]
        picked_item = self.dice.pick(items)
        self.add(Chosen(rule=rule, about=subject, among=len(items), one=picked_item))
        return picked_item

    def pick_force(self, forces: Sequence[str], rule: str, subject: str) -> str:
        """Pick one of several forces at random and record its counter (0)."""
        counters = [counter_of(self.state, force) for force in forces]
        return force_with_counter(self.state, self.pick(counters, rule, subject))

    def roll_on_chart(
        self, chart: DieChart[R], subject: str, modifiers: Iterable[Modifier] = ()
    ) -> R:
        """Roll on a single-column chart and record the result (2.41)."""
        die, total, applied = self._roll_with_modifiers(modifiers)
        cell = chart.look_up(total)
        self.record_result(chart, subject, cell.result, die, applied, is_assumed=cell.is_assumed)
        return cell.result

    def roll_on_column(
        self,
        chart: ColumnChart[R],
        column: int | str,
        subject: str,
        modifiers: Iterable[Modifier] = (),
    ) -> R:
        """Roll on a chart in the column for a number or name, and record the result (2.41)."""
        key = chart.column_for(column)
        die, total, applied = self._roll_with_modifiers(modifiers)
        cell = chart.look_up(total, key)
        self.record_result(
            chart, subject, cell.result, die, applied, key, is_assumed=cell.is_assumed
        )
        return cell.result

    def _roll_with_modifiers(
        self, modifiers: Iterable[Modifier]
    ) -> tuple[int, int, tuple[Modifier, ...]]:
        applied = tuple(modifier for modifier in modifiers if modifier.drm)
        die = self.dice.roll(D10)
        return die, die + sum(modifier.drm for modifier in applied), applied

    def record_result(
        self,
        chart: Chart,
        subject: str,
        result: object,
        die: int = 0,
        modifiers: tuple[Modifier, ...] = (),
        column: str = "",
        *,
        is_assumed: bool = False,
    ) -> None:
        """Record a chart result. Call this directly for chart types that :meth:`roll_on_chart` does not support."""
        self.add(
            ChartRead(
                chart=chart.id,
                about=subject,
                column=column,
                die=die,
                modifiers=modifiers,
                result=result_text(result),
                is_assumed=is_assumed or any(modifier.is_assumed for modifier in modifiers),
            )
        )


class Handler(machine.Handler[State, CbpsCommand, Run, F, str], Generic[F]):
    """Base class of the rules for one frame type."""


class DecisionHandler(machine.DecisionHandler[State, CbpsCommand, Run, F, str], Generic[F]):
    """Base class of the rules for a frame type that requires decisions. The rules consist of actions."""


class Action(machine.Action[State, Run, F, str, K], Generic[F, K]):
    """Base class of the rules for one kind of command in one frame type."""


class PlainAction(machine.PlainAction[State, Run, F, str, K], Generic[F, K]):
    """Base class of the rules for a command without fields in one frame type."""
