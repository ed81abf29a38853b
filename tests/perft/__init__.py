"""Counts of command sequences from positions. Any change in a count must be explained by a rule change (P4)."""
