"""The folds, one module per subject. Each applies one kind of event to the state."""
