"""Implements the player's end of a connection: a seat or spectator that follows a match and sends commands."""
