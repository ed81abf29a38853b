"""Effects of cards on battles: modifiers, strengths, critical hits (9.2-M N5, 9.4-M B2, B3, G1; C4.2)."""

from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from engine.eots.cards.conditions import is_condition_met, matches_filter
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.deck_campaign import Special
from engine.eots.deck_offensive import CritOnModified, DieMod, StrengthMod
from engine.eots.deck_steps import SpecialId, Step
from engine.eots.deck_terms import Window
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.rulings import A5_BONUS
from engine.eots.state import Offensive, State
from engine.kernel.memo import Memo

Combat = Literal["air_naval", "ground"]

DEFENCE_DOCTRINE: Final = CardId("J-31")
"""The card whose modifier lasts for the rest of the game (9.4-M B3)."""
MATADOR: Final = CardId("A-5")

_EFFECTS: Final = Memo[tuple[tuple[CardId, Step], ...]](32)
_STRENGTHS: Final = Memo[tuple[tuple[CardId, StrengthMod], ...]](32)


class CardModifiers(msgspec.Struct, frozen=True):
    """Modifiers that cards add to one side's combat roll."""

    rows: tuple[tuple[CardId, int], ...]
    """Cumulative modifiers, in the order in which the cards were played. The modifier of J-31 always comes last."""
    final: tuple[CardId, int] | None
    """The modifier that replaces all the side's other card modifiers; None if no card sets one (9.4-M G1)."""

    @property
    def total(self) -> int:
        """Return the total modifier from cards."""
        return sum(value for _, value in self.rows) if self.final is None else self.final[1]


class StrengthChange(msgspec.Struct, frozen=True):
    """The amounts that cards add to one unit's strengths."""

    attack: int = 0
    defense: int = 0


def effects_in_force(state: State) -> tuple[tuple[CardId, Step], ...]:
    """Return the steps of all cards played as events in this offensive, starting with the offensive card (5.32)."""
    offensive = state.offensive
    if offensive is None:
        return ()
    return _EFFECTS.get(state, (offensive,), lambda: tuple(_modifier_steps(offensive)))


def _modifier_steps(offensive: Offensive) -> Iterator[tuple[CardId, Step]]:
    cards_played = ((offensive.card,) if offensive.event else ()) + offensive.reaction.events
    for card in cards_played:
        for effect in cards()[card].effects:
            yield card, effect


def card_modifiers(state: State, hex_id: HexId, side: Side, combat: Combat) -> CardModifiers:
    """Return the card modifiers to a side's combat roll in a battle hex (9.2-M N5, 9.4-M B2, B3, G1).

    Args:
        state: A position with an offensive.
        hex_id: The battle's hex.
        side: The side that rolls.
        combat: The part of the battle, air-naval or ground.
    """
    rows: list[tuple[CardId, int]] = []
    override: tuple[CardId, int] | None = None
    for card, step in _die_mods(state):
        if step.side is not side or step.combat != combat:
            continue
        if step.only_if is not None and not is_condition_met(
            state, step.only_if, cards()[card].side, hex_id
        ):
            continue
        if step.mode == "final":
            override = (card, step.mod)
        else:
            rows.append((card, step.mod))
    return CardModifiers(tuple(rows), override)


def _die_mods(state: State) -> Iterator[tuple[CardId, DieMod]]:
    for card, effect in effects_in_force(state):
        if isinstance(effect, DieMod) and effect.when is Window.STEP11:
            yield card, effect
    if (
        state.tracks.defence_doctrine
    ):  # B3: permanently in effect, even in scenarios that start with it already played (17.43)
        for effect in cards()[DEFENCE_DOCTRINE].effects:
            if isinstance(effect, DieMod) and effect.when is Window.PERSISTENT:
                yield DEFENCE_DOCTRINE, effect


def strength_change(state: State, unit: UnitId) -> StrengthChange:
    """Return the total that this offensive's cards add to each strength of a unit (C6)."""
    offensive = state.offensive
    if offensive is None:
        return _NO_CHANGE
    steps = _STRENGTHS.get(state, (offensive,), lambda: tuple(_strength_mods(state)))
    if not steps:
        return _NO_CHANGE
    attack = defense = 0
    for card, step in steps:
        if not step.filter.matches(counters()[unit]) or not matches_filter(
            state, step.filter, unit
        ):
            continue
        attack += step.attack
        defense += step.defense
        if card == MATADOR and A5_BONUS.uses_alternative(state.options):  # CP-05
            attack += step.defense
    return StrengthChange(attack, defense)


_NO_CHANGE: Final = StrengthChange()


def _strength_mods(state: State) -> Iterator[tuple[CardId, StrengthMod]]:
    for card, effect in effects_in_force(state):
        if isinstance(effect, StrengthMod):
            yield card, effect


def critical_threshold(state: State, hex_id: HexId, side: Side, combat: Combat) -> int | None:
    """Return the lowest modified roll that a card makes a critical hit for a side; None if no card does (9.2F-6)."""
    thresholds = [
        effect.threshold
        for card, effect in effects_in_force(state)
        if isinstance(effect, CritOnModified)
        and effect.side is side
        and effect.combat == combat
        and (
            effect.only_if is None
            or is_condition_met(state, effect.only_if, cards()[card].side, hex_id)
        )
    ]
    return min(thresholds, default=None)


def has_special(state: State, special_id: SpecialId) -> bool:
    """Return whether any of this offensive's cards has the given special step (C4.2)."""
    return any(
        isinstance(effect, Special) and effect.id == special_id
        for _, effect in effects_in_force(state)
    )
