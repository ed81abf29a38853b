"""The record of a match: file format, hash chain, replay, upcasts and verification."""
