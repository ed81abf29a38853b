"""The folds, which apply each kind of event to the state, one module per subject."""
