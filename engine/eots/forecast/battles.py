"""The forecast of a battle: who would roll what, how it may end, what the Reaction player could add (7.2, 9.0)."""

from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.eots.ch09_battle.participants import participants
from engine.eots.ch09_battle.preview import BattlePreview, odds
from engine.eots.counters import counters
from engine.eots.forecast.odds import Ending, endings
from engine.eots.forecast.planned import (
    LAST_PLANNING_STEP,
    Planned,
    assumed,
    is_battle_possible,
    joined_by_all,
    reinforced,
    with_more,
)
from engine.eots.forecast.reaction import (
    Intelligence,
    Reactor,
    Reactors,
    intelligence,
    reactors,
)
from engine.eots.forecast.table import Table, changed, step_of, table_of
from engine.eots.frames import BattleFrame
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.state import Condition, State, current
from engine.eots.view import EotsView
from engine.kernel.chances import Chances, chance_of, mean

LAST_REACTION_STEP: Final = 8
"""Until this step of 7.2 units may react (7.26)."""


class Basis(StrEnum):
    """What a forecast rests on."""

    FOUGHT = "fought"
    """The battle is under way."""
    DECLARED = "declared"
    POSSIBLE = "possible"
    """An offensive is under way in which it could be declared."""
    ASSUMED = "assumed"
    """No offensive is under way."""


class Case(StrEnum):
    """How a battle may come about."""

    NOW = "now"
    """As it stands."""
    SURPRISE = "surprise"
    INTERCEPT = "intercept"
    """Intercepted, but nobody comes."""
    REACTION = "reaction"
    """Intercepted by the strongest units that one HQ can send."""


class Odds(msgspec.Struct, frozen=True):
    """How a battle may end in one case."""

    case: Case
    chance: Fraction | None
    """How likely the case is by the intelligence roll alone; None where no die decides it."""
    endings: Chances[Ending]

    def air_naval(self, side: Side) -> Fraction | None:
        """Return how likely a side wins the air-naval part; None where nobody rolls in it."""
        if not any(ending.air_naval for ending in self.endings):
            return None
        return chance_of(self.endings, lambda ending: ending.air_naval is side)

    @property
    def is_taken(self) -> Fraction:
        """Return how likely the Offensive player wins on the ground."""
        return chance_of(self.endings, lambda ending: ending.is_taken)

    def lost(self, side: int) -> Fraction:
        """Return the steps that a side loses on average: 0 for the Offensive player, 1 for the Reaction player."""
        return mean(self.endings, lambda ending: ending.lost[side])


class BattleForecast(msgspec.Struct, frozen=True, kw_only=True):
    """What a battle would come to."""

    at: HexId
    basis: Basis
    side: Side
    """The Offensive player."""
    preview: BattlePreview
    """The rolls as the battle is laid out here."""
    has_troops: bool
    """The Offensive player has somebody there who could take the hex."""
    odds: tuple[Odds, ...]
    """As it is laid out, first; then as it could become."""
    coming: tuple[Reactor, ...] = ()
    """Units of the Offensive player that are taken for it and not committed yet."""
    spare: tuple[Reactor, ...] = ()
    """Others that could come, beyond what the HQ may activate."""
    card: CardId = CardId("")
    hq: UnitId | None = None
    limit: int = 0
    intelligence: Intelligence | None = None
    reactors: tuple[Reactors, ...] = ()


def battle_forecasts(view: EotsView, at: HexId | None) -> tuple[BattleForecast, ...]:
    """Return the forecast of the battle of a hex, then those of the battles that are declared.

    Args:
        view: What a side sees; nothing else is asked.
        at: A hex to which the player points; None for none.
    """
    table = table_of(view)
    now = table.offensive
    open_hexes = (
        ()
        if now is None
        else tuple(hex_ for hex_, battle in sorted(now.battles.items()) if not battle.resolved)
    )
    pointed = None if at is None or at in open_hexes else _pointed(table, view.side, at)
    first = () if pointed is None else (pointed,)
    declared = sorted(open_hexes, key=lambda hex_: (hex_ != at, hex_))
    return (*first, *(_declared(table, hex_) for hex_ in declared))


def _declared(table: Table, at: HexId) -> BattleForecast:
    if any(isinstance(frame, BattleFrame) and frame.hex == at for frame in table.frames):
        return _forecast(Planned(table), at, Basis.FOUGHT)
    is_open = step_of(table) <= LAST_PLANNING_STEP
    return _forecast(joined_by_all(table, at) if is_open else Planned(table), at, Basis.DECLARED)


def _pointed(table: Table, viewer: Side | None, at: HexId) -> BattleForecast | None:
    """Return the forecast of a battle that is not declared; None where there is nothing to fight about."""
    if table.offensive is not None:
        side = table.offensive.side
        if step_of(table) > LAST_PLANNING_STEP or not is_battle_possible(table, side, at):
            return None
        plan = with_more(table, at)
        return _forecast(plan, at, Basis.POSSIBLE) if _is_attacked(plan.state, at) else None
    if viewer is None:
        return None
    sides = [side for side in (viewer, viewer.enemy) if is_battle_possible(table, side, at)]
    assumption = assumed(table, sides[0], at) if sides else None
    return None if assumption is None else _forecast(assumption, at, Basis.ASSUMED)


def _is_attacked(state: State, at: HexId) -> bool:
    side = current(state).side
    return any(counters()[unit].side is side for unit in participants(state, at))


def _forecast(plan: Planned, at: HexId, basis: Basis) -> BattleForecast:
    state = plan.state
    is_early = step_of(state) <= LAST_REACTION_STEP and basis is not Basis.FOUGHT
    known = intelligence(state) if is_early else None
    is_found = known is not None or current(state).condition is not Condition.SURPRISE
    side = current(state).side
    has_troops = any(
        counters()[unit].is_ground and counters()[unit].side is side
        for unit in participants(state, at)
    )
    sent = reactors(state, at, with_troops=has_troops) if is_early and is_found else ()
    return BattleForecast(
        at=at,
        basis=basis,
        side=side,
        preview=odds(state, at),
        has_troops=has_troops,
        odds=tuple(_cases(state, at, known, sent)),
        coming=plan.coming,
        spare=plan.spare,
        card=plan.card,
        hq=plan.hq,
        limit=plan.limit,
        intelligence=known,
        reactors=sent,
    )


def _cases(
    state: State, at: HexId, known: Intelligence | None, sent: tuple[Reactors, ...]
) -> Iterator[Odds]:
    """Yield how the battle ends as it stands, then intercepted, then with whom one HQ sends."""
    chance = None if known is None or known.target is None else known.chance
    if known is None:
        yield Odds(Case.NOW, None, endings(state, at))
    else:
        yield Odds(Case.SURPRISE, None if chance is None else 1 - chance, endings(state, at))
        met = changed(state, offensive=replace(current(state), condition=Condition.INTERCEPT))
        yield Odds(Case.INTERCEPT, chance, endings(met, at))
    if sent:
        units = tuple(one.unit for one in sent[0].sent)
        there = reinforced(state, current(state).side.enemy, units, at)
        yield Odds(Case.REACTION, chance, endings(there, at))
