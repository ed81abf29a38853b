"""Implements the players' side of a match on a network host: sessions for people, and bots in seats."""
