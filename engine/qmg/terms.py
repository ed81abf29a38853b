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


class CardScene(msgspec.Struct, frozen=True, kw_only=True):
    """The public context of a card's text: the board, the owner of the card, and the event that triggered it.

    Cards are not examined. Conditions that depend on cards are assumed to be met.
    """

    field: BoardAnalysis
    owner: str
    active: str
    trigger: Trigger | None = None
    binds: Binds = Binds()
    target: str = ""
    """Target of an Economic Warfare card while its boost is computed."""

    def board_at_turn_begin(self) -> BoardAnalysis:
        """Return the board for a snapshot. Without a state, this is the current board."""
        return self.field

    def has_card(self, condition: dt.HasCard) -> bool:
        """Return whether a zone contains a card of a type."""
        del condition
        return True

    def discarded_count(self, card_type: str) -> int:
        """Return how many cards of a type have been discarded in this Discard step."""
        del card_type
        return 0

    def is_subject_present(self, event: Trigger) -> bool:
        """Return whether the piece that an event is about is still there."""
        force, kind, space = event.subject
        return bool(space and self.field.board.spaces_with(force, kind) & BIT[space])


class Context(CardScene, frozen=True, kw_only=True):
    """A scene with the complete state, for use by the rules."""

    state: State

    @override
    def board_at_turn_begin(self) -> BoardAnalysis:
        """Return the board at the beginning of the turn (17.6)."""
        return BoardAnalysis(self.state.turn.begin, rule_changes(self.state), (), strict=False)

    @override
    def has_card(self, condition: dt.HasCard) -> bool:
        """Return whether a zone contains a card of a type. A hidden card counts as one, as in a cost (9.5)."""
        cards = self.state.cards_of(resolve_country(condition.who, self))
        zone = cards.discard if condition.zone == "discard" else cards.hand
        return any(card == HIDDEN or CARD[card].type == condition.card_type for card in zone)

    @override
    def discarded_count(self, card_type: str) -> int:
        """Return how many cards of a type have been discarded in this Discard step.

        Raises:
            HiddenError: This copy does not know all of them.
        """
        return sum(CARD[card].type == card_type for card in self.state.turn.discarded)

    @override
    def is_subject_present(self, event: Trigger) -> bool:
        """Return whether the piece that an event is about is still there, and not another one in its place (10.5)."""
        return super().is_subject_present(event) and self.state.is_still_there(
            event.subject, event.departed
        )


def full_context(
    state: State, owner: str, trigger: Trigger | None = None, binds: Binds | None = None
) -> Context:
    """Return the context of a card's text."""
    return Context(
        state=state,
        field=board_analysis(state),
        owner=owner,
        active=state.active,
        trigger=trigger,
        binds=binds or Binds(),
    )


def resolve_force(word: dt.Who, at: CardScene) -> str:
    """Return the force or country that a word on a card refers to, or an empty string if there is none."""
    match word:
        case "self":
            return at.owner
        case "each":
            return at.binds.each
        case "chosen":
            return at.binds.chosen
        case dt.Ref(ref="trigger.target"):
            if at.target or at.trigger is None:
                return at.target
            return at.trigger.targets[0] if at.trigger.targets else ""
        case dt.Ref():
            return at.trigger.by if at.trigger is not None else ""
        case _:
            return word


def resolve_country(word: dt.Who, at: CardScene) -> str:
    """Return the country with cards that a word refers to: the UK for France, the USA for China (17.5, A.1.2)."""
    force = resolve_force(word, at)
    return DECIDER[force] if force else ""


def resolve_decider(word: dt.Who, at: CardScene) -> str:
    """Return the country that decides for a card or, for a force without cards, the card's owner (9.7, A.1.2)."""
    force = resolve_force(word, at)
    return force if force in COUNTRIES else at.owner


def resolve_forces(words: dt.Owners, at: CardScene) -> tuple[str, ...]:
    """Return the forces that names of owners refer to."""
    if words in ("each", "chosen"):
        return (resolve_force(words, at),)
    return resolve_owners(words, at.owner)


def resolve_spaces(selector: dt.Selector, at: CardScene) -> int:
    """Return the spaces that a selector refers to (A.1.6)."""
    if not isinstance(selector, dt.Region) or selector.title_contains is not None:
        return simple_spaces(at.field, selector, at.owner)
    if selector.adjacent_to_pieces is not None:
        return at.field.adjacent_to_any(
            TEAM_BY_FORCE[at.owner], _query_spaces(selector.adjacent_to_pieces, at)
        )
    if selector.with_piece is not None:
        return _query_spaces(selector.with_piece, at)
    if selector.snapshot is not None:
        then = msgspec.structs.replace(at, field=at.board_at_turn_begin())
        return _query_spaces(SNAPSHOTS[selector.snapshot], then)
    of, least, most = selector.ring()
    centre = _resolve_centre(of, at)
    return spaces_in_ring(at.field, at.owner, centre, least, most) if centre else 0


def _resolve_centre(of: str | dt.Home, at: CardScene) -> int:
    if isinstance(of, dt.Home):
        whose = of.home_of
        force = resolve_force(dt.Ref(ref=whose) if whose == "trigger.target" else whose, at)
        return at.field.home_spaces(force) if force else 0
    if of == "trigger.space":
        return BIT[at.trigger.space] if at.trigger is not None and at.trigger.space else 0
    if of == "step1.space":
        return BIT[at.binds.spaces[0]] if at.binds.spaces and at.binds.spaces[0] else 0
    return BIT[of]


def _query_spaces(query: dt.Query, at: CardScene) -> int:
    matching = 0
    for _, _, spaces in matching_pieces(query, at):
        matching |= spaces
    return matching


def matching_pieces(query: dt.Query, at: CardScene) -> list[tuple[str, str, int]]:
    """Return the force, kind and spaces of the pieces that match a query."""
    chosen = resolve_spaces(query.spaces, at) & ~mask(query.not_spaces)
    return list(at.field.pieces_in(query, resolve_forces(query.owners, at), chosen))


def matching_count(query: dt.Query, at: CardScene) -> int:
    """Return how many pieces match a query."""
    return sum(spaces.bit_count() for _, _, spaces in matching_pieces(query, at))


def is_condition_met(condition: dt.Condition | None, at: CardScene) -> bool:
    """Return whether a condition is met on the current board."""
    if condition is None:
        return True
    if condition.exists is not None:
        return matching_count(condition.exists, at) > 0
    if condition.at_least is not None:
        return matching_count(condition.at_least.query, at) >= condition.at_least.n
    if condition.denied is not None:
        return not is_condition_met(condition.denied, at)
    if condition.all is not None:
        return all(is_condition_met(part, at) for part in condition.all)
    assert condition.has_card is not None, condition
    return at.has_card(condition.has_card)


def resolve_amount(amount: dt.Amount, at: CardScene) -> int:
    """Return an amount, never below 0 (A.1.4)."""
    return max(0, resolve_signed_amount(amount, at))


def resolve_signed_amount(amount: dt.Amount, at: CardScene) -> int:
    """Return an amount that may be negative, such as a reduction."""
    if isinstance(amount, int):
        return amount
    if amount.per is not None:
        return matching_count(amount.per, at) * amount.each
    if amount.condition is not None:
        return amount.then if is_condition_met(amount.condition, at) else amount.otherwise
    if amount.discarded is not None:
        return at.discarded_count(amount.discarded.card_type)
    return next((n for name, n in at.binds.numbers if name == amount.ref), 0)


# -- triggers


def is_match(wanted: dt.TriggerFilter, event: Trigger, at: CardScene) -> bool:
    """Return whether an event of the right kind triggers a reaction (A.4)."""
    return (
        _who_matches(wanted, event, at)
        and _piece_matches(wanted, event, at)
        and _place_matches(wanted, event, at)
        and _card_matches(wanted, event)
    )


def _includes_force(words: dt.Owners, force: str, at: CardScene) -> bool:
    return force in resolve_forces(words, at)


def _who_matches(wanted: dt.TriggerFilter, event: Trigger, at: CardScene) -> bool:
    if wanted.whose and event.by != at.owner:
        return False
    if wanted.by and not _includes_force(wanted.by, event.by, at):
        return False
    if wanted.owner and not _includes_force(wanted.owner, event.owner, at):
        return False
    if wanted.country and at.owner not in event.targets:
        return False
    if wanted.own_turn and at.active != at.owner:
        return False
    return not (wanted.against and event.against != wanted.against)


def _piece_matches(wanted: dt.TriggerFilter, event: Trigger, at: CardScene) -> bool:
    if wanted.piece and wanted.piece not in {"any", event.piece}:
        return False
    if wanted.last and not event.last:
        return False
    if not wanted.supplied:
        return True
    if wanted.event == "removed":
        return event.was_supplied
    return bool(at.field.supplied_pieces(event.owner, event.piece) & BIT[event.space])


def _place_matches(wanted: dt.TriggerFilter, event: Trigger, at: CardScene) -> bool:
    if wanted.space_kind:
        is_land = bool(LAND & BIT[event.space])
        if is_land != (wanted.space_kind == "land"):
            return False
    if wanted.spaces is not None and not resolve_spaces(wanted.spaces, at) & BIT[event.space]:
        return False
    near = wanted.adjacent_to_piece
    if near is None:
        return True
    team = TEAM_BY_FORCE[at.owner]
    return bool(at.field.adjacent(team)[INDEX[event.space]] & _query_spaces(near, at))


def _card_matches(wanted: dt.TriggerFilter, event: Trigger) -> bool:
    if wanted.step and event.step != wanted.step:
        return False
    if not (wanted.tag or wanted.card_type or wanted.not_card_type):
        return True
    if event.card == HIDDEN:
        kind = "response"
        tags: tuple[str, ...] = ()
    else:
        card = CARD[event.card]
        kind, tags = card.type, card.tags
    if wanted.tag and wanted.tag not in tags:
        return False
    if wanted.card_type and kind != wanted.card_type:
        return False
    return kind not in wanted.not_card_type


def enemy_forces(force: str) -> tuple[str, ...]:
    """Return the forces of the other team."""
    return MEMBERS[ALLIES if TEAM_BY_FORCE[force] == AXIS else AXIS]
