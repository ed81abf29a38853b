"""News since the player's last move, with one line per country, and the end-of-round report."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from engine.qmg import events as ev
from engine.qmg import phrases as say
from engine.qmg.atlas import SPACE
from engine.qmg.ids import FORCES, TEAM_BY_FORCE
from engine.qmg.prose import describe
from engine.qmg.view import QmgView
from play.event_history import SeenEvent
from play.log_lines import count_repeats
from tui.panels.playback_step import News, unwrapped_events

_IMPORTANT_EVENTS: Final = (
    ev.CardPlayed,
    ev.UseDeclared,
    ev.PiecePlaced,
    ev.PieceRemoved,
    ev.AirMoved,
    ev.BattleFought,
    ev.ResourcesReallocated,
    ev.TargetDiscards,
)
"""Events that are included in a country's line of news."""
_PILES_ON_TABLE: Final = ("statuses", "responses")


def news(
    seen_events: Sequence[SeenEvent], view_before: QmgView, view_after: QmgView
) -> tuple[News, ...]:
    """Return the team's losses, the points scored, then each country's actions with the place of the last one."""
    return (
        *_loss_news(seen_events, view_before.role or "", view_before.active),
        *_score_news(view_before, view_after),
        *_country_news(seen_events),
    )


def _loss_news(seen_events: Sequence[SeenEvent], role: str, active_team: str) -> Iterator[News]:
    """Yield a line that lists the pieces that the viewer's team lost to others, with the place of the first piece.

    In an enemy's turn, a loss may be in the record of the viewer's own pass.
    """
    team = TEAM_BY_FORCE.get(role, role)
    lost_pieces = list[ev.PieceRemoved]()
    for seen_event in seen_events:
        event: Any = seen_event.event
        if isinstance(event, ev.TurnBegan):
            active_team = event.country
        elif isinstance(event, ev.PieceRemoved) and TEAM_BY_FORCE.get(event.force) == team:
            is_own_doing = seen_event.is_own and TEAM_BY_FORCE.get(active_team) in (team, None)
            lost_pieces += () if is_own_doing else (event,)
    pieces = ", ".join(
        f"the {say.piece_name(event.force, event.piece)} in {say.space_with_article(event.space)}"
        for event in lost_pieces
    )
    if lost_pieces:
        yield News(f"Your team has lost {pieces}.", lost_pieces[0].space)


def _score_news(view_before: QmgView, view_after: QmgView) -> Iterator[News]:
    changes = (
        ("Axis", view_before.axis_vp, view_after.axis_vp),
        ("Allies", view_before.allies_vp, view_after.allies_vp),
    )
    if any(old_points != new_points for _, old_points, new_points in changes):
        scores = (
            f"{team} {new_points}"
            + (f" ({new_points - old_points:+d})" if new_points != old_points else "")
            for team, old_points, new_points in changes
        )
        yield News(f"Victory points: {', '.join(scores)}")


def _country_news(seen_events: Sequence[SeenEvent]) -> Iterator[News]:
    """Yield one line for each country's turn, including other countries' actions during that turn."""
    sentences, place = list[str](), ""
    for seen_event in seen_events:
        event: Any = seen_event.event
        if isinstance(event, ev.TurnBegan):
            yield from _news_line(sentences, place)
            sentences, place = [], ""
        if seen_event.is_own or not _is_important(event):
            continue
        sentences.append(describe(event))
        space = getattr(event, "space", "")
        place = space if space in SPACE else place
    yield from _news_line(sentences, place)


def _is_important(event: object) -> bool:
    if isinstance(event, ev.CardsMoved):
        return event.to in _PILES_ON_TABLE
    return isinstance(event, _IMPORTANT_EVENTS)


def _news_line(sentences: Sequence[str], place: str) -> Iterator[News]:
    if sentences:
        yield News(" ".join(count_repeats(sentences)), place)


def round_report(seen_events: Sequence[SeenEvent], view_after: QmgView) -> tuple[str, ...]:
    """Return the report on the last completed round: both scores and the sources of points."""
    round_ends = [
        index
        for index, seen_event in enumerate(seen_events)
        if isinstance(seen_event.event, ev.RoundEnded)
    ]
    if not round_ends:
        return ()
    events = unwrapped_events(seen_events[: round_ends[-1] + 1])
    last_event = seen_events[round_ends[-1]].event
    assert isinstance(last_event, ev.RoundEnded)
    axis, allies = (
        points - _points_gained(seen_events[round_ends[-1] :], team)
        for team, points in (("axis", view_after.axis_vp), ("allies", view_after.allies_vp))
    )
    lines = [f"Axis {axis}, Allies {allies}"]
    for team, name in say.TEAM_NAMES.items():
        causes: dict[str, int] = {}
        for event in events:
            if isinstance(event, ev.VpChanged) and event.team == team:
                causes[event.why] = causes.get(event.why, 0) + event.amount
        lines += [
            f"{say.capitalise_first(name)} {_signed_number(causes[cause])}: {_cause(cause)}"
            for cause in causes
        ]
    return (f"End of round {last_event.round}", *lines)


def _points_gained(seen_events: Sequence[SeenEvent], team: str) -> int:
    changes = (event for event in unwrapped_events(seen_events) if isinstance(event, ev.VpChanged))
    return sum(event.amount for event in changes if event.team == team)


def _signed_number(points: int) -> str:
    return f"{points:+d}"


def _cause(cause: str) -> str:
    """Return the reason why points were scored, in the wording of the log."""
    sentence = describe(ev.VpChanged(team="axis", amount=1, why=cause)).rstrip(".")
    words = sentence.partition(" VP ")[2].removeprefix("for ")
    return words if cause in FORCES else words or cause
