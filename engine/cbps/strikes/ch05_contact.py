"""Contact attempts by US air strikes (5.2)."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, assert_never

from typing_extensions import override

from engine.cbps.air.ch04_fuel import can_pay, spend_fuel
from engine.cbps.charts.results import Contact
from engine.cbps.commands import Retry, Stop
from engine.cbps.damage.ch12_hulls import lone_hulls
from engine.cbps.events.air import AttemptMade, MissionFlipped, MissionMoved
from engine.cbps.events.chance import Modifier
from engine.cbps.force_ids import counter_of, force_with_counter
from engine.cbps.forces.ch07_targets import group_hexes
from engine.cbps.forces.ch08_detection import set_detection
from engine.cbps.frames import ContactFrame
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.rulings import CRIPPLED_TARGETS, WRONG_TARGET_FUEL
from engine.cbps.run import Action, DecisionHandler, PlainAction, Run, chart_modifier
from engine.cbps.state import State
from engine.cbps.strikes.ch05_combat import resolve_strike
from engine.kernel.ids import Refusal, Rule

_NO_GROUP_DISTANCE: Final = 99
"""The distance to use if there is no task group."""
_WRONG_TARGET_HEXES: Final = 2
"""Maximum distance of a wrong target, in hexes (5.24)."""


_TIMING: Final = Refusal(
    Rule("5.22"), "a second attempt is made, or given up, right after the first has failed"
)

# -- targets


def strike_targets_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the possible targets of a strike in a hex: detected forces and lone crippled ships (5.1, OP-61)."""
    forces = [name for name, force in state.forces.items() if force.hex == hex and force.detection]
    if CRIPPLED_TARGETS.uses_alternative(state.options):
        return tuple(forces)
    return (*forces, *lone_hulls(state, hex))


def distance_to_groups(state: State, hex: str) -> int:
    """Return the distance in hexes from a target to the nearest task group, or the scenario's distance (5.21)."""
    fixed_distance = state.game_data.scenarios[state.scenario].contact_distance_hexes
    if fixed_distance is not None:
        return fixed_distance
    grid = state.game_data.map.grid
    return min(
        (grid.distance(hex, group_hex) for group_hex in group_hexes(state).values()),
        default=_NO_GROUP_DISTANCE,
    )


# -- attempts


def attempt_contact(run: Run, mission: str, target: str) -> None:
    """Attempt contact, for 1 fuel if it is the second attempt, and carry out everything that follows (5.21-5.26)."""
    is_second = run.state.missions[mission].attempts > 0
    if is_second:
        spend_fuel(run, mission, 1, "contact")
    run.add(AttemptMade(mission=mission, target=target))
    match _roll_contact(run, target, is_second=is_second):
        case "-":
            _offer_retry(
                run, mission, strike_targets_in(run.state, run.state.missions[mission].hex)
            )
        case "C":
            _record_contact(run, mission, target)
        case "W/2":
            _redirect_strike(run, mission, target, _WRONG_TARGET_HEXES)
        case "W/0":
            _redirect_strike(run, mission, target, 0)
        case other_case:
            assert_never(other_case)


def _roll_contact(run: Run, target: str, *, is_second: bool) -> Contact:
    state = run.state
    chart = state.game_data.charts.strike_contact
    force = state.forces.get(target)
    modifiers: list[Modifier] = []
    if force is not None and force.detection == "?":
        modifiers.append(chart_modifier(chart, "approximate"))
    if is_second:
        modifiers.append(chart_modifier(chart, "second_attempt"))
    hex = state.hulls[target].hex if force is None else force.hex
    return run.roll_on_column(chart, distance_to_groups(state, hex), target, modifiers)


def _record_contact(run: Run, mission: str, target: str) -> None:
    """Record the contact and carry out the strike's attack (5.21)."""
    run.add(MissionFlipped(mission=mission))
    if target in run.state.forces:
        set_detection(run, target, "S", "strike")
    resolve_strike(run, mission, target)


def _offer_retry(run: Run, mission: str, targets: tuple[str, ...]) -> None:
    """Offer the second attempt, or flip the strike if no second attempt is possible (5.22, 5.23)."""
    mission_state = run.state.missions[mission]
    if mission_state.attempts == 1 and targets and can_pay(mission_state, 1):
        run.push(ContactFrame(mission=mission, targets=targets))
    else:
        run.add(MissionFlipped(mission=mission))


def _redirect_strike(run: Run, mission: str, target: str, reach: int) -> None:
    """Redirect a strike to another force or, if none is within reach, contact the original target (5.24-5.26)."""
    mission_state = run.state.missions[mission]
    new_target = _other_force(run, mission_state.hex, target, reach)
    if not new_target:
        _record_contact(run, mission, target)
        return
    hex = run.state.forces[new_target].hex
    if hex != mission_state.hex:
        # By default, this move costs no fuel (OP-11).
        run.add(MissionMoved(mission=mission, hex=hex, why="wrong-target"))
        if WRONG_TARGET_FUEL.uses_alternative(run.state.options):
            spend_fuel(run, mission, 1, "move")
            if mission not in run.state.missions:
                return
    # A level-0 force draws its chit, and may turn out to be a false contact (5.25).
    if run.state.forces[new_target].level > 0 or promote(run, new_target, 1, "strike"):
        _record_contact(run, mission, new_target)
    # After W/2, any force in the new hex may be tried. After W/0, only the first target may (5.25).
    elif reach:
        _offer_retry(run, mission, _all_targets_in(run.state, hex))
    else:
        _offer_retry(run, mission, (target,))


def _other_force(run: Run, hex: str, target: str, reach: int) -> str:
    """Return the force contacted instead of the target, or an empty string if none is within reach (5.24, 7.54).

    If the reach is 0, the other half of a double force comes first. Otherwise, the nearest detected force is contacted
    or, if none is detected, the nearest force.
    """
    state, grid = run.state, run.state.game_data.map.grid
    distances = {
        name: grid.distance(hex, force.hex)
        for name, force in state.forces.items()
        if name != target
    }
    reachable_forces = {name: distance for name, distance in distances.items() if distance <= reach}
    if not reachable_forces:
        return ""
    partner = state.forces[target].partner if target in state.forces else ""
    if not reach and partner in reachable_forces:
        return partner
    detected = [name for name in reachable_forces if state.forces[name].detection]
    candidates = detected or list(reachable_forces)
    min_distance = min(reachable_forces[name] for name in candidates)
    return run.pick_force(
        [name for name in candidates if reachable_forces[name] == min_distance], "5.24", target
    )


def _all_targets_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the possible targets in the hex of a false contact, detected or not (5.25)."""
    forces = (name for name, force in state.forces.items() if force.hex == hex)
    return tuple(dict.fromkeys((*forces, *strike_targets_in(state, hex))))


# -- the second attempt


class RetryAction(Action[ContactFrame, Retry]):
    """Makes the second contact attempt (5.22)."""

    kind = Retry
    timing = _TIMING

    @override
    def candidates(self, state: State, frame: ContactFrame, role: str) -> Iterable[Retry]:
        return [Retry(target=counter_of(state, target)) for target in frame.targets]

    @override
    def refusals(
        self, state: State, frame: ContactFrame, role: str, command: Retry
    ) -> Iterator[Refusal]:
        """Yield the reasons why contact with the target cannot be attempted."""
        if force_with_counter(state, command.target) not in frame.targets:
            yield Refusal(Rule("5.22"), "the second attempt must be made in the strike's hex")

    @override
    def apply(self, run: Run, frame: ContactFrame, role: str, command: Retry) -> None:
        """Make the second attempt, including its fuel cost."""
        run.pop()
        attempt_contact(run, frame.mission, force_with_counter(run.state, command.target))


class StopAction(PlainAction[ContactFrame, Stop]):
    """Declines the second attempt and sends the strike home (5.22)."""

    timing = _TIMING

    @override
    def apply(self, run: Run, frame: ContactFrame, role: str, command: Stop) -> None:
        run.pop()
        run.add(MissionFlipped(mission=frame.mission))


class ContactQuestion(DecisionHandler[ContactFrame]):
    """The decision on whether a strike makes a second contact attempt (D-5.22)."""

    frame = ContactFrame
    actions = (RetryAction(), StopAction(Stop))
    rule = Rule("5.22")
    question = "Try contact again for 1 fuel, or go home"

    @override
    def active_roles(self, state: State, frame: ContactFrame) -> tuple[str, ...]:
        return (state.missions[frame.mission].commander,)


HANDLERS: Final[tuple[DecisionHandler[Any], ...]] = (ContactQuestion(),)
