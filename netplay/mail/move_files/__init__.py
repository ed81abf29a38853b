"""Defines the text format for sending moves by mail or chat."""
