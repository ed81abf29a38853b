"""Checks an untrusted position's frames: their order and the names they contain (3)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from engine.cbps import frames as f
from engine.cbps.ids import GUAM
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.seats import commanders
from engine.cbps.state import State
from engine.cbps.strikes.ch05_attack import damage_targets
from engine.kernel.vocabulary import Problem

_SEARCH_FRAMES: Final = (
    f.SearchChoiceFrame,
    f.SearchLaunchFrame,
    f.SearchFlightFrame,
    f.SearchAttemptFrame,
    f.SearchLandingFrame,
    f.SafeReturnFrame,
)
_ALLOWED_OUTER_FRAMES: Final[Mapping[type[f.FrameBase], tuple[type[f.FrameBase], ...]]] = {
    **dict.fromkeys((f.SetupFrame, f.PhaseFrame, f.LightsFrame), (f.TurnFrame,)),
    **dict.fromkeys(_SEARCH_FRAMES, (f.PhaseFrame, f.TurnFrame)),
    **dict.fromkeys(
        (
            f.ActivationFrame,
            f.AirMovementFrame,
            f.OperationsFrame,
            f.InterceptFrame,
            f.JapaneseAttackFrame,
            f.StrikesFrame,
        ),
        (f.PhaseFrame,),
    ),
    **dict.fromkeys((f.SailFrame, f.BoatsFrame), (f.ActivationFrame,)),
    f.SurfaceCombatFrame: (f.ActivationFrame, f.SailFrame),
    f.BoatHitsFrame: (f.BoatsFrame,),
    f.InterceptionFrame: (f.InterceptFrame,),
    f.OverflightFrame: (f.JapaneseAttackFrame,),
    f.ContactFrame: (f.StrikesFrame,),
    f.AimFrame: (f.StrikesFrame, f.ContactFrame),
}
"""The frames that may be directly below each frame on the stack. The turn frame is outermost (3.1)."""
_NameReader = Callable[[Any], Collection[str]]
_ValidNames = Callable[[State], Collection[str]]


def _name_in(field: str) -> _NameReader:
    """Return a function that gets the name in a frame's field. Empty names are skipped."""

    def names(frame: f.FrameBase) -> Collection[str]:
        word: str = getattr(frame, field)
        return (word,) if word else ()

    return names


def _names_in(field: str) -> _NameReader:
    """Return a function that gets all names in a frame's field."""

    def names(frame: f.FrameBase) -> Collection[str]:
        value: Collection[str] = getattr(frame, field)
        return value

    return names


def _landing_names(index: int) -> _NameReader:
    """Return a function that gets the units (0) or carriers (1) in a frame's pending landings."""

    def names(frame: f.FrameBase) -> Collection[str]:
        landings: Any = getattr(frame, "landings", getattr(frame, "left", ()))
        return tuple(landing[index] for landing in landings)

    return names


def _target_names(state: State) -> Collection[str]:
    return {*state.forces, *state.hulls}


def _attackable_names(state: State) -> Collection[str]:
    return {*state.groups, *state.ships, GUAM}


def _hexes(state: State) -> Collection[str]:
    return state.game_data.map.hexes


def _carriers(state: State) -> Collection[str]:
    return [name for name in state.ships if state.game_data.us_ships[name].is_carrier]


def _units_in_search(state: State) -> Collection[str]:
    return [name for name, unit in state.units.items() if unit.place == "search"]


_NAMED_FIELDS: Final[tuple[tuple[type[f.FrameBase], str, _NameReader, _ValidNames], ...]] = (
    (f.SearchFlightFrame, "left", _names_in("left"), lambda state: state.searches),
    (f.SearchFlightFrame, "choices", _names_in("choices"), _hexes),
    (f.SearchFlightFrame, "path", _names_in("path"), _hexes),
    (f.SearchAttemptFrame, "shadow", _name_in("shadow"), lambda state: state.searches),
    (f.SearchAttemptFrame, "force", _name_in("force"), lambda state: state.forces),
    (f.SearchLandingFrame, "left", _names_in("left"), _units_in_search),
    *(
        (kind, "landings", _landing_names(place), known)
        for kind in (f.SearchLandingFrame, f.OperationsFrame)
        for place, known in ((0, lambda state: state.units), (1, _carriers))
    ),
    (f.SafeReturnFrame, "left", _landing_names(0), lambda state: state.units),
    (f.SafeReturnFrame, "left", _landing_names(1), _carriers),
    (f.SafeReturnFrame, "diverted", _names_in("diverted"), lambda state: state.units),
    (f.InterceptFrame, "hexes", _names_in("hexes"), _hexes),
    (f.InterceptFrame, "committed", _names_in("committed"), lambda state: state.missions),
    (f.InterceptionFrame, "mission", _name_in("mission"), lambda state: state.missions),
    (f.InterceptionFrame, "raid", _name_in("raid"), lambda state: state.raids),
    (f.JapaneseAttackFrame, "left", _names_in("left"), lambda state: state.raids),
    (f.OverflightFrame, "raid", _name_in("raid"), lambda state: state.raids),
    (f.OverflightFrame, "target", _name_in("target"), _attackable_names),
    (f.OverflightFrame, "held", _names_in("held"), lambda state: state.ships),
    (f.ContactFrame, "mission", _name_in("mission"), lambda state: state.missions),
    (f.ContactFrame, "targets", _names_in("targets"), _target_names),
    (f.AimFrame, "mission", _name_in("mission"), lambda state: state.missions),
    (f.AimFrame, "target", _name_in("target"), _target_names),
    (f.AimFrame, "ships", _names_in("ships"), lambda state: state.hulls),
    (f.SailFrame, "fights", _names_in("fights"), _hexes),
    (f.BoatsFrame, "done", _names_in("done"), lambda state: state.boats),
    (f.BoatsFrame, "boat", _name_in("boat"), lambda state: state.boats),
    (f.BoatsFrame, "contact", _name_in("contact"), _target_names),
    (f.BoatHitsFrame, "boat", _name_in("boat"), lambda state: state.boats),
    (f.BoatHitsFrame, "force", _name_in("force"), lambda state: state.forces),
    (f.SurfaceCombatFrame, "hex", _name_in("hex"), _hexes),
)
"""The frame fields that contain names, each with a function that gets them and one that returns the valid names."""


@cache
def _required_fields(kind: type[f.FrameBase]) -> tuple[str, ...]:
    """Return the required fields of a frame type, none of which may be empty."""
    return tuple(field.name for field in msgspec.structs.fields(kind) if field.required)


def frame_problems(state: State) -> Iterator[Problem]:
    """Yield the errors in the frames of a state."""
    lower_frame: f.FrameBase | None = None
    for place, frame in enumerate(state.frames):
        path = f"$.frames.{place}"
        if type(lower_frame) not in _ALLOWED_OUTER_FRAMES.get(type(frame), (type(None),)):
            yield path, "this frame cannot be here"
            return
        yield from (
            (f"{path}.{field}", problem) for field, problem in _frame_problems(state, frame)
        )
        if isinstance(frame, f.InterceptionFrame) and not getattr(lower_frame, "hexes", ()):
            yield f"$.frames.{place - 1}.hexes", "no hex is left for the interception (4.52)"
        lower_frame = frame


def _frame_problems(state: State, frame: f.FrameBase) -> Iterator[Problem]:
    for kind, field, words, known_names in _NAMED_FIELDS:
        if isinstance(frame, kind):
            names = known_names(state)
            yield from (
                (field, f"there is no '{word}'") for word in words(frame) if word not in names
            )
    for name in _required_fields(type(frame)):
        if getattr(frame, name) == "":
            yield name, "this must not be empty"
    if isinstance(frame, f.Asking):
        roles = commanders(state)
        yield from (
            ("done", f"there is no seat '{word}'") for word in frame.done if word not in roles
        )
    match frame:
        case f.AimFrame(dice=dice, ships=ships, target=target):
            if len(ships) >= len(dice):
                yield "dice", f"{len(dice)} dice are too few for {len(ships)} targets (5.61)"
            elif not damage_targets(state, target):
                yield "target", f"'{target}' has no ships to aim at (5.61)"
        case f.PhaseFrame(segment=segment) if (
            not 0 <= segment <= len(scenario_rules(state).segments)
        ):
            yield "segment", f"a phase has {len(scenario_rules(state).segments)} segments"
        case f.ActivationFrame(left=activations_left) if activations_left < 0:
            yield "left", "the number of chits to draw cannot be negative"
        case _:
            return
