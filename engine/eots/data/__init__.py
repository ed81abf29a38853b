"""Game data of Empire of the Sun: map, counters, strategy cards and scenarios in JSON."""
