"""States in which searches fly, for the tests of sections 8 and 18."""

from msgspec.structs import replace

from engine.cbps.frames import BoatsFrame, FrameBase, SearchAttemptFrame, SearchFlightFrame
from engine.cbps.state import Search, State
from tests.engine.cbps.battle import battle, with_frame, with_parts

HOME = "1215"
"""A hex in the middle of the map, so that no search leaves it."""
_RADIUS = {"standard": "1225", "long": "1227", "narrow": "1229"}
"""Radius hexes to the west of `HOME`, by kind of search."""


def fleet(hex_id: str = HOME, scenario: str = "6", **options: str) -> State:
    """Return a scenario with every task group in one hex."""
    state = battle(scenario, **options)
    return moved(state, hex_id)


def moved(state: State, hex_id: str, *groups: str) -> State:
    """Return a state with task groups in a hex; all of them by default."""
    names = groups or tuple(state.groups)
    changed = {name: replace(state.groups[name], hex=hex_id) for name in names}
    return with_parts(state, groups=changed)


def carrier(state: State, name: str, **fields: object) -> State:
    """Return a state with changes to a carrier."""
    return with_parts(state, ships={name: replace(state.ships[name], **fields)})


def unit(state: State, name: str, **fields: object) -> State:
    """Return a state with changes to an air unit."""
    return with_parts(state, units={name: replace(state.units[name], **fields)})


def searching(state: State, *units: str, name: str = "search-1", **fields: object) -> State:
    """Return a state with a search of these units, by default a newly launched standard search to the west."""
    start = Search(kind="standard", origin=HOME, group="58.1", hex=HOME, bearing=270)
    search = replace(start, **fields)
    if not search.radius:
        search = replace(search, radius=_RADIUS[search.kind])
    state = with_parts(state, searches={name: search})
    for one in units or ("hornet-b1",):
        state = unit(state, one, place="search", at=name)
    return state


def at_flight(state: State) -> State:
    """Return a state in which the searches are about to move."""
    return with_frame(state, *_under(SearchFlightFrame(left=tuple(state.searches))))


def at_attempts(state: State) -> State:
    """Return a state in which the searches try to find forces."""
    return with_frame(state, *_under(SearchAttemptFrame()))


def _under(frame: FrameBase) -> tuple[FrameBase, ...]:
    return (BOTTOM, frame)


BOTTOM = BoatsFrame()
"""A frame below the one under test. It asks a question, so that the run stops there."""
