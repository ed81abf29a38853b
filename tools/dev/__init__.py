"""Tools for contributors: pages and pictures of the documentation, digests of games."""
