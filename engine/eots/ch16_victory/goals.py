"""Each side's ways to win, with current counts (4.5, 13.93, 16.1-16.3, 17.10.7, 17.27, 17.38, 17.48).

The terms are defined by the scenario. The counts are the same as those that determine the winner. This module reports
progress. Other modules decide who wins.
"""

from collections.abc import Iterator, Mapping
from typing import Final, assert_never

import msgspec

from engine.eots.board import area_of, board
from engine.eots.ch06_supply.control import controls
from engine.eots.ch13_nations.national_status import BLOCKADE, HONSHU
from engine.eots.ch16_victory.counting import (
    counted_parts,
    counts_for,
    is_held_in_supply,
    ports_near,
)
from engine.eots.ch16_victory.editions import older_end, older_term
from engine.eots.ch16_victory.judgement import hqs_on_map, is_condition_met, is_in_level
from engine.eots.ch16_victory.score import (
    conditions,
    is_occupied,
    is_port_control,
    levels,
    port_count,
    total_points,
)
from engine.eots.ids import AreaId, HexId, ScenarioId, Side
from engine.eots.rulings import VICTORY_VALUES
from engine.eots.scenarios import scenario
from engine.eots.state import State
from engine.eots.victory_terms import (
    AllPortsOfRegion,
    AreaCount,
    Automatic,
    B29InRange,
    BombingStreak,
    CampaignVictory,
    Control,
    ControlAll,
    ControlCount,
    ControlEach,
    EndCondition,
    EveryTerm,
    JapanSurrendered,
    JapanSurrenders,
    Level,
    NoHqOnMap,
    NotHeldInSupply,
    Occupation,
    OccupiedAtAnyTurnEnd,
    PoliticalWillIs,
    PortInRange,
    PortInRangeNone,
    RegionControl,
    RegionControlNot,
    SouthPacificVictory,
    VpCondition,
)
from engine.kernel.memo import Memo

NO_LIMIT: Final = 10_000
"""Represents a missing upper bound. Its negative represents a missing lower bound."""
_MEMO: Final = Memo[tuple["Goal", ...]](16)
_TALLIES: Final = Memo[tuple["Tally", ...]](16)


class GoalPart(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement of a goal, with the current progress."""

    text: str
    current: int
    least: int = 0
    most: int = NO_LIMIT
    """Upper bound. The requirement is met by values from `least` to `most`, inclusive."""
    highest: int = 0
    """Highest value on the track, or 0 if the requirement is not about a track."""
    lacking: tuple[HexId, ...] = ()
    """Hexes that the side must still gain, or that the enemy must still lose."""
    is_met: bool
    """True if the requirement is met according to the rules."""

    @property
    def missing(self) -> int:
        """Return how much is missing; 0 if the requirement is met.

        Negative if the current value is too high.
        """
        return max(self.least - self.current, 0) or min(self.most - self.current, 0)


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """One way for a side to win the game."""

    side: Side
    text: str
    rule: str
    turn: int | None = None
    """Turn at whose end the goal is judged; 0 for every turn, None if the text states when."""
    parts: tuple[GoalPart, ...] = ()
    """Requirements, all of which must be met; empty for a victory by default."""
    degree: str = ""
    """``decisive`` or ``tactical``; empty if there are no degrees."""


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The hexes of a scoring condition, and the hexes among them that count now."""

    id: str
    """The condition's letter."""
    hexes: tuple[HexId, ...]
    counting: tuple[HexId, ...]


def goals(state: State) -> tuple[Goal, ...]:
    """Return every way to win, with its current progress, Allied goals first. The result is cached."""
    key = (*counted_parts(state), state.turn)
    cached_goals = _MEMO.get(state, key, lambda: tuple(_current_goals(state)))
    return tuple(sorted(cached_goals, key=lambda goal: goal.side is Side.JAPAN))


def _current_goals(state: State) -> Iterator[Goal]:
    victory = scenario(ScenarioId(state.scenario)).victory
    for case in victory.automatic:
        yield from _automatic(state, case, victory.rule)
    if not any(isinstance(case.condition, PoliticalWillIs) for case in victory.automatic):
        yield _negotiations(state, turn=0)
    match victory:
        case CampaignVictory(final=final):
            for condition in final.allied_if:
                if not isinstance(condition, JapanSurrendered):  # the goals for 13.93 include this
                    yield Goal(
                        side=Side.ALLIED,
                        text="Japan is bombed and cut off from its resources",
                        rule="16.2",
                        turn=final.turn,
                        parts=tuple(_goal_parts(state, condition)),
                    )
            text = "no Allied victory"
            yield Goal(side=final.otherwise, text=text, rule="16.3", turn=final.turn)
        case SouthPacificVictory(port_control=ports) if is_port_control(state):
            yield from _by_ports(state, ports.allied_margin, victory.rule)
        case _:
            for level in levels(state.scenario):
                yield _level_goal(state, level, victory.rule)


def _negotiations(state: State, turn: int | None) -> Goal:
    condition = PoliticalWillIs(equals=0)
    return Goal(
        side=Side.JAPAN,
        text=f"the USA negotiates: its Political Will is 0{', at once' if turn is None else ''}",
        rule="4.5, 16.1",
        turn=turn,
        parts=tuple(_goal_parts(state, condition)),
    )


def _automatic(state: State, case: Automatic, rule: str) -> Iterator[Goal]:
    """Yield the goals for automatic victories, which do not depend on points."""
    turn = None if case.when == "immediately" else case.turn or 0
    condition = case.condition
    match condition:
        case PoliticalWillIs():
            yield _negotiations(state, turn)
        case JapanSurrenders():
            yield from _surrender(state)
        case NoHqOnMap():
            for side in Side:
                name = "Japan" if side is Side.ALLIED else "the Allies"
                text = f"{name} without a headquarters on the map, at once"
                hq_count = hqs_on_map(state, side.enemy)
                goal_part = GoalPart(
                    text="enemy headquarters", current=hq_count, most=0, is_met=not hq_count
                )
                yield Goal(side=side, text=text, rule=rule, turn=turn, parts=(goal_part,))
        case _:
            uses_old_values = VICTORY_VALUES.uses_alternative(state.options)
            condition = older_end(rule, condition) if uses_old_values else condition
            text = "Japan is cut off from its resources"
            parts = tuple(_goal_parts(state, condition))
            yield Goal(side=Side(case.winner), text=text, rule=rule, turn=turn, parts=parts)


def _surrender(state: State) -> Iterator[Goal]:
    """Yield a goal for each of the two ways in which Japan can surrender (13.93)."""
    hexes = board().areas[HONSHU].hexes
    missing_hexes = tuple(hex_id for hex_id in hexes if not controls(state, Side.ALLIED, hex_id))
    land = GoalPart(
        text="hexes of Honshu under Allied control",
        current=len(hexes) - len(missing_hexes),
        least=len(hexes),
        lacking=missing_hexes,
        is_met=not missing_hexes,
    )
    turns = state.tracks.blockade_turns
    line = GoalPart(
        text="National Status Segments in a row without a line from Japan to a resource hex",
        current=turns,
        least=BLOCKADE,
        is_met=turns >= BLOCKADE,
    )
    for letter, goal_part in (("a", land), ("b", line)):
        yield Goal(
            side=Side.ALLIED,
            text="Japan surrenders, in any National Status Segment",
            rule=f"13.93{letter}",
            parts=(goal_part,),
        )


def _goal_parts(state: State, condition: EndCondition) -> Iterator[GoalPart]:
    """Yield the requirements of a condition that ends or decides a game."""
    is_met = is_condition_met(state, condition)
    match condition:
        case EveryTerm(of=inner_term):
            for goal_part in inner_term:
                yield from _goal_parts(state, goal_part)
        case PoliticalWillIs(equals=box):
            political_will = state.tracks.political_will
            is_met = is_met and state.turn > 1  # 16.44A: J-1 sets the marker
            yield GoalPart(
                text="Political Will",
                current=political_will,
                least=box,
                most=box,
                highest=10,
                is_met=is_met,
            )
        case AreaCount(side=side, area=area, maximum=max_count):
            hexes = board().areas[area].hexes
            controlled = tuple(hex_id for hex_id in hexes if controls(state, side, hex_id))
            name = "Japanese" if side is Side.JAPAN else "Allied"
            text = f"{board().areas[area].name} under {name} control"
            yield GoalPart(
                text=text,
                current=len(controlled),
                most=max_count,
                lacking=controlled,
                is_met=is_met,
            )
        case BombingStreak(turns=turns):
            last_turns = range(max(state.turn - turns + 1, 1), state.turn + 1)
            bombing_count = sum(turn in state.tracks.bombing_turns for turn in last_turns)
            text = f"turns of successful strategic bombing among the last {turns}"
            yield GoalPart(text=text, current=bombing_count, least=turns, is_met=is_met)
        case B29InRange(range=hexes):
            text = f"a B29 within {hexes} hexes of Tokyo or in the China box"
            yield GoalPart(text=text, current=int(is_met), least=1, is_met=is_met)
        case NoHqOnMap() | JapanSurrenders() | JapanSurrendered():
            return  # other functions yield goals for these conditions
        case _:
            assert_never(condition)


def _by_ports(state: State, margin: int, rule: str) -> Iterator[Goal]:
    """Yield the goals that depend on ports and resource hexes (17.10.7)."""
    japan, allied = (port_count(state, side) for side in (Side.JAPAN, Side.ALLIED))
    text = f"{margin} more ports and resource hexes than Japan"
    port_lead = allied - japan
    goal_part = GoalPart(
        text="Allied ports minus Japan's",
        current=port_lead,
        least=margin,
        is_met=port_lead >= margin,
    )
    last_turn = state.last_turn
    yield Goal(side=Side.ALLIED, text=text, rule=rule, turn=last_turn, parts=(goal_part,))
    yield Goal(side=Side.JAPAN, text="no Allied victory", rule=rule, turn=last_turn)


def _level_goal(state: State, level: Level, rule: str) -> Goal:
    """Return the goal for a degree of victory that depends on Japanese victory points."""
    side, _, degree = level.result.partition("-")
    points = total_points(state)
    low, high = level.minimum, level.maximum
    span = f"{low} to {high}"
    if low is None or high is None:
        span = f"{high} or fewer" if low is None else f"{low} or more"
    goal_part = GoalPart(
        text="Japanese victory points",
        current=points,
        least=-NO_LIMIT if low is None else low,
        most=NO_LIMIT if high is None else high,
        is_met=is_in_level(level, points),
    )
    text = f"{span} Japanese victory points"
    last_turn = state.last_turn
    return Goal(
        side=Side(side), text=text, rule=rule, turn=last_turn, parts=(goal_part,), degree=degree
    )


# -- points, hex by hex


def conditions_in(name: str, options: Mapping[str, str]) -> tuple[VpCondition, ...]:
    """Return a scenario's scoring conditions, with the points of the edition in play."""
    parsed_conditions = conditions(name)
    if not VICTORY_VALUES.uses_alternative(options):
        return parsed_conditions
    rule = scenario(ScenarioId(name)).victory.rule
    return tuple(older_term(rule, term) for term in parsed_conditions)


def tallies(state: State) -> tuple[Tally, ...]:
    """Return the hexes for each scoring condition that refers to hexes, in rulebook order. The result is cached."""
    return _TALLIES.get(state, counted_parts(state), lambda: tuple(_tallies(state)))


def _tallies(state: State) -> Iterator[Tally]:
    if is_port_control(state):
        return
    # Editions differ only in points, so conditions refer to the same hexes in every edition.
    for term in conditions(state.scenario):
        hexes = _condition_hexes(state, term)
        if hexes:
            counting_hexes = tuple(
                hex_id for hex_id in hexes if _counts_for_condition(state, term, hex_id)
            )
            yield Tally(id=term.id, hexes=hexes, counting=counting_hexes)


def _condition_hexes(state: State, term: VpCondition) -> tuple[HexId, ...]:
    """Return the hexes that a condition refers to; empty if the condition depends on a track."""
    match term:
        case ControlEach(hexes=hexes, area=area):
            return hexes or _area(state, area)
        case ControlCount(area=area, subset=subset):
            area_hexes = area_of(state.options, area)
            return area_hexes.ports if subset == "ports" else area_hexes.hexes
        case RegionControl(area=area) | RegionControlNot(area=area):
            return area_of(state.options, area).control_hexes
        case AllPortsOfRegion(area=area, include=included_hexes):
            return (*area_of(state.options, area).ports, *included_hexes)
        case (
            PortInRange(of=centre, range=max_distance)
            | PortInRangeNone(of=centre, range=max_distance)
        ):
            return ports_near(centre, max_distance)
        case (
            Control(hexes=hexes)
            | ControlAll(hexes=hexes)
            | Occupation(hexes=hexes)
            | OccupiedAtAnyTurnEnd(hexes=hexes)
            | NotHeldInSupply(hexes=hexes)
        ):
            return hexes
        case _:
            return ()


def _area(state: State, area: AreaId | None) -> tuple[HexId, ...]:
    return () if area is None else area_of(state.options, area).hexes


def _counts_for_condition(state: State, term: VpCondition, hex_id: HexId) -> bool:
    """Return whether a hex counts for the side that a condition names, or for Japan if it names no side."""
    match term:
        case OccupiedAtAnyTurnEnd():
            return hex_id in state.tracks.once_occupied
        case Occupation(side=side):
            return is_occupied(state, side, hex_id)
        case NotHeldInSupply(side=side) | ControlCount(side=side, qualifier="in-supply"):
            return is_held_in_supply(state, side, hex_id)
        case _:
            return counts_for(state, getattr(term, "side", Side.JAPAN), hex_id)
