"""Benchmarks of `flagplot bench`, one module per group of measurements."""
