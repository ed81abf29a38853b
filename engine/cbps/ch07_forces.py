"""What is known of a force, and how it leaves play (7.3, 7.21)."""

from typing import Final

from engine.cbps.ch13_index import commitment_share
from engine.cbps.events.japan import ChitsReturned, CommitmentSet, ForceRemoved
from engine.cbps.ids import SIZES, SURFACE
from engine.cbps.run import Run
from engine.cbps.state import Force, State

SURFACE_MAXIMUM: Final = 3
CARRIER_MAXIMUM: Final = 4
FALSE: Final = "false-contact"
"""Why a force leaves play that does not exist."""
SETTLED: Final = 2
"""From this level on it is settled whether a force has carriers (7.33)."""


def is_surface(force: Force) -> bool:
    """Return whether it is known as a surface force: level-1 Surface, level 2-3 surface (7.21)."""
    if force.level >= SETTLED:
        return not force.is_carrier
    return force.chit == SURFACE


def is_unknown(force: Force) -> bool:
    """Return whether it may be anything: level 0, or level-1 Small, Medium or Large (7.21)."""
    return force.level == 0 or (force.level == 1 and force.chit in SIZES)


def maximum_level(force: Force) -> int:
    """Return the highest level that a force may reach (7.33); a level-1 Surface may prove to have carriers."""
    return SURFACE_MAXIMUM if force.level >= SETTLED and not force.is_carrier else CARRIER_MAXIMUM


def partner_of(state: State, name: str) -> str:
    """Return the other half of a double force, empty when there is none in play (7.53)."""
    partner = state.forces[name].partner
    return partner if partner in state.forces else ""


def free_letters(state: State) -> tuple[str, ...]:
    """Return the lettered counters that are not in play, and not out of the game for good (7.1, OP-71).

    One whose chit is still in the cup comes back next turn at the earliest, so that this chit does nothing (OP-2). One
    that still has a raid in the air is not free.
    """
    letters = state.book.scenarios[state.scenario].japan.letters
    flying = [raid.origin for raid in state.raids.values()]
    taken = (*state.forces, *state.gone_letters, *state.cup, *flying)
    return tuple(one for one in letters if one not in taken)


def set_aside(run: Run, name: str) -> None:
    """Set the level-1 chit of a force aside (7.36); the historical fleet has none out of the cup."""
    force = run.state.forces[name]
    if force.level == 1 and force.chit and not force.historical:
        run.add(ChitsReturned(chits=(force.chit,), is_to_cup=False))


def remove_force(run: Run, force: str, why: str, *, is_gone: bool = False) -> None:
    """Take a force from the map; its counter can arrive again unless it is gone for good (7.35, OP-71).

    Its share of the Commitment Index stays (OP-46), except that of a false contact, which never was in it; points
    that it has lost or that are in the air count as lost (10.33).
    """
    share = 0 if why == FALSE else commitment_share(run.state, force)
    set_aside(run, force)
    run.add(ForceRemoved(force=force, why=why, is_gone=is_gone))
    if share:
        state = run.state
        departed = state.departed_commitment + share
        run.add(CommitmentSet(index=state.commitment, departed=departed, without=force))
