"""The end of air-naval combat, when Japan may shift a step loss between carriers (9.2F-7, 9.3, 9-f, OPB-5)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.ch09_battle import air_naval
from engine.eots.ch09_battle.battle_view import current_battle
from engine.eots.ch09_battle.opening import eliminate_carried, expel_landed_units, landed_units
from engine.eots.commands import ShiftStep
from engine.eots.counters import counters
from engine.eots.events.units import StepGained, UnitPlaced
from engine.eots.flow import Action, EotsRun
from engine.eots.frames import BattleFrame, Stage
from engine.eots.ids import Side, UnitId
from engine.eots.state import State, current_offensive
from engine.eots.unit_removal import lose_step
from engine.kernel.ids import Refusal, Rule

RULE: Final = Rule("9.2")
LEAST_CARRIERS: Final = 2


def japanese_carriers(frame: BattleFrame) -> tuple[UnitId, ...]:
    """Return the Japanese carriers that took part in the battle, including eliminated carriers."""
    return tuple(
        unit
        for unit in frame.participants
        if counters()[unit].carrier and counters()[unit].side is Side.JAPAN
    )


def close_air_naval(run: EotsRun) -> None:
    """Determine the winner. If the Reaction player wins, landed units do not fight on the ground (9.3, 9.32, 8.46)."""
    frame = current_battle(run.state).frame
    outcome = air_naval.decide_air_naval(current_battle(run.state))
    run.add(outcome)
    eliminate_carried(run, frame.hex)
    excluded_units = frame.excluded
    if outcome.winner is not current_offensive(run.state).side:
        landed_troops = landed_units(run.state, frame.hex)
        expel_landed_units(run, frame.hex, landed_troops, Rule("9.32"))
        excluded_units = tuple(sorted({*excluded_units, *landed_troops}))
    run.replace_top(
        replace(
            frame,
            stage=Stage.GROUND,
            lost=(),
            lost_before=frame.lost,
            fallen=0,
            fallen_before=frame.fallen,
            rolled=(),
            excluded=excluded_units,
            air_naval_winner=outcome.winner,
        ),
    )


class ShiftLoss(Action[BattleFrame, ShiftStep]):
    """Shifts one step loss from one carrier to another (9.2F-7)."""

    kind = ShiftStep

    @override
    def candidates(self, state: State, frame: BattleFrame, side: Side) -> Iterator[ShiftStep]:
        """Yield every pair of carriers, sorted by the carrier that loses a step. The other carrier regains a step."""
        fleet = japanese_carriers(frame)
        if Side.ALLIED not in frame.critical:
            for loser in fleet:
                for gainer in fleet:
                    yield ShiftStep(loser=loser, gainer=gainer)

    @override
    def refusals(
        self, state: State, frame: BattleFrame, side: Side, command: ShiftStep
    ) -> Iterator[Refusal]:
        """Yield the reasons why a step loss may not be shifted."""
        fleet, loser, gainer = japanese_carriers(frame), command.loser, command.gainer
        if Side.ALLIED in frame.critical:
            yield Refusal(RULE, "the Allied player scored a critical hit")
        if len(fleet) < LEAST_CARRIERS:
            yield Refusal(RULE, "fewer than two Japanese carriers took part")
        for unit in (loser, gainer):
            if unit not in fleet:
                yield Refusal(RULE, f"{unit} is not a Japanese carrier in this battle")
        if loser == gainer:
            yield Refusal(RULE, "the loss must go to another carrier")
        if gainer not in frame.lost:
            yield Refusal(RULE, f"{gainer} has lost no step in this combat")
        if loser in fleet and not state.units[loser].is_on_map:
            yield Refusal(RULE, f"{loser} has no step left")

    @override
    def apply(self, run: EotsRun, frame: BattleFrame, side: Side, command: ShiftStep) -> None:
        """Shift the loss and determine the winner.

        A carrier that had been eliminated returns, reduced, to the hex from which it fought.
        """
        gainer = command.gainer
        lose_step(run, command.loser, RULE)
        if run.state.units[gainer].is_on_map:
            run.add(StepGained(rule=RULE, unit=gainer))
        else:
            place = frame.places[frame.participants.index(gainer)]
            run.add(UnitPlaced(rule=RULE, unit=gainer, at=place, steps=1))
        close_air_naval(run)
