"""Operating-system services for one process: locks, disk, memory, clocks and the host's log."""
