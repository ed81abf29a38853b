"""Countries that could respond to an event, and the cards that they could use (10.4, 10.6).

Only public information decides whether a country is asked: Statuses on the table, the numbers of face-down Responses
and hand cards, and cards known to be in discard piles. When a country is asked, its own cards determine its options.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from engine.qmg.atlas import BIT
from engine.qmg.board_analysis import (
    BoardAnalysis,
    board_analysis,
    ignored_status_team,
    resolve_owners,
)
from engine.qmg.deck import CARD, CARDS, INSTANCES, Ability, deck_cards
from engine.qmg.deck_steps import (
    STEP_LISTS,
    DiscardEffect,
    EliminateEffect,
    GrantSupply,
    ModifyEwDiscard,
    PlaceCard,
    PreventRemoval,
    RemoveOwn,
    Steps,
)
from engine.qmg.deck_terms import Ref, TriggerFilter
from engine.qmg.frames import Trigger
from engine.qmg.ids import (
    AIR,
    BOLSTER,
    COUNTRIES,
    DECIDER,
    FORCE_INDEX,
    HIDDEN,
    RESPONSE,
    STATUS,
    TEAM_BY_FORCE,
)
from engine.qmg.legal import is_protected
from engine.qmg.rulings import IMMEDIATELY_AFTER_BUILT
from engine.qmg.state import State
from engine.qmg.terms import Context, full_context, is_condition_met, is_match, matching_pieces

ANY_TIME = ("any_time", "any_time_own_turn")
_BOLSTER_LAYING_COUNTRIES: Final = frozenset(
    CARDS[name.partition(":")[0]].deck
    for name, steps in STEP_LISTS.items()
    for step in steps
    if isinstance(step, PlaceCard) and step.card_type == BOLSTER
)
"""Countries with a card that can place a Bolster among the Responses (17.12)."""


class Answer(NamedTuple):
    """A card's ability, with the card's country, type and copies."""

    country: str
    type: str
    ability: Ability
    instances: tuple[str, ...]


class Usable(NamedTuple):
    """A card that may be used now, and the ability that allows it."""

    card: str
    ability: Ability


@cache
def response_abilities(kind: str, *, is_total_war: bool) -> tuple[Answer, ...]:
    """Return every ability in the game that can respond to a kind of event, in the countries' turn order."""
    return tuple(
        Answer(card.deck, card.type, ability, INSTANCES[card.id])
        for country in COUNTRIES
        for card in deck_cards(country, is_total_war=is_total_war)
        for ability in card.abilities
        if ability.trigger is not None and kind in _trigger_events(ability)
    )


@cache
def any_time_abilities(*, is_total_war: bool) -> tuple[Answer, ...]:
    """Return every ability that may be used at any time (10.6)."""
    return tuple(
        answer
        for kind in ANY_TIME
        for answer in response_abilities(kind, is_total_war=is_total_war)
        if answer.ability.trigger is not None and answer.ability.trigger.event == kind
    )


@cache
def _abilities_by_country(kind: str, country: str, *, is_total_war: bool) -> tuple[Answer, ...]:
    return tuple(
        ability
        for ability in response_abilities(kind, is_total_war=is_total_war)
        if ability.country == country
    )


def _trigger_events(ability: Ability) -> tuple[str, ...]:
    """Return the kinds of events that an ability responds to.

    If the card may be used at any time, these include the event whose effect the ability changes. The event of
    recruiting is included for cards that may treat it like a build (18.5).
    """
    assert ability.trigger is not None
    kind = ability.trigger.event
    if kind not in ANY_TIME:
        return (kind, "recruited") if ability.trigger.recruits else (kind,)
    first_step = ability.steps[0]
    if isinstance(first_step, PreventRemoval):
        return (kind, "about_to_be_removed")
    if isinstance(first_step, GrantSupply):
        return (kind, "supply_step_begin")
    return (kind,)


def can_anyone_respond(state: State, event: Trigger) -> bool:
    """Return whether any country could respond to an event as far as is publicly known."""
    for answer in _possible_responses(
        event.kind, event.by, event.owner, is_total_war=state.total_war
    ):
        if can_possibly_use(state, answer, event):
            return True
    return bool(_air_defense_country(state, event))


@cache
def _possible_responses(
    kind: str, responder: str, owner: str, *, is_total_war: bool
) -> tuple[Answer, ...]:
    """Return the possible responses to an event, given the acting force and the piece's owner."""
    return tuple(
        answer
        for answer in response_abilities(kind, is_total_war=is_total_war)
        if _can_respond(answer, kind, responder, owner)
    )


def _can_respond(answer: Answer, kind: str, responder: str, owner: str) -> bool:
    trigger_filter = answer.ability.trigger
    assert trigger_filter is not None
    if trigger_filter.event != kind and not (trigger_filter.recruits and kind == "recruited"):
        return True  # an any-time card
    if trigger_filter.whose and responder != answer.country:
        return False
    return all(
        not words or words in _UNRESOLVED_FORCES or force in resolve_owners(words, answer.country)
        for words, force in ((trigger_filter.by, responder), (trigger_filter.owner, owner))
    )


_UNRESOLVED_FORCES: Final = ("each", "chosen")
"""Words for forces that are determined only when the card's text is carried out."""


def can_respond(
    state: State,
    country: str,
    event: Trigger,
    used_cards: tuple[str, ...],
    *,
    is_settled: bool = False,
) -> bool:
    """Return whether a country could respond to an event as far as is publicly known.

    Args:
        state: The current state.
        country: The country to be polled next.
        event: The event that opened the response window.
        used_cards: Cards already used for this event.
        is_settled: True if the number of cards lost to Economic Warfare can no longer change.
    """
    for answer in _abilities_by_country(event.kind, country, is_total_war=state.total_war):
        if is_settled and _changes_discard(answer.ability):
            continue
        if can_possibly_use(state, answer, event, used_cards):
            return True
    return country == _air_defense_country(state, event) and event.kind not in used_cards


def _air_defense_country(state: State, event: Trigger) -> str:
    """Return the country that can respond with Air Defense, or an empty string. Air Defense needs no card."""
    if event.kind == "about_to_be_removed":
        return DECIDER[event.owner] if can_air_defend(state, event) else ""
    return ""


def can_air_defend(state: State, event: Trigger) -> bool:
    """Return whether an Air Force may be removed instead of a piece.

    This is possible only in a battle, but in any step (13.5, 16.5, 16.12).
    """
    return (
        event.why == "battle"
        and event.piece != AIR
        and bool(state.board.spaces_with(event.owner, AIR) & BIT[event.space])
        and state.is_still_there(event.subject, event.departed)
        and "no_air_defense" not in state.turn.flags
        and not is_protected(state, event.owner, event.piece, event.space)
    )


def can_possibly_use(
    state: State, answer: Answer, event: Trigger, used_cards: tuple[str, ...] = ()
) -> bool:
    """Return whether an ability could respond to an event now, based only on public information."""
    index = FORCE_INDEX[answer.country]
    if answer.type == STATUS:
        # There is only one copy of each Status.
        if answer.instances[0] not in state.statuses[index]:
            return False
        return answer.instances[0] not in used_cards and _is_applicable(
            state, board_analysis(state), answer, answer.instances[0], event, is_suspected=True
        )
    if not may_have_card(state, answer, used_cards):
        return False
    return _is_applicable(state, board_analysis(state), answer, "", event, is_suspected=True)


def may_have_card(state: State, answer: Answer, used_cards: tuple[str, ...] = ()) -> bool:
    """Return whether a country may hold a Response or Bolster, based only on public information."""
    cards = state.cards_of(answer.country)
    is_laid = answer.type == RESPONSE or answer.country in _BOLSTER_LAYING_COUNTRIES
    if not (cards.responses and is_laid) and not (cards.hand and answer.type != RESPONSE):
        return False
    return not all(card in cards.face_up or card in used_cards for card in answer.instances)


def usable_cards(
    state: State,
    country: str,
    event: Trigger,
    used_cards: tuple[str, ...] = (),
    *,
    is_settled: bool = False,
) -> Iterator[Usable]:
    """Yield the cards with which a country may respond to an event.

    If the country's cards are hidden, only Statuses count.
    """
    analysis = board_analysis(state)
    for answer in _abilities_by_country(event.kind, country, is_total_war=state.total_war):
        if is_settled and _changes_discard(answer.ability):
            continue
        card = held_instance(state, answer)
        if card and card not in used_cards and _is_applicable(state, analysis, answer, card, event):
            yield Usable(card, answer.ability)


def _changes_discard(ability: Ability) -> bool:
    """Return whether an ability only changes the number of cards lost to Economic Warfare."""
    return isinstance(ability.steps[0], ModifyEwDiscard)


def held_instance(state: State, answer: Answer) -> str:
    """Return the card instance that the country holds and can use for the ability, or an empty string.

    A card can be used even in the turn in which it was laid (10.4, 18.18).
    """
    index = FORCE_INDEX[answer.country]
    if answer.type == STATUS:
        return next(
            (instance for instance in answer.instances if instance in state.statuses[index]), ""
        )
    cards = state.cards[index]
    zones = cards.responses if answer.type == RESPONSE else cards.responses + cards.hand
    return next((instance for instance in answer.instances if instance in zones), "")


def _is_applicable(
    state: State,
    analysis: BoardAnalysis,
    answer: Answer,
    card: str,
    event: Trigger,
    *,
    is_suspected: bool = False,
) -> bool:
    """Return whether an ability may respond to an event. The location of its card is not checked.

    If ``is_suspected``, only public information is used.
    """
    ability = answer.ability
    trigger_filter = ability.trigger
    assert trigger_filter is not None
    context = Context(
        state=state, analysis=analysis, owner=answer.country, active=state.active, trigger=event
    )
    if trigger_filter.recruits and event.kind == "recruited":
        if IMMEDIATELY_AFTER_BUILT.uses_alternative(state.options) or not is_match(
            trigger_filter, event, context
        ):
            return False
    elif trigger_filter.event != event.kind:
        if not _changes_effect(ability, trigger_filter, event, context):
            return False
    elif not is_match(trigger_filter, event, context):
        return False
    return is_usable(ability, card, answer.type, context, is_suspected=is_suspected)


def usable_statuses(
    state: State, country: str, kind: str, excluded_cards: Sequence[str] = ()
) -> Iterator[Usable]:
    """Yield a country's Statuses with a usable ability of this kind, except the excluded cards."""
    context = full_context(state, country)
    for card in state.statuses[FORCE_INDEX[country]]:
        for ability in CARD[card].abilities if card not in excluded_cards else ():
            if ability.kind == kind and is_usable(ability, card, STATUS, context):
                yield Usable(card, ability)


def is_cost_unpayable(state: State, country: str, card: str, event: Trigger) -> bool:
    """Return whether a card cannot respond to an event only because its cost cannot be paid (9.5)."""
    analysis = board_analysis(state)
    for answer in _abilities_by_country(event.kind, country, is_total_war=state.total_war):
        ability = answer.ability
        context = Context(
            state=state, analysis=analysis, owner=country, active=state.active, trigger=event
        )
        if (
            held_instance(state, answer) == card
            and ability.cost
            and ability.trigger is not None
            and ability.trigger.event == event.kind
            and is_match(ability.trigger, event, context)
            and is_condition_met(ability.condition, context)
            and not can_pay(ability.cost, card, context)
        ):
            return True
    return False


def _changes_effect(
    ability: Ability, trigger_filter: TriggerFilter, event: Trigger, context: Context
) -> bool:
    """Return whether a card that can be used at any time would change the effect of an event (10.6)."""
    if trigger_filter.event == "any_time_own_turn" and context.state.active != context.owner:
        return False
    first_step = ability.steps[0]
    if isinstance(first_step, PreventRemoval):
        assert first_step.query is not None
        return any(
            (force, kind) == (event.owner, event.piece) and spaces & BIT[event.space]
            for force, kind, spaces in matching_pieces(first_step.query, context)
        ) and not is_protected(context.state, event.owner, event.piece, event.space)
    return True


def is_usable(
    ability: Ability, card: str, card_type: str, context: Context, *, is_suspected: bool = False
) -> bool:
    """Return whether an ability may be used. Its trigger is not checked (10.4).

    Args:
        ability: The ability.
        card: The ability's card instance, or an empty string if the card is only suspected.
        card_type: The card type.
        context: The board, the owner and the event.
        is_suspected: True to use only public information. The result then reveals nothing about the owner's hand.
    """
    state = context.state
    if card_type == STATUS:
        if card in state.turn.blocked:
            return False
        if ignored_status_team(state.statuses, state.active) == TEAM_BY_FORCE[context.owner]:
            return False
    if ability.once_per_turn and f"{card}:{ability.number}" in state.turn.used:
        return False
    return (
        is_condition_met(ability.condition, context)
        and (not ability.cost or can_pay(ability.cost, "" if is_suspected else card, context))
        and _has_purpose(ability, context)
    )


def _has_purpose(ability: Ability, context: Context) -> bool:
    """Return whether the card would still have a purpose (10.4, 18.21).

    A card has no purpose if the piece that it would save or eliminate has left the board, or if the piece that it would
    save is already protected.
    """
    event = context.trigger
    if event is None or not event.piece or not ability.steps:
        return True
    first_step = ability.steps[0]
    is_rescue = isinstance(first_step, PreventRemoval) and first_step.query is None
    is_end = isinstance(first_step, EliminateEffect) and isinstance(first_step.piece, Ref)
    needs_danger = is_rescue or event.kind == "about_to_be_removed"
    if not (needs_danger or is_end):
        return True
    return context.state.is_still_there(event.subject, event.departed) and not (
        needs_danger and is_protected(context.state, event.owner, event.piece, event.space)
    )


def can_pay(cost: Steps, card: str, context: Context) -> bool:
    """Return whether every part of a cost can be paid. Unknown cards are assumed to be suitable (9.5, A.1.7)."""
    cards = context.state.cards_of(context.owner)
    cards_needed = 0
    for step in cost:
        if isinstance(step, RemoveOwn):
            if not any(
                context.state.board.spaces_with(context.owner, kind) for kind in step.pieces
            ):
                return False
        elif isinstance(step, DiscardEffect):
            if step.zone == "hand" and step.card_types:
                # Two parts of a cost need two different cards (A.1.7).
                cards_needed += 1
                matching_count = sum(
                    hand_card == HIDDEN
                    or (CARD[hand_card].type in step.card_types and hand_card != card)
                    for hand_card in cards.hand
                )
                if not card:  # only the number of cards is public
                    matching_count = len(cards.hand)
                if matching_count < cards_needed:
                    return False
            elif (
                step.zone == "table_status"
                and not context.state.statuses[FORCE_INDEX[context.owner]]
            ):
                return False
    return True
