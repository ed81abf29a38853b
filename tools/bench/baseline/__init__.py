"""Compares flagplot with the best open-source engine of its kind. That engine is run from the user's checkout."""
