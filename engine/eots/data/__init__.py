"""The game data in JSON: map, counters, strategy cards and scenarios."""
