"""Tests of games being played."""
