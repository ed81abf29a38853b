"""Number of command sequences from a position, which any change of the rules must explain (P4)."""
