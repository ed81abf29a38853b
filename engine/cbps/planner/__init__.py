"""Planning aids for the player: fuel, time, light and probabilities, based only on open information.

This package contains no rules. Its numbers are based on the match's charts and on the functions that implement the
rules. Probabilities are exact fractions.
"""
