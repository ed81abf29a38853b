"""Matches whose host cannot read hands: seats decide and deal, and all copies stay one game."""

import random
from collections.abc import Mapping

import msgspec
import pytest

from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from saves.entries import visible_events
from saves.records import Record, encode_record
from saves.timeline import view_digest
from tests.saves.protocol6.fairtable import FairTable
from tests.sizes import sized


def cards_told(records: list[Record]) -> set[str]:
    """Return every word in a copy of a game, including its events but not its boxes."""
    found: set[str] = set()
    for record in records:
        entries = [entry for entry in (record.command, *record.events) if entry is not None]
        todo: list[object] = [
            msgspec.msgpack.decode(entry.body) for entry in entries if entry.body is not None
        ]
        while todo:
            match todo.pop():
                case str() as word:
                    found.add(word)
                case list() as items:
                    todo += items
                case dict() as fields:
                    todo += [*fields, *fields.values()]
                case _:
                    pass
    return found


def hand(table: FairTable, of: Role, copy: Role | None) -> tuple[str, ...]:
    """Return a hand as known to a copy."""
    cards: tuple[str, ...] = table.rules.hidden_pile(table.copies[copy].state, of, "hand")
    return cards


GAMES = (("eots", "1943"), pytest.param("qmg", "total-war", marks=pytest.mark.full))


@pytest.mark.full
@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_each_copy_knows_only_its_own_hand(game: str, scenario: str) -> None:
    table = FairTable(game, scenario)
    times = 0
    for seed in range(sized(40, 200, of="records of a fair match")):
        table.play(1, seed=seed)
        held = {role: hand(table, role, role) for role in table.seats}
        times += all(held.values())
        for viewer in table.copies:
            for role, cards in held.items():
                known = hand(table, role, viewer)
                assert len(known) == len(cards)
                assert known == cards if viewer == role else set(known) <= {HIDDEN, *shown(table)}
    assert times > 1, "all hold cards"


def shown(table: FairTable) -> set[str]:
    """Return the cards that everyone has seen."""
    slots = table.match.deck_protocol.table.slots.values()
    return {slot.card for slot in slots if slot.card and slot.commitments}


@pytest.mark.full
@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_host_data_does_not_reveal_hidden_hand_cards(game: str, scenario: str) -> None:
    table = FairTable(game, scenario)
    looks = 0
    for seed in range(sized(6, 30, of="looks at what the host of a fair match holds")):
        table.play(10, seed=seed)
        records = [*table.match.records[1:], table.copies[None].records[0]]
        secret = {card for role in table.seats for card in hand(table, role, role)} - shown(table)
        looks += bool(secret)
        assert cards_told(records).isdisjoint(secret)
    assert looks
    frames = b"".join(map(encode_record, table.copies[None].records))
    assert all(keys.card_seed not in frames for keys in table.keys.values())


@pytest.mark.full
@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_all_copies_show_the_same_public_view(game: str, scenario: str) -> None:
    table = FairTable(game, scenario)
    for seed in range(sized(6, 40, of="looks at a fair match")):
        table.play(10, seed=seed, takebacks=0.05)
        seen = {view_digest(table.rules, copy.state, None) for copy in table.copies.values()}
        seen.add(table.match.view_digest(None))
        assert len(seen) == 1


@pytest.mark.full
@pytest.mark.parametrize(("game", "scenario"), GAMES)
def test_restarted_program_resumes_at_the_same_step(game: str, scenario: str) -> None:
    """Before each act, every program forgets everything except its copy and its seed."""
    table = FairTable(game, scenario)
    rng = random.Random(5)
    for _ in range(sized(8, 40, of="records among forgetful programs")):
        asked = table.rules.active_roles(table.match.state)
        if not asked:
            break
        role = rng.choice(asked)
        options = table.rules.decision(table.copies[role].state, role).options
        table.give(role, rng.choice(options), forgetful=True)


@pytest.mark.full
def test_cards_taken_back_are_dealt_again() -> None:
    table = FairTable("eots", "1943")
    first = {role: set(hand(table, role, role)) for role in table.seats}
    given = 0
    while not (drawn := later(table, first)):
        given += 1
        assert given < 400
        table.play(1, seed=given)
    table.take_back(0, Role("japan"))
    assert {role: set(hand(table, role, role)) for role in table.seats} == first
    for seed in range(1, given + 1):
        table.play(1, seed=seed)
    assert later(table, first) != drawn


def later(table: FairTable, first: Mapping[Role, set[str]]) -> dict[Role, set[str]]:
    """Return the cards of each hand that were not there at first; empty if all were."""
    found = {role: set(hand(table, role, role)) - first[role] for role in table.seats}
    return {role: cards for role, cards in found.items() if cards}


@pytest.mark.full
def test_revealed_card_is_open_in_every_copy() -> None:
    table = FairTable("qmg", "total-war")
    table.play(sized(50, 300, of="records with cards that are shown"), seed=4)
    cards = {
        (deck.owner, card)
        for record in table.match.records
        for event in visible_events(table.rules, record)
        for card in table.rules.revealed_cards(event)
        for deck in table.match.deck_protocol.table.decks.values()
        if card in deck.cards
    }
    assert cards
    assert all(table.match.deck_protocol.is_open(owner, card) for owner, card in cards)
