"""Hidden information does not affect what a country sees (F6): hidden cards dealt again, the same bytes (9.1, 9.3)."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.commands import Deploy, Superiority
from engine.qmg.deck import CARD
from engine.qmg.events import CardsMoved
from engine.qmg.ids import COUNTRIES, HIDDEN, STATUS
from engine.qmg.ruleset import QMG
from engine.qmg.state import Cards, State
from tests.engine.qmg.random_games import AUDIENCES, SCENARIOS, Step, game, walk
from tests.engine.qmg.table import Table
from tests.engine.random_games import derived, opening
from tests.sizes import sampled, sized

SHUFFLED = ("hand", "deck_top", "deck", "deck_bottom", "responses")


def dealt_anew(cards: Cards, dice: Any, fixed: frozenset[str] = frozenset()) -> Cards:  # noqa: ANN401  # any dice
    """Return the cards of a country with every unseen one dealt again. Counts, open cards and fixed ones stay."""
    stay = fixed | set(cards.face_up)
    everything = [card for name in SHUFFLED for card in getattr(cards, name)]
    unseen = [card for card in (*everything, *cards.discard) if card not in stay]
    mixed = [unseen.pop(dice.randbelow(len(unseen))) for _ in range(len(unseen))]
    found = {
        name: tuple(card if card in stay else mixed.pop() for card in getattr(cards, name))
        for name in (*SHUFFLED, "discard")
    }
    found["deck"] = tuple(sorted(found["deck"]))
    return replace(cards, **found)


def resampled(state: State, viewer: Role | None, keep: Role | None, dice: Any) -> State:  # noqa: ANN401
    """Return the state with the unseen cards of all countries except the viewer's dealt again."""
    cards = tuple(
        held if country in {viewer, keep} else dealt_anew(held, dice)
        for country, held in zip(COUNTRIES, state.cards, strict=True)
    )
    turn = state.turn
    if state.active not in {viewer, keep}:
        turn = replace(turn, discarded=_with_faces(state, cards[COUNTRIES.index(state.active)]))
    return replace(state, cards=cards, turn=turn)


def _with_faces(state: State, cards: Cards) -> tuple[str, ...]:
    """Return the cards discarded in this Discard step. They are at the bottom of the pile, the last one lowest."""
    return tuple(reversed(cards.discard[: len(state.turn.discarded)]))


def seen(state: State, role: Role | None) -> bytes:
    """Return everything that a role is shown: view, heading, the roles asked, its own question and free orders."""
    asked = QMG.active_roles(state)
    own = QMG.decision(state, role) if role is not None and role in asked else None
    free = QMG.free_actions(state, role) if role is not None else ()
    shown = (QMG.project(state, role), asked, own, free, QMG.heading(state))
    return msgspec.msgpack.encode(shown)


def told(state: State, step: Step, viewer: Role | None) -> bytes:
    """Return what a role learns about the next command: its redacted events and their sentences."""
    dice = DerivedDice(step.secret, step.number)
    events = QMG.decide(state, step.role, step.command, dice)
    shown = [QMG.redact(event, viewer) for event in events]
    words = [QMG.log_sentence(event) for event in shown]
    order = QMG.redact_command(step.command, step.role, viewer)
    return msgspec.msgpack.encode((shown, words, order))


def positions(scenario: str) -> Iterator[Step]:
    for step in game(scenario):
        if step.state.active:
            yield step


@pytest.mark.series("F6")
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1, of="scenarios"))
def test_9_3_hidden_cards_do_not_affect_what_is_shown(scenario: str) -> None:
    dice = derived(f"resample {scenario}")
    found = list(positions(scenario))
    assert len(found) >= sized(40, 200, of="positions of Quartermaster General at least")
    for step in found:
        for viewer in AUDIENCES:
            other = resampled(step.state, viewer, None, dice)
            assert seen(other, viewer) == seen(step.state, viewer)


@pytest.mark.series("F6")
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1, of="scenarios"))
def test_9_3_hidden_cards_do_not_affect_the_next_events(scenario: str) -> None:
    """The acting player's cards stay, because its command names one of them, and so do cards that it looks at."""
    dice = derived(f"next {scenario}")
    for step in positions(scenario):
        for viewer in AUDIENCES:
            other = resampled(step.state, viewer, step.role, dice)
            assert told(other, step, viewer) == told(step.state, step, viewer), (
                step.role,
                step.command,
                viewer,
            )


def crowded(state: State, dice: Any) -> State:  # noqa: ANN401
    """Return the state with more Statuses on all tables, so that many more questions can arise."""
    cards, statuses = list(state.cards), list(state.statuses)
    taken = open_in_frames(state)
    for at, held in enumerate(state.cards):
        found = [card for card in held.deck if CARD[card].type == STATUS and card not in taken]
        for _ in range(min(6, len(found))):
            card = found.pop(dice.randbelow(len(found)))
            pool = tuple(one for one in cards[at].deck if one != card)
            cards[at] = replace(cards[at], deck=pool)
            statuses[at] = (*statuses[at], card)
    return replace(state, cards=tuple(cards), statuses=tuple(statuses))


@pytest.mark.series("F6")
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1, of="scenarios"))
def test_10_4_the_next_role_to_decide_depends_only_on_public_facts(scenario: str) -> None:
    """The same with crowded tables, in which conditions and costs of many cards are checked."""
    dice = derived(f"crowded {scenario}")
    compared = 0
    for step in positions(scenario):
        state = crowded(step.state, dice)
        for role in QMG.active_roles(state):
            options = QMG.decision(state, role).options
            command = options[dice.randbelow(len(options))]
            tried = Step(QMG, state, role, command, step.secret, step.number)
            named = frozenset(names_in(msgspec.to_builtins(command)) | open_in_frames(state))
            cards = tuple(dealt_anew(held, dice, named) for held in state.cards)
            if isinstance(command, Deploy | Superiority):
                continue  # it shows which Air Power card pays
            for viewer in AUDIENCES:
                own = tuple(
                    old if country == viewer else new
                    for country, old, new in zip(COUNTRIES, state.cards, cards, strict=True)
                )
                other = resampled(replace(state, cards=own), viewer, role, dice)
                # A command may name a card by its type: the option itself was secret.
                if viewer != role and QMG.is_legal(other, role, command):
                    compared += 1
                    assert told(other, tried, viewer) == told(state, tried, viewer), command
    assert compared > sized(200, 1_000, of="comparisons at crowded tables at least")


@pytest.mark.parametrize("hand", ["su_build_army#2", "su_build_navy#1"])
def test_10_4_a_status_with_a_named_cost_is_offered_whatever_the_hand(hand: str) -> None:
    """Tank Desant costs a Build Army card from the hand. No question reveals whether there is one."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "status ussr su_tw_tank_desant",
        f"hand ussr su_build_army#1 {hand}",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_build_army#1", "ussr: build ussr army russia")
    assert (table.trigger.kind, table.asked) == ("built", ("ussr",))
    assert ("use su_tw_tank_desant#1" in table.options("ussr")) == ("army" in hand)


def test_the_check_detects_a_leak() -> None:
    step = next(iter(positions("base")))
    role = step.role
    cards = list(step.state.cards)
    at = COUNTRIES.index(role)
    cards[at] = dealt_anew(cards[at], derived("other"))
    assert seen(replace(step.state, cards=tuple(cards)), role) != seen(step.state, role)


@pytest.mark.full
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
@pytest.mark.parametrize("seed", range(11, sized(12, 14, 60)))
def test_14_2_copies_match_the_full_state_through_whole_games(scenario: str, seed: int) -> None:
    """Folding redacted events gives every role the view of the full state, and the same countries are asked."""
    copies = {
        role: QMG.fold(
            QMG.initial_state(),
            tuple(QMG.redact(event, role) for event in opening(QMG, scenario, seed, {})),
        )
        for role in AUDIENCES
    }
    for step in walk(scenario, seed):
        for role, copy in copies.items():
            assert seen(copy, role) == seen(step.state, role), (step.number, role)
        for role in AUDIENCES:
            facts = tuple(QMG.redact(event, role) for event in step.events())
            copies[role] = QMG.fold(copies[role], facts)


def names_in(value: object) -> set[str]:
    """Return every string in plain data."""
    match value:
        case str():
            return {value}
        case dict():
            return {text for pair in value.items() for part in pair for text in names_in(part)}
        case list() | tuple():
            return {text for part in value for text in names_in(part)}
        case _:
            return set()


def unseen(state: State, viewer: Role | None) -> set[str]:
    """Return the cards whose place a viewer cannot know."""
    found: set[str] = set()
    for country, cards in zip(COUNTRIES, state.cards, strict=True):
        if country != viewer:
            found |= {card for name in SHUFFLED for card in getattr(cards, name)}
            found |= set(cards.discard) - set(cards.face_up)
    return found - open_in_frames(state)


def open_in_frames(state: State) -> set[str]:
    """Return cards in use, which are shown by their use although they are still in hand or on the table."""
    return names_in(msgspec.to_builtins(state.frames))


@pytest.mark.series("F6")
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1, of="scenarios"))
def test_9_3_copies_do_not_contain_hidden_cards(scenario: str) -> None:
    """Neither view nor copy names a card that its holder cannot know."""
    copies = {
        role: QMG.fold(
            QMG.initial_state(),
            tuple(QMG.redact(event, role) for event in opening(QMG, scenario, 3, {})),
        )
        for role in AUDIENCES
    }
    shown: set[str] = set()
    for step in walk(scenario, 3):
        if step.number % 5 == 0:
            for role, copy in copies.items():
                secret = unseen(step.state, role) - shown
                assert secret
                assert not names_in(msgspec.to_builtins(QMG.to_position(copy))) & secret
                assert not names_in(msgspec.to_builtins(QMG.project(step.state, role))) & secret
        for role in AUDIENCES:
            facts = tuple(QMG.redact(event, role) for event in step.events())
            copies[role] = QMG.fold(copies[role], facts)
        moves = [event for event in step.events() if isinstance(event, CardsMoved)]
        shown |= {card for event in moves if event.shown for card in event.cards}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_decisions_name_only_own_and_open_cards(scenario: str) -> None:
    for step in positions(scenario):
        for role in QMG.active_roles(step.state):
            words = names_in(
                msgspec.to_builtins(QMG.decision_with_free_actions(step.state, role).options)
            )
            assert HIDDEN not in words
            assert not words & unseen(step.state, role)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_redaction_is_idempotent(scenario: str) -> None:
    for step in game(scenario):
        for event in (
            *step.events(),
            *QMG.open_game(QMG.to_position(step.state), derived("twice")),
        ):
            for viewer in AUDIENCES:
                once = QMG.redact(event, viewer)
                assert QMG.redact(once, viewer) == once
                assert QMG.redact(once, None) == QMG.redact(event, None)
