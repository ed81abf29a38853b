"""The sequence of play: turns, phases and segments (3.1)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, assert_never

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.clock import day_and_time, is_half_past
from engine.cbps.commands import Darken, Done
from engine.cbps.damage.ch12_fires import roll_fire_outbreaks, spread_fires
from engine.cbps.damage.ch12_us_damage import repair_decks
from engine.cbps.enemy.ch07_activation import activate_chit
from engine.cbps.enemy.ch07_arrival import place_arrivals
from engine.cbps.enemy.ch07_cup import fill_cup
from engine.cbps.events.fleet import LightsSwitched
from engine.cbps.events.turns import ChitDrawn, MissionDieSet, PhaseBegan, SegmentBegan, TurnBegan
from engine.cbps.forces.ch09_butai import shift_all_boxes
from engine.cbps.forces.ch12_cripples import tow_lone_hulls
from engine.cbps.forces.ch12_hits import age_hits
from engine.cbps.frames import (
    ActivationFrame,
    AirMovementFrame,
    InterceptFrame,
    JapaneseAttackFrame,
    LightsFrame,
    OperationsFrame,
    PhaseFrame,
    SearchChoiceFrame,
    StrikesFrame,
    TurnFrame,
)
from engine.cbps.ids import D10, Segment
from engine.cbps.locations import lit_groups
from engine.cbps.raids.ch10_flight import move_raids, place_scheduled_raids
from engine.cbps.rulings import BOX_SHIFT, MORNING_SEARCH, is_on
from engine.cbps.run import Action, DecisionHandler, Handler, PlainAction, Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.seats import US
from engine.cbps.sequence.ch15_end import score_scenario
from engine.cbps.state import State
from engine.cbps.submarines.ch14_japanese_submarines import resolve_japanese_submarines
from engine.kernel.ids import Refusal, Rule

PHASES: Final = 4
_MORNING: Final = ("19 June", "0530")
"""The turn with the morning search (18.4)."""


class TurnHandler(Handler[TurnFrame]):
    """One game turn: Arrival Phase, four Action Phases, Turn End Phase (3.1)."""

    frame = TurnFrame

    @override
    def step(self, run: Run, frame: TurnFrame) -> None:
        """Carry out the next step of the turn."""
        _TURN_STEPS[frame.step](run, frame)


def _ask_morning_search(run: Run, frame: TurnFrame) -> None:
    """If 18.4 is in use, ask about a search before the Arrival Phase."""
    run.replace_top(replace(frame, step="arrival"))
    if is_on(run.state, MORNING_SEARCH) and day_and_time(run.state) == _MORNING:
        run.push(SearchChoiceFrame(is_morning=True))


def _place_arrivals(run: Run, frame: TurnFrame) -> None:
    """Carry out the arrival of Japanese forces (7.1)."""
    run.replace_top(replace(frame, step="cup"))
    if scenario_rules(run.state).has_levels:
        place_arrivals(run)


def _fill_cup(run: Run, frame: TurnFrame) -> None:
    """Fill the activation cup and begin the first phase (3.23)."""
    if scenario_rules(run.state).has_levels:
        fill_cup(run)
    state = run.state
    first_phase = state.game_data.scenarios[state.scenario].start_phase if state.turn == 0 else 1
    run.replace_top(replace(frame, step="phase"))
    _begin_phase(run, first_phase)


def _begin_phase(run: Run, phase: int) -> None:
    run.add(PhaseBegan(phase=phase))
    run.push(PhaseFrame())


def _begin_next_phase(run: Run, frame: TurnFrame) -> None:
    """Begin the next phase, or the Turn End Phase after the last one."""
    state = run.state
    scenario = state.game_data.scenarios[state.scenario]
    is_last_turn = state.turn + 1 == len(scenario.turns)
    last_phase = min(scenario.end_phase if is_last_turn else PHASES, PHASES)
    if state.phase < last_phase:
        _begin_phase(run, state.phase + 1)
        return
    run.replace_top(
        replace(frame, step="ageing" if scenario_rules(state).has_turn_end else "advance")
    )


def _age_hits(run: Run, frame: TurnFrame) -> None:
    """Age the hits on Japanese ships by one turn (12.21)."""
    run.replace_top(replace(frame, step="fire"))
    age_hits(run)


def _spread_fires(run: Run, frame: TurnFrame) -> None:
    """Roll for the spread of fires (12.32)."""
    run.replace_top(replace(frame, step="submarines"))
    spread_fires(run)


def _japanese_submarine_attacks(run: Run, frame: TurnFrame) -> None:
    """Carry out the attacks of Japanese submarines (14.2)."""
    run.replace_top(replace(frame, step="lights"))
    resolve_japanese_submarines(run)


def _ask_lights(run: Run, frame: TurnFrame) -> None:
    """Ask which lights to switch off (6.433)."""
    run.replace_top(replace(frame, step="advance"))
    if lit_groups(run.state):
        run.push(LightsFrame())


def _begin_next_turn(run: Run, frame: TurnFrame) -> None:
    """Begin the next turn, or score the scenario after the last one."""
    state = run.state
    turn = state.turn + 1
    if turn == len(state.game_data.scenarios[state.scenario].turns):
        run.pop()
        score_scenario(run)
        return
    begin_turn(run, turn)
    run.replace_top(replace(frame, step="morning"))


def begin_turn(run: Run, turn: int) -> None:
    """Record the beginning of a game turn (3.1)."""
    day, time = day_and_time(run.state, turn)
    is_new_day = turn > 0 and day_and_time(run.state, turn - 1)[0] != day
    run.add(TurnBegan(turn=turn, label=f"{day} {time}", is_new_day=is_new_day))


_TURN_STEPS: Final[Mapping[str, Callable[[Run, TurnFrame], None]]] = {
    "morning": _ask_morning_search,
    "arrival": _place_arrivals,
    "cup": _fill_cup,
    "phase": _begin_next_phase,
    "ageing": _age_hits,
    "fire": _spread_fires,
    # Submarines attack before lights go off, so switching lights on always risks an attack (6.433).
    "submarines": _japanese_submarine_attacks,
    "lights": _ask_lights,
    "advance": _begin_next_turn,
}


class PhaseHandler(Handler[PhaseFrame]):
    """Runs the segments of one Action Phase in the order of the scenario (3.1)."""

    frame = PhaseFrame

    @override
    def step(self, run: Run, frame: PhaseFrame) -> None:
        """Begin the next segment, or end the phase after the last one."""
        segments = scenario_rules(run.state).segments
        if frame.segment == len(segments):
            run.pop()
            return
        segment = segments[frame.segment]
        run.replace_top(replace(frame, segment=frame.segment + 1))
        if _can_happen(run.state, segment):
            run.add(SegmentBegan(segment=segment))
            _SEGMENTS[segment](run)


def _can_happen(state: State, segment: Segment) -> bool:
    """Return whether anything can happen in a segment. Otherwise, the segment is skipped."""
    match segment:
        case "japanese-air-movement":
            shifts = BOX_SHIFT.uses_alternative(state.options)
            return bool(state.raids) or shifts or scenario_rules(state).has_own_raids
        case "activation":
            return state.chits_per_phase > 0
        case "us-air-movement" | "us-attack":
            return bool(state.missions)
        case "search":
            return not state.has_searched
        case "intercept" | "japanese-attack":
            return bool(state.raids)
        case "" | "operations" | "end-of-phase":
            return True
        case other_case:
            assert_never(other_case)


def _japanese_air_movement(run: Run) -> None:
    shift_all_boxes(run)
    move_raids(run)
    if scenario_rules(run.state).has_own_raids:
        place_scheduled_raids(run)


def _begin_activation(run: Run) -> None:
    # One roll applies to all mission moves in this segment (7.221).
    run.add(MissionDieSet(die=run.dice.roll(D10)))
    if run.state.phase == 1 and is_half_past(run.state):
        tow_lone_hulls(run)  # OP-45: ships whose force has left play move first
    run.push(ActivationFrame(left=run.state.chits_per_phase))


def _begin_interception(run: Run) -> None:
    hexes = tuple(dict.fromkeys(raid.hex for raid in run.state.raids.values()))
    run.push(InterceptFrame(hexes=hexes))


_SEGMENTS: Final[Mapping[Segment, Callable[[Run], None]]] = {
    "japanese-air-movement": _japanese_air_movement,
    "activation": _begin_activation,
    "us-air-movement": lambda run: run.push(AirMovementFrame()),
    "search": lambda run: run.push(SearchChoiceFrame()),
    "operations": lambda run: run.push(OperationsFrame()),
    "intercept": _begin_interception,
    "japanese-attack": lambda run: run.push(JapaneseAttackFrame(left=tuple(run.state.raids))),
    "us-attack": lambda run: run.push(StrikesFrame()),
    "end-of-phase": repair_decks,
}


class ActivationHandler(Handler[ActivationFrame]):
    """Draws activation chits and resolves them one by one (3.21)."""

    frame = ActivationFrame

    @override
    def step(self, run: Run, frame: ActivationFrame) -> None:
        """Draw the next chit, or end the segment if none is left.

        The cup of a custom position may contain too few chits.
        """
        if not frame.left or not run.state.cup:
            run.pop()
            roll_fire_outbreaks(run)  # 12.31: hits by gunfire can start fires
            return
        run.replace_top(replace(frame, left=frame.left - 1))
        chit = run.dice.pick(run.state.cup)
        run.add(ChitDrawn(chit=chit))
        activate_chit(run, chit)


class DarkenAction(Action[LightsFrame, Darken]):
    """Switches off the lights of a group and of all other groups in its hex (6.433, 6.431)."""

    kind = Darken
    timing = Refusal(Rule("6.433"), "lights go off at the end of the turn")

    @override
    def candidates(self, state: State, frame: LightsFrame, role: str) -> Iterable[Darken]:
        return [Darken(group=name) for name in lit_groups(state)]

    @override
    def refusals(
        self, state: State, frame: LightsFrame, role: str, command: Darken
    ) -> Iterator[Refusal]:
        """Yield the reasons why the lights cannot be switched off."""
        if command.group not in lit_groups(state):
            yield Refusal(Rule("6.433"), "this group shows no lights")

    @override
    def apply(self, run: Run, frame: LightsFrame, role: str, command: Darken) -> None:
        hex = run.state.groups[command.group].hex
        for group in lit_groups(run.state):
            if run.state.groups[group].hex == hex:
                run.add(LightsSwitched(group=group, is_lit=False))


class LightsQuestion(DecisionHandler[LightsFrame]):
    """The decision on which lights to switch off after the submarines have attacked (6.433)."""

    frame = LightsFrame
    actions = (DarkenAction(), PlainAction[LightsFrame, Done](Done))
    rule = Rule("6.433")
    question = "Switch off lights, or keep them on"
    default_index = 0

    @override
    def active_roles(self, state: State, frame: LightsFrame) -> tuple[str, ...]:
        """Return the first commander, or an empty tuple if no group is lit."""
        return (US,) if lit_groups(state) else ()

    @override
    def step(self, run: Run, frame: LightsFrame) -> None:
        """Leave the frame, because no group is lit any longer."""
        run.pop()


HANDLERS: Final[tuple[Handler[Any] | DecisionHandler[Any], ...]] = (
    TurnHandler(),
    PhaseHandler(),
    ActivationHandler(),
    LightsQuestion(),
)
