"""Command line, verification and benchmarks."""
