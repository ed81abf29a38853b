"""The activation cup (3.23)."""

from typing import Final

from engine.cbps.clock import turn_label
from engine.cbps.events.turns import CupFilled
from engine.cbps.force_ids import counters_in_play
from engine.cbps.ids import IWO_JIMA, NO_OP, US_SUBS, YAP
from engine.cbps.rulings import LAND_REINFORCEMENTS, WITHOUT_BOATS, is_on
from engine.cbps.run import Run
from engine.cbps.state import State

PHASES: Final = 4


def fill_cup(run: Run) -> None:
    """Fill the cup with the force and scenario chits, and with No Op chits up to a multiple of four (3.23, 3.24)."""
    chits = [*counters_in_play(run.state), *_other_chits(run.state)]
    chits += [NO_OP] * (-len(chits) % PHASES)
    run.add(CupFilled(chits=tuple(sorted(chits)), per_phase=len(chits) // PHASES))


def _other_chits(state: State) -> list[str]:
    """Return the chits that do not belong to forces (3.22, 16.11, 24.3)."""
    chits = [str(chit) for chit in state.game_data.scenarios[state.scenario].japan.activation_chits]
    if is_on(state, WITHOUT_BOATS) and US_SUBS in chits:
        chits.remove(US_SUBS)
    turn = state.game_data.charts.turn_track.turn(turn_label(state))
    if is_on(state, LAND_REINFORCEMENTS) and turn.land_reinforcement_chits:
        chits += [base for base in (IWO_JIMA, YAP) if base not in state.guam.reinforced]
    return chits
