"""Players that see views and options only."""
