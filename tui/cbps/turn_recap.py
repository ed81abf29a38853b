"""The news since the player's last orders, and the report at the end of a game turn, by cause."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.cbps.damage.ch15_victory import lines as score_lines
from engine.cbps.events import air, fleet, japan, raids, turns
from engine.cbps.planner.moments import table_of
from engine.cbps.prose.names import name
from engine.cbps.prose.report import Report
from engine.cbps.view import CbpsView
from engine.kernel.sentences import counted
from play.event_history import SeenEvent
from tui.cbps.beats import is_in_vain, sighted
from tui.playback.step import News, events_in

_WEIGHTS: Final = {"raid": 0, "strike": 0, "search": 1, "chit": 2}
"""Sort order of the kinds of report. Other kinds come last."""
_WHY_LOST: Final = {
    "combat": "shot down",
    "flak": "shot down by anti-aircraft fire",
    "fuel": "out of fuel",
    "landing": "in landing",
    "no-room": "without a deck to land on",
    "overboard": "pushed overboard",
    "damage": "aboard",
    "sunk": "with their carrier",
}


def news(facts: Sequence[SeenEvent], before: CbpsView, after: CbpsView) -> tuple[News, ...]:
    """Return the score, followed by raids and strikes, search results, and enemy actions."""
    found = [one for one in sighted(facts, before, after) if _tells(one[0])]
    found.sort(key=lambda one: _WEIGHTS.get(one[0].kind, 3))
    return (*_score(before, after), *(News(report.heading, place) for report, place in found))


def _tells(report: Report) -> bool:
    """Return whether a report deserves a line. Forces that stayed and fruitless searches do not."""
    is_told = report.kind in _WEIGHTS and not is_in_vain(report)
    return is_told and " stayed in " not in report.heading


def _score(before: CbpsView, after: CbpsView) -> Iterator[News]:
    if before.victory_points != after.victory_points:
        yield News(f"Victory points {before.victory_points} -> {after.victory_points}")


def turn_report(facts: Sequence[SeenEvent], before: CbpsView, after: CbpsView) -> tuple[str, ...]:
    """Return the gains and losses of the game turn that has just ended, one line per cause."""
    ends = [number for number, one in enumerate(facts) if isinstance(one.event, turns.TurnBegan)]
    if not ends:
        return ()
    during = facts[: ends[-1]]
    lines = (*_scored(before, after), *_us_losses(during), *_enemy_losses(during))
    if not lines:
        return ()
    return (f"End of the turn of {before.day}, {before.time}", *lines)


def _scored(before: CbpsView, after: CbpsView) -> Iterator[str]:
    """Yield the change of the score, followed by each of its lines that has changed (15.1)."""
    if before.victory_points != after.victory_points:
        yield f"Victory points {before.victory_points} -> {after.victory_points}"
    old = {line.what: line.points for line in score_lines(table_of(before))}
    for line in score_lines(table_of(after)):
        change = line.points - old.get(line.what, 0)
        if change:
            yield f"  {change:+d} {line.what}"


def _us_losses(facts: Sequence[SeenEvent]) -> Iterator[str]:
    lost: dict[str, list[str]] = {}
    hits: dict[str, int] = {}
    for event in events_in(facts):
        match event:
            case air.UnitLost(unit=unit, why=why):
                lost.setdefault(_WHY_LOST.get(why, "lost"), []).append(name(unit))
            case fleet.ShipHit(ship=ship, hits=more):
                hits[ship] = hits.get(ship, 0) + more
            case fleet.ShipSunk(ship=ship):
                yield f"{name(ship)} sank"
            case _:
                pass
    for why, units in lost.items():
        yield f"{counted(len(units), 'US unit')} {why}: {', '.join(units)}"
    for ship, number in hits.items():
        yield f"{counted(number, 'hit')} on {name(ship)}"


def _enemy_losses(facts: Sequence[SeenEvent]) -> Iterator[str]:
    points: dict[str, int] = {}
    hits: dict[str, int] = {}
    for event in events_in(facts):
        match event:
            case raids.RaidReduced(raid=raid, fighters=fighters, attackers=attackers):
                points[raid] = points.get(raid, 0) + fighters + attackers
            case japan.CapLost(force=force, points=more):
                points[force] = points.get(force, 0) + more
            case japan.HullHit(ship=ship, hits=more):
                hits[ship] = hits.get(ship, 0) + more
            case japan.HullSunk(ship=ship):
                yield f"{name(ship)} sank"
            case _:
                pass
    for owner, number in points.items():
        yield f"{counted(number, 'Japanese air point')} of {name(owner)} destroyed"
    for ship, number in hits.items():
        yield f"{counted(number, 'hit')} on {name(ship)}"
