"""Battles of Empire of the Sun: boards, the forecast, and possible reactions."""
