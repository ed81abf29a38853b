"""Records, upcasts and log files."""
