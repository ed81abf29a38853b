"""The game data in JSON: map and cards."""
