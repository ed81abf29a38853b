"""Playback of recent events on the map, for any game: steps, cards, battle boards, highlights and pop-ups."""
