"""Checks of positions from scenario files."""
