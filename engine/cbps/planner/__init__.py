"""Planning aids for the player: fuel, time, light and probabilities, based only on open information.

This package contains no rules. Its numbers come from the match's charts and from the functions that implement the
rules. Probabilities are exact fractions.
"""
