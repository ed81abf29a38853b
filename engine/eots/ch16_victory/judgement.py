"""Decides who has won at the end of a turn (4.5, 16.1-16.3, 17.27, 17.38, 17.48, 17.10.7)."""

from typing import Final, assert_never

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.ch06_supply.control import controls
from engine.eots.ch16_victory.editions import older_end
from engine.eots.ch16_victory.score import (
    conditions,
    is_occupied,
    is_port_control,
    levels,
    port_count,
    total_points,
)
from engine.eots.counters import counters
from engine.eots.events.tracks import OccupationScored
from engine.eots.flow import EotsRun
from engine.eots.ids import CHINA_BOX, HexId, ScenarioId, Side
from engine.eots.rulings import VICTORY_VALUES
from engine.eots.scenarios import scenario
from engine.eots.state import State
from engine.eots.victory_terms import (
    AreaCount,
    B29InRange,
    BombingStreak,
    CampaignVictory,
    EndCondition,
    EveryTerm,
    JapanSurrendered,
    JapanSurrenders,
    Level,
    NoHqOnMap,
    OccupiedAtAnyTurnEnd,
    PoliticalWillIs,
    PortControl,
    SouthPacificVictory,
)
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role

TOKYO: Final = HexId("3706")
_WORDS: Final = {"decisive": "decisive victory", "tactical": "tactical victory"}


def score_occupations(run: EotsRun) -> None:
    """Record the hexes held at the end of a turn that score only once (17.27 K and L, 17.38 J and K, 17.48J)."""
    for term in conditions(run.state.scenario):
        if not isinstance(term, OccupiedAtAnyTurnEnd):
            continue
        for hex_id in term.hexes:
            state = run.state
            if hex_id not in state.tracks.once_occupied and is_occupied(state, term.side, hex_id):
                run.add(OccupationScored(at=hex_id))


def judge_end_of_turn(state: State) -> Outcome | None:
    """Return the outcome at the end of this turn, or None if the game continues (4.5).

    The order of the checks is: negotiations, automatic victories, and, in the last turn, the final conditions (OPS-15).
    """
    if state.tracks.political_will == 0:
        return _winning_outcome(Side.JAPAN, "Political Will is 0: negotiations (4.5, 16.1)")
    return _automatic(state) or (_final_outcome(state) if state.turn >= state.last_turn else None)


def judge_at_once(state: State) -> Outcome | None:
    """Return the outcome of a South Pacific game before the end of a turn, or None if the game continues (17.10.7).

    A side without an HQ on the map loses. If neither side has an HQ on the map, Japan wins, because Japan wins whenever
    the Allies do not.
    """
    victory = scenario(ScenarioId(state.scenario)).victory
    if not isinstance(victory, SouthPacificVictory):
        return None
    for case in victory.automatic:
        if isinstance(case.condition, NoHqOnMap):
            for side in (Side.JAPAN, Side.ALLIED):
                if not hqs_on_map(state, side.enemy):
                    loser = "Japan has" if side is Side.ALLIED else "the Allies have"
                    return _winning_outcome(side, f"{loser} no HQ on the map ({victory.rule})")
        elif is_condition_met(state, case.condition):
            return _winning_outcome(Side(case.winner), f"Political Will is 0 ({victory.rule})")
    return None


def _winning_outcome(side: Side, reason: str) -> Outcome:
    return Outcome(winner=Role(side), level="", score=None, reason=reason)


def _automatic(state: State) -> Outcome | None:
    """Return the outcome of an automatic victory, or None if no side has won one (17.27)."""
    victory = scenario(ScenarioId(state.scenario)).victory
    for case in victory.automatic:
        # A side without an HQ loses immediately, so that case is judged before each play, not here.
        if case.turn not in (None, state.turn) or case.winner == "opponent":
            continue
        uses_old_values = VICTORY_VALUES.uses_alternative(state.options)
        condition = older_end(victory.rule, case.condition) if uses_old_values else case.condition
        if is_condition_met(state, condition):
            return _winning_outcome(Side(case.winner), f"{case.text} ({victory.rule})")
    return None


def is_condition_met(state: State, condition: EndCondition) -> bool:
    """Return whether a condition that ends or decides a game is met at the end of a turn (16.2)."""
    match condition:
        case JapanSurrenders() | JapanSurrendered():
            return False  # 13.93: the game ends in the National Status Segment
        case PoliticalWillIs(equals=box):
            return state.tracks.political_will == box
        case AreaCount(side=side, area=area, maximum=max_count):
            return (
                sum(controls(state, side, hex_id) for hex_id in board().areas[area].hexes)
                <= max_count
            )
        case BombingStreak(turns=turns):
            last_turns = range(state.turn - turns + 1, state.turn + 1)
            return all(turn in state.tracks.bombing_turns for turn in last_turns)
        case B29InRange():
            return _has_b29_near_tokyo(state, condition.range)
        case NoHqOnMap():
            return any(not hqs_on_map(state, side) for side in Side)
        case EveryTerm(of=parts):
            return all(is_condition_met(state, condition_part) for condition_part in parts)
        case _:
            assert_never(condition)


def _has_b29_near_tokyo(state: State, hexes: int) -> bool:
    """Return whether a B29 is in the China box or within the given distance of Tokyo (16.2, 13.74-7)."""
    for unit, piece in state.units.items():
        if not counters()[unit].b29:
            continue
        if piece.at == CHINA_BOX:
            return True
        if piece.is_on_map and board().distance(HexId(piece.at), TOKYO) <= hexes:
            return True
    return False


def hqs_on_map(state: State, side: Side) -> int:
    """Return how many of a side's HQs are on the map. In the South Pacific, Oahu does not count (17.10.7)."""
    off_map = board().south_pacific.off_map_hexes if state.scenario == SOUTH_PACIFIC else ()
    return sum(
        piece.is_on_map
        and piece.at not in off_map
        and counters()[unit].is_hq
        and counters()[unit].side is side
        for unit, piece in state.units.items()
    )


def _final_outcome(state: State) -> Outcome:
    """Return the outcome at the end of the last turn (16.2, 16.3, 17.13, 17.27, 17.38, 17.48)."""
    victory = scenario(ScenarioId(state.scenario)).victory
    match victory:
        case CampaignVictory(final=final):
            for condition in final.allied_if:
                if is_condition_met(state, condition):
                    return _winning_outcome(
                        Side.ALLIED, "Japan is bombed and cut off from its resources (16.2)"
                    )
            return _winning_outcome(
                final.otherwise, "the Allies have not won by the end of the war (16.3)"
            )
        case SouthPacificVictory(port_control=ports) if is_port_control(state):
            return _by_ports(state, ports, victory.rule)
        case _:
            return _outcome_by_points(state, victory.rule)


def _by_ports(state: State, ports: PortControl, rule: str) -> Outcome:
    """Return the outcome of a game decided by ports and resource hexes (17.10.7, OPS-12)."""
    margin = -total_points(state)
    allied, japan = (port_count(state, side) for side in (Side.ALLIED, Side.JAPAN))
    side = Side.ALLIED if margin >= ports.allied_margin else Side.JAPAN
    return Outcome(
        winner=Role(side),
        level="",
        score=-margin,
        reason=f"Japan holds {japan} ports and resource hexes, the Allies {allied} ({rule})",
    )


def _outcome_by_points(state: State, rule: str) -> Outcome:
    """Return the outcome of a game decided by Japanese victory points."""
    vp = total_points(state)
    level = next(level for level in levels(state.scenario) if is_in_level(level, vp))
    side, _, degree = level.result.partition("-")
    side_name = "Japanese" if side == Side.JAPAN else "Allied"
    return Outcome(
        winner=Role(Side(side)),
        level=degree,
        score=vp,
        reason=f"{side_name} {_WORDS[degree]} with {vp} Japanese victory points ({rule})",
    )


def is_in_level(level: Level, vp: int) -> bool:
    """Return whether a number of points is in a victory level's range."""
    return (level.minimum is None or vp >= level.minimum) and (
        level.maximum is None or vp <= level.maximum
    )
