"""The US Intercept Segment (4.51, 4.52)."""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.air.ch04_air_to_air import engaging_fighters
from engine.cbps.air.ch04_fuel import can_pay, fuel_cost, mission_units, spend_fuel
from engine.cbps.air.ch04_missions import deploy
from engine.cbps.commands import CbpsCommand, Commit, Divide, Done, Intercept
from engine.cbps.events.air import MissionFought
from engine.cbps.events.raids import RaidIntercepted
from engine.cbps.frames import InterceptFrame, InterceptionFrame
from engine.cbps.locations import mission_hex
from engine.cbps.raids.ch04_fight import COMBAT, resolve_interception
from engine.cbps.raids.ch10_flight import split_raid
from engine.cbps.rulings import IDLE_INTERCEPTORS, OVER_GUAM
from engine.cbps.run import Action, DecisionHandler, Handler, Run
from engine.cbps.seats import commanders, commands_mission
from engine.cbps.segment import SegmentDoneAction, SegmentQuestion
from engine.cbps.state import Raid, State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.sentences import count_noun


def raids_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the raids in a hex."""
    return tuple(name for name, raid in state.raids.items() if raid.hex == hex)


def combat_cost(state: State) -> int:
    """Return the fuel cost of an interception (4.434)."""
    return fuel_cost(state, "intercept_combat")


# -- commitment of missions


class CommitAction(Action[InterceptFrame, Commit]):
    """Commits an intercept mission, or CAP from its box, before any die is rolled (4.51, 4.34)."""

    kind = Commit
    timing = Refusal(
        Rule("4.51"), "missions are committed in the US Intercept Segment, before any die roll"
    )

    @override
    def candidates(self, state: State, frame: InterceptFrame, role: str) -> Iterable[Commit]:
        """Return one command for each intercept mission in the hex."""
        hex = frame.hexes[0] if frame.hexes else ""
        return [
            Commit(mission=name)
            for name, mission in state.missions.items()
            if mission.kind == "intercept" and mission_hex(state, name) == hex
        ]

    @override
    def refusals(
        self, state: State, frame: InterceptFrame, role: str, command: Commit
    ) -> Iterator[Refusal]:
        """Yield the reasons why the mission cannot fight here."""
        mission = state.missions.get(command.mission)
        if mission is None:
            yield Refusal(Rule("4.51"), "there is no such mission")
            return
        if not commands_mission(state, role, command.mission):
            yield Refusal(Rule("6.1"), "another commander leads this mission")
        if mission.kind != "intercept":
            yield Refusal(Rule("4.24"), "an air strike cannot fight raids")
        elif not frame.hexes or mission_hex(state, command.mission) != frame.hexes[0]:
            yield Refusal(Rule("4.51"), "the mission is not in the hex that is being fought over")
        if command.mission in frame.committed:
            yield Refusal(Rule("4.51"), "the mission is already committed")
        if mission.has_fought:
            yield Refusal(Rule("4.51"), "a mission can fight only once per segment")
        if not mission.cap and not can_pay(mission, combat_cost(state)):
            text = "a fight takes 3 fuel, which this mission cannot pay (Fuel Critical box 4 or higher)"
            yield Refusal(Rule("4.51"), text)

    @override
    def apply(self, run: Run, frame: InterceptFrame, role: str, command: Commit) -> None:
        run.replace_top(replace(frame, committed=(*frame.committed, command.mission)))


class CommitQuestion(SegmentQuestion[InterceptFrame]):
    """The decision about which missions to commit in the first of the remaining hexes (4.51)."""

    frame = InterceptFrame
    actions = (CommitAction(), SegmentDoneAction[InterceptFrame](Done))
    rule = Rule("4.51")
    question = "Commit fighters"

    @override
    def prompt(self, state: State, frame: InterceptFrame, role: str) -> str:
        """Return the prompt with the hex and the number of raid points in it."""
        hex = frame.hexes[0]
        points = sum(state.raids[raid].points for raid in raids_in(state, hex))
        strength = count_noun(points, "raid point")
        return f"Commit fighters against {strength} in hex {hex} (US Intercept)"

    @override
    def close(self, run: Run, frame: InterceptFrame) -> None:
        """Put committed CAP on the map and begin the fights, or go to the next hex if no mission is committed."""
        if not frame.hexes:
            run.pop()
            return
        committed_missions = (*frame.committed, *_must_fight(run.state, frame))
        if not committed_missions:
            run.replace_top(InterceptFrame(hexes=frame.hexes[1:]))
            return
        for mission in committed_missions:
            if run.state.missions[mission].cap:
                deploy(run, mission)
        run.replace_top(replace(frame, committed=committed_missions, is_fighting=True, done=()))


def _must_fight(state: State, frame: InterceptFrame) -> tuple[str, ...]:
    """Return the missions over Guam that must fight if the alternative ruling of OP-72 is chosen."""
    hex = frame.hexes[0]
    if not OVER_GUAM.uses_alternative(state.options) or hex != state.game_data.map.guam:
        return ()
    if not any(state.raids[raid].kind != "raid" for raid in raids_in(state, hex)):
        return ()
    cost = combat_cost(state)
    return tuple(
        name
        for name, mission in state.missions.items()
        if mission.kind == "intercept"
        and not mission.cap
        and mission.hex == hex
        and name not in frame.committed
        and can_pay(mission, cost)
    )


# -- choice of raids


class InterceptAction(Action[InterceptFrame, Intercept]):
    """Sends a committed mission against a raid (4.51)."""

    kind = Intercept
    timing = Refusal(Rule("4.51"), "missions fight raids in the US Intercept Segment")

    @override
    def candidates(self, state: State, frame: InterceptFrame, role: str) -> Iterable[Intercept]:
        """Return a command for every pair of a waiting mission and a raid in the hex."""
        return [
            Intercept(mission=mission, raid=raid)
            for mission in missions_to_fight(state, frame, role)
            for raid in raids_in(state, frame.hexes[0])
        ]

    @override
    def refusals(
        self, state: State, frame: InterceptFrame, role: str, command: Intercept
    ) -> Iterator[Refusal]:
        """Yield the reasons why this mission cannot fight this raid."""
        if command.mission not in missions_to_fight(state, frame, role):
            yield Refusal(Rule("4.51"), "the mission is not committed here, or has already fought")
        if command.raid not in raids_in(state, frame.hexes[0]):
            yield Refusal(Rule("4.51"), "the raid is not in the hex")

    @override
    def apply(self, run: Run, frame: InterceptFrame, role: str, command: Intercept) -> None:
        """Pay for the fight and split the raid.

        The next decision splits the mission's units between the escorts and the attackers.
        """
        spend_fuel(run, command.mission, combat_cost(run.state), COMBAT)
        split_raid(run, command.raid)
        run.add(MissionFought(mission=command.mission, against=command.raid))
        run.add(RaidIntercepted(raid=command.raid))
        run.push(InterceptionFrame(mission=command.mission, raid=command.raid))


def missions_to_fight(state: State, frame: InterceptFrame, role: str) -> tuple[str, ...]:
    """Return a commander's committed missions that have not fought yet."""
    return tuple(
        name
        for name in frame.committed
        if name in state.missions
        and not state.missions[name].has_fought
        and commands_mission(state, role, name)
    )


class FightQuestion(DecisionHandler[InterceptFrame]):
    """The decision on the next fight. By default, a mission with no raid left to fight pays nothing (4.51, OP-69)."""

    frame = InterceptFrame
    actions = (InterceptAction(),)
    rule = Rule("4.51")
    question = "Which mission attacks next? (US Intercept)"
    wrong_kind_text = "each committed mission fights a raid in this hex"

    @override
    def active_roles(self, state: State, frame: InterceptFrame) -> tuple[str, ...]:
        """Return the commanders with missions that have yet to fight. Empty if no raid is left in the hex."""
        if not raids_in(state, frame.hexes[0]):
            return ()
        return tuple(role for role in commanders(state) if missions_to_fight(state, frame, role))

    @override
    def automatic_answer(
        self, state: State, frame: InterceptFrame, role: str, options: tuple[CbpsCommand, ...]
    ) -> CbpsCommand | None:
        """Return the only possible fight, or None if there is a choice."""
        return options[0] if len(options) == 1 else None

    @override
    def step(self, run: Run, frame: InterceptFrame) -> None:
        if IDLE_INTERCEPTORS.uses_alternative(run.state.options):
            for mission in frame.committed:
                if mission in run.state.missions and not run.state.missions[mission].has_fought:
                    spend_fuel(run, mission, combat_cost(run.state), COMBAT)
        run.replace_top(InterceptFrame(hexes=frame.hexes[1:]))


_COMMIT_QUESTION: Final = CommitQuestion()
_FIGHT_QUESTION: Final = FightQuestion()
StageQuestion: TypeAlias = Handler[InterceptFrame] | DecisionHandler[InterceptFrame]


class InterceptHandler(Handler[InterceptFrame]):
    """The US Intercept Segment, hex by hex. All missions are committed before any of them fights (4.51)."""

    frame = InterceptFrame

    @override
    def handler_for(self, frame: InterceptFrame) -> StageQuestion:
        """Return the decision handler for the current stage: commitment or fights."""
        return _FIGHT_QUESTION if frame.is_fighting else _COMMIT_QUESTION

    @override
    def timing_refusals(self, state: State, role: str, command: CbpsCommand) -> Iterator[Refusal]:
        yield from _COMMIT_QUESTION.timing_refusals(state, role, command)
        yield from _FIGHT_QUESTION.timing_refusals(state, role, command)


# -- division of a mission's units


def min_units_against_escorts(state: State, units: int, raid: Raid) -> int:
    """Return the minimum number of units against escorts: all units if the raid has no attackers (4.52)."""
    return min(units, engaging_fighters(state, raid.fighters)) if raid.attackers else units


class DivideAction(Action[InterceptionFrame, Divide]):
    """Sends a number of units against the escorts and all others against the attackers (4.52)."""

    kind = Divide
    timing = Refusal(Rule("4.52"), "units are divided when their mission fights a raid")

    @override
    def candidates(self, state: State, frame: InterceptionFrame, role: str) -> Iterable[Divide]:
        """Return a command for each allowed number of units against escorts, in ascending order."""
        count = len(mission_units(state, frame.mission))
        min_units = min_units_against_escorts(state, count, state.raids[frame.raid])
        return [Divide(escorts=number) for number in range(min_units, count + 1)]

    @override
    def refusals(
        self, state: State, frame: InterceptionFrame, role: str, command: Divide
    ) -> Iterator[Refusal]:
        """Yield the reasons why the given number of units cannot fight the escorts."""
        count = len(mission_units(state, frame.mission))
        raid = state.raids[frame.raid]
        if not 0 <= command.escorts <= count:
            yield Refusal(Rule("4.52"), f"the mission has {count} units")
        elif command.escorts < min_units_against_escorts(state, count, raid):
            yield Refusal(
                Rule("4.52"),
                f"{count_noun(raid.fighters, 'escort point')} must be fought by one unit for each two",
            )
        elif command.escorts and not raid.fighters:
            yield Refusal(Rule("4.52"), "the raid has no escorts")

    @override
    def apply(self, run: Run, frame: InterceptionFrame, role: str, command: Divide) -> None:
        run.pop()
        resolve_interception(run, frame.mission, frame.raid, command.escorts)


class DivideQuestion(DecisionHandler[InterceptionFrame]):
    """The decision on how many units fight the escorts (4.52)."""

    frame = InterceptionFrame
    actions = (DivideAction(),)
    rule = Rule("4.52")
    question = "Choose how many units fight the escorts"
    default_index = 0

    @override
    def active_roles(self, state: State, frame: InterceptionFrame) -> tuple[str, ...]:
        """Return the commander of the mission, or an empty tuple if there is only one possible division."""
        min_units, max_units = _escort_unit_bounds(state, frame)
        return (state.missions[frame.mission].commander,) if min_units < max_units else ()

    @override
    def prompt(self, state: State, frame: InterceptionFrame, role: str) -> str:
        """Return the prompt with the raid's strength."""
        raid = state.raids[frame.raid]
        units = len(mission_units(state, frame.mission))
        return (
            f"{count_noun(units, 'fighter')} against {count_noun(raid.fighters, 'escort')} and"
            f" {count_noun(raid.attackers, 'attacker')}: how many take the escorts?"
        )

    @override
    def step(self, run: Run, frame: InterceptionFrame) -> None:
        """Resolve the fight with the only possible division."""
        run.pop()
        resolve_interception(
            run, frame.mission, frame.raid, _escort_unit_bounds(run.state, frame)[0]
        )


def _escort_unit_bounds(state: State, frame: InterceptionFrame) -> tuple[int, int]:
    """Return the minimum and maximum number of units that may fight escorts."""
    count = len(mission_units(state, frame.mission))
    raid = state.raids[frame.raid]
    return min_units_against_escorts(state, count, raid), count if raid.fighters else 0


HANDLERS: Final[tuple[Handler[InterceptFrame] | DecisionHandler[InterceptionFrame], ...]] = (
    InterceptHandler(),
    DivideQuestion(),
)
