"""Tests of the hex map."""
