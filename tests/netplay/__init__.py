"""Tests of host and peer."""
