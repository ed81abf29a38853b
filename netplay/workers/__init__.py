"""Runs a host's matches, in this process or in several worker processes."""
