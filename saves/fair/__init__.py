"""Fair play in records: chance that all parties make together, what givers sign, and cards that no host can read."""
