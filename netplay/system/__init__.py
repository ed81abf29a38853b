"""A process's operating-system services: locks, disk, memory, clocks and the host's log."""
