"""The game data as JSON files: map, counters, strategy cards and scenarios."""
