"""Battle forecasts from what one side may see: exact chances, and the units that may react (7.25, 7.26, 9.0)."""
