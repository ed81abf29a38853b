"""The end of an offensive: control of landing hexes, cancellation, HQs in enemy hexes, and putting cards away.

See 6.5, 6.14, 7.28 and 5.32D.
"""

from engine.eots.board import board
from engine.eots.cards.interpreter import apply_missed_event
from engine.eots.ch06_supply.activation import hqs_to_reposition
from engine.eots.ch06_supply.bitsets import whole_map
from engine.eots.ch06_supply.control import controls, intrinsic_units, units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch12_strategic_warfare import end_interceptors
from engine.eots.ch13_nations.india import relieve_india
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.events.cards import (
    CardSettled,
    CardsUnlocked,
    CardTakenBack,
    PlayFinished,
)
from engine.eots.events.offensive import OffensiveCancelled, OffensiveEnded, UnitsDisplaced
from engine.eots.flow import EotsRun
from engine.eots.frames import CardPlayFrame, EmergencyFrame, OffensiveFrame, StackingFrame
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import PLAYERS, HexId, Side, UnitId
from engine.eots.state import Offensive, State, current_offensive
from engine.eots.unit_removal import remove_hq
from engine.kernel.ids import Rule


def take_landing_control(run: EotsRun) -> None:
    """Before post-battle movement, give the Offensive player control of the hexes where landed units may stay (6.5)."""
    state = run.state
    offensive = current_offensive(state)
    hexes_gained = tuple(
        sorted(
            {
                hex_id
                for hex_id in _landed_hexes(state, offensive)
                if _is_taken(state, offensive, hex_id)
            }
        )
    )
    capture_hexes(run, offensive.side, hexes_gained, Rule("6.5"))


def _landed_hexes(state: State, offensive: Offensive) -> tuple[HexId, ...]:
    return tuple(
        HexId(state.units[unit].at)
        for unit, move in sorted(offensive.moved.items())
        if unit in offensive.activated
        and move.mode.is_landing
        and counters()[unit].is_ground
        and unit not in offensive.expelled
        and unit not in offensive.retreats
        and state.units[unit].is_on_map
        and state.units[unit].at == move.path[-1]
    )


def _is_taken(state: State, offensive: Offensive, hex_id: HexId) -> bool:
    enemy = offensive.side.enemy
    if controls(state, offensive.side, hex_id):
        return False
    if (
        hex_id in offensive.battles
    ):  # landed units that lost the battle are expelled or retreat (8.45C, 8.47)
        return True
    if intrinsic_units(state, hex_id) > 0:
        return False
    return not any(
        counters()[unit].side is enemy and counters()[unit].is_ground
        for unit in units_at(state).get(hex_id, ())
    )


def displaced_units(state: State) -> tuple[UnitId, ...]:
    """Return the air and naval units in enemy-controlled land hexes, sorted by id (8.22, 8.32)."""
    hexes, hex_occupancy = board().hexes, occupancy(state)
    under_enemy = 0
    for side in PLAYERS:
        under_enemy |= hex_occupancy.anyone[side] & hex_occupancy.controlled[side.enemy]
    displaced_unit_list = (
        unit
        for hex_id in whole_map().ids(under_enemy)
        if hexes[hex_id].is_land
        for unit in units_at(state).get(hex_id, ())
        if (counters()[unit].is_air or counters()[unit].is_naval)
        and controls(state, counters()[unit].side.enemy, hex_id)
    )
    return tuple(sorted(displaced_unit_list))


def begin_emergency(run: EotsRun) -> None:
    """Begin emergency movement if any unit has to leave an enemy hex (7.2 step 14)."""
    units = displaced_units(run.state)
    if units:
        run.add(UnitsDisplaced(rule=Rule("8.22"), units=units))
        run.push(EmergencyFrame(waiting=units))


def reposition_hqs(run: EotsRun, rule: Rule) -> None:
    """Remove all HQs from enemy-controlled hexes (6.14)."""
    for hq in hqs_to_reposition(run.state):
        remove_hq(run, hq, rule)


def begin_stacking(run: EotsRun, first_side: Side) -> None:
    """Let each side in turn remove units in excess of the stacking limits (8.24, 8.34, 8.48)."""
    # The top frame runs first, so the frame of the side that goes first is pushed last.
    run.push(StackingFrame(side=first_side.enemy))
    run.push(StackingFrame(side=first_side))


def finish_offensive(run: EotsRun) -> None:
    """Check Northern India and J-71, settle the cards played, and end the offensive (7.28, 12.32, 13.62-4b)."""
    relieve_india(run)
    end_interceptors(run)
    offensive = current_offensive(run.state)
    card = cards()[offensive.card]
    is_removed = offensive.event and card.remove_after_event
    run.add(CardSettled(rule=Rule("7.28"), side=offensive.side, card=card.id, removed=is_removed))
    if not offensive.event:
        apply_missed_event(run, card)
    put_reactions_away(run, offensive)
    run.add(CardsUnlocked())
    run.add(OffensiveEnded())
    run.add(PlayFinished(side=offensive.side))


def put_reactions_away(run: EotsRun, offensive: Offensive) -> None:
    """Put away the reaction cards played in the offensive (5.36)."""
    for name in offensive.reaction.events:
        card = cards()[name]
        run.add(
            CardSettled(
                rule=Rule("5.36"), side=card.side, card=name, removed=card.remove_after_event
            )
        )


def cancel_offensive(run: EotsRun, rule: Rule) -> None:
    """Cancel the offensive as if it had never begun, and discard its card (5.32D, OP-16)."""
    offensive = current_offensive(run.state)
    # The rollback restores all tracks, so the discarded card's effects are applied afterwards.
    run.add(OffensiveCancelled(rule=rule))
    run.add(CardSettled(rule=rule, side=offensive.side, card=offensive.card, removed=False))
    apply_missed_event(run, cards()[offensive.card])
    put_reactions_away(run, offensive)
    run.add(CardsUnlocked())
    run.add(PlayFinished(side=offensive.side))
    run.pop()


def undo_card_play(run: EotsRun) -> None:
    """Take back a card whose requirement cannot be met. The side then makes another play (CP-04)."""
    offensive = current_offensive(run.state)
    side, card = offensive.side, offensive.card
    run.add(OffensiveCancelled(rule=Rule("CP-04")))
    run.add(CardTakenBack(side=side, card=card, future=offensive.from_future))
    # The card can also be taken back in step 3, while the declaration frame is open.
    while not isinstance(run.state.frames[-1], OffensiveFrame):
        run.pop()
    run.pop()
    play = run.state.frames[-1]
    assert isinstance(play, CardPlayFrame)
    run.pop()
    decks = run.state.decks
    has_fewer_cards = len(decks[side].hand) < len(decks[side.enemy].hand)
    if offensive.from_future and play.played == 1 and has_fewer_cards:
        # 4.21: the side with fewer cards may play first only by using that card's event.
        side = side.enemy
    run.push(CardPlayFrame(side=side, played=play.played - 1))
