"""How many sequences of commands a position has: counts that any change of the rules must explain (P4)."""
