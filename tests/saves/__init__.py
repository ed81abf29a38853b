"""Tests of records and log files."""
