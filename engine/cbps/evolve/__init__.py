"""The only writer of state: one fold per kind of fact, by what the facts are about."""
