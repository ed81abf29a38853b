"""The ruleset of Empire of the Sun."""
