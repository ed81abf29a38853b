"""Ruleset of Empire of the Sun."""
