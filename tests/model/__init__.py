"""Tests of the model of protocol 7."""
