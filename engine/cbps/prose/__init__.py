"""The sentences of the log, one module per subject."""
