"""Forms for new games, hosted matches and the player's preferences."""
