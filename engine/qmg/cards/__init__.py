"""The interpreter of card texts, which are lists of typed steps (A)."""
