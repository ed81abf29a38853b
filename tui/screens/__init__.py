"""Screens that belong to no game: menu, forms, prompts, lists, help, rules."""
