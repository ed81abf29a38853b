"""Checks whether a game's hidden cards can stay secret in a match without a trusted dealer."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

import msgspec

from engine.kernel.cards import strings_in
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Dice
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role

E = TypeVar("E", bound=msgspec.Struct)
P = TypeVar("P")


class OpeningRules(Protocol[E, P]):
    """The ruleset methods that these checks need. E is an event and P a position."""

    title: str

    def default_scenario(self) -> str:
        """Return the id of the default scenario."""

    def position(self, scenario: str, options: Mapping[str, str]) -> P:
        """Return a scenario's starting position."""

    def roles_at(self, position: P) -> tuple[Role, ...]:
        """Return the roles in a match that starts from a position."""

    def open_game(self, position: P, dice: Dice) -> tuple[E, ...]:
        """Return the opening events."""

    def redact(self, event: E, role: Role | None) -> E | None:
        """Blank everything in an event that the role may not know."""

    def secret_owner(self, event: E) -> Role | None:
        """Return the role whose secret cards an event may contain, or None if the event contains no secret cards."""

    def decks(self) -> Mapping[Role, tuple[str, ...]]:
        """Return, for each role, all cards that can ever be in its deck."""


def deck_problem(decks: Mapping[Role, Iterable[str]]) -> str:
    """Return the reason why a deck has no single owner who can shuffle it. Empty if every deck has one owner."""
    owners: dict[str, Role] = {}
    for role, deck in decks.items():
        for card in deck:
            other_role = owners.setdefault(card, role)
            if other_role != role:
                return f"the card {card} is in the decks of {other_role} and {role}, and a deck needs one owner"
    return ""


def opening_problem(rules: OpeningRules[E, P]) -> str:
    """Return a description of how the default scenario's opening breaks secrecy.

    Empty if it keeps everything secret.
    """
    roles, events = _open_default_scenario(rules)
    for event in events:
        if not rules.decks() and any(rules.redact(event, role) != event for role in roles):
            return "the hidden content is in no deck with a single owner"
        for role, card in leaked_cards(rules, event, roles):
            return f"{role} sees the hidden card {card} of another player"
    return ""


def hiding_problem(rules: OpeningRules[E, P]) -> str:
    """Return the reason why copies cannot verify hidden content in the default scenario's opening. Empty if they can.

    In a match without a trusted dealer, a player's message states the kind of each event and the owner of any cards
    that the event hides. The kind must therefore be public, the public form must mark what it hides with ``HIDDEN``,
    and the event's secret must have an owner. The first event, set-up, is exempt because the header commits to it.
    """
    _, events = _open_default_scenario(rules)
    for event in events[1:]:
        public_event = rules.redact(event, None)
        if public_event is None:
            return f"{rules.title} hides what kind of event has happened"
        if public_event != event and (
            rules.secret_owner(event) is None or HIDDEN not in _strings_in(public_event)
        ):
            return f"{rules.title} does not say whose cards an event hides"
    return ""


def _open_default_scenario(
    rules: OpeningRules[E, P],
) -> tuple[tuple[Role, ...], tuple[E, ...]]:
    """Return the default scenario's roles and opening events."""
    position = rules.position(rules.default_scenario(), {})
    events = rules.open_game(position, DerivedDice(bytes(SECRET_BYTES), 0))
    return tuple(rules.roles_at(position)), tuple(events)


def leaked_cards(
    rules: OpeningRules[E, P], event: E, roles: Iterable[Role]
) -> Iterator[tuple[Role, str]]:
    """Yield (role, card) for each card of another role that an event reveals to the role but not to spectators."""
    public_cards = _strings_in(rules.redact(event, None))
    for role in roles:
        own_cards = frozenset(rules.decks().get(role, ()))
        other_cards = (
            frozenset(card for deck in rules.decks().values() for card in deck) - own_cards
        )
        for card in sorted((_strings_in(rules.redact(event, role)) - public_cards) & other_cards):
            yield role, card


def _strings_in(event: msgspec.Struct | None) -> frozenset[str]:
    return frozenset() if event is None else frozenset(strings_in(msgspec.to_builtins(event)))
