"""Quartermaster General for the screens: words, panels and the area map."""
