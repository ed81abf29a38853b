"""The interpreter for card effects, stored as lists of typed steps (A)."""
