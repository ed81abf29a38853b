"""Map, counters, charts and scenarios as JSON files with the origin of each value, and their schemas."""
