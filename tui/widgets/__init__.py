"""Widgets shared by all games and screens."""
