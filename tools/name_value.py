"""Parses ``NAME=VALUE`` arguments."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import click

_BOT: Final = "--bot"
_FORMS: Final = {_BOT: ("ROLE", "BOT")}
"""Placeholders around the equals sign, by option. All other options use NAME and VALUE."""


def parse_pairs(texts: Iterable[str], option: str = "--option") -> dict[str, str]:
    """Parse ``NAME=VALUE`` arguments into a mapping.

    Args:
        texts: The arguments.
        option: The option to name in error messages.

    Raises:
        BadParameter: An argument is malformed (the message shows the correct form), or a name has two values.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        role_pairs = tuple(_split_roles(text)) if option == _BOT else ()
        if option == _BOT and text.isalpha():
            _check_not_misspelt_bot(text)
        if role_pairs or not equals or not name or not value:
            form = "=".join(_FORMS.get(option, ("NAME", "VALUE")))
            correction = _correct_form(text, option)
            if role_pairs:
                correction = f"{option} once for each role: {_quoted_list(role_pairs, option)}"
            raise click.BadParameter(
                f"'{text}' is not {form}; write {correction}", param_hint=option
            )
        if pairs.setdefault(name, value) != value:
            problem = f"{name} cannot be both {pairs[name]} and {value}"
            raise click.BadParameter(problem, param_hint=option)
    return pairs


def split_bots(texts: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Split ``--bot`` arguments into the bot for all free seats, empty if none was given, and the bots by role.

    Raises:
        BadParameter: An argument is malformed, or two bots are given for the free seats.
    """
    from engine.bots.registry import level_description

    texts = tuple(texts)
    names = list(dict.fromkeys(text for text in texts if level_description(text)))
    if len(names) > 1:
        problem = f"the remaining seats cannot be both {names[0]} and {names[1]}; write --bot ROLE={names[1]}"
        raise click.BadParameter(problem, param_hint=_BOT)
    pairs = parse_pairs((text for text in texts if text not in names), _BOT)
    return "".join(names), pairs


def check_one_role_each(texts: Iterable[str], option: str) -> None:
    """Check that each argument names a single role.

    Raises:
        BadParameter: An argument names several roles. The message shows the correct form.
    """
    for text in texts:
        roles = re.findall(r"[^\s,+]+", text)
        if len(roles) > 1:
            correction = f"{option} once for each role: {_quoted_list(roles, option)}"
            raise click.BadParameter(
                f"'{text}' is not one role; write {correction}", param_hint=option
            )


def _check_not_misspelt_bot(text: str) -> None:
    """Check that a ``--bot`` argument without a role does not look like the name of a bot.

    Raises:
        BadParameter: It does. The message suggests the right name.
    """
    from engine.bots.registry import bot_levels
    from engine.kernel.lexicon import suggestion

    hint = suggestion(text, bot_levels())
    if hint and text not in bot_levels():
        raise click.BadParameter(f"there is no bot '{text}'{hint}", param_hint=_BOT)


def _quoted_list(words: Iterable[str], option: str) -> str:
    return " ".join(f"{option} {word}" for word in words)


def _correct_form(text: str, option: str) -> str:
    """Return an argument in the correct form, with placeholders for parts that cannot be guessed."""
    from engine.bots.registry import level_description

    first, second = _FORMS.get(option, ("NAME", "VALUE"))
    name, _, value = (part.strip() for part in re.sub(r"[:=]", "=", text, count=1).partition("="))
    if option == _BOT and not value and level_description(name):
        name, value = first, name
    return f"{option} {name or first}={value or second}"


def _split_roles(text: str) -> Iterator[str]:
    """If the argument names several roles, yield each role with its bot. Otherwise, yield nothing."""
    words = [word.partition("=") for word in text.split(",")]
    roles = [(name.split("+"), bot) for name, _, bot in words]
    if len(words) > 1 or len(roles[0][0]) > 1:
        for names, bot in roles:
            yield from (f"{name.strip()}={bot.strip() or 'BOT'}" for name in names)
