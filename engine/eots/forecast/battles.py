"""Battle forecasts: the rolls, the possible results, and the units that could react (7.2, 9.0)."""

from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.eots.ch09_battle.participants import has_no_attackers, participants
from engine.eots.ch09_battle.preview import BattlePreview, preview_battle
from engine.eots.counters import counters
from engine.eots.forecast.odds import BattleEnding, battle_endings
from engine.eots.forecast.planned import (
    LAST_PLANNING_STEP,
    Planned,
    assume_battle,
    is_battle_possible,
    with_all_joined,
    with_more_units,
    with_reinforcements,
)
from engine.eots.forecast.reaction import Intelligence, Reactor, Reactors, intelligence, reactors
from engine.eots.forecast.table import Table, offensive_step, state_from_view, with_changes
from engine.eots.frames import BattleFrame
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.state import Condition, State, current_offensive
from engine.eots.view import EotsView
from engine.kernel.chances import Chances, mean, probability

LAST_REACTION_STEP: Final = 8
"""The last step of 7.2 in which units may react (7.26)."""


class Basis(StrEnum):
    """The situation on which a forecast is based."""

    FOUGHT = "fought"
    """The battle is in progress."""
    DECLARED = "declared"
    POSSIBLE = "possible"
    """An offensive is in progress, and the battle could be declared in it."""
    ASSUMED = "assumed"
    """No offensive is in progress; the forecast assumes one."""


class Case(StrEnum):
    """What a forecast assumes about interception and reaction."""

    NOW = "now"
    """The battle is fought with the units that are committed now."""
    SURPRISE = "surprise"
    INTERCEPT = "intercept"
    """The battle is intercepted, but no enemy units react."""
    REACTION = "reaction"
    """The battle is intercepted, and the strongest units that one HQ can send react."""


class Odds(msgspec.Struct, frozen=True):
    """A battle's possible results in one case."""

    case: Case
    chance: Fraction | None
    """Probability of the case, based only on the intelligence roll; None if no roll decides the case."""
    endings: Chances[BattleEnding]

    def air_naval(self, side: Side) -> Fraction | None:
        """Return the probability that a side wins the air-naval combat, or None if there are no air-naval rolls."""
        if not any(ending.air_naval for ending in self.endings):
            return None
        return probability(self.endings, lambda ending: ending.air_naval is side)

    @property
    def is_taken(self) -> Fraction:
        """Return the probability that the Offensive player wins on the ground."""
        return probability(self.endings, lambda ending: ending.is_taken)

    def steps_lost(self, side: int) -> Fraction:
        """Return the expected number of steps lost by the Offensive player (side 0) or the Reaction player (side 1)."""
        return mean(self.endings, lambda ending: ending.lost[side])


class BattleForecast(msgspec.Struct, frozen=True, kw_only=True):
    """The forecast of one battle."""

    at: HexId
    basis: Basis
    side: Side
    """The Offensive player."""
    preview: BattlePreview
    """The rolls in the battle with the units that the forecast assumes."""
    has_troops: bool
    """True if the Offensive player has a ground unit in the battle, which could take the hex."""
    odds: tuple[Odds, ...]
    """The results for the battle with the assumed units, followed by the results for the other possible cases."""
    joining: tuple[Reactor, ...] = ()
    """The Offensive player's units that are assumed to take part but are not committed yet, strongest first."""
    spare: tuple[Reactor, ...] = ()
    """Other units that could take part if the HQ could activate more units."""
    card: CardId = CardId("")
    hq: UnitId | None = None
    limit: int = 0
    intelligence: Intelligence | None = None
    reactors: tuple[Reactors, ...] = ()


def battle_forecasts(view: EotsView, hex_id: HexId | None) -> tuple[BattleForecast, ...]:
    """Return the forecast for the given hex, followed by the forecasts for the declared battles.

    Args:
        view: One side's view, which is the only source of information.
        hex_id: The hex that the player points to, or None.
    """
    table = state_from_view(view)
    offensive = table.offensive
    open_hexes = (
        ()
        if offensive is None
        else tuple(
            hex_ for hex_, battle in sorted(offensive.battles.items()) if not battle.resolved
        )
    )
    target_hexes = (
        None
        if hex_id is None or hex_id in open_hexes
        else _hypothetical_forecast(table, view.side, hex_id)
    )
    first_hexes = () if target_hexes is None else (target_hexes,)
    battle_hexes_declared = sorted(open_hexes, key=lambda hex_: (hex_ != hex_id, hex_))
    return (*first_hexes, *(_declared_forecast(table, hex_) for hex_ in battle_hexes_declared))


def _declared_forecast(table: Table, hex_id: HexId) -> BattleForecast:
    if any(isinstance(frame, BattleFrame) and frame.hex == hex_id for frame in table.frames):
        return _forecast(Planned(table), hex_id, Basis.FOUGHT)
    is_open = offensive_step(table) <= LAST_PLANNING_STEP
    return _forecast(
        with_all_joined(table, hex_id) if is_open else Planned(table), hex_id, Basis.DECLARED
    )


def _hypothetical_forecast(
    table: Table, viewer: Side | None, hex_id: HexId
) -> BattleForecast | None:
    """Return the forecast for a battle that has not been declared, or None if no battle is possible."""
    if table.offensive is not None:
        side = table.offensive.side
        if offensive_step(table) > LAST_PLANNING_STEP or not is_battle_possible(
            table, side, hex_id
        ):
            return None
        plan = with_more_units(table, hex_id)
        return (
            _forecast(plan, hex_id, Basis.POSSIBLE)
            if not has_no_attackers(plan.state, hex_id)
            else None
        )
    if viewer is None:
        return None
    sides = [side for side in (viewer, viewer.enemy) if is_battle_possible(table, side, hex_id)]
    assumption = assume_battle(table, sides[0], hex_id) if sides else None
    return None if assumption is None else _forecast(assumption, hex_id, Basis.ASSUMED)


def _forecast(plan: Planned, hex_id: HexId, basis: Basis) -> BattleForecast:
    state = plan.state
    is_early = offensive_step(state) <= LAST_REACTION_STEP and basis is not Basis.FOUGHT
    intelligence_now = intelligence(state) if is_early else None
    is_found = (
        intelligence_now is not None or current_offensive(state).condition is not Condition.SURPRISE
    )
    side = current_offensive(state).side
    has_troops = any(
        counters()[unit].is_ground and counters()[unit].side is side
        for unit in participants(state, hex_id)
    )
    sent_units = reactors(state, hex_id, with_troops=has_troops) if is_early and is_found else ()
    return BattleForecast(
        at=hex_id,
        basis=basis,
        side=side,
        preview=preview_battle(state, hex_id),
        has_troops=has_troops,
        odds=tuple(_cases(state, hex_id, intelligence_now, sent_units)),
        joining=plan.joining,
        spare=plan.spare,
        card=plan.card,
        hq=plan.hq,
        limit=plan.limit,
        intelligence=intelligence_now,
        reactors=sent_units,
    )


def _cases(
    state: State,
    hex_id: HexId,
    known_intelligence: Intelligence | None,
    reactor_groups: tuple[Reactors, ...],
) -> Iterator[Odds]:
    """Yield the battle's results as set up, then with interception, then with the units that one HQ can send."""
    chance = (
        None
        if known_intelligence is None or known_intelligence.target is None
        else known_intelligence.chance
    )
    if known_intelligence is None:
        yield Odds(Case.NOW, None, battle_endings(state, hex_id))
    else:
        yield Odds(
            Case.SURPRISE, None if chance is None else 1 - chance, battle_endings(state, hex_id)
        )
        met_state = with_changes(
            state, offensive=replace(current_offensive(state), condition=Condition.INTERCEPT)
        )
        yield Odds(Case.INTERCEPT, chance, battle_endings(met_state, hex_id))
    if reactor_groups:
        units = tuple(unit.unit for unit in reactor_groups[0].sent)
        reinforced = with_reinforcements(state, current_offensive(state).side.enemy, units, hex_id)
        yield Odds(Case.REACTION, chance, battle_endings(reinforced, hex_id))
