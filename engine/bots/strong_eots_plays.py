"""Card plays of Empire of the Sun that are worth a search, each with its plan (4.22, 7.2)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.bots.greedy_eots import GreedyEots
from engine.bots.greedy_eots_cards import (
    Prospects,
    card_value,
    effect_value,
    event_card_value,
    means_of,
    meets_demands,
    ordered_plan,
    units_of,
)
from engine.bots.greedy_eots_plan import NO_PLAN, OffensivePlan, plan_offensive
from engine.bots.greedy_eots_reasons import card_reason, hq_reason, listed
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

VARIED: Final = 2
"""Number of the best offensives whose variants are also searched."""
LEFT_OUT: Final = 2
"""Number of variants per offensive, each omitting one goal."""
QUIET: Final = 3
"""Maximum number of plays to search that have no planned offensive."""
_SAME_FOR_ANY_CARD: Final = (orders.EndRivalry, orders.ChinaOffensive, orders.PlaceFuture)


class CandidatePlay(msgspec.Struct, frozen=True, kw_only=True):
    """A card play with its purpose."""

    order: orders.EotsCommand
    value: int
    """The greedy bot's estimate."""
    extra: int = 0
    """Value of the event's other effects."""
    hq: UnitId | None = None
    """The HQ that commands the offensive, or None if there is no offensive."""
    plan: OffensivePlan = NO_PLAN
    is_guard: bool = False
    """True if troops move to unguarded friendly hexes."""

    @property
    def prior(self) -> int:
        """Return the initial estimate, on the scale of position values."""
        return self.value + self.extra

    def reason(self, now: EotsSituation) -> str:
        """Return the reason for the card play, using only public information."""
        if self.is_guard:
            return f"sends troops to hold {listed([goal.target for goal in self.plan.goals])}."
        return card_reason(now, self.plan, self.order)


class PlanningEots(GreedyEots):
    """A greedy bot that follows the HQ and plan of a chosen play."""

    mind: CandidatePlay | None = None

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the options."""
        ship = self._transport_in_mind(view, decision)
        if ship is not None:
            self.reason = ""
            return ship
        hq = self._hq_in_mind(view, decision)
        if hq is None:
            return super().choose(view, decision)
        assert isinstance(view, EotsView)
        self.reason = self._reason(view, self._situation(view, Side(decision.role)), hq)
        self._said = self.reason or self._said
        return hq

    def _reason(self, view: EotsView, now: EotsSituation, chosen: orders.EotsCommand) -> str:
        """Return the reason for a command, using only public information."""
        mind = self.mind
        if (
            isinstance(chosen, orders.ChooseHq)
            and mind is not None
            and _is_of(mind, view.offensive)
        ):
            return "" if mind.is_guard else hq_reason(now, mind.plan, chosen, self._said)
        return super()._reason(view, now, chosen)

    def _hq_in_mind(self, view: View, decision: Decision[Command]) -> orders.ChooseHq | None:
        if self.mind is None or self.mind.hq is None or not isinstance(view, EotsView):
            return None
        if not _is_of(self.mind, view.offensive) or not isinstance(view.frames[-1], OffensiveFrame):
            return None
        wanted = orders.ChooseHq(hq=self.mind.hq)
        return wanted if wanted in decision.options else None

    def _transport_in_mind(
        self, view: View, decision: Decision[Command]
    ) -> orders.Transport | None:
        """Return the planned transport of a guard without shipping points, or None if there is none (8.44)."""
        if self.mind is None or not self.mind.is_guard or not isinstance(view, EotsView):
            return None
        frame = view.frames[-1]
        if not isinstance(frame, StackFrame) or not _is_of(self.mind, view.offensive):
            return None
        goal = self.mind.plan.goal_of(frame.units[0])
        wanted = None if goal is None else orders.Transport(to=goal.target)
        return wanted if wanted in decision.options else None

    def _follow(
        self,
        view: EotsView,
        now: EotsSituation,
        offensive: OffensiveView,
        offered: tuple[UnitId, ...],
    ) -> None:
        """Adopt the plan of the chosen play when the first units are offered."""
        key = (view.turn, offensive.card)
        plan = self._plan_in_mind(offensive)
        if self._plan_of != key and plan is not None:
            self._plan_of, self._plan = key, plan
        super()._follow(view, now, offensive, offered)

    def _plan_in_mind(self, offensive: OffensiveView) -> OffensivePlan | None:
        mind = self.mind
        if mind is None or mind.hq != offensive.hq or not _is_of(mind, offensive):
            return None
        return mind.plan


class QuickEots(PlanningEots):
    """The player in playouts, which gives no reasons."""

    def _reason(self, view: EotsView, now: EotsSituation, chosen: orders.EotsCommand) -> str:
        """Return an empty string."""
        del view, now, chosen
        return ""


def _is_of(play: CandidatePlay, offensive: OffensiveView | None) -> bool:
    """Return whether an offensive results from a play."""
    if offensive is None:
        return False
    match play.order:
        case orders.PlayEvent(card=card):
            return offensive.card == card and offensive.event
        case orders.OperationsOffensive(card=card):
            return offensive.card == card and not offensive.event
        case _:
            return False


def plays(
    now: EotsSituation, options: Sequence[Command], most: int, dangers: Dangers
) -> tuple[CandidatePlay, ...]:
    """Return the plays worth a search, up to a maximum number, with the most valuable first."""
    prospects = Prospects(now)
    quiet: list[CandidatePlay] = []
    loud: list[CandidatePlay] = []
    for option in options:
        match option:
            case orders.OperationsOffensive(card=name):
                loud.extend(_offensives(now, prospects, option, name, event=False))
            case orders.PlayEvent(card=name) if cards()[name].offensive and not ordered_plan(name):
                loud.extend(_offensives(now, prospects, option, name, event=True))
            case orders.WithdrawHq():
                pass  # a side without an HQ cannot command units (6.13)
            case orders.EotsCommand():
                quiet.append(CandidatePlay(order=option, value=card_value(now, prospects, option)))
            case _:
                pass
    spare = {play.order: _spare(now, prospects, play) for play in loud}
    loud = list(_different(sorted(loud, key=lambda play: (-play.value, spare[play.order]))))
    for play in loud[:VARIED]:
        loud.extend(_variants(now, play))
    loud = list(_different(sorted(loud, key=lambda play: (-play.value, spare[play.order]))))
    quiet = list(_one_of_a_kind(now, prospects, quiet))
    quiet = [*_guards(now, prospects, options, dangers), *quiet]
    found = [*loud[: most - min(QUIET, len(quiet))], *quiet[:QUIET]]
    return tuple(sorted(found, key=lambda play: -play.prior))


def _one_of_a_kind(
    now: EotsSituation, prospects: Prospects, quiet: list[CandidatePlay]
) -> Iterator[CandidatePlay]:
    """Yield the best plays without an offensive. Of similar plays, only the one with the least needed card is kept."""
    found: set[type[orders.EotsCommand]] = set()
    spare = {play.order: _spare(now, prospects, play) for play in quiet}
    for play in sorted(quiet, key=lambda play: (-play.value, spare[play.order])):
        kind = type(play.order)
        if kind not in found:
            yield play
        if kind in _SAME_FOR_ANY_CARD:
            found.add(kind)


def _guards(
    now: EotsSituation, prospects: Prospects, options: Sequence[Command], dangers: Dangers
) -> Iterator[CandidatePlay]:
    """Yield the best guarding offensive, if there is one. Cards with a lower operations value are preferred."""
    found: list[CandidatePlay] = []
    seen: set[int] = set()
    offensives = [one for one in options if isinstance(one, orders.OperationsOffensive)]
    missed = {one: _spare(now, prospects, CandidatePlay(order=one, value=0)) for one in offensives}
    for option in sorted(offensives, key=lambda one: missed[one]):
        card = cards()[option.card]
        if card.ov in seen:
            continue
        seen.add(card.ov)
        for hq in prospects.hqs(option.card, event=False):
            plan = guard_plan(now, units_of(now, hq), means_of(now, card, hq, event=False), dangers)
            if plan.goals:
                value = plan.value - card.ov
                found.append(
                    CandidatePlay(order=option, value=value, hq=hq.id, plan=plan, is_guard=True)
                )
    yield from sorted(found, key=lambda play: -play.value)[:1]


def _offensives(
    now: EotsSituation,
    prospects: Prospects,
    option: orders.EotsCommand,
    name: CardId,
    *,
    event: bool,
) -> Iterator[CandidatePlay]:
    """Yield the best offensive of a card for each HQ."""
    card = cards()[name]
    extra = sum(effect_value(now, step) for step in card.effects) if event else 0
    for hq in prospects.hqs(name, event=event):
        plan = prospects.with_hq(name, hq, event=event)
        if plan.goals and (not event or meets_demands(card, plan)):
            yield CandidatePlay(order=option, value=plan.value, extra=extra, hq=hq.id, plan=plan)


def _spare(now: EotsSituation, prospects: Prospects, play: CandidatePlay) -> int:
    """Return the value of the card itself if it is used for something other than its event."""
    match play.order:
        case (
            orders.OperationsOffensive(card=name)
            | orders.EndRivalry(card=name)
            | orders.ChinaOffensive(card=name)
            | orders.PlaceFuture(card=name)
        ):
            return max(event_card_value(now, prospects, cards()[name]), card_price(name))
        case _:
            return 0


def card_price(name: CardId) -> int:
    """Return the value of a card's possible later uses."""
    return cards()[name].ov


def _variants(now: EotsSituation, play: CandidatePlay) -> Iterator[CandidatePlay]:
    """Yield the variants of a play that each omit one of its first goals."""
    match play.order:
        case orders.OperationsOffensive(card=name):
            event = False
        case orders.PlayEvent(card=name):
            event = True
        case _:
            return
    assert play.hq is not None
    card, hq = cards()[name], now.units[play.hq]
    means = means_of(now, card, hq, event=event)
    for goal in play.plan.goals[:LEFT_OUT]:
        plan = plan_offensive(now, units_of(now, hq), means, (goal.target,))
        if plan.goals and (not event or meets_demands(card, plan)):
            yield replace(play, plan=plan, value=plan.value)


def _different(found: Iterable[CandidatePlay]) -> Iterator[CandidatePlay]:
    """Yield plays that differ in their goals or units, keeping the first of identical ones."""
    seen: set[frozenset[tuple[HexId, tuple[UnitId, ...]]]] = set()
    for play in found:
        key = frozenset((goal.target, goal.units) for goal in play.plan.goals)
        if key not in seen:
            seen.add(key)
            yield play
