"""Reports on forces, raids, strikes and searches, as lines for a panel."""

from collections.abc import Sequence

from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.report import Report, reports
from engine.cbps.view import CbpsView
from tui.cbps.wrapping import wrap_lines


def report_lines(
    events: Sequence[CbpsEvent],
    view_before: CbpsView,
    view_after: CbpsView,
    width: int,
    *,
    is_explained: bool = True,
    newest_first: bool = False,
) -> tuple[str, ...]:
    """Return the reports on the events of one command.

    Args:
        events: All events of the command.
        view_before: The view before the command.
        view_after: The view after the command.
        width: Width of the panel in columns.
        is_explained: True to list all chart results and choices below each report.
        newest_first: True to put the latest report first.

    Returns:
        The lines of all reports; empty if there is nothing to report.
    """
    lines: list[str] = []
    command_reports = reports(events, view_before, view_after)
    for report in command_reports[::-1] if newest_first else command_reports:
        lines += wrap_lines(_report_text(report, is_explained=is_explained), width)
    return tuple(lines)


def plan_report_lines(
    events: Sequence[CbpsEvent], view_before: CbpsView, view_after: CbpsView, width: int
) -> tuple[str, ...]:
    """Return the effects of planned commands, latest event first. A strike still in progress has no result yet."""
    lines: list[str] = []
    for report in reversed(reports(events, view_before, view_after)):
        if report.lines and report.kind != "strike":
            lines += wrap_lines(_report_text(report, is_explained=False), width)
    return tuple(lines)


def _report_text(report: Report, *, is_explained: bool) -> list[str]:
    lines = [report.heading, *(f"  {line}" for line in report.lines)]
    if is_explained and report.reasons:
        lines.append("  Why:")
        lines += [f"    {reason}" for reason in report.reasons]
    return lines
