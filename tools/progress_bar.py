"""A progress bar on stderr."""

import sys
from typing import Self

import click


class ProgressBar:
    """A progress bar, shown only on a terminal."""

    def __init__(self, length: int, label: str) -> None:
        """Show the bar.

        Args:
            length: Total amount of work.
            label: One word that describes the work.
        """
        self._is_visible = sys.stderr.isatty()
        if self._is_visible:
            self._bar = click.progressbar(length=length, label=label, file=sys.stderr)

    def __enter__(self) -> Self:
        """Return the progress bar."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar from the screen."""
        self.clear()

    def advance(self, count: int) -> None:
        """Advance the bar by an amount of work."""
        if self._is_visible:
            self._bar.update(count)

    def clear(self) -> None:
        """Remove the bar until the next update. Show the cursor, which the bar hides."""
        if self._is_visible:
            click.echo("\r\x1b[K\x1b[?25h", nl=False, err=True)
