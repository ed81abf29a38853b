"""Words of the form ``NAME=VALUE`` on the command line."""

from collections.abc import Iterable

import click


def pairs(texts: Iterable[str], option: str = "--option") -> dict[str, str]:
    """Return ``NAME=VALUE`` words as a mapping; of two with one name the later counts.

    Args:
        texts: The words.
        option: The option that they were given with, for the sentence of an error.

    Raises:
        BadParameter: A word has another form.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise click.BadParameter(f"'{text}' is not NAME=VALUE", param_hint=option)
        found[name] = value
    return found
