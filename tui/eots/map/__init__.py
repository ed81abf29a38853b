"""The map of Empire of the Sun: counters, overlays and the scene."""
