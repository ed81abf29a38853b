"""Command-line interface, record verification and benchmarks."""
