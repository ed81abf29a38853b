"""Screens and dialogs that all games share."""
