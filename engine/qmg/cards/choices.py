"""Operations that lead to other steps: choices, orders, conditions, payments (A.2)."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from engine.qmg import deck_steps as ds
from engine.qmg.cards.base import Asking, Operation, advance, context_of, descend
from engine.qmg.ch10_answers import can_pay
from engine.qmg.commands import Choose, Name, QmgCommand, Yes
from engine.qmg.frames import StepsFrame
from engine.qmg.run import Run
from engine.qmg.terms import Context, country_of, decider_of, holds

CanDo = Callable[[Context, ds.Steps], bool]
"""Whether at least one step of a list could be done now."""


class ChooseStep(Asking[ds.Choose]):
    """One list of several; another country must take one (A.2)."""

    op = ds.Choose

    def __init__(self, can_do: CanDo) -> None:
        """Know what tells whether an option is possible."""
        self._can_do = can_do

    def decider(self, at: Context, op: ds.Choose) -> str:
        """Return the country that picks."""
        return decider_of(op.by, at)

    def is_binding(self, frame: StepsFrame, op: ds.Choose) -> bool:
        """Return True where another country than the owner picks."""
        return op.by != "self"

    def options(self, at: Context, frame: StepsFrame, op: ds.Choose) -> Sequence[QmgCommand]:
        """Return the parts of which at least one step could be done."""
        return [
            Choose(part=number)
            for number, steps in enumerate(op.options, start=1)
            if self._can_do(at, steps)
        ]

    def prompt(self, at: Context, frame: StepsFrame, op: ds.Choose) -> str:
        """Ask."""
        return "which part of the card?"

    def choose(self, run: Run, frame: StepsFrame, op: ds.Choose, command: QmgCommand) -> None:
        """Run the part."""
        assert isinstance(command, Choose), command
        descend(run, frame, f"-{command.part - 1}")


class ChooseCountryStep(Asking[ds.ChooseCountry]):
    """The owner names a country (A.2)."""

    op = ds.ChooseCountry

    def options(self, at: Context, frame: StepsFrame, op: ds.ChooseCountry) -> Sequence[QmgCommand]:
        """Return all of them."""
        return [Name(force=country) for country in op.countries]

    def prompt(self, at: Context, frame: StepsFrame, op: ds.ChooseCountry) -> str:
        """Ask."""
        return "which country?"

    def choose(
        self, run: Run, frame: StepsFrame, op: ds.ChooseCountry, command: QmgCommand
    ) -> None:
        """Run the steps for it."""
        assert isinstance(command, Name), command
        descend(run, frame, chosen=command.force)


class ForEachCountryStep(Operation[ds.ForEachCountry]):
    """The steps for each country in the order listed (A.2)."""

    op = ds.ForEachCountry

    def __init__(self, can_do: CanDo) -> None:
        """Know what tells whether the steps are possible."""
        self._can_do = can_do

    def is_possible(self, at: Context, op: ds.ForEachCountry) -> bool:
        """Return whether they could be done for any country."""
        return any(
            self._can_do(replace(at, binds=replace(at.binds, each=country)), op.steps)
            for country in op.countries
        )

    def go(self, run: Run, frame: StepsFrame, op: ds.ForEachCountry) -> bool:
        """Go to the next country."""
        if frame.repeats < len(op.countries):
            country = op.countries[frame.repeats]
            descend(run, replace(frame, repeats=frame.repeats + 1), each=country)
        else:
            advance(run, frame)
        return True


class AnyOrderStep(Asking[ds.AnyOrder]):
    """Parts in any order, or fewer (7.8)."""

    op = ds.AnyOrder

    def __init__(self, can_do: CanDo) -> None:
        """Know what tells whether a part is possible."""
        self._can_do = can_do

    def decider(self, at: Context, op: ds.AnyOrder) -> str:
        """Return the country that orders."""
        return country_of(op.by, at)

    def options(self, at: Context, frame: StepsFrame, op: ds.AnyOrder) -> Sequence[QmgCommand]:
        """Return the parts not yet done that could be."""
        return [
            Choose(part=number)
            for number, steps in enumerate(op.options, start=1)
            if str(number) not in frame.rest and self._can_do(at, steps)
        ]

    def prompt(self, at: Context, frame: StepsFrame, op: ds.AnyOrder) -> str:
        """Ask."""
        return "which part next?"

    def choose(self, run: Run, frame: StepsFrame, op: ds.AnyOrder, command: QmgCommand) -> None:
        """Run the part."""
        assert isinstance(command, Choose), command
        done = replace(frame, rest=(*frame.rest, str(command.part)))
        descend(run, done, f"-{command.part - 1}")

    def returned(self, run: Run, frame: StepsFrame, op: ds.AnyOrder) -> None:
        """Choose the next part."""
        run.replace(replace(frame, stage=""))

    def decline(self, run: Run, frame: StepsFrame, op: ds.AnyOrder) -> None:
        """Stop."""
        advance(run, replace(frame, rest=()))


class IfStep(Operation[ds.If]):
    """Steps under a condition on the live board (A.2)."""

    op = ds.If

    def __init__(self, can_do: CanDo) -> None:
        """Know what tells whether the steps are possible."""
        self._can_do = can_do

    def is_possible(self, at: Context, op: ds.If) -> bool:
        """Return whether the condition holds and the steps could be done."""
        return holds(op.condition, at) and self._can_do(at, op.steps)

    def go(self, run: Run, frame: StepsFrame, op: ds.If) -> bool:
        """Run the steps if the condition holds."""
        if frame.stage == "inside" or not holds(op.condition, context_of(run.state, frame)):
            advance(run, frame)
        else:
            descend(run, frame)
        return True


class PayThenStep(Asking[ds.PayThen]):
    """Pay for more steps, or decline (A.2)."""

    op = ds.PayThen

    def options(self, at: Context, frame: StepsFrame, op: ds.PayThen) -> Sequence[QmgCommand]:
        """Return the one choice, if it can be paid."""
        return (Yes(),) if can_pay(op.cost, "", at) else ()

    def prompt(self, at: Context, frame: StepsFrame, op: ds.PayThen) -> str:
        """Ask."""
        return "pay for the rest of the card?"

    def choose(self, run: Run, frame: StepsFrame, op: ds.PayThen, command: QmgCommand) -> None:
        """Pay, then run the steps."""
        descend(run, frame)
        cost = ds.inner_name(frame.steps, frame.at, "c")
        run.enter(StepsFrame(steps=cost, source=frame.source, binds=frame.binds, is_cost=True))


def operations(can_do: CanDo) -> tuple[Operation[ds.Choose], ...]:
    """Return the operations that need to look into other lists."""
    return (  # type: ignore[return-value]  # each for its own step
        ChooseStep(can_do),
        ChooseCountryStep(),
        ForEachCountryStep(can_do),
        AnyOrderStep(can_do),
        IfStep(can_do),
        PayThenStep(),
    )
