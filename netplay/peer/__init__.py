"""The player's end of a connection: a seat that follows a match and sends commands."""
