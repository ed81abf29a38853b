"""Compares flagplot with the best open-source engine of this kind, written in JavaScript, in the user's checkout."""
