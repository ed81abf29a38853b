"""Tools for contributors: generated documentation pages and pictures, and digests of games."""
