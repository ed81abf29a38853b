"""Tests of the data files of Empire of the Sun."""
