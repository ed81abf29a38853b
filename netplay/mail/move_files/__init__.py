"""The text format in which moves travel by mail or chat."""
