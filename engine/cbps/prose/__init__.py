"""Sentences of the log, by what the facts are about."""
