"""Defines the text format in which moves are sent by mail or chat."""
