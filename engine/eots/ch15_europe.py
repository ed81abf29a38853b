"""The War in Europe track: its levels and their effects in the Pacific (15)."""

from typing import Final

from engine.eots.scenarios import schedules, war_in_europe_level
from engine.eots.state import State

HIGHEST_FACE: Final = 9
"""Highest possible modified roll for Europe (15.6)."""
CARD_LOSS_LEVEL: Final = 4
"""If a turn begins at this War in Europe level, the Allies lose a card (15.5, 12.52D)."""


def europe_level(state: State) -> int:
    """Return the current level of the War in Europe; 0 means no effect (15.1-15.5)."""
    return war_in_europe_level(state.tracks.war_in_europe)


def moved_marker(marker: int, delta: int) -> int:
    """Return the box of the marker after a move. The marker stops at -7 and +3 (15.7)."""
    track = schedules().tracks.war_in_europe
    return max(track.lowest, min(track.highest, marker + delta))


def delays_reinforcements(state: State) -> bool:
    """Return whether the level delays all of this turn's Allied reinforcements (15.2, 15.3, 15.4, 15.5)."""
    return europe_level(state) > 0


def highest_diverted_face(state: State) -> int | None:
    """Return the highest modified roll that sends a unit to Europe; None if no rolls are made (10.24, 15.2-15.5)."""
    return schedules().reinforcements.europe_roll.highest_face_by_level.get(europe_level(state))


def modified_face(face: int, modifier: int) -> int:
    """Return a modified roll for Europe, clamped to 0-9 (15.6)."""
    return max(0, min(HIGHEST_FACE, face + modifier))


def grants_shipping(state: State) -> bool:
    """Return whether the Allies gain their shipping point this turn (10.31, 15.4, 15.5)."""
    asp = schedules().asp
    return state.turn >= asp.first_turn and europe_level(state) not in asp.no_gain_at_levels


def costs_a_card(state: State) -> bool:
    """Return whether the Allies lose a card because of the level at the start of the turn (12.52D, 15.5)."""
    return war_in_europe_level(state.tracks.war_in_europe_at_turn_start) == CARD_LOSS_LEVEL
