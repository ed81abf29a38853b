"""The Empire of the Sun map: counters, overlays and the scene."""
