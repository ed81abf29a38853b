"""The US Air Attack Segment (5.1)."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from typing_extensions import override

from engine.cbps.air.ch04_fuel import mission_units
from engine.cbps.commands import Attack, Done
from engine.cbps.damage.ch12_hulls import is_deck_operable
from engine.cbps.events.air import MissionEnded, MissionFlipped, UnitLost
from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import CapLost
from engine.cbps.force_ids import counter_of, force_with_counter
from engine.cbps.frames import StrikesFrame
from engine.cbps.ids import GUAM
from engine.cbps.rulings import RETURN_FLIGHT
from engine.cbps.run import Action, Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.seats import commands_mission
from engine.cbps.segment import SegmentDoneAction, SegmentQuestion
from engine.cbps.state import State
from engine.cbps.strikes.ch05_contact import attempt_contact, strike_targets_in
from engine.kernel.ids import Refusal, Rule


def end_us_attack(run: Run) -> None:
    """Record the loss of CAP that has no flight deck to land on (12.29). Other CAP ends with the phase (5.44)."""
    for name, force in tuple(run.state.forces.items()):
        if force.cap and not is_deck_operable(run.state, name):
            run.add(CapLost(force=name, points=force.cap, is_deckless=True))


def fly_home(run: Run) -> None:
    """If the return flight option is in use, roll Safe Return for every unit (Scenario 2)."""
    boxes = run.state.game_data.scenarios[run.state.scenario].return_flight
    if boxes is None or not RETURN_FLIGHT.uses_alternative(run.state.options):
        return
    chart = run.state.game_data.charts.safe_return
    for mission in tuple(run.state.missions):
        for unit in mission_units(run.state, mission):
            box = boxes[run.state.game_data.air_units[unit].type]
            modifier = Modifier(id="fuel_critical_box", drm=box)
            if run.roll_on_chart(chart, unit, (modifier,)) == "lost":
                # In this scenario, `is_at_group` makes the loss score as a loss on the way home.
                run.add(UnitLost(unit=unit, is_at_group=True, why="landing"))
        if not mission_units(run.state, mission):
            run.add(MissionEnded(mission=mission))


def _attackable_targets(state: State, hex: str) -> tuple[str, ...]:
    """Return the possible targets in a hex, including the base on Guam, where attacks have no effect (OP-12)."""
    has_guam = scenario_rules(state).has_full_rules and hex == state.game_data.map.guam
    return (*strike_targets_in(state, hex), *((GUAM,) if has_guam else ()))


class AttackAction(Action[StrikesFrame, Attack]):
    """Sends a strike to attempt contact (D-5.1)."""

    kind = Attack
    timing = Refusal(Rule("5.1"), "strikes attack in the US Air Attack Segment")

    @override
    def candidates(self, state: State, frame: StrikesFrame, role: str) -> Iterable[Attack]:
        """Return a command for each of the commander's strikes to attack each target in its hex."""
        return [
            Attack(mission=name, target=counter_of(state, target))
            for name, mission in state.missions.items()
            if mission.kind == "strike" and not mission.is_flipped and mission.commander == role
            for target in _attackable_targets(state, mission.hex)
        ]

    @override
    def refusals(
        self, state: State, frame: StrikesFrame, role: str, command: Attack
    ) -> Iterator[Refusal]:
        """Yield the reasons why the strike cannot attempt contact."""
        mission = state.missions.get(command.mission)
        if mission is None or mission.kind != "strike":
            yield Refusal(Rule("5.1"), "this is not a strike in flight")
            return
        if not commands_mission(state, role, command.mission):
            yield Refusal(Rule("6.1"), "another commander leads this strike")
        if mission.is_flipped:
            yield Refusal(Rule("5.23"), "this strike has no contact attempts left and must go home")
        target = force_with_counter(state, command.target)
        force = state.forces.get(target)
        if force is not None and force.hex == mission.hex and not force.detection:
            yield Refusal(Rule("8.15"), "an undetected force cannot be attacked")
        elif target not in _attackable_targets(state, mission.hex):
            yield Refusal(Rule("5.1"), "a strike can only attack what is detected in its own hex")

    @override
    def apply(self, run: Run, frame: StrikesFrame, role: str, command: Attack) -> None:
        """Make the attempt. An attack on Guam has no effect (OP-12)."""
        if command.target == GUAM:
            run.add(MissionFlipped(mission=command.mission))
        else:
            attempt_contact(run, command.mission, force_with_counter(run.state, command.target))


class StrikesQuestion(SegmentQuestion[StrikesFrame]):
    """The US Air Attack Segment, in which strikes attack in the order chosen by the commanders (5.1)."""

    frame = StrikesFrame
    actions = (AttackAction(), SegmentDoneAction[StrikesFrame](Done))
    rule = Rule("5.1")
    question = "Attack with your strikes (US Air Attack)"
    is_plan = False

    @override
    def close(self, run: Run, frame: StrikesFrame) -> None:
        end_us_attack(run)
        fly_home(run)
        run.pop()


HANDLERS: Final[tuple[SegmentQuestion[Any], ...]] = (StrikesQuestion(),)
