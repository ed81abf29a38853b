"""Provides operating-system services: locks, disk tests, memory, clocks and the host's log."""
