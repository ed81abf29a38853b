"""O3 and L1: other hidden cards change the view of an attacker only inside commitments, boxes and points."""

from typing import Any

import pytest

from engine.kernel.ids import Role
from saves.fair.messages import (
    Agree,
    Completion,
    Message,
    Mix,
    Open,
    Proof,
    Proposal,
    ProposedEvent,
    PublicEntry,
    Request,
    Setup,
)
from saves.fair.secrets import SeatSecrets
from tests.netplay.fair.attacker import World
from tests.netplay.fair.match import FairMatch
from tests.sizes import sized

HIDDEN_CHOICES = ("Discard", "Drop", "Pass", "Done")
"""Commands whose public form does not depend on the hand."""


class OtherCards(FairMatch):
    """A match in which one seat has another card seed, and so another order of its deck."""

    def __init__(self, game: str, scenario: str, sample: int) -> None:
        self.sample = sample
        super().__init__(game, scenario, seed=51)

    def make_secrets(self, role: Role) -> SeatSecrets:
        secrets = super().make_secrets(role)
        if len(role) and self.sample and role == self.victim:
            secrets.__dict__["card_seed"] = self.sample.to_bytes(32, "big")
        return secrets

    @property
    def victim(self) -> Role:
        return self.game.scenario_info(self.scenario, {}).roles[0]


def view_of(message: Message) -> tuple[Any, ...]:
    """Return what an attacker learns from a message besides commitments, boxes, points and random labels."""
    body: Any = message.body
    match body:
        case Mix():
            content: tuple[Any, ...] = (
                body.deck,
                body.pile,
                len(body.inputs),
                len(body.outputs),
                len(body.shadows),
            )
        case Proof():
            content = (body.deck, body.first, len(body.responses))
        case Request():
            content = (body.record, entry_view(body.command), body.uses_chance, len(body.box))
        case Proposal():
            events = [event_view(one) for one in body.events]
            moves = [(move.source, move.target, move.event) for move in body.moves]
            content = (events, body.uses, moves, body.status, body.wanted, len(body.box))
        case Completion():
            sizes = [(number, len(commitment)) for number, commitment in body.commitments]
            moves = [(move.source, move.target, move.event) for move in body.moves]
            content = (sizes, moves, len(body.box))
        case Open():
            content = (body.card,)
        case Setup() | Agree():
            content = (len(body.header_hash),)
        case _:
            content = (body,)
    return (message.kind, message.anchor, message.author, content)


def entry_view(entry: PublicEntry) -> tuple[Any, ...]:
    return (entry.tag, entry.v, entry.body, len(entry.commitment))


def event_view(event: ProposedEvent) -> tuple[Any, ...]:
    return (*entry_view(event.entry), event.owner)


def played(game: str, scenario: str, sample: int, commands: int) -> World:
    """Play commands with hidden choices only, as far as there are any."""
    match = OtherCards(game, scenario, sample)
    world = World(match, tuple(match.seats)[1:])
    world.start()
    world.settle()
    for _ in range(commands):
        role = world.game.asked(world.state.state)[0]
        options = [one for one in world.options(role) if type(one).__name__ in HIDDEN_CHOICES]
        if not options:
            break
        kind = type(options[0]).__name__
        alike = [one for one in options if type(one).__name__ == kind]
        world.play(role, alike[world.state.records % len(alike)])
    return world


@pytest.mark.parametrize(
    ("game", "scenario", "commands"),
    [
        pytest.param("eots", "south-pacific", 1, id="two-seats"),
        pytest.param("qmg", "base", 60, id="six-seats", marks=pytest.mark.full),
    ],
)
@pytest.mark.series("F4")
def test_o3_other_hidden_cards_give_the_same_view(game: str, scenario: str, commands: int) -> None:
    worlds = [
        played(game, scenario, sample, commands)
        for sample in range(sized(2, 60, 600, of="resampled hands"))
    ]
    hands, views = [], []
    for world in worlds:
        victim = world.victim
        piles = world.game.card_piles(world.seat(victim).cards.state, victim)
        hands.append(tuple(sorted(piles["hand"].cards)))
        views.append([view_of(world.message(one)) for one in world.host.messages])
    assert len(set(hands)) > 1, "the hands differ"
    assert len(views[0]) > 12
    for view in views[1:]:
        assert view == views[0]
