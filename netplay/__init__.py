"""Messages, host and peer."""
