"""The package that is installed. In the project folder, it only starts the program; the wheel holds all packages in it."""

__version__ = "0.1.0"
