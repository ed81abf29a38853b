"""The commands `flagplot` and `flagplot-check`, the benchmarks, and tools for contributors."""
