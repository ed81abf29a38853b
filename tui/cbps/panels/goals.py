"""Carrier Battle victory conditions: victory levels, the current score, and its sources (15)."""

import re
from collections.abc import Iterator
from typing import Final

from engine.cbps.damage.ch15_victory import score_lines, victory_verdict
from engine.cbps.scenario_rules import GHOST_SCENARIO
from engine.kernel.sentences import count_noun
from tui.cbps.index import Index
from tui.drawing.colour_roles import TextRole
from tui.panels.goals import GoalParty, Goals, GoalState, PointSource, Requirement, WinningCondition

_VICTORY_RULE: Final = "15.1"
_VERDICT_GROUPS: Final = (
    ("won", "US victory", TextRole.SIDE_ONE),
    ("", "Nobody wins", TextRole.HEAD),
    ("lost", "US defeat", TextRole.SIDE_TWO),
)
SCORE_TEXTS: Final = {
    "jp_cv_sunk": "a Japanese CV sunk",
    "jp_cvl_sunk": "a Japanese CVL sunk",
    "jp_cv_crippled": "a Japanese CV crippled",
    "jp_cvl_crippled": "a Japanese CVL crippled",
    "jp_cv_heavy": "a Japanese CV with heavy damage",
    "jp_cvl_heavy": "a Japanese CVL with heavy damage",
    "jp_carrier_light_per_damage_point": "each hit on a Japanese carrier with light damage",
    "per_5_japanese_points_in_lost_boxes": "every 5 Japanese air points destroyed",
    "scenario_9_per_naval_point": "each naval air point destroyed",
    "us_carrier_light": "a US carrier with light damage",
    "us_carrier_heavy": "a US carrier with heavy damage",
    "us_carrier_crippled": "a US carrier crippled",
    "us_cvl_sunk": "a US CVL sunk",
    "us_cv_sunk": "a US CV sunk",
    "us_submarine_sunk": "a US submarine sunk",
    "per_2_us_units_lost_outside_tg_hex": "every 2 US air units lost away from the task groups",
    "per_4_us_units_lost_in_tg_hex": "every 4 US air units lost at the task groups",
    "jp_carrier_exits_invasion_zone": "a Japanese carrier that reaches the invasion fleet",
    "jp_battleship_exits_invasion_zone": "a Japanese battleship that reaches the invasion fleet",
    "jp_cruiser_or_destroyer_force_exits_invasion_zone": (
        "a cruiser or destroyer force that reaches the invasion fleet"
    ),
}
"""Description of each entry in the victory point charts, by id."""


_NAVAL_POINT: Final = "scenario_9_per_naval_point"
"""Id of a score entry that exists only in Scenario 9 (OP-52)."""


def goals(index: Index) -> Goals:
    """Return the victory levels with the points still needed for each, and the sources of the score."""
    view = index.view
    conditions = [
        (victory_verdict(index.table, min_score), _winning_condition(index, min_score, max_score))
        for min_score, max_score in _score_ranges(index)
    ]
    return Goals(
        parties=tuple(
            GoalParty(title=title, tone=tone, aims=group_conditions)
            for verdict, title, tone in _VERDICT_GROUPS
            if (
                group_conditions := tuple(
                    condition
                    for level, condition in conditions
                    if _verdict_group(level.verdict) == verdict
                )
            )
        ),
        title=f"Victory points now: {view.victory_points} (15.1)",
        sources=tuple(_point_sources(index)),
    )


def _verdict_group(verdict: str) -> str:
    return verdict if verdict in ("won", "lost") else ""


# -- levels


_MIN_SCORE: Final = -1_000
"""Minimum score for the lowest level. The game data specifies none, so this value is assumed."""


def _score_ranges(index: Index) -> Iterator[tuple[int, int | None]]:
    """Yield the lowest and highest score of each level, best level first. None means no upper limit."""
    scenario_levels = index.game_data.scenarios[index.view.scenario].victory.levels
    chart_levels = index.game_data.charts.victory_levels.columns
    minimums = (
        [level.min for level in scenario_levels]
        if scenario_levels
        else [level.min for level in chart_levels]
    )
    descending = sorted(
        (_MIN_SCORE if minimum is None else minimum for minimum in minimums), reverse=True
    )
    next_minimum: int | None = None
    for minimum in descending:
        yield minimum, None if next_minimum is None else next_minimum - 1
        next_minimum = minimum


def _winning_condition(index: Index, min_score: int, max_score: int | None) -> WinningCondition:
    score = index.view.victory_points
    is_current = score >= min_score and (max_score is None or score <= max_score)
    level_text = victory_verdict(index.table, min_score).level_words
    missing_text = "" if score >= min_score else f"{count_noun(min_score - score, 'point')} short"
    state = GoalState.MET if is_current else GoalState.OPEN
    if score > min_score and not is_current:
        state = GoalState.PASSED
    count = (
        (Requirement(now=f"{score} now", missing=missing_text),)
        if missing_text or is_current
        else ()
    )
    text = f"{_range_text(min_score, max_score)}: {level_text}"
    return WinningCondition(text=text, rule=_VICTORY_RULE, counts=count, state=state)


def _range_text(min_score: int, max_score: int | None) -> str:
    if max_score is None:
        return f"{min_score} points or more"
    return (
        f"{count_noun(max_score, 'point')} or less"
        if min_score == _MIN_SCORE
        else f"{min_score} to {max_score} points"
    )


# -- points


def _scoring_texts(score: str) -> list[str]:
    """Return the parts of a scenario's own scoring, without the remark about their source."""
    text = score.replace(" (seed)", "")
    return text.split("; ") if "; " in text else re.split(r", | and ", text)


def _scoring_part(text: str) -> PointSource:
    """Return one part of a scenario's own scoring as a row, with its points in the column for points."""
    number, _, scoring_text = text.partition(" ")
    if number[:1] in "+-" and number[1:].isdecimal():
        return PointSource(points=int(number), text=scoring_text)
    return PointSource(points=None, text=f"  {text[:1].upper()}{text[1:]}")


def _point_sources(index: Index) -> Iterator[PointSource]:
    scored_lines = [line for line in score_lines(index.table) if line.points]
    for line in scored_lines:
        yield PointSource(points=line.points, text=line.label)
    if not scored_lines:
        yield PointSource(points=None, text="  No points yet.")
    victory = index.game_data.scenarios[index.view.scenario].victory
    yield PointSource(points=None, text="")
    yield PointSource(points=None, text="What counts:")
    if victory.score != _VICTORY_RULE:
        yield from map(_scoring_part, _scoring_texts(victory.score))
        if _VICTORY_RULE not in victory.score:
            return
        yield PointSource(points=None, text="")
        yield PointSource(points=None, text=f"The points of {_VICTORY_RULE}:")
    charts = index.game_data.charts
    for chart in (charts.vp_awards, charts.vp_deductions):
        for row in chart.values:
            if row.id != _NAVAL_POINT or index.view.scenario == GHOST_SCENARIO:
                yield PointSource(points=chart.value(row.id), text=SCORE_TEXTS[row.id])
