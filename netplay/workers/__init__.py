"""Runs the matches of a host, in this process or in several worker processes."""
