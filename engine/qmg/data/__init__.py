"""The game data as JSON files: the map and the cards."""
