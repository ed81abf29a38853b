"""Playback of recent events on the map, for any game: steps with cards, battle boards and highlights, and pop-ups."""
