"""What `flagplot bench` measures: one module per group of numbers."""
