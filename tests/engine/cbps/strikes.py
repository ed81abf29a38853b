"""Strikes in contact, for the tests of section 5."""

from typing import Any

from msgspec.structs import replace

from engine.cbps.frames import FrameBase, LightsFrame, StrikesFrame
from engine.cbps.state import AirUnit, Force, Hull, Mission, State
from tests.engine.cbps.battle import battle, with_frame, with_parts

ESCORTS = ("hornet-f1", "hornet-f2", "yorktown-f1", "yorktown-f2")
ATTACKERS = ("hornet-b1", "hornet-b2", "hornet-t1", "yorktown-b1")
"""Values 7, 7, 8 and 7."""
CARRIERS = {"taiho", "shokaku", "zuikaku", "junyo", "chitose", "chiyoda"}
HEX = "1018"


def strike_state(
    *units: str,
    ships: tuple[str, ...] = ("shokaku", "zuikaku", "cruiser-force-8"),
    scenario: str = "6",
    mission: dict[str, Any] | None = None,
    **force: Any,  # noqa: ANN401 - fields of the force
) -> State:
    """Return a US Air Attack Segment with Strike 1, flown by these units, over force X with these ships."""
    carriers = tuple(ship for ship in ships if ship in CARRIERS)
    fields = {
        "hex": HEX,
        "level": 4 if carriers else 3,
        "chit": "" if carriers else "surface",
        "is_carrier": bool(carriers),
        "detection": "L",
        "raids": 1,
        "first_carriers": carriers,
        **force,
    }
    flight = {"kind": "strike", "hex": fields["hex"], "fuel": 8, "groups": ("58.1",)}
    state = with_parts(
        battle(scenario),
        forces={"X": Force(**fields)},
        hulls={ship: Hull(force="X") for ship in ships},
        missions={"strike-1": Mission(**{**flight, **(mission or {})})},
        units={unit: AirUnit(place="mission", at="strike-1") for unit in units},
    )
    return at(state)


def at(state: State, *frames: FrameBase) -> State:
    """Return a state at frames of the segment. A question about lights follows the segment."""
    lit = replace(state.groups["58.1"], is_lit=True)
    return with_frame(
        with_parts(state, groups={"58.1": lit}), LightsFrame(), StrikesFrame(), *frames
    )
