"""Provides services that depend on the operating system: locks, disk tests, memory, clocks and the host's log."""
