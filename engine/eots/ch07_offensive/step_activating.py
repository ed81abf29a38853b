"""Steps 1 and 8: naming an HQ and activating units (7.21, 7.26)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.cards.interpreter import carry_out
from engine.eots.ch07_offensive import (
    activation,
    conclusion,
    reaction_cards,
)
from engine.eots.ch07_offensive.feasibility import may_join
from engine.eots.ch07_offensive.step import Step, go_to, next_stage
from engine.eots.ch08_movement.reaction import can_react
from engine.eots.commands import (
    Activate,
    ChooseHq,
    Done,
    EotsCommand,
    Ferry,
    Pass,
    TakeBack,
)
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.deck_terms import Window
from engine.eots.events.offensive import (
    BattleSwitched,
    HqChosen,
    UnitActivated,
    UnitJoined,
)
from engine.eots.events.units import UnitScheduled
from engine.eots.flow import EotsRun
from engine.eots.frames import (
    DeclarationFrame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
)
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.rulings import SR_SWITCH
from engine.eots.state import OFF_MAP, State, current
from engine.kernel.ids import Refusal, Rule

_COMMITMENTS: Final = 2
"""Stage of step 8 in which reacting units are committed."""
_FIRST_WINDOWS: Final = (Window.STEP1,)


class Activating(Step):
    """Shared by step 1 and step 8: name an HQ, activate units."""

    def side(self, state: State) -> Side:
        """Return the side that activates."""
        return current(state).side

    def may_decline(self) -> bool:
        """Return whether no HQ at all may be named."""
        return False

    def hqs(self, state: State) -> tuple[UnitId, ...]:
        """Return the HQs that may be named."""
        return activation.hq_options(state, self.side(state))

    def units(self, state: State) -> Iterator[UnitId]:
        """Yield the units that may be activated."""
        return activation.activatable_units(state, self.side(state))

    def may_activate(self, state: State, unit: UnitId) -> bool:
        """Return whether a unit is among those that may be activated."""
        return activation.may_activate(state, self.side(state), unit)

    def is_option(self, state: State, frame: OffensiveFrame, command: EotsCommand) -> bool:
        """Return whether a command is among the options; one unit is judged without the others."""
        side = self.side(state)
        if activation.activating_hq(state, side) is None:
            return super().is_option(state, frame, command)
        match command:
            case Activate(unit=unit):
                return self.may_activate(state, unit)
            case Done():
                return next(activation.check_finish(state, side), None) is None
            case _:
                return command in self.extra(state)

    def options(self, state: State, frame: OffensiveFrame) -> tuple[EotsCommand, ...]:
        """Offer HQs first, then units by id and the end."""
        side = self.side(state)
        if activation.activating_hq(state, side) is None:
            hqs: tuple[EotsCommand, ...] = tuple(ChooseHq(hq=hq) for hq in self.hqs(state))
            return (*hqs, Pass()) if self.may_decline() else (*hqs, *self.extra(state))
        units: tuple[EotsCommand, ...] = tuple(Activate(unit=unit) for unit in self.units(state))
        finish = next(activation.check_finish(state, side), None) is None
        return (*units, *self.extra(state), *((Done(),) if finish else ()))

    def extra(self, state: State) -> tuple[EotsCommand, ...]:
        """Return further options of this step."""
        del state
        return ()

    def prompt(self, state: State) -> str:
        """Ask for the HQ, then for units with the number left."""
        side = self.side(state)
        hq = activation.activating_hq(state, side)
        if hq is None:
            return "Name the HQ that activates units"
        chosen = activation.activated(state, side)
        limit = activation.activation_limit(state, side, hq, chosen)
        return f"Activate units: {max(limit - len(chosen), 0)} of {limit} left"

    def activate(self, run: EotsRun, unit: UnitId) -> None:
        """Activate a unit and note the service chosen under rivalry."""
        side = self.side(run.state)
        service = activation.service_under_rivalry(run.state, side, unit)
        run.add(UnitActivated(side=side, unit=unit, service=service))

    def name_hq(self, run: EotsRun, hq: UnitId) -> None:
        """Name the HQ; the limit shown is the one before any unit is activated."""
        side = self.side(run.state)
        limit = activation.activation_limit(run.state, side, hq, ())
        run.add(HqChosen(side=side, hq=hq, limit=limit))

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rules against an HQ, a unit or the end."""
        side = self.side(state)
        named = activation.activating_hq(state, side)
        match command:
            case ChooseHq() if named is not None:
                yield Refusal(self.rule, f"{named} has been named, and one HQ activates")
            case ChooseHq(hq=hq):
                yield from activation.check_choose_hq(state, side, hq)
            case Activate(unit=unit):
                yield from activation.check_activate(state, side, unit)
            case Done() if named is None:
                yield Refusal(self.rule, "name an HQ first")
            case Done():
                yield from activation.check_finish(state, side)
            case _:
                yield Refusal(self.rule, "units are being activated now")


class ActivationStep(Activating):
    """Step 1: the Offensive player names an HQ and activates units (7.21)."""

    rule = Rule("7.21")

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask the Offensive player until he is done; the first effects of the event come before."""
        if frame.stage == 0:
            return ()
        if activation.activating_hq(state, self.side(state)) is None and len(self.hqs(state)) == 1:
            return ()
        return (self.side(state),)

    def extra(self, state: State) -> tuple[EotsCommand, ...]:
        """Air units just activated may be put on the turn track, pre-war ones for good (8.33, 11.1).

        A card without use may be taken back (CP-04).
        """
        offensive = current(state)
        ferries: tuple[EotsCommand, ...] = tuple(
            Ferry(unit=unit)
            for unit in sorted(offensive.activated)
            if counters()[unit].is_air and state.units[unit].at not in OFF_MAP
        )
        if offensive.hq is None and not self.hqs(state):
            return (TakeBack(),)
        return ferries

    def resolve(self, run: EotsRun, frame: OffensiveFrame, command: EotsCommand) -> None:
        """Name, activate, ferry or go on to movement."""
        match command:
            case ChooseHq(hq=hq):
                self.name_hq(run, hq)
            case Activate(unit=unit):
                self.activate(run, unit)
            case Ferry(unit=unit):
                steps = run.state.units[unit].steps
                run.add(
                    UnitScheduled(
                        rule=Rule("8.33"),
                        unit=unit,
                        turn=run.state.turn + 1,
                        steps=steps,
                        delayable=False,
                    )
                )
            case TakeBack():
                conclusion.take_back(run)
            case _:
                go_to(run, 2)

    def default(self, options: tuple[EotsCommand, ...]) -> EotsCommand:
        """Finish; nobody is sent to the turn track (8.33)."""
        return options[0] if isinstance(options[-1], Ferry) else options[-1]

    def run(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Apply the event's effects before movement (CP-01), then name a sole HQ."""
        if frame.stage == 0:
            offensive = current(run.state)
            if offensive.event:
                carry_out(run, cards()[offensive.card], _FIRST_WINDOWS)
            next_stage(run, frame)
            return
        self.name_hq(run, self.hqs(run.state)[0])

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rules against an HQ, a unit, a ferry or the end."""
        if isinstance(command, Ferry):
            yield Refusal(
                Rule("8.33"),
                f"{command.unit} is no air unit on the map or in the China box that was activated now",
            )
            return
        yield from super().why_not(state, command)


class ReactionStep(Activating):
    """Step 8: the Reaction player activates and moves (7.26)."""

    rule = Rule("7.26")

    def side(self, state: State) -> Side:
        """Return the Reaction player."""
        return current(state).side.enemy

    def may_decline(self) -> bool:
        """There is no obligation to react."""
        return True

    def hqs(self, state: State) -> tuple[UnitId, ...]:
        """Return the supplied HQs with a battle hex in range."""
        counter = current(state).reaction.counter_card
        return reaction_cards.reaction_hqs(
            state, self.side(state), None if counter is None else cards()[counter]
        )

    def units(self, state: State) -> Iterator[UnitId]:
        """Yield the units that may be activated and can reach a battle."""
        return (unit for unit in super().units(state) if can_react(state, unit))

    def may_activate(self, state: State, unit: UnitId) -> bool:
        """Return whether a unit may be activated and can reach a battle."""
        return super().may_activate(state, unit) and can_react(state, unit)

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask for the HQ when one qualifies, then for units."""
        if frame.stage:
            return ()
        hq = current(state).reaction.hq
        if hq is None:
            return (self.side(state),) if self.hqs(state) else ()
        return (self.side(state),) if any(True for _ in self.units(state)) else ()

    def resolve(self, run: EotsRun, frame: OffensiveFrame, command: EotsCommand) -> None:
        """Name, activate, or go on to movement."""
        match command:
            case ChooseHq(hq=hq):
                self.name_hq(run, hq)
            case Activate(unit=unit):
                self.activate(run, unit)
            case _:
                next_stage(run, frame)

    def run(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Open movement, then commitments, then switch battles, then go on."""
        acts = bool(current(run.state).reaction.activated)
        side = self.side(run.state)
        if frame.stage == 0 or not acts:
            go_to(run, 9) if not acts else next_stage(run, frame)
        elif frame.stage == 1:
            next_stage(run, frame)
            run.enter(MovementFrame(side=side, purpose=Purpose.REACTION))
        elif frame.stage == _COMMITMENTS:
            next_stage(run, frame)
            run.enter(DeclarationFrame(side=side))
        else:
            switch_battles(run)
            go_to(run, 9)

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rules against an HQ or a unit, the lack of a battle in range among them."""
        yield from super().why_not(state, command)
        if isinstance(command, ChooseHq) and command.hq not in self.hqs(state):
            yield Refusal(self.rule, f"no battle hex lies within the command range of {command.hq}")
        if isinstance(command, Activate) and not can_react(state, command.unit):
            yield Refusal(
                self.rule,
                f"{command.unit} cannot reach a battle, and every reacting unit must fight",
            )


def switch_battles(run: EotsRun) -> None:
    """Pull offensive air units and carriers into a special reaction hex that a reacting unit entered (7.27, OP-8)."""
    offensive = current(run.state)
    wide = SR_SWITCH.is_other(run.state.options)
    for at, battle in sorted(offensive.battles.items()):
        if battle.special and _is_entered(run.state, at):
            switched = tuple(
                unit
                for unit, joined in sorted(offensive.joined.items())
                if unit in offensive.activated
                and (wide or run.state.units[unit].at == at)
                and joined != at
                and may_join(run.state, unit, at)
            )
            for unit in switched:
                run.add(UnitJoined(unit=unit, at=at))
            if switched:
                run.add(BattleSwitched(at=at))


def _is_entered(state: State, at: HexId) -> bool:
    return any(state.units[unit].at == at for unit in current(state).reaction.activated)
