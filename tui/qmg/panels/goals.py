"""Quartermaster General victory conditions: the lead, the score after the last round, and point sources (12)."""

from collections.abc import Iterator
from typing import Final

from engine.kernel.sentences import count_noun
from engine.qmg import phrases as say
from engine.qmg.atlas import names
from engine.qmg.ch12_victory import WINNING_LEAD
from engine.qmg.ids import ALLIES, ARMY, AXIS, MEMBERS, ROUNDS, TEAM_BY_FORCE, TEAMS, other_team
from engine.qmg.view import QmgView
from tui.drawing.colour_roles import TextRole
from tui.panels.goals import GoalParty, Goals, GoalState, PointSource, Requirement, WinningCondition
from tui.qmg.index import Index
from tui.qmg.texts import TEAM_TITLES

_TONES: Final = {AXIS: TextRole.SIDE_TWO, ALLIES: TextRole.SIDE_ONE}


def goals(index: Index) -> Goals:
    """Return the victory conditions of both teams, with the current score."""
    view = index.view
    return Goals(
        parties=tuple(
            GoalParty(
                title=f"How the {TEAM_TITLES[team]} win",
                tone=_TONES[team],
                aims=tuple(_aims(view, team)),
            )
            for team in TEAMS
        ),
        title="Next Victory step of each country (12.1)",
        sources=tuple(_sources(index)),
        notes=tuple(_notes(view)),
    )


def _aims(view: QmgView, team: str) -> Iterator[WinningCondition]:
    points = {AXIS: view.axis_vp, ALLIES: view.allies_vp}
    point_lead = points[team] - points[other_team(team)]
    title, other_title = TEAM_TITLES[team], TEAM_TITLES[other_team(team)]
    has_won = point_lead >= WINNING_LEAD
    missing_text = "" if has_won else f"{WINNING_LEAD - point_lead} missing"
    count = Requirement(
        now=_lead_text(point_lead), missing=missing_text, filled=(max(point_lead, 0), WINNING_LEAD)
    )
    yield WinningCondition(
        text=f"A lead of {WINNING_LEAD} points",
        when="after any round",
        rule="12.4",
        counts=(count,),
        state=GoalState.MET if has_won else GoalState.OPEN,
    )
    required_lead = 0 if team == AXIS else 1
    is_ahead = point_lead >= required_lead
    text = "More points or a tie" if team == AXIS else "More points"
    current_text = f"{title} {points[team]}, {other_title} {points[other_team(team)]}"
    missing_text = "" if is_ahead else f"{count_noun(required_lead - point_lead, 'point')} missing"
    yield WinningCondition(
        text=text,
        when=f"after round {ROUNDS}",
        rule="12.5",
        counts=(Requirement(now=current_text, missing=missing_text),),
        state=GoalState.MET if is_ahead else GoalState.OPEN,
    )


def _lead_text(point_lead: int) -> str:
    if point_lead > 0:
        return f"{point_lead} ahead"
    return f"{-point_lead} behind" if point_lead else "level"


def _sources(index: Index) -> Iterator[PointSource]:
    view = index.view
    for team in TEAMS:
        forces = [force for force in MEMBERS[team] if force in index.forces()]
        total = sum(view.points.get(force, 0) for force in forces if not _is_invaded(index, force))
        yield PointSource(points=None, text=f"The {TEAM_TITLES[team]}: {total} in a round")
        for force in forces:
            yield _source(index, force)


def _source(index: Index, force: str) -> PointSource:
    title = say.capitalise_first(say.force_name(force))
    if _is_invaded(index, force):
        home = ", ".join(map(say.space_name, names(index.analysis.home_spaces(force))))
        return PointSource(points=0, text=f"{title}: none while an enemy Army is in {home} (12.2)")
    occupied_hexes_found = [
        space for space in names(index.analysis.supply_spaces(force)) if index.pieces(space, ARMY)
    ]
    scoring = [
        (space, index.points(force, space))
        for space in occupied_hexes_found
        if _has_army(index, force, space)
    ]
    spaces = ", ".join(f"{say.space_name(space)} {points}" for space, points in scoring if points)
    text = f"{title}: {spaces}" if spaces else title
    return PointSource(points=index.view.points.get(force, 0), text=text)


def _has_army(index: Index, force: str, space: str) -> bool:
    return any(piece.force == force for piece in index.pieces(space, ARMY))


def _is_invaded(index: Index, force: str) -> bool:
    """Return whether a force skips its Victory step because an enemy Army is in its Home (12.2)."""
    return any(
        TEAM_BY_FORCE[piece.force] != TEAM_BY_FORCE[force]
        for space in names(index.analysis.home_spaces(force))
        for piece in index.pieces(space, ARMY)
    )


def _notes(view: QmgView) -> Iterator[str]:
    remaining_rounds = ROUNDS - view.round
    remaining_text = (
        f"{count_noun(remaining_rounds, 'round')} left"
        if remaining_rounds > 0
        else "the last round"
    )
    yield f"Round {view.round} of {ROUNDS}, {remaining_text}. Statuses add points to the Victory step (12.1)."
