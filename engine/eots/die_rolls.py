"""Lists the die rolls that an event reports (1.22)."""

from engine.eots.events.base import EotsEvent
from engine.eots.events.tracks import DieRolled
from engine.kernel.die_rolls import DieRoll


def die_rolls(event: EotsEvent) -> tuple[DieRoll, ...]:
    """Return an event's rolls. A combat roll is reported only once, by its ``DieRolled`` event."""
    if not isinstance(event, DieRolled):
        return ()
    return (
        DieRoll(
            face=event.face,
            modifier=event.modifier,
            rule=event.rule,
            purpose=event.purpose,
            about=event.about,
        ),
    )
