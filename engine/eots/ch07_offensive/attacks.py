"""The Reaction player's attack cards: when they may be played and when they take effect (5.32B, C3.2, CP-31)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.cards.interpreter import apply_steps
from engine.eots.cards.losses import loss_targets
from engine.eots.ch07_offensive import kamikaze, reaction_cards
from engine.eots.deck import Card, cards
from engine.eots.deck_offensive import Kamikaze, StepLoss, StepLossRoll
from engine.eots.deck_terms import Window
from engine.eots.flow import EotsRun
from engine.eots.frames import KamikazeFrame
from engine.eots.ids import CardId, Side
from engine.eots.rulings import ATTACK_CARD_WINDOW
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule

ATTACK: Final = frozenset({"attack"})
STEP_BEFORE_BATTLE: Final = 10
"""The step of 7.2, before the battles, in which waiting cards take effect."""
BEFORE_BATTLE: Final = frozenset({Window.STEP10})
"""The window for cards that are played in step 9 and take effect in step 10."""
AFTER_BATTLE: Final = frozenset({Window.STEP12})
"""Window of the cards that are played in step 12 and take effect at once (OP-17)."""
_WINDOWS: Final = {6: BEFORE_BATTLE | AFTER_BATTLE, 9: BEFORE_BATTLE, 12: AFTER_BATTLE}
"""For each step, the windows of the cards that may be played. In step 6, only if there are no battle hexes."""
_NO_WINDOW: Final = frozenset[Window]()
_ALL_IN_9: Final = {**_WINDOWS, 9: BEFORE_BATTLE | AFTER_BATTLE, 12: _NO_WINDOW}
"""The windows by step under OP-17's alternative reading, by which all attack cards are played in step 9."""
_ONLY_PLAYED: Final = frozenset({Window.STEP9})
_LATE: Final = frozenset({CardId("A-78")})
"""Cards that take effect at the conclusion of an offensive without battle hexes (CP-31)."""


def attack_windows(state: State, step: int) -> frozenset[Window]:
    """Return the windows for the cards that may be played in a step of 7.2 (OP-17)."""
    return (_ALL_IN_9 if ATTACK_CARD_WINDOW.uses_alternative(state.options) else _WINDOWS)[step]


def loss_window(card: Card) -> Window | None:
    """Return the window in which an attack card inflicts losses; None for any other card."""
    if card.reaction_class not in ATTACK:
        return None
    return next(
        (
            step.when
            for step in card.effects
            if isinstance(step, StepLossRoll | Kamikaze | StepLoss)
        ),
        None,
    )


def has_target(state: State, card: Card) -> bool:
    """Return whether an attack card would have a target if it were played now (C3.2, C3.5)."""
    if kamikaze.kamikaze_strike(card) is not None:
        return kamikaze.has_battle_left(state, card)
    if any(isinstance(step, StepLoss) for step in card.effects):
        return bool(current_offensive(state).battles)  # CP-09: A-24 needs only a battle
    return all(
        bool(loss_targets(state, card, step))
        for step in card.effects
        if isinstance(step, StepLossRoll)
    )


def can_attack(state: State, windows: frozenset[Window]) -> bool:
    """Return whether, on public information alone, the Reaction player might hold an attack card for a window."""
    side = current_offensive(state).side.enemy
    return reaction_cards.can_answer(state, side, ATTACK) and any(
        card.side is side
        and loss_window(card) in windows
        and card.id not in reaction_cards.shown_cards(state, side)
        and has_target(state, card)
        for card in cards().values()
    )


def attack_refusals(state: State, name: CardId, windows: frozenset[Window]) -> Iterator[Refusal]:
    """Yield the reasons why an attack card may not be played now (5.32B)."""
    side = current_offensive(state).side.enemy
    is_barred = False
    for refusal in reaction_cards.react_refusals(state, side, name, ATTACK):
        is_barred = True
        yield refusal
    if is_barred:
        return
    card = cards()[name]
    if loss_window(card) not in windows:
        window_text = (
            "after all battles" if loss_window(card) in AFTER_BATTLE else "before the battles"
        )
        yield Refusal(Rule("5.32B"), f"{name} must be played {window_text}")
    if not has_target(state, card):
        yield Refusal(Rule("5.32B"), f"{name} has no target")


def play_attack(run: EotsRun, name: CardId) -> None:
    """Play an attack card. For now, a card that takes effect in a later step is only revealed (7.2 steps 6, 9, 12)."""
    side = current_offensive(run.state).side.enemy
    window = loss_window(cards()[name])
    assert window is not None
    is_waiting = bool(current_offensive(run.state).battles) and window in attack_windows(
        run.state, 9
    )
    is_late = not current_offensive(run.state).battles and name in _LATE
    windows = _ONLY_PLAYED if is_waiting or is_late else _ONLY_PLAYED | {window}
    reaction_cards.play_reaction(run, side, name, windows)


def waiting_cards(state: State, step: int) -> tuple[CardId, ...]:
    """Return the cards played in step 9 that take effect in the given step, 10 or 12, in order of play."""
    # A card that may be played in the current step has already taken effect, so it is not waiting.
    open_windows = (
        BEFORE_BATTLE if step == STEP_BEFORE_BATTLE else AFTER_BATTLE - attack_windows(state, step)
    )
    return tuple(
        name
        for name in current_offensive(state).reaction.events
        if loss_window(cards()[name]) in open_windows and not kamikaze.is_kamikaze(name)
    )


def apply_waiting_card(run: EotsRun, name: CardId) -> None:
    """Apply an attack card that was played earlier (7.2 steps 10 and 12)."""
    apply_steps(run, cards()[name], BEFORE_BATTLE | AFTER_BATTLE)


def begin_kamikaze(run: EotsRun) -> None:
    """Begin the strikes of the kamikaze cards that have been played (C3.5)."""
    names = tuple(
        name for name in current_offensive(run.state).reaction.events if kamikaze.is_kamikaze(name)
    )
    if names:
        run.push(KamikazeFrame(side=attacking_side(run.state), waiting=names))


def apply_late_cards(run: EotsRun) -> None:
    """Apply the cards that take effect at the conclusion of an offensive without battle hexes (CP-31)."""
    for name in current_offensive(run.state).reaction.events:
        if name in _LATE:
            apply_steps(run, cards()[name], BEFORE_BATTLE)


def attacking_side(state: State) -> Side:
    """Return the side that plays attack cards: the Reaction player."""
    return current_offensive(state).side.enemy
