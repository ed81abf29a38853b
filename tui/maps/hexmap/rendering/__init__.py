"""Draws a hex map as lines of styled text, from a scene, a zoom level and a cursor."""
