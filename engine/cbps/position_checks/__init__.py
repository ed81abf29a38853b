"""Checks positions from scenario files."""
