"""Runs the program, as the ``flagplot`` command and as ``python -m flagplot``."""

from tools.start import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
