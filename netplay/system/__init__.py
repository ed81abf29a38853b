"""What one process asks of its machine: locks, disk, memory, clocks and the log of the host."""
