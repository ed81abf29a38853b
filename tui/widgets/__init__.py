"""Widgets that all games and screens share."""
