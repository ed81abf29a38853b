"""Tests of the screens of Carrier Battle."""
