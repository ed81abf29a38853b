"""One host's matches, in this process or divided among worker processes."""
