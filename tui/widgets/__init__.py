"""Widgets that belong to no game and no screen."""
