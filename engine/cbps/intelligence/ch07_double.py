"""Double forces: counters that turn out to be two forces (7.5)."""

from engine.cbps.events.japan import ChitTaken, Detected, DoubleFormed, ForceArrived, LevelChanged
from engine.cbps.force_ids import arriving_force
from engine.cbps.forces.ch07_forces import free_letters
from engine.cbps.forces.ch13_index import commitment_threshold
from engine.cbps.ids import CARRIER, DOUBLE_FORCE, FALSE_CONTACT
from engine.cbps.rulings import SECOND_HALF
from engine.cbps.run import Run

DRAW_AGAIN = ""


def resolve_double_force(run: Run, force: str) -> str:
    """Resolve a Double Force chit drawn for a level-0 force (7.52-7.56, 13.221).

    Halves take no Commitment Test here (OP-70), and the caller recomputes the Commitment Index.

    Returns:
        The chit that counts instead. ``Double Force`` means that there are now two forces, both at level 1. ``False
        Contact`` means that the limit has been reached (7.55). ``Carrier`` means that the index is above the threshold,
        that no counter is free, or that the second double force needs a Carrier chit and the cup has none.
        :data:`DRAW_AGAIN` means that there have already been two double forces (7.56).
    """
    state = run.state
    if state.limit_reached:
        return FALSE_CONTACT
    if not state.double_chits:
        return DRAW_AGAIN
    if state.commitment > commitment_threshold(state):
        return CARRIER
    letters = free_letters(state)
    has_carrier = state.level_1_cup.get(CARRIER, 0) > 0
    if not letters or (len(state.double_chits) == 1 and not has_carrier):
        return CARRIER
    _form_double_force(run, force, letters[0])
    return DOUBLE_FORCE


def _form_double_force(run: Run, force: str, letter: str) -> None:
    """Place the second half in the same hex and give each half one of two chits at random (7.52, 7.54)."""
    pile = list(run.state.double_chits)
    partner = arriving_force(run.state, letter)
    if len(pile) == 1:
        run.add(ChitTaken(chit=CARRIER, force=partner))
        pile.append(CARRIER)
    drawn_forces: list[str] = []
    for name in (force, partner):
        drawn_forces.append(run.pick(pile, "7.52", name) if len(set(pile)) > 1 else pile[0])
        pile.remove(drawn_forces[-1])
    remaining_chits = tuple(pile)
    hex = run.state.forces[force].hex
    run.add(ForceArrived(force=letter, hex=hex, partner=force))
    run.add(DoubleFormed(force=force, partner=partner, chits=remaining_chits))
    detection = run.state.forces[force].detection
    if detection and SECOND_HALF.uses_alternative(run.state.options):
        run.add(Detected(force=partner, detection=detection, why="search"))
    for name, chit in zip((force, partner), drawn_forces, strict=True):
        run.add(LevelChanged(force=name, level=1, chit=chit, is_carrier=chit == CARRIER))
