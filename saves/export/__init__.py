"""Exports records as tables, with one row per game, command, event, die roll, decision or result."""
