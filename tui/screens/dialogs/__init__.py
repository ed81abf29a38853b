"""Dialogs that several screens open: questions, lookups, notes and a minimap."""
