"""Implements the players' side of a match on a network host: a person's session, or a bot in a seat."""
