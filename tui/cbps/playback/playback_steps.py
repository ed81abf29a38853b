"""Carrier Battle playback steps: enemy actions, searches, and raids and strikes with their boards."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from engine.cbps.events import air, chance, fleet, japan, raids, search
from engine.cbps.prose.log import describe
from engine.cbps.prose.report import Report, report_spans
from engine.cbps.view import CbpsView
from play.event_history import SeenEvent
from play.log_lines import count_repeats
from tui.cbps.playback.battle_board import COMBAT_CHARTS, BattleBoardBuilder, has_combat
from tui.panels.overlay_pages import BattleBoard
from tui.panels.playback_step import PlaybackStep, unwrapped_events

_NO_RESULT: Final = ("nothing new", "sent nothing")
_MAX_SENTENCES: Final = 4
"""Maximum number of sentences in one step."""
_LOSS_EVENTS: Final = (
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
"""Events that result from a die roll in a battle."""


class _PositionTracker:
    """Tracks each piece's position from event to event."""

    def __init__(self, view_before: CbpsView, view_after: CbpsView) -> None:
        self._hexes: dict[str, str] = {}
        for view in (
            view_after,
            view_before,
        ):  # use `after` only for pieces that are not in `before`
            for pieces in (view.forces, view.raids, view.missions, view.groups, view.searches):
                self._hexes |= {key: getattr(piece, "hex", "") for key, piece in pieces.items()}
            self._hexes |= {ship: piece.hex for ship, piece in view.hulls.items() if piece.hex}
        self._groups = {ship: piece.group for ship, piece in view_before.ships.items()}

    def hex(self, piece: str) -> str:
        """Return the hex of a unit, force or ship; empty if it is not on the map."""
        return self._hexes.get(piece, "") or self._hexes.get(self._groups.get(piece, ""), "")

    def record_move(self, event: Any) -> tuple[str, ...]:  # noqa: ANN401  (any fact)
        """Return the path of a moving unit from its last position, and record its new position."""
        match event:
            case raids.RaidMoved(raid=piece, hexes=hexes):
                path = (self.hex(piece), *hexes)
            case japan.ForceMoved(force=piece, hex=hex) | air.MissionMoved(mission=piece, hex=hex):
                path = (self.hex(piece), hex)
            case fleet.GroupMoved(group=piece, hex=hex):
                path = (self.hex(piece), hex)
            case search.SearchMoved(search=piece, hex=hex, passed=passed):
                path = (self.hex(piece), *passed, hex)
            case raids.RaidPlaced(raid=piece, hex=hex) | japan.ForceArrived(force=piece, hex=hex):
                self._hexes[piece] = hex
                return ()
            case _:
                return ()
        self._hexes[piece] = path[-1]
        return tuple(dict.fromkeys(position for position in path if position))

    def places(self, event: Any) -> Iterator[str]:  # noqa: ANN401  (any fact)
        """Yield the hex of an event, then the hexes of the pieces that it names."""
        for field in ("hex", "force", "raid", "target", "ship", "mission", "group"):
            value = str(getattr(event, field, "") or "")
            position = value if field == "hex" else self.hex(value)
            if position:
                yield position


def playback_steps(
    seen_events: Sequence[SeenEvent], view_before: CbpsView, view_after: CbpsView
) -> tuple[PlaybackStep, ...]:
    """Return the playback steps for the reported events. The player's own orders are omitted, as in the report."""
    events = unwrapped_events(seen_events)
    positions = _PositionTracker(view_before, view_after)
    steps: list[PlaybackStep] = []
    tracked_count = 0
    for start, stop, report in report_spans(events, view_before, view_after):
        if has_no_result(report):
            continue
        # Moves between reports must be recorded too, because a path begins at the piece's last
        # position.
        for event in events[tracked_count:start]:
            positions.record_move(event)
        steps += _report_steps(events[start:stop], start, report, view_before, positions)
        tracked_count = stop
    return tuple(steps)


def has_no_result(report: Report) -> bool:
    """Return whether a report is about an action without a result, such as a search that found nothing."""
    return not report.lines and report.heading.endswith(_NO_RESULT)


def _report_steps(
    events: Sequence[Any],
    start: int,
    report: Report,
    view_before: CbpsView,
    positions: _PositionTracker,
) -> Iterator[PlaybackStep]:
    """Yield the steps of one report: one for each exchange of a battle, and one for the outcome."""
    paths, highlighted, targets = [], dict[str, None](), dict[str, None]()
    is_fight = report.kind in ("raid", "strike") and has_combat(events)
    board_builder = (
        BattleBoardBuilder(report.kind, report.subject, view_before) if is_fight else None
    )
    sentences: list[str] = []
    told_counts: Counter[str] = Counter()
    was_chart = False
    for number, event in enumerate(events):
        path = positions.record_move(event)
        paths += [path] if len(path) > 1 else []
        hexes = targets if isinstance(event, _LOSS_EVENTS) else highlighted
        hexes |= dict.fromkeys(positions.places(event))
        if isinstance(event, air.MissionMoved) and event.why == "wrong-target":
            targets[event.hex] = None  # the battle is in this hex, not where the strike was sent
        if board_builder is None:
            continue
        is_chart = isinstance(event, chance.ChartRead) and event.chart in COMBAT_CHARTS
        # The first roll after a loss starts the next exchange.
        if is_chart and not was_chart and sentences:
            yield _playback_step(
                sentences, start + number, (), dict[str, None](), targets, board_builder.board()
            )
            board_builder.next_exchange()
            told_counts.update(sentences)
            sentences = []
        board_builder.add(event)
        was_chart = is_chart
        if isinstance(event, _LOSS_EVENTS) and (text := describe(event)):
            sentences.append(text)
    lines = [report.heading]
    for line in report.lines:  # earlier steps have already shown some of the sentences
        if told_counts[line]:
            told_counts[line] -= 1
        else:
            lines.append(line)
    battle_board = None if board_builder is None else board_builder.board(report.heading)
    yield _playback_step(
        lines, start + len(events), tuple(paths), highlighted, targets, battle_board
    )


def _playback_step(
    lines: Sequence[str],
    event_count: int,
    paths: tuple[tuple[str, ...], ...],
    highlighted: dict[str, None],
    targets: dict[str, None],
    battle_board: BattleBoard | None,
) -> PlaybackStep:
    sentences = list(count_repeats(lines))
    if len(sentences) > _MAX_SENTENCES:
        sentences = [
            *sentences[: _MAX_SENTENCES - 1],
            f"and {len(sentences) - _MAX_SENTENCES + 1} more",
        ]
    return PlaybackStep(
        text="\n".join(sentences),
        event_count=event_count,
        places=tuple(hex for hex in highlighted if hex not in targets),
        paths=paths,
        targets=tuple(targets),
        page=battle_board,
        duration=1 if battle_board is None else 2,
    )


def report_hexes(
    seen_events: Sequence[SeenEvent], view_before: CbpsView, view_after: CbpsView
) -> Iterator[tuple[Report, str]]:
    """Yield each report with the hex to show, which is empty if the report has no hex."""
    events = unwrapped_events(seen_events)
    positions = _PositionTracker(view_before, view_after)
    tracked_count = 0
    for start, stop, report in report_spans(events, view_before, view_after):
        place = ""
        for number, event in enumerate(events[tracked_count:stop], start=tracked_count):
            positions.record_move(event)
            if number >= start:
                place = next(iter(positions.places(event)), "") or place
        yield report, place
        tracked_count = stop
