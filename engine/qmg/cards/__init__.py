"""The interpreter of card texts: lists of typed steps (A)."""
