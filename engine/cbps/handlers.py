"""The handlers of all frame types, and the state machine that calls them (3)."""

from typing import Final

from engine.cbps.air import ch04_missions
from engine.cbps.commands import CbpsCommand
from engine.cbps.decks import ch06_operations, ch06_safe_return
from engine.cbps.raids import ch04_interception, ch05_raid_attack
from engine.cbps.run import Run
from engine.cbps.search import ch08_attempts, ch08_flight, ch08_landing, ch08_search
from engine.cbps.sequence import ch03_sequence, ch03_setup
from engine.cbps.state import State
from engine.cbps.strikes import ch05_attack, ch05_contact, ch05_strikes
from engine.cbps.submarines import ch14_attack, ch14_contact
from engine.cbps.surface import ch06_sailing, ch21_surface_combat
from engine.kernel.machine import Machine

MACHINE: Final[Machine[State, CbpsCommand, Run, str]] = Machine(
    (
        *ch03_sequence.HANDLERS,
        *ch03_setup.HANDLERS,
        *ch04_interception.HANDLERS,
        *ch04_missions.HANDLERS,
        *ch05_attack.HANDLERS,
        *ch05_contact.HANDLERS,
        *ch05_raid_attack.HANDLERS,
        *ch05_strikes.HANDLERS,
        *ch06_operations.HANDLERS,
        *ch06_safe_return.HANDLERS,
        *ch06_sailing.HANDLERS,
        *ch08_attempts.HANDLERS,
        *ch08_flight.HANDLERS,
        *ch08_landing.HANDLERS,
        *ch08_search.HANDLERS,
        *ch14_attack.HANDLERS,
        *ch14_contact.HANDLERS,
        *ch21_surface_combat.HANDLERS,
    ),
    str,
)
"""The state machine of the game, with one handler per frame type."""
