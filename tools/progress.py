"""A bar on a terminal that says how much is done."""

import sys
from typing import Self

import click


class Progress:
    """The bar; nothing where there is no terminal."""

    def __init__(self, length: int, label: str) -> None:
        """Begin a bar.

        Args:
            length: What all is together.
            label: What is being done, in one word.
        """
        self._shown = sys.stderr.isatty()
        if self._shown:
            self._bar = click.progressbar(length=length, label=label, file=sys.stderr)

    def __enter__(self) -> Self:
        """Return the progress."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar off the screen."""
        self.clear()

    def tell(self, count: int) -> None:
        """Draw the bar with so much more done."""
        if self._shown:
            self._bar.update(count)

    def clear(self) -> None:
        """Take the bar off the screen until more is told, and show the cursor that it hides."""
        if self._shown:
            click.echo("\r\x1b[K\x1b[?25h", nl=False, err=True)
