"""Computer players. Each sees only the views and options of its own seat."""
