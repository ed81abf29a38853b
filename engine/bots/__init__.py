"""Computer players, which see only the views and options of their own seat."""
