"""The folds, one module per subject. Each fold applies one kind of event to the state."""
