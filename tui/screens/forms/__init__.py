"""Forms: for a new match, for a hosted one, and for the player's preferences."""
