"""The game data in JSON: the map and the cards."""
