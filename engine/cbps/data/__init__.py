"""Map, counters, charts and scenarios as JSON, with where each value comes from, and their shapes."""
