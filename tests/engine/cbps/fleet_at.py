"""A quiet fleet in 1108 with all aircraft in their hangars, from which tests of chapters 4, 6, 17 and 22 start."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from engine.cbps.frames import (
    AirMovementFrame,
    FrameBase,
    OperationsFrame,
    SafeReturnFrame,
    SailFrame,
    SetupFrame,
)
from engine.cbps.ids import Segment
from engine.cbps.state import AirUnit, Group, Mission, State, UsShip
from tests.engine.cbps.battle import BOOK, battle

HOME = "1108"
PARKED = SetupFrame()
"""A frame below the one under test. It asks a question, so that the run stops when the frame under test ends."""
DUSK = (10, 2)
NIGHT = (11, 1)
"""Turn and phase of the scenarios that begin on 19 June."""

Units = Mapping[str, str]
"""Location of units: ``ready``, on its own carrier; ``landed:wasp``; a mission such as ``strike-1``; ``gone``."""


def fleet(
    frame: FrameBase,
    *,
    segment: Segment,
    scenario: str = "6",
    at: tuple[int, int] = (0, 1),
    units: Units | None = None,
    missions: Mapping[str, Mission] | None = None,
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    ships: Mapping[str, Mapping[str, Any]] | None = None,
    options: Mapping[str, str] | None = None,
) -> State:
    """Return a fleet at a frame. Without changes, all aircraft are in the hangars of TF 58 in 1108."""
    chosen = {name.replace("-", "_"): value for name, value in (options or {}).items()}
    state = battle(scenario, **chosen)
    placed = {
        name: AirUnit(place="hangar", at=BOOK.air_units[name].carrier) for name in state.units
    }
    for name, where in (units or {}).items():
        place, _, carrier = where.partition(":")
        if place in {"ready", "landed", "servicing", "hangar"}:
            at_carrier = carrier or BOOK.air_units[name].carrier
            placed[name] = AirUnit(place=place, at=at_carrier)  # type: ignore[arg-type]  # one of its words
        elif place in {"gone", "lost"}:
            placed[name] = AirUnit(place=place)  # type: ignore[arg-type]  # one of its words
        else:
            placed[name] = AirUnit(place="mission", at=where)
    return replace(
        state,
        turn=at[0],
        phase=at[1],
        segment=segment,
        units=placed,
        missions=dict(missions or {}),
        groups={
            **state.groups,
            **{
                name: replace(state.groups.get(name, Group(hex=HOME)), **fields)
                for name, fields in (groups or {}).items()
            },
        },
        ships={
            **state.ships,
            **{
                name: replace(state.ships.get(name, UsShip()), **fields)
                for name, fields in (ships or {}).items()
            },
        },
        frames=(PARKED, frame),
    )


def operations(**fields: Any) -> State:  # noqa: ANN401  # those of fleet
    """Return a fleet in the US Air Operations Segment."""
    return fleet(OperationsFrame(), segment="operations", **fields)


def air_movement(**fields: Any) -> State:  # noqa: ANN401  # those of fleet
    """Return a fleet in the US Air Movement Segment."""
    return fleet(AirMovementFrame(), segment="us-air-movement", **fields)


def us_move(**fields: Any) -> State:  # noqa: ANN401  # those of fleet
    """Return a fleet whose US Move chit has been drawn."""
    return fleet(SailFrame(), segment="activation", **fields)


def safe_return(*landings: tuple[str, str, int], **fields: Any) -> State:  # noqa: ANN401  # those of fleet
    """Return a fleet whose landings wait for their rolls."""
    return fleet(SafeReturnFrame(left=landings), segment="operations", **fields)


def strike(hex: str = HOME, **fields: Any) -> Mission:  # noqa: ANN401  # those of Mission
    """Return a strike of TG 58.1 with fuel 10."""
    return Mission(**{"kind": "strike", "hex": hex, "fuel": 10, "groups": ("58.1",), **fields})


def intercept(hex: str = HOME, **fields: Any) -> Mission:  # noqa: ANN401  # those of Mission
    """Return an intercept mission of TG 58.1 with fuel 10."""
    return Mission(**{"kind": "intercept", "hex": hex, "fuel": 10, "groups": ("58.1",), **fields})


def cap(group: str = "58.1") -> Mission:
    """Return a CAP mission in its box."""
    return Mission(kind="intercept", cap=group, groups=(group,))
