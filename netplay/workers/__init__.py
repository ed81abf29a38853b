"""The matches of one host, in this process or divided among worker processes."""
