"""The game data, map and cards, in JSON."""
