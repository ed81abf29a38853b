"""Reports on the events of one command, one per force, raid, strike and search.

A report has a heading, a sentence for each result, and the reasons: every chart result and random pick.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from engine.cbps.events import air, boats, chance, fleet, japan, raids, search, turns
from engine.cbps.events.base import CbpsEvent
from engine.cbps.frames import AimFrame, InterceptionFrame, OverflightFrame
from engine.cbps.ids import GUAM, IWO_JIMA, NO_OP, US_MOVE, US_SUBS, YAP
from engine.cbps.prose.headings import (
    base_heading,
    force_heading,
    raid_heading,
    search_heading,
    strike_heading,
)
from engine.cbps.prose.log import describe
from engine.cbps.prose.turns import segment_name
from engine.cbps.view import CbpsView

_EXPLAINING_EVENTS: Final = (chance.ChartRead, chance.Chosen, chance.DieRolled)
"""Events that explain a result."""
_OWN_MOVES: Final = ("launch", "raise", "service", "store", "lower", "land", "split", "setup")
_BOOKKEEPING: Final = (
    air.MissionFormed,
    air.MissionJoined,
    air.MissionMoved,
    air.FuelSpent,
    air.MissionFlipped,
    air.MissionEnded,
    air.AttemptMade,
    air.MissionFought,
    search.SearchLaunched,
    search.SearchMoved,
    search.SearchTried,
    search.SearchEnded,
    fleet.GroupMoved,
    fleet.GroupDetached,
    fleet.GroupFormed,
    fleet.GroupOperates,
    fleet.GroupMarked,
    fleet.LightsSwitched,
    fleet.ShipDetached,
    boats.BoatPlaced,
    boats.BoatShadows,
    japan.BoxesShifted,
    turns.TurnBegan,
    turns.PhaseBegan,
    turns.SegmentBegan,
    turns.ChitDrawn,
    turns.CupFilled,
    turns.MissionDieSet,
    turns.SearchDeclared,
    turns.PointsCounted,
)
"""Events that reports omit because the player ordered them, a heading covers them, or they are bookkeeping."""
_RAID_SEGMENTS: Final = ("japanese-attack", "intercept")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A report on what happened to one force, raid, strike, search or other subject."""

    heading: str
    lines: tuple[str, ...] = ()
    """One sentence for each result."""
    kind: str = ""
    """The kind of subject: ``chit``, ``raid``, ``strike``, ``search``, ``segment`` or ``turn``."""
    subject: str = ""
    """Name of the subject. Reports on a strike or search also name its target, as in ``strike-1>A``."""
    reasons: tuple[str, ...] = ()
    """The charts and random picks that led to the result. ``(assumed)`` marks cells that the rulebook leaves open."""


class _EventGroup:
    """The events about one subject."""

    def __init__(self, kind: str, subject: str) -> None:
        self.kind = kind
        self.subject = subject
        self.events: list[CbpsEvent] = []


def reports(
    events: Sequence[CbpsEvent], view_before: CbpsView, view_after: CbpsView
) -> tuple[Report, ...]:
    """Return the reports on one command, in order.

    Args:
        events: All events of the command.
        view_before: The view before the command.
        view_after: The view after the command.

    Returns:
        The reports. Empty if the command had no further effects.
    """
    return tuple(report for _, _, report in report_spans(events, view_before, view_after))


def report_spans(
    events: Sequence[CbpsEvent], view_before: CbpsView, view_after: CbpsView
) -> Iterator[tuple[int, int, Report]]:
    """Yield each report with the start and end index of its events."""
    stop = 0
    for part in _event_groups(events, view_before):
        start, stop = stop, stop + len(part.events)
        report = _build_report(part, view_before, view_after)
        if report is not None:
            yield start, stop, report


def _event_groups(events: Sequence[CbpsEvent], view_before: CbpsView) -> list[_EventGroup]:
    """Divide the events into groups, each about one force, raid, strike, search or segment."""
    raids_seen = set(view_before.raids)
    segment = view_before.segment
    parts = [_EventGroup(*_open_group(view_before))]
    for event in events:
        if isinstance(event, raids.RaidPlaced):
            raids_seen.add(event.raid)
        if isinstance(event, turns.SegmentBegan):
            segment = event.segment
        opened_group = _group_opened_by(event, segment, raids_seen)
        if opened_group is not None and opened_group != (parts[-1].kind, parts[-1].subject):
            parts.append(_EventGroup(*opened_group))
        parts[-1].events.append(event)
    return parts


def _open_group(view_before: CbpsView) -> tuple[str, str]:
    """Return the kind and subject of the group that was in progress when the command was given."""
    match view_before.frames[-1] if view_before.frames else None:
        case AimFrame(mission=mission, target=target):
            return "strike", f"{mission}>{target}"
        case InterceptionFrame(raid=raid) | OverflightFrame(raid=raid):
            return "raid", raid
        case _:
            return "segment", view_before.segment


def _group_opened_by(
    event: CbpsEvent, segment: str, raids_seen: set[str]
) -> tuple[str, str] | None:
    """Return the kind and subject of the group that an event begins, or None if it begins no group."""
    match event:
        case turns.ChitDrawn(chit=chit):
            return "chit", chit
        case turns.SegmentBegan(segment=begun):
            return "segment", begun
        case turns.TurnBegan(label=label):
            return "turn", label
        case search.SearchTried(search=name, force=force, is_left_out=False):
            return "search", f"{name}>{force}"
        case air.AttemptMade(mission=mission, target=target):
            return "strike", f"{mission}>{target}"
        case _:
            raid = getattr(event, "raid", "") or getattr(event, "about", "")
            if segment in _RAID_SEGMENTS and raid in raids_seen:
                return "raid", raid
            return None


def _build_report(group: _EventGroup, view_before: CbpsView, view_after: CbpsView) -> Report | None:
    heading, shown_events = _heading(group, view_before, view_after)
    lines = tuple(_report_sentences(group.events, shown_events))
    reasons = tuple(_reason_lines(group.events))
    is_named = group.kind in ("segment", "turn") or group.subject in (NO_OP, US_MOVE, US_SUBS)
    if not lines and (is_named or not heading):
        return None
    return Report(
        heading=heading or group.subject,
        lines=lines,
        kind=group.kind,
        subject=group.subject,
        reasons=reasons,
    )


def _heading(
    group: _EventGroup, view_before: CbpsView, view_after: CbpsView
) -> tuple[str, tuple[CbpsEvent, ...]]:
    """Return a group's heading, and the events that it covers."""
    match group.kind:
        case "chit" if group.subject in (NO_OP, US_MOVE, US_SUBS):
            return group.subject, ()
        case "chit" if group.subject in (GUAM, IWO_JIMA, YAP):
            return base_heading(group.subject, group.events, view_before)
        case "chit":
            return force_heading(group.subject, group.events, view_before, view_after)
        case "raid":
            return raid_heading(group.subject, group.events, view_before), ()
        case "strike":
            mission, _, target = group.subject.partition(">")
            return strike_heading(mission, target, group.events, view_before), ()
        case "search":
            name, _, force = group.subject.partition(">")
            return search_heading(name, force, group.events, view_before), tuple(
                event for event in group.events if isinstance(event, japan.Detected)
            )
        case "turn":
            return f"The turn of {group.subject}", ()
        case _:
            return segment_name(group.subject) or "What happened", ()


def _report_sentences(
    events: Sequence[CbpsEvent], shown_events: tuple[CbpsEvent, ...]
) -> Iterator[str]:
    for event in events:
        if isinstance(event, (*_EXPLAINING_EVENTS, *_BOOKKEEPING)) or any(
            event is event_shown for event_shown in shown_events
        ):
            continue
        if isinstance(event, air.UnitMoved) and event.why in _OWN_MOVES:
            continue
        if isinstance(event, japan.PointsMoved) and event.source:
            continue
        if text := describe(event):
            yield text


def _reason_lines(events: Sequence[CbpsEvent]) -> Iterator[str]:
    for event in events:
        if isinstance(event, _EXPLAINING_EVENTS) and (text := describe(event)):
            yield f"{text} [T:{event.chart}]" if isinstance(event, chance.ChartRead) else text
