"""Revealing a Japanese force level by level: chits, ships and the Commitment Test (chapters 7 and 13)."""
