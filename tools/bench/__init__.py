"""The benchmarks that `flagplot bench` runs, one module per group."""
