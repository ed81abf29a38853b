"""Tests of hosts and peers."""
