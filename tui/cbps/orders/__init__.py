"""Presentation of orders: the option tree, their hexes on the map, warnings, and automatic answers."""
