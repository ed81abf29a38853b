"""Fold the facts about movement."""

from typing import Final

from msgspec.structs import replace

from engine.eots.events.movement import ActivationLost, LentAspSpent
from engine.eots.state import State, current


def lent_asp_spent(state: State, event: LentAspSpent) -> State:
    """Count points of the offensive that are none of the turn's."""
    record = current(state)
    if event.side is record.side:
        changed = replace(record, asp_spent=record.asp_spent + event.points)
        return replace(state, offensive=changed)
    spent = record.reaction.asp_spent + event.points
    reaction = replace(record.reaction, asp_spent=spent)
    return replace(state, offensive=replace(record, reaction=reaction))


def activation_lost(state: State, event: ActivationLost) -> State:
    """Take a unit out of the reaction."""
    record = current(state)
    left = tuple(unit for unit in record.reaction.activated if unit != event.unit)
    reaction = replace(record.reaction, activated=left)
    return replace(state, offensive=replace(record, reaction=reaction))


FOLDS: Final = {
    LentAspSpent: lent_asp_spent,
    ActivationLost: activation_lost,
}
