"""Tests of the Empire of the Sun presenter."""
