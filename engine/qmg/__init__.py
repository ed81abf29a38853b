"""Quartermaster General WW2, second edition, with Total War."""
