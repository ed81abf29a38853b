"""Battle forecasts based on one side's view: exact probabilities, and the units that may react (7.25, 7.26, 9.0)."""
