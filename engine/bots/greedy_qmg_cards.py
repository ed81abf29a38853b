"""Values a seat's cards for each option: playing, keeping in hand, using, and giving up."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from engine.bots.greedy_qmg_steps import CardEvaluator
from engine.bots.greedy_qmg_text import CARDS_PER_TURN, NEEDED_CARD_VALUE, SPARE_CARD_VALUE
from engine.bots.greedy_qmg_worth import discounted_turns, status_bonus, turns_left
from engine.qmg.ch08_reallocate import BASE_COST, TOTAL_WAR_COST
from engine.qmg.deck import CARD, Ability, Card
from engine.qmg.deck_steps import STEP_LISTS, Step
from engine.qmg.frames import Trigger
from engine.qmg.ids import (
    AIR_POWER,
    BASIC_TYPES,
    BOLSTER,
    BUILD_ARMY,
    BUILD_NAVY,
    ECONOMIC_WARFARE,
    EVENT,
    HIDDEN,
    LAND_BATTLE,
    RESPONSE,
    SEA_BATTLE,
    STATUS,
)
from engine.qmg.view import QmgView

STATUS_VALUE_PER_TURN: Final[Mapping[str, float]] = {
    "play_alternative": 0.25,
    "victory_bonus": 0.1,
    "reaction": 0.35,
    "modifier": 0.25,
}
"""Value of a Status per turn, by kind of ability. It does not include the points that the Status scores."""
STRONG_STATUS_BONUS: Final[Mapping[str, float]] = {
    "de_bias_for_action": 0.3,
    "de_blitzkrieg": 0.5,
    "de_dive_bombers": 0.25,
    "de_synthetic_fuel": 0.3,
    "su_scorched_earth": 0.2,
    "su_women_conscripts": 0.15,
    "us_amphibious_landings": 0.4,
    "us_wartime_production": 0.4,
    "us_superior_shipyards": 0.3,
}
"""Additional value per turn for Statuses that are better than their kind suggests."""
LAID_RESPONSE_VALUE: Final = 2.0
"""Value of a Response on the table while there is still time to use it."""
NEXT_TURN_FRACTION: Final = 0.75
"""Fraction of a Response's value that counts if the Response can be used only from the next turn on."""
MIN_TURNS_TO_USE: Final = 5
"""Number of remaining turns below which laying or keeping a card is worth less."""
KEEP_VALUE: Final[Mapping[str, float]] = {
    BUILD_ARMY: 1.4,
    BUILD_NAVY: 1.0,
    LAND_BATTLE: 1.3,
    SEA_BATTLE: 0.9,
    EVENT: 0.7,
    ECONOMIC_WARFARE: 0.7,
    STATUS: 0.5,
    RESPONSE: 0.7,
    BOLSTER: 1.0,
    AIR_POWER: 1.0,
}
"""Base value of a card in hand, by type. It does not include the value of playing the card now."""
KEPT_FRACTION: Final = 0.3
"""Fraction of the value of playing a card now that is added to the value of keeping it."""
DUPLICATE_FACTOR: Final = 0.7
"""Factor applied to a card's value for each additional copy in hand."""
FRESH_CARD_VALUE: Final[Mapping[bool, float]] = {False: 1.8, True: 1.25}
"""Average value of a card from the deck, without Total War (False) and with it (True)."""


class OwnHand:
    """Evaluates the cards of the view's seat."""

    def __init__(self, view: QmgView, card_evaluator: CardEvaluator) -> None:
        """Initialise for the view's country."""
        self._view = view
        self._card_evaluator = card_evaluator
        self._play_values: dict[str, float] = {}
        self.turns = turns_left(view, view.role)
        """Number of Victory steps left."""

    # -- playing

    def play_value(self, instance: str) -> float:
        """Return the value of playing a card to its owner's team."""
        card = CARD[instance]
        cached_value = self._play_values.get(card.id)
        if cached_value is None:
            cached_value = self._play_values[card.id] = self._card_play_value(card)
        return cached_value

    def _card_play_value(self, card: Card) -> float:
        if card.type == STATUS:
            return self.status_value(card)
        if card.type == RESPONSE:
            return self._response_value(card)
        text = card.on_play()
        if text is None or not self._card_evaluator.is_condition_met(text.condition, card.deck):
            return 0.0
        value = self._card_evaluator.step_lists_value((text.cost, text.steps), card.deck)
        # The player decides whether to pay the cost, so a card with a cost cannot do harm.
        return max(value, 0.0) if text.cost else value

    def status_value(self, card: Card) -> float:
        """Return the value of a Status on the table."""
        span = discounted_turns(max(self.turns - 1, 0))
        value = STRONG_STATUS_BONUS.get(card.id, 0.0) * span
        for ability in card.abilities:
            value += STATUS_VALUE_PER_TURN[ability.kind] * span
            if ability.kind == "victory_bonus":
                position_evaluator = self._card_evaluator.position_evaluator
                analysis = position_evaluator.analysis(position_evaluator.board)
                value += status_bonus(
                    analysis, card.deck, ability, position_evaluator.active_country
                ) * discounted_turns(self.turns)
        return value

    def _response_value(self, card: Card) -> float:
        """Return the value of playing a Response to the table.

        For a Response used at the start of a turn, this is the value of its effect.
        """
        time_factor = min(1.0, max(self.turns - 1, 0) / MIN_TURNS_TO_USE)
        for ability in card.abilities:
            event = ability.trigger.event if ability.trigger is not None else ""
            if event in {"turn_begin", "play_step_begin"}:
                return (
                    NEXT_TURN_FRACTION
                    * time_factor
                    * self._card_evaluator.step_lists_value((ability.steps,), card.deck)
                )
        return LAID_RESPONSE_VALUE * time_factor

    # -- keeping

    def potential_value(self, instance: str) -> float:
        """Return the value that a kept card would have if it were played now."""
        return self.play_value(instance)

    def keep_value(self, instance: str) -> float:
        """Return the value of holding a card in hand."""
        if instance == HIDDEN:
            return FRESH_CARD_VALUE[self._view.total_war]
        card = CARD[instance]
        time_factor = min(1.0, self.turns / MIN_TURNS_TO_USE)
        value = KEEP_VALUE[card.type] * time_factor
        if card.type not in {BOLSTER, AIR_POWER} and self.turns > 1:
            value += KEPT_FRACTION * max(self.potential_value(instance), 0.0)
        own_cards = self._view.own
        copies = (
            sum(
                CARD[held_card].id == card.id for held_card in own_cards.hand if held_card != HIDDEN
            )
            if own_cards
            else 0
        )
        return float(value * DUPLICATE_FACTOR ** max(copies - 1, 0))

    def cheapest_cost(self, cards: int) -> float:
        """Return the lowest cost of giving up the given number of cards from hand."""
        own_cards = self._view.own
        return (
            sum(sorted(map(self.keep_value, own_cards.hand))[:cards])
            if own_cards is not None
            else 0.0
        )

    def draw_value(self) -> float:
        """Return the value of drawing one more card, less the value that the deck loses."""
        if not self._view.countries[self._view.role].deck or self.turns <= 1:
            return 0.0
        time_factor = min(1.0, self.turns / MIN_TURNS_TO_USE)
        return FRESH_CARD_VALUE[
            self._view.total_war
        ] * time_factor - self._card_evaluator.deck_loss_value(self._view.role, 1)

    # -- using

    def use_value(self, instance: str) -> float:
        """Return the value of using a card at this moment."""
        card, trigger = CARD[instance], self._view.trigger
        ability = _usable_ability(card, trigger)
        if ability is None:
            return 0.0
        if ability.kind == "victory_bonus":
            return 1.0 + self._card_evaluator.step_lists_value((ability.steps,), card.deck)
        return self._card_evaluator.ability_value(ability, instance, trigger)

    def reallocation_value(self) -> float:
        """Return the value of taking the best basic card from the deck, less the cost (8.3)."""
        own_cards = self._view.own
        if own_cards is None:
            return 0.0
        cost = TOTAL_WAR_COST if self._view.total_war else BASE_COST
        undrawn_count = own_cards.undrawn
        changes = self._card_evaluator.position_evaluator.changes
        for modifier in changes.get("reallocate_cost", ()):
            if modifier.owner == self._view.role:
                cost = modifier.cards
        for modifier in changes.get("reallocate_source", ()):
            if modifier.owner == self._view.role:
                undrawn_count += own_cards.discard
        basic = {
            CARD[instance].id: instance
            for instance in undrawn_count
            if instance != HIDDEN and CARD[instance].type in BASIC_TYPES
        }
        best_value = max(map(self.play_value, basic.values()), default=0.0)
        return (
            best_value
            - self.cheapest_cost(cost)
            - self._card_evaluator.deck_loss_value(self._view.role, cost)
        )


def public_cards_value(view: QmgView, country: str) -> float:
    """Return the value of a country's cards to its team, based on public information.

    The value includes cards on the table and cards left for future turns. Points that Statuses would score now are
    counted with the board instead.
    """
    country_view, turns = view.countries[country], turns_left(view, country)
    span = discounted_turns(max(turns - 1, 0))
    time_factor = min(1.0, max(turns - 1, 0) / MIN_TURNS_TO_USE)
    value = LAID_RESPONSE_VALUE * time_factor * country_view.responses
    for status in country_view.statuses:
        card = CARD[status]
        value += STRONG_STATUS_BONUS.get(card.id, 0.0) * span
        value += span * sum(
            STATUS_VALUE_PER_TURN[ability.kind]
            for ability in card.abilities
            if ability.kind != "victory_bonus"
        )
    cards = country_view.deck + country_view.hand
    cards_needed = min(float(cards), turns * CARDS_PER_TURN[view.total_war])
    return value + NEEDED_CARD_VALUE * cards_needed + SPARE_CARD_VALUE * (cards - cards_needed)


@cache
def open_step(card: str, kind: type[Step]) -> Step | None:
    """Return the first step of a given kind in a card's text, or None if there is no such step."""
    return next(
        (
            step
            for name, steps in STEP_LISTS.items()
            if name.startswith(f"{card}:")
            for step in steps
            if isinstance(step, kind)
        ),
        None,
    )


def _usable_ability(card: Card, trigger: Trigger | None) -> Ability | None:
    """Return the ability with which a card can be used now, or None.

    The ability responds to the event. Without an event, it replaces a card play or scores points. Abilities that may be
    used at any time are suitable in both cases.
    """
    for ability in card.abilities:
        trigger_filter = ability.trigger
        if trigger_filter is None:
            if trigger is None and ability.kind in {"play_alternative", "victory_bonus"}:
                return ability
        elif trigger_filter.event.startswith("any_time") or (
            trigger is not None and trigger_filter.event == trigger.kind
        ):
            return ability
    return None
