"""News since the player's last orders, and the end-of-turn report with losses by cause."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.cbps.damage.ch15_victory import score_lines
from engine.cbps.events import air, fleet, japan, raids, turns
from engine.cbps.planner.moments import state_from_view
from engine.cbps.prose.names import display_name
from engine.cbps.prose.report import Report
from engine.cbps.view import CbpsView
from engine.kernel.sentences import count_noun
from play.event_history import SeenEvent
from tui.cbps.playback.playback_steps import has_no_result, report_hexes
from tui.panels.playback_step import News, unwrapped_events

_NEWS_RANKS: Final = {"raid": 0, "strike": 0, "search": 1, "chit": 2}
"""Sort order of the kinds of report. Kinds not listed here come last."""
_LOSS_CAUSES: Final = {
    "combat": "shot down",
    "flak": "shot down by anti-aircraft fire",
    "fuel": "out of fuel",
    "landing": "on landing",
    "no-room": "without a deck to land on",
    "overboard": "pushed overboard",
    "damage": "aboard",
    "sunk": "with their carrier",
}


def news(
    seen_events: Sequence[SeenEvent], view_before: CbpsView, view_after: CbpsView
) -> tuple[News, ...]:
    """Return the score, followed by raids and strikes, search results, and enemy actions."""
    reports = [
        pair
        for pair in report_hexes(seen_events, view_before, view_after)
        if _is_newsworthy(pair[0])
    ]
    reports.sort(key=lambda pair: _NEWS_RANKS.get(pair[0].kind, 3))
    return (
        *_score_news(view_before, view_after),
        *(News(report.heading, place) for report, place in reports),
    )


def _is_newsworthy(report: Report) -> bool:
    """Return False for reports that the recap omits: forces that did not move, and searches without a result."""
    has_result = report.kind in _NEWS_RANKS and not has_no_result(report)
    return has_result and " stayed in " not in report.heading


def _score_news(view_before: CbpsView, view_after: CbpsView) -> Iterator[News]:
    if view_before.victory_points != view_after.victory_points:
        yield News(f"Victory points {view_before.victory_points} -> {view_after.victory_points}")


def turn_report(
    seen_events: Sequence[SeenEvent], view_before: CbpsView, view_after: CbpsView
) -> tuple[str, ...]:
    """Return the gains and losses of the game turn that has just ended, one line per cause."""
    turn_starts = [
        number
        for number, seen_event in enumerate(seen_events)
        if isinstance(seen_event.event, turns.TurnBegan)
    ]
    if not turn_starts:
        return ()
    # Events after the last turn start belong to the next turn.
    turn_events = seen_events[: turn_starts[-1]]
    lines = (
        *_score_changes(view_before, view_after),
        *_us_losses(turn_events),
        *_enemy_losses(turn_events),
    )
    if not lines:
        return ()
    return (f"End of the turn of {view_before.day}, {view_before.time}", *lines)


def _score_changes(view_before: CbpsView, view_after: CbpsView) -> Iterator[str]:
    """Yield the change in the score, then the entries that changed (15.1)."""
    if view_before.victory_points != view_after.victory_points:
        yield f"Victory points {view_before.victory_points} -> {view_after.victory_points}"
    old_points = {line.label: line.points for line in score_lines(state_from_view(view_before))}
    for line in score_lines(state_from_view(view_after)):
        change = line.points - old_points.get(line.label, 0)
        if change:
            yield f"  {change:+d} {line.label}"


def _us_losses(seen_events: Sequence[SeenEvent]) -> Iterator[str]:
    losses: dict[str, list[str]] = {}
    hits: dict[str, int] = {}
    for event in unwrapped_events(seen_events):
        match event:
            case air.UnitLost(unit=unit, why=loss_cause):
                losses.setdefault(_LOSS_CAUSES.get(loss_cause, "lost"), []).append(
                    display_name(unit)
                )
            case fleet.ShipHit(ship=ship, hits=new_hits):
                hits[ship] = hits.get(ship, 0) + new_hits
            case fleet.ShipSunk(ship=ship):
                yield f"{display_name(ship)} sank"
            case _:
                pass
    for loss_cause, units in losses.items():
        yield f"{count_noun(len(units), 'US unit')} {loss_cause}: {', '.join(units)}"
    for ship, number in hits.items():
        yield f"{count_noun(number, 'hit')} on {display_name(ship)}"


def _enemy_losses(seen_events: Sequence[SeenEvent]) -> Iterator[str]:
    points: dict[str, int] = {}
    hits: dict[str, int] = {}
    for event in unwrapped_events(seen_events):
        match event:
            case raids.RaidReduced(raid=raid, fighters=fighters, attackers=attackers):
                points[raid] = points.get(raid, 0) + fighters + attackers
            case japan.CapLost(force=force, points=amount):
                points[force] = points.get(force, 0) + amount
            case japan.HullHit(ship=ship, hits=amount):
                hits[ship] = hits.get(ship, 0) + amount
            case japan.HullSunk(ship=ship):
                yield f"{display_name(ship)} sank"
            case _:
                pass
    for owner, number in points.items():
        yield f"{count_noun(number, 'Japanese air point')} of {display_name(owner)} destroyed"
    for ship, number in hits.items():
        yield f"{count_noun(number, 'hit')} on {display_name(ship)}"
