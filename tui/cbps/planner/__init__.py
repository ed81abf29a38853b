"""The planner: shows the likely results of a strike, search, mission or raid before the player decides."""
