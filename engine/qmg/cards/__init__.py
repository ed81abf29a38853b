"""The interpreter of card effects, which are lists of typed steps (A)."""
