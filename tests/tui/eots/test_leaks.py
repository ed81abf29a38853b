"""Hidden information changes no byte that leaves the judge (F6): records, files, texts, questions."""

from hashlib import blake2b

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.ids import Side
from engine.eots.ruleset import EOTS
from engine.eots.state import Deck, State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from saves.codec import AnyGame, codec
from saves.decoding import canonical
from tests.sizes import sized
from tui.eots.presenter import EotsPresenter
from tui.panels.status_segments import status_bar_text
from tui.presenter.presenter import map_text

RULES: AnyGame = EOTS
SECRET = bytes(range(32))
SEEDS = range(sized(1, 10, 100, of="games of 1943 behind screens"))
SAMPLES = sized(4, 20, of="positions of each behind screens")
"""Number of positions per game; 200 in total."""


def _dice(text: str) -> DerivedDice:
    return DerivedDice(blake2b(text.encode(), digest_size=32).digest(), 0)


def _dealt_anew(deck: Deck, dice: DerivedDice) -> Deck:
    """Return the deck with its unknown cards dealt again. Counts and open cards stay the same."""
    pool = [*deck.hand, *deck.draw, *(() if deck.future is None else (deck.future,))]
    mixed = [pool.pop(dice.randbelow(len(pool))) for _ in range(len(pool))]
    hand, rest = tuple(mixed[: len(deck.hand)]), mixed[len(deck.hand) :]
    future = rest.pop() if deck.future is not None else None
    return msgspec.structs.replace(
        deck, hand=hand, draw=tuple(sorted(rest)), future=future, locked=hand[: len(deck.locked)]
    )


def _shown(state: State, role: Role | None) -> bytes:
    """Return what a role's screens and exports say about a position."""
    view = EOTS.project(state, role)
    presenter = EotsPresenter(EOTS)
    asked = role is not None and role in EOTS.active_roles(state)
    question = RULES.decision(state, role) if asked and role is not None else None
    labels = [] if question is None else [presenter.label(view, one) for one in question.options]
    return canonical(
        (
            view,
            question,
            labels,
            status_bar_text(presenter.status_segments(view, EOTS.heading(state), "")),
            presenter.steps(view),
            presenter.cards(view),
            presenter.hex_rows(view, presenter.home(view)),
            presenter.hand_lines(view),
            presenter.pages(view),
            presenter.goals(view),
            presenter.roster(view),
            presenter.calendar(view),
            presenter.battle_lines(view),
            map_text(presenter, view, presenter.home(view), (78, 22)),
        )
    )


def _told(state: State, viewer: Role, step: int) -> bytes:
    """Return what the viewer's command sends to the viewer and writes to its file."""
    command = RULES.decision(state, viewer).default
    events = RULES.decide(state, viewer, command, DerivedDice(SECRET, step))
    seen = RULES.redact_all(events, viewer)
    packed = [codec(RULES).pack(event) for event in seen]
    return canonical((packed, [RULES.log_sentence(event) for event in seen]))


def _positions(seed: int) -> list[State]:
    """Return positions of a random game, spread over its length."""
    player = RandomPlayer(_dice(f"player {seed}"), list(Habit)[seed % len(Habit)])
    state = RULES.fold(
        RULES.initial_state(), RULES.open_game(EOTS.position("1943", {}), _dice(f"game {seed}"))
    )
    found: list[State] = []
    while asked := RULES.active_roles(state):
        found.append(state)
        command = player.choose(RULES.project(state, asked[0]), RULES.decision(state, asked[0]))
        dice = _dice(f"game {seed} {len(found)}")
        state = RULES.fold(state, RULES.decide(state, asked[0], command, dice))
    return found[:: max(len(found) // SAMPLES, 1)][:SAMPLES]


def _resampled(state: State, viewer: Side | None, dice: DerivedDice) -> State:
    decks = {
        side: deck if side is viewer else _dealt_anew(deck, dice)
        for side, deck in state.decks.items()
    }
    return msgspec.structs.replace(state, decks=decks)


def _names_a_secret(told: bytes, state: State, viewer: Side) -> bool:
    """Return whether the rules themselves revealed a hidden card by a random discard."""
    return any(
        bytes([0xA0 | len(card)]) + card.encode() in told
        for side, deck in state.decks.items()
        if side is not viewer
        for card in (*deck.hand, *deck.draw)
    )


@pytest.mark.series("F6")
@pytest.mark.parametrize("seed", SEEDS)
def test_f6_screens_questions_and_records_reveal_nothing(seed: int) -> None:
    dice = _dice(f"resample {seed}")
    positions = _positions(seed)
    assert len(positions) == SAMPLES
    for step, state in enumerate(positions):
        for viewer in (*Side, None):
            other = _resampled(state, viewer, dice)
            role = None if viewer is None else Role(viewer)
            assert _shown(other, role) == _shown(state, role)
            if viewer is None or role is None or role not in EOTS.active_roles(state):
                continue
            told = _told(state, role, step)
            if not _names_a_secret(told, state, viewer):
                assert _told(other, role, step) == told


def test_f6_check_detects_a_leak() -> None:
    state = _positions(0)[3]
    assert _shown(_resampled(state, Side.JAPAN, _dice("x")), Role("allied")) != _shown(
        state, Role("allied")
    )
