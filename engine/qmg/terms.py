"""Evaluates the terms of card data on the current board (A.1)."""

import msgspec
from typing_extensions import override

from engine.qmg import deck_terms as dt
from engine.qmg.atlas import BIT, INDEX, LAND, mask
from engine.qmg.board_analysis import (
    BoardAnalysis,
    board_analysis,
    resolve_owners,
    rule_changes,
    simple_spaces,
    spaces_in_ring,
)
from engine.qmg.deck import CARD, SNAPSHOTS
from engine.qmg.frames import Binds, Trigger
from engine.qmg.ids import ALLIES, AXIS, COUNTRIES, DECIDER, HIDDEN, MEMBERS, TEAM_BY_FORCE
from engine.qmg.state import State


class PublicContext(msgspec.Struct, frozen=True, kw_only=True):
    """The public context of a card's text: the board, the card's owner, and the event that triggered the card.

    Other cards are not examined. Conditions that depend on them are assumed to be met.
    """

    analysis: BoardAnalysis
    owner: str
    active: str
    trigger: Trigger | None = None
    binds: Binds = Binds()
    target: str = ""
    """Target of an Economic Warfare card. Set only while the card's boost is computed."""

    def board_at_turn_begin(self) -> BoardAnalysis:
        """Return the board for a snapshot. A public context has no state, so this is the current board."""
        return self.analysis

    def has_card(self, condition: dt.HasCard) -> bool:
        """Return True. A public context assumes that the zone contains the card."""
        del condition
        return True

    def discarded_count(self, card_type: str) -> int:
        """Return 0. A public context does not count the cards discarded in this Discard step."""
        del card_type
        return 0

    def is_subject_present(self, event: Trigger) -> bool:
        """Return whether the event's piece is still in its space."""
        force, kind, space = event.subject
        return bool(space and self.analysis.board.spaces_with(force, kind) & BIT[space])


class Context(PublicContext, frozen=True, kw_only=True):
    """A context with the complete state, for use by the rules."""

    state: State

    @override
    def board_at_turn_begin(self) -> BoardAnalysis:
        """Return the board at the beginning of the turn (17.6)."""
        # No snapshot query depends on supply, so grants and the strict reading do not matter.
        return BoardAnalysis(self.state.turn.begin, rule_changes(self.state), (), is_strict=False)

    @override
    def has_card(self, condition: dt.HasCard) -> bool:
        """Return whether a zone contains a card of a given type. Hidden cards count as well, as in a cost (9.5)."""
        cards = self.state.cards_of(resolve_country(condition.who, self))
        zone = cards.discard if condition.zone == "discard" else cards.hand
        return any(card == HIDDEN or CARD[card].type == condition.card_type for card in zone)

    @override
    def discarded_count(self, card_type: str) -> int:
        """Return the number of cards of a given type discarded in this Discard step.

        Raises:
            HiddenError: Some of the discarded cards are hidden in this copy.
        """
        return sum(CARD[card].type == card_type for card in self.state.turn.discarded)

    @override
    def is_subject_present(self, event: Trigger) -> bool:
        """Return whether the event's piece is still in its space, and not a different piece (10.5)."""
        return super().is_subject_present(event) and self.state.is_still_there(
            event.subject, event.departed
        )


def full_context(
    state: State, owner: str, trigger: Trigger | None = None, binds: Binds | None = None
) -> Context:
    """Return the context of a card's text, with the complete state."""
    return Context(
        state=state,
        analysis=board_analysis(state),
        owner=owner,
        active=state.active,
        trigger=trigger,
        binds=binds or Binds(),
    )


def resolve_force(word: dt.Who, context: PublicContext) -> str:
    """Return the force or country that a word in a card's text refers to, or an empty string."""
    match word:
        case "self":
            return context.owner
        case "each":
            return context.binds.each
        case "chosen":
            return context.binds.chosen
        case dt.Ref(ref="trigger.target"):
            if context.target or context.trigger is None:
                return context.target
            return context.trigger.targets[0] if context.trigger.targets else ""
        case dt.Ref():
            return context.trigger.by if context.trigger is not None else ""
        case _:
            return word


def resolve_country(word: dt.Who, context: PublicContext) -> str:
    """Return the country that a word refers to when it names the owner of cards.

    This is the UK for France and the USA for China (17.5, A.1.2).
    """
    force = resolve_force(word, context)
    return DECIDER[force] if force else ""


def resolve_decider(word: dt.Who, context: PublicContext) -> str:
    """Return the country that a word refers to. For a force without cards, return the card's owner (9.7, A.1.2)."""
    force = resolve_force(word, context)
    return force if force in COUNTRIES else context.owner


def resolve_forces(words: dt.Owners, context: PublicContext) -> tuple[str, ...]:
    """Return the forces that owner words refer to."""
    if words in ("each", "chosen"):
        return (resolve_force(words, context),)
    return resolve_owners(words, context.owner)


def resolve_spaces(selector: dt.Selector, context: PublicContext) -> int:
    """Return the spaces that a selector refers to (A.1.6)."""
    if not isinstance(selector, dt.Region) or selector.title_contains is not None:
        return simple_spaces(context.analysis, selector, context.owner)
    if selector.adjacent_to_pieces is not None:
        return context.analysis.adjacent_to_any(
            TEAM_BY_FORCE[context.owner], _query_spaces(selector.adjacent_to_pieces, context)
        )
    if selector.with_piece is not None:
        return _query_spaces(selector.with_piece, context)
    if selector.snapshot is not None:
        begin_context = msgspec.structs.replace(context, analysis=context.board_at_turn_begin())
        return _query_spaces(SNAPSHOTS[selector.snapshot], begin_context)
    of, min_distance, max_distance = selector.ring()
    centre = _resolve_centre(of, context)
    return (
        spaces_in_ring(context.analysis, context.owner, centre, min_distance, max_distance)
        if centre
        else 0
    )


def _resolve_centre(centre: str | dt.Home, context: PublicContext) -> int:
    if isinstance(centre, dt.Home):
        countries = centre.home_of
        force = resolve_force(
            dt.Ref(ref=countries) if countries == "trigger.target" else countries, context
        )
        return context.analysis.home_spaces(force) if force else 0
    if centre == "trigger.space":
        return (
            BIT[context.trigger.space]
            if context.trigger is not None and context.trigger.space
            else 0
        )
    if centre == "step1.space":
        return (
            BIT[context.binds.spaces[0]] if context.binds.spaces and context.binds.spaces[0] else 0
        )
    return BIT[centre]


def _query_spaces(query: dt.Query, context: PublicContext) -> int:
    matching_spaces = 0
    for _, _, spaces in matching_pieces(query, context):
        matching_spaces |= spaces
    return matching_spaces


def matching_pieces(query: dt.Query, context: PublicContext) -> list[tuple[str, str, int]]:
    """Return the force, kind and spaces of the pieces that match a query."""
    chosen_spaces = resolve_spaces(query.spaces, context) & ~mask(query.not_spaces)
    return list(
        context.analysis.pieces_in(query, resolve_forces(query.owners, context), chosen_spaces)
    )


def matching_count(query: dt.Query, context: PublicContext) -> int:
    """Return the number of pieces that match a query."""
    return sum(spaces.bit_count() for _, _, spaces in matching_pieces(query, context))


def is_condition_met(condition: dt.Condition | None, context: PublicContext) -> bool:
    """Return whether a condition is met on the current board."""
    if condition is None:
        return True
    if condition.exists is not None:
        return matching_count(condition.exists, context) > 0
    if condition.at_least is not None:
        return matching_count(condition.at_least.query, context) >= condition.at_least.n
    if condition.denied is not None:
        return not is_condition_met(condition.denied, context)
    if condition.all is not None:
        return all(is_condition_met(condition_part, context) for condition_part in condition.all)
    assert condition.has_card is not None, condition
    return context.has_card(condition.has_card)


def resolve_amount(amount: dt.Amount, context: PublicContext) -> int:
    """Evaluate an amount. The result is never below 0 (A.1.4)."""
    return max(0, resolve_signed_amount(amount, context))


def resolve_signed_amount(amount: dt.Amount, context: PublicContext) -> int:
    """Evaluate an amount that may be negative, such as a reduction."""
    if isinstance(amount, int):
        return amount
    if amount.per is not None:
        return matching_count(amount.per, context) * amount.each
    if amount.condition is not None:
        return amount.then if is_condition_met(amount.condition, context) else amount.otherwise
    if amount.discarded is not None:
        return context.discarded_count(amount.discarded.card_type)
    return next((value for name, value in context.binds.numbers if name == amount.ref), 0)


# -- triggers


def is_match(trigger_filter: dt.TriggerFilter, event: Trigger, context: PublicContext) -> bool:
    """Return whether an event triggers a reaction. The event must be of the right kind (A.4)."""
    return (
        _matches_owner(trigger_filter, event, context)
        and _matches_piece(trigger_filter, event, context)
        and _matches_place(trigger_filter, event, context)
        and _matches_card(trigger_filter, event)
    )


def _includes_force(words: dt.Owners, force: str, context: PublicContext) -> bool:
    return force in resolve_forces(words, context)


def _matches_owner(
    trigger_filter: dt.TriggerFilter, event: Trigger, context: PublicContext
) -> bool:
    if trigger_filter.whose and event.by != context.owner:
        return False
    if trigger_filter.by and not _includes_force(trigger_filter.by, event.by, context):
        return False
    if trigger_filter.owner and not _includes_force(trigger_filter.owner, event.owner, context):
        return False
    if trigger_filter.country and context.owner not in event.targets:
        return False
    if trigger_filter.own_turn and context.active != context.owner:
        return False
    return not (trigger_filter.against and event.against != trigger_filter.against)


def _matches_piece(
    trigger_filter: dt.TriggerFilter, event: Trigger, context: PublicContext
) -> bool:
    if trigger_filter.piece and trigger_filter.piece not in {"any", event.piece}:
        return False
    if trigger_filter.last and not event.last:
        return False
    if not trigger_filter.supplied:
        return True
    if trigger_filter.event == "removed":
        return event.was_supplied
    return bool(context.analysis.supplied_pieces(event.owner, event.piece) & BIT[event.space])


def _matches_place(
    trigger_filter: dt.TriggerFilter, event: Trigger, context: PublicContext
) -> bool:
    if trigger_filter.space_kind:
        is_land = bool(LAND & BIT[event.space])
        if is_land != (trigger_filter.space_kind == "land"):
            return False
    if (
        trigger_filter.spaces is not None
        and not resolve_spaces(trigger_filter.spaces, context) & BIT[event.space]
    ):
        return False
    neighbour_query = trigger_filter.adjacent_to_piece
    if neighbour_query is None:
        return True
    team = TEAM_BY_FORCE[context.owner]
    return bool(
        context.analysis.adjacent_spaces(team)[INDEX[event.space]]
        & _query_spaces(neighbour_query, context)
    )


def _matches_card(trigger_filter: dt.TriggerFilter, event: Trigger) -> bool:
    if trigger_filter.step and event.step != trigger_filter.step:
        return False
    if not (trigger_filter.tag or trigger_filter.card_type or trigger_filter.not_card_type):
        return True
    # Only Responses are played face down, so a hidden card must be a Response (9.2).
    if event.card == HIDDEN:
        kind = "response"
        tags: tuple[str, ...] = ()
    else:
        card = CARD[event.card]
        kind, tags = card.type, card.tags
    if trigger_filter.tag and trigger_filter.tag not in tags:
        return False
    if trigger_filter.card_type and kind != trigger_filter.card_type:
        return False
    return kind not in trigger_filter.not_card_type


def enemy_forces(force: str) -> tuple[str, ...]:
    """Return the forces of the other team."""
    return MEMBERS[ALLIES if TEAM_BY_FORCE[force] == AXIS else AXIS]
