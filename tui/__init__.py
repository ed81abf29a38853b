"""Screens, panels and map drawing."""
