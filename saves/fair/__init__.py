"""Fair play: what lets a match do without a host that everybody trusts."""
