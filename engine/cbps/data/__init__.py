"""The game data in JSON (map, counters, charts and scenarios), with schemas and the source of each value."""
