"""Play by turns without a host that everybody reaches: the messages of the network in small files."""
