"""Carrier Battle playback steps: enemy actions, searches, and raids and strikes with their boards."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from engine.cbps.events import air, chance, fleet, japan, raids, search
from engine.cbps.prose.log import describe
from engine.cbps.prose.report import Report, report_spans
from engine.cbps.view import CbpsView
from play.event_history import SeenEvent
from play.log_lines import count_repeats
from tui.cbps.battle_board import COMBAT, BattleBoardBuilder, has_combat
from tui.playback.battle_board import BattleBoard
from tui.playback.step import PlaybackStep, plain_events

_NO_RESULT: Final = ("nothing new", "sent nothing")
_MAX_SENTENCES: Final = 4
"""Maximum number of sentences in one step."""
_LOSSES: Final = (
    air.UnitLost,
    air.UnitAborted,
    raids.RaidReduced,
    raids.RaidAborted,
    raids.RaidEnded,
    japan.CapLost,
    japan.HullHit,
    japan.HullSunk,
    fleet.ShipHit,
    fleet.ShipSunk,
    fleet.FiresChanged,
)
"""Events that result from a battle roll."""


class _PositionTracker:
    """Tracks, event by event, the position of everything that the steps mention."""

    def __init__(self, before: CbpsView, after: CbpsView) -> None:
        self._at: dict[str, str] = {}
        for view in (after, before):  # positions in the earlier view take precedence
            for things in (view.forces, view.raids, view.missions, view.groups, view.searches):
                self._at |= {key: getattr(one, "hex", "") for key, one in things.items()}
            self._at |= {ship: one.hex for ship, one in view.hulls.items() if one.hex}
        self._groups = {ship: one.group for ship, one in before.ships.items()}

    def hex(self, what: str) -> str:
        """Return the hex of a unit, force or ship; empty if it is not on the map."""
        return self._at.get(what, "") or self._at.get(self._groups.get(what, ""), "")

    def record_move(self, event: Any) -> tuple[str, ...]:  # noqa: ANN401  (any fact)
        """Return the path of a moving unit from its last position, and record its new position."""
        match event:
            case raids.RaidMoved(raid=what, hexes=hexes):
                way = (self.hex(what), *hexes)
            case japan.ForceMoved(force=what, hex=hex) | air.MissionMoved(mission=what, hex=hex):
                way = (self.hex(what), hex)
            case fleet.GroupMoved(group=what, hex=hex):
                way = (self.hex(what), hex)
            case search.SearchMoved(search=what, hex=hex, passed=passed):
                way = (self.hex(what), *passed, hex)
            case raids.RaidPlaced(raid=what, hex=hex) | japan.ForceArrived(force=what, hex=hex):
                self._at[what] = hex
                return ()
            case _:
                return ()
        self._at[what] = way[-1]
        return tuple(dict.fromkeys(at for at in way if at))

    def places(self, event: Any) -> Iterator[str]:  # noqa: ANN401  (any fact)
        """Yield the hexes that an event concerns."""
        for field in ("hex", "force", "raid", "target", "ship", "mission", "group"):
            value = str(getattr(event, field, "") or "")
            at = value if field == "hex" else self.hex(value)
            if at:
                yield at


def playback_steps(
    seen_events: Sequence[SeenEvent], before: CbpsView, after: CbpsView
) -> tuple[PlaybackStep, ...]:
    """Return playback steps for what was seen. The player's own orders are omitted, as in the report."""
    events = plain_events(seen_events)
    where = _PositionTracker(before, after)
    found: list[PlaybackStep] = []
    followed = 0
    for start, stop, report in report_spans(events, before, after):
        if has_no_result(report):
            continue
        for event in events[followed:start]:
            where.record_move(event)
        found += _report_steps(events[start:stop], start, report, before, where)
        followed = stop
    return tuple(found)


def has_no_result(report: Report) -> bool:
    """Return whether a report has no result, for example because a search found nothing or a base sent nothing."""
    return not report.lines and report.heading.endswith(_NO_RESULT)


def _report_steps(
    events: Sequence[Any], start: int, report: Report, before: CbpsView, positions: _PositionTracker
) -> Iterator[PlaybackStep]:
    """Yield the steps of one report: each exchange of a battle, then the outcome."""
    paths, lit, targets = [], dict[str, None](), dict[str, None]()
    is_fight = report.kind in ("raid", "strike") and has_combat(events)
    melee = BattleBoardBuilder(report.kind, report.subject, before) if is_fight else None
    told: list[str] = []
    was_read = False
    for number, event in enumerate(events):
        way = positions.record_move(event)
        paths += [way] if len(way) > 1 else []
        marked = targets if isinstance(event, _LOSSES) else lit
        marked |= dict.fromkeys(positions.places(event))
        if isinstance(event, air.MissionMoved) and event.why == "wrong-target":
            targets[event.hex] = None  # the fight is here, not where the strike was sent
        if melee is None:
            continue
        is_read = isinstance(event, chance.ChartRead) and event.chart in COMBAT
        if is_read and not was_read and told:
            yield _playback_step(
                told, start + number, (), dict[str, None](), targets, melee.board()
            )
            melee.next_exchange()
            told = []
        melee.add(event)
        was_read = is_read
        if isinstance(event, _LOSSES) and (text := describe(event)):
            told.append(text)
    lines = [report.heading, *report.lines]
    sheet = None if melee is None else melee.board()
    yield _playback_step(lines, start + len(events), tuple(paths), lit, targets, sheet)


def _playback_step(
    lines: Sequence[str],
    event_count: int,
    paths: tuple[tuple[str, ...], ...],
    highlighted: dict[str, None],
    targets: dict[str, None],
    sheet: BattleBoard | None,
) -> PlaybackStep:
    shown = list(count_repeats(lines))
    if len(shown) > _MAX_SENTENCES:
        shown = [*shown[: _MAX_SENTENCES - 1], f"and {len(shown) - _MAX_SENTENCES + 1} more"]
    return PlaybackStep(
        text="\n".join(shown),
        event_count=event_count,
        places=tuple(at for at in highlighted if at not in targets),
        paths=paths,
        targets=tuple(targets),
        page=sheet,
        duration=1 if sheet is None else 2,
    )


def report_hexes(
    seen_events: Sequence[SeenEvent], before: CbpsView, after: CbpsView
) -> Iterator[tuple[Report, str]]:
    """Yield each report with the hex to show; empty if there is none."""
    events = plain_events(seen_events)
    where = _PositionTracker(before, after)
    followed = 0
    for start, stop, report in report_spans(events, before, after):
        place = ""
        for number, event in enumerate(events[followed:stop], start=followed):
            where.record_move(event)
            if number >= start:
                place = next(iter(where.places(event)), "") or place
        yield report, place
        followed = stop
