"""Parsers for the options of ``flagplot host open``: clock, time limits, addresses and reminder."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from netplay.discovery.host_address import HostAddress
    from netplay.feed.spectator_delay import SpectatorDelay
    from netplay.wire.modes import Chance
    from saves.clocks import Clock
    from saves.fair.terms import TimeLimits


def read_clock(text: str, flag: str | None) -> "Clock | None":
    """Return a new match's clock; None for no clock."""
    from engine.kernel.errors import DataError
    from saves.clocks import parse_clock

    if not text:
        if flag:
            raise click.UsageError("--flag requires --clock.")
        return None
    try:
        return parse_clock(text, flag or "told")
    except DataError as error:
        raise click.BadParameter(error.problem, param_hint="--clock") from error


def read_limits(texts: Mapping[str, str], chance: "Chance") -> "TimeLimits":
    """Return the limits on how long the host and the seats wait for each other. An empty text selects the default."""
    import msgspec

    from engine.kernel.errors import DataError
    from netplay.wire.modes import FAIR, HOST
    from saves.clocks import parse_duration
    from saves.fair.terms import TimeLimits

    seconds = dict[str, int]()
    for name, text in texts.items():
        option = f"--{name.replace('_', '-')}"
        if text and (chance == HOST or (chance != FAIR and name != "reply_limit")):
            mode_names = "joint or fair" if name == "reply_limit" else FAIR
            raise click.UsageError(f"{option} requires a new match with --chance {mode_names}.")
        try:
            if text:
                seconds[name] = parse_duration(text)
            msgspec.convert(seconds, TimeLimits)
        except DataError as error:
            raise click.BadParameter(error.problem, param_hint=option) from error
        except msgspec.ValidationError as error:
            shortest = {"seed_wait": "60s", "ack_wait": "1h"}.get(name, "0s")
            raise click.BadParameter(
                f"'{text}' is not between {shortest} and 30d", param_hint=option
            ) from error
    return msgspec.convert(seconds, TimeLimits)


def read_spectator_delay(text: str) -> "SpectatorDelay":
    """Return the spectator delay."""
    from engine.kernel.errors import DataError
    from netplay.feed.spectator_delay import NO_DELAY, parse_delay

    try:
        return parse_delay(text) if text else NO_DELAY
    except DataError as error:
        raise click.BadParameter(error.problem, param_hint="--spectator-delay") from error


def read_command(text: str) -> tuple[str, ...]:
    """Return the words of a command; empty for an empty text."""
    from engine.kernel.errors import DataError
    from netplay.feed.reminders import split_command_line

    try:
        return split_command_line(text) if text else ()
    except DataError as error:
        raise click.BadParameter(error.problem, param_hint="--remind") from error


def listen_address(text: str, default: "HostAddress", *, is_new: bool) -> tuple[str, int, str]:
    """Return the host name or address, the port, and a phrase that says where both come from.

    Args:
        text: The value of ``--listen``; empty if it was not given.
        default: The address in the folder's invites.
        is_new: True for a host with a new match, which listens on the usual address by default.
    """
    from netplay.discovery.host_address import DEFAULT
    from netplay.invites.invite import parse_listen
    from netplay.wire.errors import AddressError

    if not text:
        base_address = DEFAULT if is_new else default
        return base_address.host, base_address.port, base_address.source
    try:
        return *parse_listen(text), "as --listen says"
    except AddressError as error:
        raise click.BadParameter(str(error), param_hint="--listen") from error


def read_names(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names and addresses for the invites."""
    from netplay.invites.invite import check_name
    from netplay.wire.errors import AddressError

    try:
        return tuple(map(check_name, addresses))
    except AddressError as error:
        raise click.BadParameter(f"{error}, without a port", param_hint="--address") from error
