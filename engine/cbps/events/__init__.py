"""Every event of the game, grouped by subject; the state is a fold of these events."""
