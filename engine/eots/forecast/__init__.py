"""Forecasts of battles from what one side may see: exact chances, and which units may react (7.25, 7.26, 9.0)."""
