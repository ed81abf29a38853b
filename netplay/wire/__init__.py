"""Defines how peers and hosts communicate: messages, size limits, padding, and errors."""
