"""The pure rules engine: events in, state out; no clock, network, or files other than its own data."""
