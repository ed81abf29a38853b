"""Bots, which see only views and options."""
