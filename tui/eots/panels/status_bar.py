"""The status bar (turn, tracks, shipping, hands, rivalry) and the steps of an offensive or a turn."""

from typing import Final

from engine.eots.ch16_victory.will import ProgressOfWar
from engine.eots.frames import Phase, TurnFrame
from engine.eots.ids import Side
from engine.eots.view import EotsView
from tui.drawing.colour_roles import TextRole
from tui.eots.index import Index
from tui.eots.texts import turn_name
from tui.panels.status_segments import (
    StatusSegment,
    Steps,
    dot_row,
    proportional_bar,
    status_segment,
)

_MAX_WILL: Final = 10
_LAST_STEP: Final = 14
_OFFENSIVE_TITLES: Final = {Side.ALLIED: "ALLIED OFFENSIVE", Side.JAPAN: "JAPANESE OFFENSIVE"}
_OFFENSIVE_STEPS: Final = (
    ("activate", 1),
    ("move", 2),
    ("declare", 3),
    ("react", 9),
    ("battle", 12),
    ("regroup", _LAST_STEP),
)
"""Short names for groups of steps in an offensive (7.2), each with the number of the group's last step."""
_PHASE_NAMES: Final = {
    Phase.REINFORCEMENT: "reinforce",
    Phase.REPLACEMENT: "replace",
    Phase.STRATEGIC_WARFARE: "strategic war",
    Phase.DEAL: "deal",
    Phase.OFFENSIVES: "offensives",
    Phase.NATIONAL_STATUS: "nations",
    Phase.POLITICAL_WILL: "will",
    Phase.ATTRITION: "attrition",
}


def status_segments(index: Index, heading: str, status: str) -> tuple[StatusSegment, ...]:
    """Return status segments for the turn, current activity, main tracks, inter-service rivalry and connection."""
    view = index.view
    turn, _, activity = heading.partition(" | ")
    is_playing = view.turn > 0 and not view.outcome
    turn_text = f"Turn {view.turn} {turn_name(view.turn)}" if is_playing else turn
    tracks = view.tracks
    parts = [
        status_segment(turn_text, TextRole.HEAD, 2, turn),
        status_segment(activity, TextRole.DIM, 7),
        *_activation_segments(view),
        StatusSegment(
            (
                ("Political Will ", TextRole.DIM),
                *proportional_bar(tracks.political_will, _MAX_WILL, TextRole.SIDE_ONE),
                (f" {tracks.political_will}", TextRole.SIDE_ONE),
            ),
            3,
            ((f"PW {tracks.political_will}", TextRole.SIDE_ONE),),
        ),
        *(_progress_segments(index.progress) if is_playing else ()),
        status_segment(f"WiE {tracks.war_in_europe:+d}", TextRole.PLAIN, 6),
        *_resource_segments(view),
        *([status_segment(status, TextRole.DIM, 4)] if status else []),
        *_rivalry_segments(view),
    ]
    return tuple(parts)


def _progress_segments(progress: ProgressOfWar | None) -> list[StatusSegment]:
    """Return a segment with the number of hexes that the Allies have taken this turn, and the quota (16.47)."""
    if progress is None:
        return []
    taken_count = len(progress.taken)
    count = f"{taken_count}/{progress.quota}" + ("+" if progress.may_rise else "")
    if not progress.missing:
        count += " met"
    elif progress.is_judged:
        count += " missed"
    dots = dot_row(min(taken_count, progress.quota), progress.quota, TextRole.SIDE_ONE)
    return [
        StatusSegment(
            (("Progress ", TextRole.DIM), *dots, (f" {count}", TextRole.SIDE_ONE)),
            3,
            ((f"PoW {count}", TextRole.SIDE_ONE),),
        )
    ]


def _resource_segments(view: EotsView) -> list[StatusSegment]:
    """Return segments for the remaining shipping points and the sizes of both hands."""
    if view.side is None or view.side not in view.sides:
        return []
    own_view, enemy_view = view.sides[view.side], view.sides.get(view.side.enemy)
    asp_remaining = own_view.asp - own_view.asp_used
    hands = f"Hand {own_view.hand}" + (f" v {enemy_view.hand}" if enemy_view is not None else "")
    return [
        StatusSegment(
            (("ASP ", TextRole.DIM), *dot_row(asp_remaining, own_view.asp, TextRole.GOOD)),
            1,
            (
                (
                    f"ASP {asp_remaining}/{own_view.asp}",
                    TextRole.GOOD if asp_remaining else TextRole.WARN,
                ),
            ),
        ),
        status_segment(hands, TextRole.DIM, 5),
    ]


def _activation_segments(view: EotsView) -> list[StatusSegment]:
    """Return a segment with the number of units that the HQ may still activate; empty outside activation (7.21)."""
    offensive = view.offensive
    if offensive is None or offensive.step != 1 or not offensive.limit:
        return []
    activations_left = offensive.limit - len(offensive.activated)
    tone = TextRole.GOOD if activations_left else TextRole.WARN
    return [
        status_segment(
            f"{activations_left} of {offensive.limit} units left",
            tone,
            0,
            f"left {activations_left}/{offensive.limit}",
        )
    ]


def _rivalry_segments(view: EotsView) -> list[StatusSegment]:
    """Return a segment that names the sides with inter-service rivalry; empty if neither side has it (4.32)."""
    names = {Side.ALLIED: "US ISR", Side.JAPAN: "JP ISR"}
    return [
        StatusSegment(((f" {name} ", TextRole.ALERT),), 0, is_last=True)
        for side, name in names.items()
        if side in view.sides and view.sides[side].rivalry
    ]


def steps(view: EotsView) -> Steps | None:
    """Return the steps of the offensive. Outside an offensive, return the steps of the turn; outside a turn, None."""
    offensive = view.offensive
    if offensive is not None and 0 < offensive.step <= _LAST_STEP:
        title = f"{_OFFENSIVE_TITLES[offensive.side]} {offensive.card}  step {offensive.step} of {_LAST_STEP}"
        current_index = next(
            index
            for index, (_, last_step) in enumerate(_OFFENSIVE_STEPS)
            if offensive.step <= last_step
        )
        return Steps(title, tuple(name for name, _ in _OFFENSIVE_STEPS), current_index)
    phase = next((frame.phase for frame in view.frames if isinstance(frame, TurnFrame)), None)
    if phase is None:
        return None
    phases = tuple(_PHASE_NAMES)
    shown_phase = Phase.OFFENSIVES if phase is Phase.INITIATIVE else phase
    current_index = phases.index(shown_phase) if shown_phase in phases else len(phases)
    return Steps(
        f"TURN {view.turn} OF {view.last_turn}", tuple(_PHASE_NAMES.values()), current_index
    )
