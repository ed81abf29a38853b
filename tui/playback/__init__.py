"""Playback of recent events on the map: steps, cards, battle boards, highlights and news, for any game."""
