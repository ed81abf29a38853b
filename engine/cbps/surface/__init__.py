"""US task groups at sea and surface combat (chapters 6 and 21)."""
