"""The course of a scenario: set-up, sequence of play and end (chapters 3 and 15)."""
