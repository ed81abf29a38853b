"""The interpreter for card effects, which are stored as lists of typed steps (A)."""
