"""Implements the player's side of a connection: a seat or spectator that follows a match and sends commands."""
