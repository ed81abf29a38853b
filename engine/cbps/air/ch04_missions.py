"""US air missions in flight: displays, movement, and CAP on the map (4.1, 4.3, 4.4)."""

from collections.abc import Iterable, Iterator
from typing import Final

from typing_extensions import override

from engine.cbps.air.ch04_courses import GUAM_TARGET, Course, goes_home_by_default
from engine.cbps.air.ch04_fuel import fuel_cost, mission_units, spend_fuel
from engine.cbps.commands import CbpsCommand, Deploy, Done, Fly, Hold
from engine.cbps.events.air import CapDeployed, MissionFlipped, MissionMoved
from engine.cbps.frames import AirMovementFrame, OperationsFrame
from engine.cbps.ids import DISPLAYS, Kind
from engine.cbps.rulings import SECOND_HEX
from engine.cbps.run import Action, Run
from engine.cbps.seats import commands_mission
from engine.cbps.segment import SegmentDoneAction, SegmentQuestion
from engine.cbps.state import Mission, State
from engine.kernel.ids import Refusal, Rule

_SECOND_HEX: Final = 1
"""The value of ``moved`` for a mission that may still declare a second hex."""
_KINDS: Final[tuple[Kind, ...]] = ("strike", "intercept")


# -- displays: 4.1


def display_number(mission: str) -> int:
    """Return the display number in a mission's name, such as 3 for ``strike-3``, or 0 for any other name."""
    kind, _, number = mission.partition("-")
    return int(number) if kind in _KINDS and number.isascii() and number.isdecimal() else 0


def mission_kind(mission: str) -> str:
    """Return a mission's kind, taken from its name."""
    return mission.partition("-")[0]


def free_display(state: State) -> int:
    """Return the lowest unused display, or 0 if all are taken (4.13).

    CAP missions in their boxes also use displays (OP-4).
    """
    used_numbers = {int(name[-1]) for name in state.missions}  # display numbers have one digit
    return next((number for number in DISPLAYS if number not in used_numbers), 0)


def next_mission_name(state: State, kind: Kind) -> str:
    """Return the name for a new mission of this kind, or an empty string if all displays are taken (4.13)."""
    number = free_display(state)
    return f"{kind}-{number}" if number else ""


def new_mission_refusals(state: State, mission: str, kinds: tuple[Kind, ...]) -> Iterator[Refusal]:
    """Yield the reasons why a new mission cannot have this name (4.13)."""
    number = free_display(state)
    if mission_kind(mission) not in kinds:
        text = f"the mission must be of kind {' or '.join(kinds)}, such as {kinds[0]}-1"
        yield Refusal(Rule("4.11"), text)
    elif not number:
        yield Refusal(Rule("4.13"), "all eight Air Mission displays are in use")
    elif display_number(mission) != number:
        yield Refusal(
            Rule("4.13"), f"a new mission must take display {number}, the lowest free one"
        )


# -- CAP on the map: 4.34


def deploy(run: Run, mission: str) -> None:
    """Put a CAP mission on the map, and roll for its fuel (4.34, 4.35)."""
    state = run.state
    hex = state.groups[state.missions[mission].cap].hex
    fuel = run.roll_on_chart(state.game_data.charts.interception_fuel_level, mission)
    run.add(CapDeployed(mission=mission, hex=hex, fuel=fuel))


def deploy_refusals(state: State, role: str, mission: str) -> Iterator[Refusal]:
    """Yield the reasons why a seat cannot put a CAP mission on the map (4.34)."""
    mission_state = state.missions.get(mission)
    if mission_state is None or not mission_state.cap:
        yield Refusal(Rule("4.34"), "this is not a CAP mission in its box")
    elif not commands_mission(state, role, mission):
        yield Refusal(Rule("6.1"), "this mission is under another commander")


class DeployAction(Action[AirMovementFrame, Deploy]):
    """Puts a CAP mission on the map, where it moves like any other mission (4.34 a)."""

    kind = Deploy
    is_exact = True
    timing = Refusal(
        Rule("4.34"), "CAP goes on the map in US Air Movement or when it is committed to a fight"
    )

    @override
    def candidates(self, state: State, frame: AirMovementFrame, role: str) -> Iterable[Deploy]:
        for name, mission in state.missions.items():
            if mission.cap and mission.commander == role:
                yield Deploy(mission=name)

    @override
    def refusals(
        self, state: State, frame: AirMovementFrame, role: str, command: Deploy
    ) -> Iterator[Refusal]:
        """Yield the reasons why the mission cannot leave its box."""
        yield from deploy_refusals(state, role, command.mission)

    @override
    def apply(self, run: Run, frame: AirMovementFrame, role: str, command: Deploy) -> None:
        """Roll for the mission's fuel and place it."""
        deploy(run, command.mission)


# -- movement: 4.4


def flying_refusals(state: State, role: str, mission: str) -> Iterator[Refusal]:
    """Yield the reasons why a seat cannot move a mission at all."""
    mission_state = state.missions.get(mission)
    if mission_state is None:
        yield Refusal(Rule("4.13"), "there is no such mission")
    elif not commands_mission(state, role, mission):
        yield Refusal(Rule("6.1"), "this mission is under another commander")
    elif mission_state.cap:
        yield Refusal(Rule("4.33"), "CAP in its box cannot move; put it on the map first")
    elif not mission_units(state, mission):
        yield Refusal(Rule("4.16"), "all units of this mission have landed")


class FlyAction(Action[AirMovementFrame, Fly]):
    """Moves a mission one hex. The first hex costs 1 fuel, and the second a random amount (4.431, 4.432)."""

    kind = Fly
    is_exact = True
    timing = Refusal(Rule("4.41"), "missions move in the US Air Movement Segment")

    @override
    def candidates(self, state: State, frame: AirMovementFrame, role: str) -> Iterable[Fly]:
        """Yield a command for each legal step of the seat's missions."""
        for name, mission in state.missions.items():
            is_own = mission.commander == role and not mission.cap
            if is_own and next(_step_refusals(state, mission), None) is None:
                for hex in Course(state, name).legal_steps():
                    yield Fly(mission=name, hex=hex)

    @override
    def refusals(
        self, state: State, frame: AirMovementFrame, role: str, command: Fly
    ) -> Iterator[Refusal]:
        """Yield the reasons why the mission cannot fly to the hex."""
        refusal_list = tuple(flying_refusals(state, role, command.mission))
        if refusal_list:
            yield from refusal_list
            return
        yield from _step_refusals(state, state.missions[command.mission])
        yield from Course(state, command.mission).refusals(command.hex)

    @override
    def apply(self, run: Run, frame: AirMovementFrame, role: str, command: Fly) -> None:
        move_mission(run, command.mission, command.hex)


def _step_refusals(state: State, mission: Mission) -> Iterator[Refusal]:
    """Yield the reasons why a mission cannot move another hex in this segment (4.41, 4.45)."""
    if mission.moved > _SECOND_HEX:
        yield Refusal(Rule("4.41"), "this mission has finished moving in this segment")
    elif mission.moved == _SECOND_HEX and not may_fly_second_hex(state, mission.fuel):
        yield Refusal(Rule("4.45"), "a Fuel Critical mission can move only one hex")


def may_fly_second_hex(state: State, fuel: int) -> bool:
    """Return whether a mission may fly a second hex, given its fuel after paying for the first (4.432, 4.45)."""
    # OP-68: the first hex is paid for before the second is declared
    return fuel > 0 or (SECOND_HEX.uses_alternative(state.options) and fuel == 0)


def move_mission(run: Run, mission: str, hex: str) -> None:
    """Move a mission one hex and pay for it (4.431, 4.432)."""
    state = run.state
    course = Course(state, mission)
    is_second = course.mission.moved == _SECOND_HEX
    # Check this before the move, because the course describes the state before it.
    flips = _ends_over_guam(state, course, hex)
    run.add(MissionMoved(mission=mission, hex=hex, toward=course.approached_targets(hex)))
    if flips:
        run.add(MissionFlipped(mission=mission))
    if is_second:
        points = run.roll_on_chart(state.game_data.charts.second_hex_fuel, mission)
        spend_fuel(run, mission, points, "second-hex")
    else:
        spend_fuel(run, mission, fuel_cost(state, "move_0_or_1_hex"), "move")


def _ends_over_guam(state: State, course: Course, hex: str) -> bool:
    """Return whether a move takes a strike to Guam. Strikes have no effect there and must turn for home (OP-12)."""
    if course.mission.kind != "strike" or hex != state.game_data.map.guam:
        return False
    if course.is_homeward(hex) or course.is_loitering(hex):
        return False
    is_aimed = any(force.hex == hex and force.detection for force in state.forces.values())
    return GUAM_TARGET in course.approached_targets(hex) and not is_aimed


class LaunchMoveAction(Action[OperationsFrame, Fly]):
    """Moves a mission one hex right after its launch (4.42)."""

    kind = Fly
    is_exact = True

    @override
    def candidates(self, state: State, frame: OperationsFrame, role: str) -> Iterable[Fly]:
        """Yield a command for each legal step of the missions that the seat has just launched."""
        for name, mission in state.missions.items():
            if mission.is_fresh and mission.commander == role and mission_units(state, name):
                for hex in Course(state, name).legal_steps():
                    yield Fly(mission=name, hex=hex)

    @override
    def refusals(
        self, state: State, frame: OperationsFrame, role: str, command: Fly
    ) -> Iterator[Refusal]:
        """Yield the reasons why the mission cannot fly to the hex."""
        refusal_list = tuple(flying_refusals(state, role, command.mission))
        if refusal_list:
            yield from refusal_list
            return
        if not state.missions[command.mission].is_fresh:
            text = "only a mission launched in this phase can move now, and only one hex"
            yield Refusal(Rule("4.42"), text)
        yield from Course(state, command.mission).refusals(command.hex)

    @override
    def apply(self, run: Run, frame: OperationsFrame, role: str, command: Fly) -> None:
        run.add(MissionMoved(mission=command.mission, hex=command.hex, why="launch"))
        spend_fuel(run, command.mission, fuel_cost(run.state, "launch_move_1_hex"), "move")


class HoldAction(Action[AirMovementFrame, Hold]):
    """Keeps a mission in its hex, at the same cost as a move (4.431)."""

    kind = Hold
    is_exact = True
    timing = Refusal(Rule("4.41"), "missions move in the US Air Movement Segment")

    @override
    def candidates(self, state: State, frame: AirMovementFrame, role: str) -> Iterable[Hold]:
        """Yield a command for each mission of the seat that has not moved and may stay."""
        for name, mission in state.missions.items():
            is_own = mission.commander == role and not mission.cap
            if is_own and not mission.moved and not Course(state, name).must_go_home():
                yield Hold(mission=name)

    @override
    def refusals(
        self, state: State, frame: AirMovementFrame, role: str, command: Hold
    ) -> Iterator[Refusal]:
        """Yield the reasons why the mission cannot stay."""
        refusal_list = tuple(flying_refusals(state, role, command.mission))
        if refusal_list:
            yield from refusal_list
        elif state.missions[command.mission].moved:
            yield Refusal(Rule("4.41"), "this mission has already moved in this segment")
        elif Course(state, command.mission).must_go_home():
            text = "a strike with no contact attempts left can wait only near a carrier"
            yield Refusal(Rule("5.23"), text)

    @override
    def apply(self, run: Run, frame: AirMovementFrame, role: str, command: Hold) -> None:
        spend_fuel(run, command.mission, fuel_cost(run.state, "move_0_or_1_hex"), "wait")


class AirMovementHandler(SegmentQuestion[AirMovementFrame]):
    """The decisions of the US Air Movement Segment (4.4, 4.34)."""

    frame = AirMovementFrame
    rule = Rule("4.4")
    question = "Move the air missions (US Air Movement)"
    actions = (FlyAction(), HoldAction(), DeployAction(), SegmentDoneAction(Done))

    @override
    def is_open(self, state: State, frame: AirMovementFrame, role: str) -> bool:
        """Return whether a commander has a mission that can still act."""
        return any(
            mission.commander == role
            and (bool(mission.cap) or next(_step_refusals(state, mission), None) is None)
            for mission in state.missions.values()
        )

    @override
    def default(
        self,
        state: State,
        frame: AirMovementFrame,
        role: str,
        options: tuple[CbpsCommand, ...],
    ) -> CbpsCommand:
        """Return the first step home of a flipped or Fuel Critical mission or, if there is none, ``Done`` (D-4.4)."""
        for name, mission in state.missions.items():
            is_own = mission.commander == role and not mission.cap
            if is_own and not mission.moved and goes_home_by_default(mission):
                home = Course(state, name).step_home()
                if home:
                    return Fly(mission=name, hex=home)
        return options[-1]

    @override
    def close(self, run: Run, frame: AirMovementFrame) -> None:
        """Apply the default to every mission that has not moved: take a step home, or wait (D-4.4, 4.431)."""
        for name in tuple(run.state.missions):
            mission = run.state.missions.get(name)
            if mission is None or mission.cap or mission.moved:
                continue
            home = Course(run.state, name).step_home() if goes_home_by_default(mission) else ""
            if home:
                move_mission(run, name, home)
            else:
                spend_fuel(run, name, fuel_cost(run.state, "move_0_or_1_hex"), "wait")
        run.pop()


HANDLERS: Final = (AirMovementHandler(),)
