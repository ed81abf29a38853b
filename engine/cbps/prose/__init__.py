"""The log sentences, grouped by what the events are about."""
