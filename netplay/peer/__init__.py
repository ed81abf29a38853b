"""The player's side of a connection: a seat that follows a match and sends commands."""
