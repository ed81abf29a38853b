"""What is known about a force, and its removal from play (7.3, 7.21)."""

from typing import Final

from engine.cbps.events.japan import ChitsReturned, CommitmentSet, ForceRemoved
from engine.cbps.force_ids import used_counters
from engine.cbps.forces.ch13_index import commitment_share
from engine.cbps.ids import SIZES, SURFACE
from engine.cbps.run import Run
from engine.cbps.state import Force, State

SURFACE_MAXIMUM: Final = 3
CARRIER_MAXIMUM: Final = 4
FALSE_CONTACT_REASON: Final = "false-contact"
"""The reason recorded when a force turns out not to exist."""
SETTLED_LEVEL: Final = 2
"""The lowest level at which it is known whether a force has carriers (7.33)."""


def is_surface(force: Force) -> bool:
    """Return whether a force counts as a surface force: a Surface chit at level 1, or later no carriers (7.21)."""
    if force.level >= SETTLED_LEVEL:
        return not force.is_carrier
    return force.chit == SURFACE


def is_unknown(force: Force) -> bool:
    """Return whether a force's type is unknown: level 0, or level-1 Small, Medium or Large (7.21)."""
    return force.level == 0 or (force.level == 1 and force.chit in SIZES)


def maximum_level(force: Force) -> int:
    """Return the highest level that a force can reach (7.33). A level-1 Surface force may still have carriers."""
    return (
        SURFACE_MAXIMUM
        if force.level >= SETTLED_LEVEL and not force.is_carrier
        else CARRIER_MAXIMUM
    )


def double_partner(state: State, name: str) -> str:
    """Return the other half of a double force, or an empty string if there is none in play (7.53)."""
    partner = state.forces[name].partner
    return partner if partner in state.forces else ""


def free_letters(state: State) -> tuple[str, ...]:
    """Return the lettered counters that are neither in play nor permanently out of the game (7.1, OP-71).

    A counter with a raid in the air is not free. Neither is a counter whose chit is in the cup, because that chit must
    have no effect (OP-2).
    """
    letters = state.game_data.scenarios[state.scenario].japan.letters
    used_letters = used_counters(state)
    return tuple(letter for letter in letters if letter not in used_letters)


def set_chit_aside(run: Run, name: str) -> None:
    """Set a force's level-1 chit aside (7.36). The historical fleet has no chits from the cup to set aside."""
    force = run.state.forces[name]
    if force.level == 1 and force.chit and not force.historical:
        run.add(ChitsReturned(chits=(force.chit,), is_to_cup=False))


def remove_force(run: Run, force: str, cause: str, *, is_gone: bool = False) -> None:
    """Remove a force from the map. Its counter may arrive again unless ``is_gone`` is set (7.35, OP-71).

    The force's share of the Commitment Index remains (OP-46). A false contact never had a share. The force's lost and
    returning points count as destroyed (10.33).
    """
    share = 0 if cause == FALSE_CONTACT_REASON else commitment_share(run.state, force)
    set_chit_aside(run, force)
    run.add(ForceRemoved(force=force, why=cause, is_gone=is_gone))
    if share:
        state = run.state
        departed_count = state.departed_commitment + share
        run.add(CommitmentSet(index=state.commitment, departed=departed_count, without=force))
