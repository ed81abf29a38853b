"""The only code that changes the state: one fold for each kind of event, grouped by subject."""
