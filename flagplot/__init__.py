"""The package that is installed. In the wheel it contains all others; in the project folder it only starts them."""

__version__ = "0.1.0"
