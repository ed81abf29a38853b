"""Carrier Battle victory conditions: victory levels, the current score, and what scores points (15)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.damage.ch15_victory import score_lines, victory_verdict
from engine.cbps.scenario_rules import GHOST_SCENARIO
from engine.kernel.sentences import count_noun
from tui.cbps.index import Index
from tui.drawing.tones import TextRole
from tui.goals import GoalParty, Goals, GoalState, PointSource, Requirement, WinningCondition

_RULE: Final = "15.1"
_PARTIES: Final = (
    ("won", "US victory", TextRole.SIDE_ONE),
    ("", "Nobody wins", TextRole.HEAD),
    ("lost", "US defeat", TextRole.SIDE_TWO),
)
WORDS: Final = {
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
"""Descriptions of the entries in the victory point charts, by id."""


_NAVAL_POINT: Final = "scenario_9_per_naval_point"
"""Used only in Scenario 9 (OP-52)."""


def goals(index: Index) -> Goals:
    """Return the victory levels with the points still needed, and the score line by line."""
    view = index.view
    aims = [
        (victory_verdict(index.table, least), _aim(index, least, most))
        for least, most in _spans(index)
    ]
    return Goals(
        parties=tuple(
            GoalParty(title=title, tone=tone, aims=found)
            for verdict, title, tone in _PARTIES
            if (found := tuple(aim for level, aim in aims if _verdict(level.verdict) == verdict))
        ),
        title=f"Victory points now: {view.victory_points} (15.1)",
        sources=tuple(_sources(index)),
    )


def _verdict(verdict: str) -> str:
    return verdict if verdict in ("won", "lost") else ""


# -- levels


_LOWEST: Final = -1_000


def _spans(index: Index) -> Iterator[tuple[int, int | None]]:
    """Yield the lowest and highest score of each level, best level first. None means no upper limit."""
    own = index.book.scenarios[index.view.scenario].victory.levels
    charted = index.book.charts.victory_levels.columns
    rows = [one.min for one in own] if own else [one.min for one in charted]
    least = sorted((_LOWEST if low is None else low for low in rows), reverse=True)
    above: int | None = None
    for low in least:
        yield low, None if above is None else above - 1
        above = low


def _aim(index: Index, least: int, most: int | None) -> WinningCondition:
    have = index.view.victory_points
    is_here = have >= least and (most is None or have <= most)
    words = victory_verdict(index.table, least).level_words
    missing = "" if have >= least else f"{count_noun(least - have, 'point')} missing"
    standing = GoalState.MET if is_here else GoalState.OPEN
    if have > least and not is_here:
        standing = GoalState.PASSED
    count = (Requirement(now=f"{have} now", missing=missing),) if missing or is_here else ()
    text = f"{_span(least, most)}: {words}"
    return WinningCondition(text=text, rule=_RULE, counts=count, state=standing)


def _span(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} points or more"
    return (
        f"{count_noun(most, 'point')} or less" if least == _LOWEST else f"{least} to {most} points"
    )


# -- points


def _sources(index: Index) -> Iterator[PointSource]:
    found = [line for line in score_lines(index.table) if line.points]
    for line in found:
        yield PointSource(points=line.points, text=line.label)
    if not found:
        yield PointSource(points=None, text="  Nothing counts yet.")
    victory = index.book.scenarios[index.view.scenario].victory
    yield PointSource(points=None, text="")
    if victory.score != _RULE:
        yield PointSource(points=None, text=f"What counts: {victory.score}.")
        return
    yield PointSource(points=None, text="What counts:")
    charts = index.book.charts
    for chart in (charts.vp_awards, charts.vp_deductions):
        for row in chart.values:
            if row.id != _NAVAL_POINT or index.view.scenario == GHOST_SCENARIO:
                yield PointSource(points=chart.value(row.id), text=WORDS[row.id])
