"""Empire of the Sun victory conditions, this turn's requirements, and the score (16, 17)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import SOUTH_PACIFIC
from engine.eots.ch16_victory.goals import NO_LIMIT, Goal, GoalPart, Tally, conditions_in, tallies
from engine.eots.ch16_victory.goals import goals as ways_to_win
from engine.eots.ch16_victory.score import ScoreLine, score
from engine.eots.ch16_victory.will import FIRST_QUOTA_TURN, ProgressOfWar, progress_of_war
from engine.eots.forecast.table import Table, state_from_view
from engine.eots.ids import HexId, Side
from engine.eots.victory_terms import (
    BurmaRoadClosed,
    ChinaFrontDistance,
    ChinaSurrendered,
    IndiaInBox,
    NoSupplyLine,
    PoliticalWillHigh,
    PoliticalWillLow,
    VpCondition,
)
from engine.eots.view import EotsView
from engine.kernel.sentences import count_noun, pluralise
from tui.drawing.colour_roles import TextRole
from tui.eots.texts import ROADS, box_text, turn_name
from tui.panels.goals import GoalParty, Goals, GoalState, PointSource, Requirement, WinningCondition

_TITLES: Final = {Side.ALLIED: "How the Allies win", Side.JAPAN: "How Japan wins"}
_TONES: Final = {Side.ALLIED: TextRole.SIDE_ONE, Side.JAPAN: TextRole.SIDE_TWO}
_MAX_NAMED_HEXES: Final = 4
"""Maximum number of hexes to list by name. Longer lists show only the count."""


def goals(view: EotsView) -> Goals:
    """Return this turn's requirements for the Allies and both sides' victory conditions, with current counts."""
    table = state_from_view(view)
    conditions, score_lines, counts = ways_to_win(table), score(table), tallies(table)
    return Goals(
        parties=(*_turn_objectives(view, table), *(_side_goals(side, conditions) for side in Side)),
        title=_score_title(score_lines),
        sources=tuple(_point_sources(view, score_lines, counts)),
        notes=tuple(_notes(view, counts_hexes=bool(counts))),
    )


# -- victory conditions


def _side_goals(side: Side, conditions: Sequence[Goal]) -> GoalParty:
    conditions_of_side = tuple(_winning_condition(goal) for goal in conditions if goal.side is side)
    return GoalParty(title=_TITLES[side], tone=_TONES[side], aims=conditions_of_side)


def _winning_condition(goal: Goal) -> WinningCondition:
    text = goal.text[0].upper() + goal.text[1:]
    if goal.degree:
        text = f"{goal.degree.capitalize()} victory: {goal.text}"
    counts = tuple(_requirement(goal, goal_part) for goal_part in goal.parts)
    return WinningCondition(
        text=text,
        when=_turn_text(goal.turn),
        rule=goal.rule,
        counts=counts,
        state=_goal_state(goal),
    )


def _turn_text(turn: int | None) -> str:
    if turn is None:
        return ""
    return f"at the end of turn {turn} ({turn_name(turn)})" if turn else "at the end of any turn"


def _goal_state(goal: Goal) -> GoalState:
    if not goal.parts:
        return GoalState.OPEN
    if all(goal_part.is_met for goal_part in goal.parts):
        return GoalState.MET
    is_passed = bool(goal.degree) and not any(
        _missing_count(goal, goal_part) for goal_part in goal.parts
    )
    return GoalState.PASSED if is_passed else GoalState.OPEN


def _missing_count(goal: Goal, part: GoalPart) -> int:
    """Return the number of hexes or points that a goal still needs; negative if its maximum is exceeded.

    The result is 0 for a degree of victory if Japan has more points than required or the Allies have fewer.
    """
    is_better = part.missing < 0 if goal.side is Side.JAPAN else part.missing > 0
    return 0 if goal.degree and is_better else part.missing


def _requirement(goal: Goal, part: GoalPart) -> Requirement:
    missing_count = _missing_count(goal, part)
    if goal.degree:
        missing_text = count_noun(abs(missing_count), "point") + (
            " missing" if missing_count > 0 else " too many"
        )
        return Requirement(now=f"{part.current} now", missing=missing_text if missing_count else "")
    current_text = f"{part.text}: {part.current}" + (f" of {part.least}" if part.least > 0 else "")
    if 0 < part.most < NO_LIMIT:
        current_text += f", {part.most} at most"
    missing_text = ""
    if missing_count:
        missing_text = (
            f"{missing_count} missing" if missing_count > 0 else f"{-missing_count} too many"
        )
        missing_text = missing_text if part.most else f"{-missing_count} to go"
    if missing_text and 0 < len(part.lacking) <= _MAX_NAMED_HEXES:
        missing_text += f" ({_hex_names(part.lacking)})"
    return Requirement(
        now=current_text[0].upper() + current_text[1:],
        missing=missing_text,
        filled=_bar_values(part),
    )


def _bar_values(part: GoalPart) -> tuple[int, int] | None:
    """Return the current and full values of a requirement's progress bar; None to draw no bar."""
    if part.highest:
        return part.current, part.highest
    return (max(part.current, 0), part.least) if part.least > 1 else None


def _hex_names(hexes: Sequence[HexId]) -> str:
    return ", ".join(board().hexes[hex_id].name or hex_id for hex_id in hexes)


# -- progress of the war


def _turn_objectives(view: EotsView, table: Table) -> Iterator[GoalParty]:
    """Yield the Allied objective for this turn, if any hexes are required (16.47)."""
    progress = None if view.outcome else progress_of_war(table)
    if progress is not None:
        title = f"Allied objective for turn {view.turn}"
        yield GoalParty(
            title=title, tone=TextRole.SIDE_ONE, aims=(_progress_condition(view, progress),)
        )


def _progress_condition(view: EotsView, progress: ProgressOfWar) -> WinningCondition:
    """Return the objective for this turn and the consequences of failure (16.47)."""
    at_least = "at least " if progress.may_rise else ""
    hexes = at_least + pluralise(progress.quota, "Japanese hex", "Japanese hexes")
    taken_text = f"{len(progress.taken)} of {progress.quota} taken"
    if 0 < len(progress.taken) <= _MAX_NAMED_HEXES:
        taken_text += f" ({_hex_names(progress.taken)})"
    missing_text = f"{progress.missing} missing" if progress.missing else ""
    progress_requirement = Requirement(
        now=taken_text,
        missing=missing_text,
        filled=(min(len(progress.taken), progress.quota), progress.quota),
    )
    return WinningCondition(
        text=f"Progress of the War: take {hexes} with a city, port, airfield or resource",
        when="" if progress.is_judged else "by the Political Will Segment",
        rule="16.47, 17.10.7" if view.scenario == SOUTH_PACIFIC else "16.47",
        counts=(progress_requirement, Requirement(now=_consequence_text(progress))),
        state=GoalState.OPEN if progress.missing else GoalState.MET,
    )


def _consequence_text(progress: ProgressOfWar) -> str:
    if progress.is_judged:
        return "Too few: this cost 1 Political Will." if progress.missing else "Met this turn."
    if progress.missing:
        return "With fewer, Political Will falls by 1. Retaken hexes do not count."
    return f"Met. If Japan retakes {progress.spare + 1}, Political Will falls by 1."


# -- points


def _score_title(lines: Sequence[ScoreLine]) -> str:
    if not lines:
        return ""
    total = sum(line.points for line in lines)
    is_of_ports = all(line.id == "P" for line in lines)
    return f"{'Ports and resource hexes' if is_of_ports else 'Japanese victory points'}: {total}"


def _point_sources(
    view: EotsView, lines: Sequence[ScoreLine], counts: Sequence[Tally]
) -> Iterator[PointSource]:
    terms = {term.id: term for term in conditions_in(view.scenario, view.options)}
    counted_hexes = {tally.id: tally for tally in counts}
    has_terms = bool(counts)
    for line in lines:
        current_values = _current_state(view, line, terms, counted_hexes) if has_terms else ""
        text = line.text[0].upper() + line.text[1:]
        mark = line.id if has_terms else ""
        worth_text = _points_text(terms.get(line.id)) if has_terms else ""
        yield PointSource(
            points=line.points, text=text, mark=mark, worth=worth_text, now=current_values
        )


def _points_text(term: VpCondition | None) -> str:
    """Return text with the number of points that a condition is worth; empty if it states no number."""
    for field, suffix in (("vp", ""), ("vp_each", " each"), ("vp_per_box", " a box")):
        value = getattr(term, field, None)
        if value is not None:
            return f"{value:+d}{suffix}"
    return ""


def _current_state(
    view: EotsView,
    line: ScoreLine,
    terms: Mapping[str, VpCondition],
    counted_hexes: Mapping[str, Tally],
) -> str:
    """Return the current state of a scoring condition, as text; empty if there is nothing to show."""
    tally = counted_hexes.get(line.id)
    if tally is not None:
        count = f"{len(tally.counting)} of {len(tally.hexes)}"
        is_partial = 0 < len(tally.counting) <= _MAX_NAMED_HEXES and len(tally.hexes) > 1
        return f"{count} ({_hex_names(tally.counting)})" if is_partial else count
    tracks = view.tracks
    match terms.get(line.id):
        case ChinaFrontDistance() | ChinaSurrendered():
            return box_text(tracks.china_front.name)
        case BurmaRoadClosed():
            return ROADS[view.burma_road]
        case NoSupplyLine():
            return "cut" if line.points else "there is one"
        case IndiaInBox():
            return box_text(tracks.india.name)
        case PoliticalWillLow() | PoliticalWillHigh():
            return str(tracks.political_will)
        case _:
            return ""


def _notes(view: EotsView, *, counts_hexes: bool) -> Iterator[str]:
    remaining_turns = view.last_turn - view.turn
    if view.turn > 0:
        remaining_text = (
            f"{count_noun(remaining_turns, 'turn')} left"
            if remaining_turns > 0
            else "the last turn"
        )
        yield f"Turn {view.turn} of {view.last_turn} ({turn_name(view.turn)}), {remaining_text}."
    if 0 < view.turn < FIRST_QUOTA_TURN <= view.last_turn:
        yield (
            f"From turn {FIRST_QUOTA_TURN} on, the Allies must take Japanese hexes each turn"
            " (Progress of the War, 16.47)."
        )
    if counts_hexes:
        yield "A hex counts for a side only where that side could supply a unit there (17.27, 17.38, 17.48)."
