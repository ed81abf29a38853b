"""Fair play in records: chance that all parties make together, and commands and consents that their givers sign."""
