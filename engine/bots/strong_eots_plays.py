"""Finds Empire of the Sun card plays that are worth a search, each with its plan (4.22, 7.2)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from engine.bots.greedy_eots import GreedyEots
from engine.bots.greedy_eots_cards import (
    CardProspects,
    activatable_units,
    card_value,
    effect_value,
    event_card_value,
    meets_card_requirements,
    offensive_means,
    ordered_plan,
)
from engine.bots.greedy_eots_plan import NO_PLAN, OffensivePlan
from engine.bots.greedy_eots_reasons import card_reason, hq_reason, join_hex_names
from engine.bots.greedy_eots_situation import EotsSituation
from engine.bots.strong_eots_dangers import Dangers
from engine.bots.strong_eots_guard import guard_plan
from engine.eots import commands as orders
from engine.eots.deck import cards
from engine.eots.frames import OffensiveFrame, StackFrame
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.view import EotsView, OffensiveView
from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command, View

MAX_VARIED_PLAYS: Final = 2
"""Variants are also searched for this many of the best offensives."""
MAX_VARIANTS: Final = 2
"""Number of variants per offensive. Each variant leaves out one goal."""
MAX_QUIET_PLAYS: Final = 3
"""Maximum number of quiet plays that are searched. These are guarding offensives and plays without an offensive."""
_SAME_FOR_ANY_CARD: Final = (orders.EndRivalry, orders.ChinaOffensive, orders.PlaceFuture)


class CandidatePlay(msgspec.Struct, frozen=True, kw_only=True):
    """A card play with its plan and estimated value."""

    order: orders.EotsCommand
    value: int
    """The greedy bot's estimate of the play's value."""
    extra: int = 0
    """Value of the event's other effects."""
    hq: UnitId | None = None
    """The HQ that commands the offensive; None if the play has no offensive."""
    plan: OffensivePlan = NO_PLAN
    is_guard: bool = False
    """True if the offensive moves troops to unguarded friendly hexes."""

    @property
    def prior_value(self) -> int:
        """Return the play's initial estimate, on the scale of position values."""
        return self.value + self.extra

    def explain(self, situation: EotsSituation) -> str:
        """Return the reason for the card play, using only public information."""
        if self.is_guard:
            return (
                f"sends troops to hold {join_hex_names([goal.target for goal in self.plan.goals])}."
            )
        return card_reason(situation, self.plan, self.order)


class PlanningEots(GreedyEots):
    """A greedy bot that follows a chosen play: its HQ and its plan."""

    chosen_play: CandidatePlay | None = None

    @override
    def choose(self, view: View, decision: Decision[Command]) -> Command:
        ship = self._planned_transport(view, decision)
        if ship is not None:
            self.reason = ""
            return ship
        hq = self._planned_hq(view, decision)
        if hq is None:
            return super().choose(view, decision)
        assert isinstance(view, EotsView)
        self.reason = self._reason(view, self._situation(view, Side(decision.role)), hq)
        self._last_reason = self.reason or self._last_reason
        return hq

    @override
    def _reason(
        self, view: EotsView, situation: EotsSituation, chosen_command: orders.EotsCommand
    ) -> str:
        chosen_play = self.chosen_play
        if (
            isinstance(chosen_command, orders.ChooseHq)
            and chosen_play is not None
            and _is_from_play(chosen_play, view.offensive)
        ):
            return (
                ""
                if chosen_play.is_guard
                else hq_reason(situation, chosen_play.plan, chosen_command, self._last_reason)
            )
        return super()._reason(view, situation, chosen_command)

    def _planned_hq(self, view: View, decision: Decision[Command]) -> orders.ChooseHq | None:
        if (
            self.chosen_play is None
            or self.chosen_play.hq is None
            or not isinstance(view, EotsView)
        ):
            return None
        if not _is_from_play(self.chosen_play, view.offensive) or not isinstance(
            view.frames[-1], OffensiveFrame
        ):
            return None
        hq_order = orders.ChooseHq(hq=self.chosen_play.hq)
        return hq_order if hq_order in decision.options else None

    def _planned_transport(
        self, view: View, decision: Decision[Command]
    ) -> orders.Transport | None:
        """Return the command that takes a guard to its planned hex without shipping points, or None (8.44)."""
        if (
            self.chosen_play is None
            or not self.chosen_play.is_guard
            or not isinstance(view, EotsView)
        ):
            return None
        frame = view.frames[-1]
        if not isinstance(frame, StackFrame) or not _is_from_play(self.chosen_play, view.offensive):
            return None
        goal = self.chosen_play.plan.goal_for(frame.units[0])
        transport_order = None if goal is None else orders.Transport(to=goal.target)
        return transport_order if transport_order in decision.options else None

    @override
    def _update_plan(
        self,
        view: EotsView,
        situation: EotsSituation,
        offensive: OffensiveView,
        offered_units: tuple[UnitId, ...],
    ) -> None:
        key = (view.turn, offensive.card)
        plan = self._chosen_plan(offensive)
        # The key is set so that the base class extends this plan instead of starting a new plan.
        if self._planned_offensive != key and plan is not None:
            self._planned_offensive, self._plan = key, plan
        super()._update_plan(view, situation, offensive, offered_units)

    def _chosen_plan(self, offensive: OffensiveView) -> OffensivePlan | None:
        chosen_play = self.chosen_play
        if (
            chosen_play is None
            or chosen_play.hq != offensive.hq
            or not _is_from_play(chosen_play, offensive)
        ):
            return None
        return chosen_play.plan


class QuickEots(PlanningEots):
    """The player used in playouts. It gives no reasons."""

    @override
    def _reason(
        self, view: EotsView, situation: EotsSituation, chosen_command: orders.EotsCommand
    ) -> str:
        del view, situation, chosen_command
        return ""


def _is_from_play(play: CandidatePlay, offensive: OffensiveView | None) -> bool:
    """Return whether an offensive comes from playing this card in this way."""
    if offensive is None:
        return False
    match play.order:
        case orders.PlayEvent(card=card):
            return offensive.card == card and offensive.event
        case orders.OperationsOffensive(card=card):
            return offensive.card == card and not offensive.event
        case _:
            return False


def candidate_plays(
    situation: EotsSituation, options: Sequence[Command], max_plays: int, dangers: Dangers
) -> tuple[CandidatePlay, ...]:
    """Return up to the given number of plays worth a search, most valuable first."""
    prospects = CardProspects(situation)
    quiet_plays: list[CandidatePlay] = []
    offensive_plays: list[CandidatePlay] = []
    for option in options:
        match option:
            case orders.OperationsOffensive(card=name):
                offensive_plays.extend(
                    _offensive_plays(situation, prospects, option, name, is_event=False)
                )
            case orders.PlayEvent(card=name) if cards()[name].offensive and not ordered_plan(name):
                offensive_plays.extend(
                    _offensive_plays(situation, prospects, option, name, is_event=True)
                )
            case orders.WithdrawHq():
                pass  # never useful: a side without an HQ cannot command units (6.13)
            case orders.EotsCommand():
                quiet_plays.append(
                    CandidatePlay(order=option, value=card_value(situation, prospects, option))
                )
            case _:
                pass
    # If several cards allow the same plan, the play with the least valuable card is kept.
    card_values = {play.order: _card_value(situation, prospects, play) for play in offensive_plays}
    offensive_plays = list(
        _distinct_plays(
            sorted(offensive_plays, key=lambda play: (-play.value, card_values[play.order]))
        )
    )
    for play in offensive_plays[:MAX_VARIED_PLAYS]:
        offensive_plays.extend(_play_variants(prospects, situation, play))
    # Omitting a goal can yield a plan that another play already has.
    offensive_plays = list(
        _distinct_plays(
            sorted(offensive_plays, key=lambda play: (-play.value, card_values[play.order]))
        )
    )
    quiet_plays = list(_quiet_plays(situation, prospects, quiet_plays))
    quiet_plays = [*_guard_plays(situation, prospects, options, dangers), *quiet_plays]
    plays = [
        # Some of the plays are always quiet ones, however many offensives there are.
        *offensive_plays[: max_plays - min(MAX_QUIET_PLAYS, len(quiet_plays))],
        *quiet_plays[:MAX_QUIET_PLAYS],
    ]
    return tuple(sorted(plays, key=lambda play: -play.prior_value))


def _quiet_plays(
    situation: EotsSituation, prospects: CardProspects, quiet_plays: list[CandidatePlay]
) -> Iterator[CandidatePlay]:
    """Yield the best plays without an offensive.

    If a kind of play is the same for any card, only the play with the least needed card is kept.
    """
    kinds: set[type[orders.EotsCommand]] = set()
    card_values = {play.order: _card_value(situation, prospects, play) for play in quiet_plays}
    for play in sorted(quiet_plays, key=lambda play: (-play.value, card_values[play.order])):
        kind = type(play.order)
        if kind not in kinds:
            yield play
        if kind in _SAME_FOR_ANY_CARD:
            kinds.add(kind)


def _guard_plays(
    situation: EotsSituation, prospects: CardProspects, options: Sequence[Command], dangers: Dangers
) -> Iterator[CandidatePlay]:
    """Yield the best guarding offensive. If no hex can be guarded, yield nothing.

    Cards with a lower operations value are preferred.
    """
    plays: list[CandidatePlay] = []
    seen_values: set[int] = set()
    offensives = [order for order in options if isinstance(order, orders.OperationsOffensive)]
    unplanned_units = {
        order: _card_value(situation, prospects, CandidatePlay(order=order, value=0))
        for order in offensives
    }
    for option in sorted(offensives, key=lambda order: unplanned_units[order]):
        card = cards()[option.card]
        # Only the operations value determines the means, so another card with the same value allows
        # no better plan.
        if card.ov in seen_values:
            continue
        seen_values.add(card.ov)
        for hq in prospects.available_hqs(option.card, is_event=False):
            plan = guard_plan(
                situation,
                activatable_units(situation, hq),
                offensive_means(situation, card, hq, is_event=False),
                dangers,
            )
            if plan.goals:
                value = plan.value - card.ov
                plays.append(
                    CandidatePlay(order=option, value=value, hq=hq.id, plan=plan, is_guard=True)
                )
    yield from sorted(plays, key=lambda play: -play.value)[:1]


def _offensive_plays(
    situation: EotsSituation,
    prospects: CardProspects,
    option: orders.EotsCommand,
    name: CardId,
    *,
    is_event: bool,
) -> Iterator[CandidatePlay]:
    """Yield a card's best offensive for each HQ."""
    card = cards()[name]
    event_value = sum(effect_value(situation, step) for step in card.effects) if is_event else 0
    for hq in prospects.available_hqs(name, is_event=is_event):
        plan = prospects.plan_with_hq(name, hq, is_event=is_event)
        if plan.goals and (not is_event or meets_card_requirements(card, plan)):
            yield CandidatePlay(
                order=option, value=plan.value, extra=event_value, hq=hq.id, plan=plan
            )


def _card_value(situation: EotsSituation, prospects: CardProspects, play: CandidatePlay) -> int:
    """Return the value of the card that a play uses up. For an event, return 0."""
    match play.order:
        case (
            orders.OperationsOffensive(card=name)
            | orders.EndRivalry(card=name)
            | orders.ChinaOffensive(card=name)
            | orders.PlaceFuture(card=name)
        ):
            return max(event_card_value(situation, prospects, cards()[name]), future_value(name))
        case _:
            return 0


def future_value(name: CardId) -> int:
    """Return the value of a card that is kept for later."""
    return cards()[name].ov


def _play_variants(
    prospects: CardProspects, situation: EotsSituation, play: CandidatePlay
) -> Iterator[CandidatePlay]:
    """Yield a play's variants. Each is planned with the same card and HQ, without one of the play's first goals."""
    match play.order:
        case orders.OperationsOffensive(card=name):
            event = False
        case orders.PlayEvent(card=name):
            event = True
        case _:
            return
    assert play.hq is not None
    hq = situation.units[play.hq]
    for goal in play.plan.goals[:MAX_VARIANTS]:
        plan = prospects.plan_with_hq(name, hq, is_event=event, excluded_hexes=(goal.target,))
        if plan.goals and (not event or meets_card_requirements(cards()[name], plan)):
            yield replace(play, plan=plan, value=plan.value)


def _distinct_plays(plays: Iterable[CandidatePlay]) -> Iterator[CandidatePlay]:
    """Yield the plays in order, omitting each play with the same goals and units as an earlier one."""
    seen_plans: set[frozenset[tuple[HexId, tuple[UnitId, ...]]]] = set()
    for play in plays:
        key = frozenset((goal.target, goal.units) for goal in play.plan.goals)
        if key not in seen_plans:
            seen_plans.add(key)
            yield play
