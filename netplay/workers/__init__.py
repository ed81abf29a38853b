"""Runs a host's matches, either in the host's own process or in several worker processes."""
