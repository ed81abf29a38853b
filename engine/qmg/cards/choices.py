"""Operations that contain other steps: choices, steps in any order, conditions and payments (A.2)."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.qmg import deck_steps as ds
from engine.qmg.cards.base import (
    ChoiceOperation,
    Operation,
    advance,
    card_context,
    enter_steps,
    is_any_possible,
)
from engine.qmg.ch10_answers import can_pay
from engine.qmg.commands import Choose, Name, QmgCommand, Yes
from engine.qmg.frames import StepsFrame
from engine.qmg.run import Run
from engine.qmg.terms import Context, is_condition_met, resolve_country, resolve_decider


class PartsStep(ChoiceOperation):
    """A step with several lists of steps to choose from (7.8)."""

    op: ds.WithParts
    rule = "7.8"

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the remaining parts that have at least one possible step."""
        done_parts = frame.rest if frame is not None else ()
        return [
            Choose(part=number)
            for number, steps in enumerate(self.inner.values(), start=1)
            if str(number) not in done_parts and is_any_possible(context, steps)
        ]


class ChooseStep(PartsStep):
    """A country chooses one list of steps. Only the card's owner may decline (A.2)."""

    asks = "which part of the card do you carry out?"

    @override
    def decider(self, context: Context) -> str:
        """Return the country that chooses. If several countries choose, each one chooses for itself (17.8)."""
        return resolve_decider(self.op.by, context)

    @override
    def is_mandatory(self, frame: StepsFrame) -> bool:
        return self.op.by != "self"

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        assert isinstance(command, Choose), command
        enter_steps(run, frame, f"-{command.part - 1}")


class ChooseCountryStep(ChoiceOperation):
    """The owner names a country (A.2)."""

    op: ds.ChooseCountry
    asks = "which country?"

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return all countries among which the owner can choose."""
        return [Name(force=country) for country in self.op.countries]

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        assert isinstance(command, Name), command
        enter_steps(run, frame, chosen=command.force)


class ForEachCountryStep(Operation):
    """Runs the steps for each country in the order listed. One country is completed before the next (17.8, A.2)."""

    op: ds.ForEachCountry

    @override
    def is_possible(self, context: Context) -> bool:
        """Return whether at least one step is possible for at least one country."""
        return any(
            is_any_possible(
                replace(context, binds=replace(context.binds, each=country)), self.inner[""]
            )
            for country in self.op.countries
        )

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        self.after_inner_steps(run, frame)
        return True

    @override
    def after_inner_steps(self, run: Run, frame: StepsFrame) -> None:
        if frame.repeats < len(self.op.countries):
            country = self.op.countries[frame.repeats]
            enter_steps(run, replace(frame, repeats=frame.repeats + 1), each=country)
        else:
            advance(run, frame)


class AnyOrderStep(PartsStep):
    """Runs the parts of a card, which may be carried out in any order or left out (7.8, 18.30)."""

    asks = "which part do you carry out next?"

    @override
    def decider(self, context: Context) -> str:
        return resolve_country(self.op.by, context)

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        assert isinstance(command, Choose), command
        next_frame = replace(frame, rest=(*frame.rest, str(command.part)))
        enter_steps(run, next_frame, f"-{command.part - 1}")

    @override
    def after_inner_steps(self, run: Run, frame: StepsFrame) -> None:
        run.replace_top(replace(frame, stage=""))

    @override
    def decline(self, run: Run, frame: StepsFrame) -> None:
        advance(run, replace(frame, rest=()))


class IfStep(Operation):
    """Runs steps only if a condition is met. The condition is checked on the current board (18.24, A.2)."""

    op: ds.If

    @override
    def is_possible(self, context: Context) -> bool:
        return is_condition_met(self.op.condition, context) and is_any_possible(
            context, self.inner[""]
        )

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        """Run the steps if the condition is met."""
        if is_condition_met(self.op.condition, card_context(run.state, frame)):
            enter_steps(run, frame)
        else:
            advance(run, frame)
        return True


class PayThenStep(ChoiceOperation):
    """A country pays a cost to run more steps, or declines (A.2)."""

    op: ds.PayThen
    asks = "pay its cost?"
    rule = "9.5"

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the choice to pay. If the cost cannot be paid, return no choice."""
        return (Yes(),) if can_pay(self.op.cost, "", context) else ()

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        enter_steps(run, frame)
        # The cost is pushed last so that it is paid before the steps below it are carried out
        # (9.5).
        cost = ds.inner_name(frame.steps, frame.at, "c")
        run.push(StepsFrame(steps=cost, source=frame.source, binds=frame.binds, is_cost=True))


OPERATIONS: Final = {
    ds.ChooseEffect: ChooseStep,
    ds.ChooseCountry: ChooseCountryStep,
    ds.ForEachCountry: ForEachCountryStep,
    ds.AnyOrder: AnyOrderStep,
    ds.If: IfStep,
    ds.PayThen: PayThenStep,
}
