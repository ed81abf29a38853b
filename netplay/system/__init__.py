"""Provides operating-system services: locks, disk tests, memory management, clocks and the host's log."""
