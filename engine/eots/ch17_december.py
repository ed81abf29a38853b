"""December 1941: the J-1 and J-2 orders that go beyond a normal offensive (17.11)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.board import board
from engine.eots.cards.modifiers import has_special
from engine.eots.ch07_offensive.declaration import declare_battle
from engine.eots.ch07_offensive.feasibility import can_join, join_refusals
from engine.eots.commands import Join, Pass
from engine.eots.counters import counters
from engine.eots.events.offensive import UnitActivated, UnitJoined
from engine.eots.events.units import UnitPlaced
from engine.eots.flow import Action, DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import OpeningFrame, OrderedReactionFrame
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.rulings import TURN_1_AIR
from engine.eots.state import State, current_offensive
from engine.eots.unit_removal import lose_step
from engine.kernel.ids import Refusal, Rule

FORCE_Z: Final = UnitId("cw-bb-force-z")
MALAYA: Final = AreaId("malaya")
OAHU: Final = HexId("5808")
US_CARRIERS_AT: Final = (HexId("5410"), HexId("5609"))
"""Sea hexes where US carriers are safe from J-1."""
_RULE: Final = Rule("17.11")
_BUSY: Final = "the Allies may react only as J-2 orders"


def allied_ships(state: State) -> tuple[UnitId, ...]:
    """Return the Allied naval units on the map, sorted by id."""
    return tuple(
        unit
        for unit, piece in sorted(state.units.items())
        if piece.is_on_map and counters()[unit].is_naval and counters()[unit].side is Side.ALLIED
    )


# -- J-1


def bring_carriers_to_oahu(run: EotsRun) -> None:
    """Move the US carriers that J-1 could not attack to Oahu before the Japanese ships return (17.11, 9.6)."""
    if has_special(run.state, "jp01_us_carriers_to_oahu"):
        for unit in allied_ships(run.state):
            piece = run.state.units[unit]
            if counters()[unit].carrier and piece.at in US_CARRIERS_AT:
                run.add(UnitPlaced(rule=_RULE, unit=unit, at=OAHU, steps=piece.steps))


# -- J-2


def force_z_hexes(state: State) -> tuple[HexId, ...]:
    """Return the hexes in Malaya where Japanese ships ended their moves. Force Z must move to one of them (17.11).

    Hexes that ships only passed through are left out, because Force Z would find no enemy there. Empty if Force Z has
    moved or the card gives no such order.
    """
    offensive = current_offensive(state)
    if not has_special(state, "jp02_force_z") or FORCE_Z in offensive.reaction.activated:
        return ()
    if not state.units[FORCE_Z].is_on_map:
        return ()
    entered_hexes = {
        HexId(state.units[unit].at)
        for unit in offensive.activated
        if counters()[unit].is_naval and unit in offensive.moved
    }
    return tuple(sorted(entered_hexes & set(board().areas[MALAYA].hexes)))


def free_air_units(state: State) -> Iterator[tuple[UnitId, tuple[HexId, ...]]]:
    """Yield each Allied air unit that must still join a battle, with the battles in its range (OPS-8).

    These are the air units outside battle hexes, sorted by id.
    """
    battle_hexes_declared = sorted(current_offensive(state).battles)
    for unit in sorted(state.units):
        if _is_free(state, unit):
            battles = tuple(
                hex_id for hex_id in battle_hexes_declared if can_join(state, unit, hex_id)
            )
            if battles:
                yield unit, battles


def _is_free(state: State, unit: UnitId) -> bool:
    """Return whether the card orders an Allied air unit to join a battle and the unit has not joined one yet."""
    offensive, counter, piece = current_offensive(state), counters()[unit], state.units[unit]
    return (
        has_special(state, "jp02_allied_air_auto_join")
        and counter.is_air
        and counter.side is Side.ALLIED
        and piece.is_on_map
        and piece.at not in offensive.battles
        and unit not in offensive.joined
    )


def is_reaction_ordered(state: State) -> bool:
    """Return whether the card's orders replace the normal Allied reaction (17.11)."""
    return has_special(state, "jp02_force_z")


def _send_force_z(run: EotsRun, hex_id: HexId) -> None:
    """Move Force Z to battle, and commit the units that cover a landing in the hex."""
    piece = run.state.units[FORCE_Z]
    run.add(UnitActivated(side=Side.ALLIED, unit=FORCE_Z, service=None))
    if piece.at != hex_id:
        run.add(UnitPlaced(rule=_RULE, unit=FORCE_Z, at=hex_id, steps=piece.steps))
    if hex_id not in current_offensive(run.state).battles:
        declare_battle(run, hex_id, is_special=False)
    # Covering units are committed automatically only in special reaction, so commit them here.
    for unit, landing_hex in sorted(current_offensive(run.state).covers.items()):
        if landing_hex == hex_id:
            run.add(UnitJoined(unit=unit, at=hex_id))


class OrderedJoining(Action[OrderedReactionFrame, Join]):
    """Sends Force Z to a hex that Japanese ships entered, or commits an air unit to a battle within range (17.11)."""

    kind = Join

    @override
    def candidates(self, state: State, frame: OrderedReactionFrame, side: Side) -> Iterator[Join]:
        """Yield a command for each hex open to Force Z or, once it has moved, for each battle open to an air unit."""
        hexes = force_z_hexes(state)
        for hex_id in hexes:
            yield Join(unit=FORCE_Z, at=hex_id)
        if not hexes:
            for unit, battles in free_air_units(state):
                for hex_id in battles:
                    yield Join(unit=unit, at=hex_id)

    @override
    def refusals(
        self, state: State, frame: OrderedReactionFrame, side: Side, command: Join
    ) -> Iterator[Refusal]:
        """Yield the reasons why a unit may not join the battle in a hex."""
        unit, hex_id = command.unit, command.at
        hexes = force_z_hexes(state)
        if unit == FORCE_Z:
            if hex_id not in hexes:
                yield Refusal(_RULE, f"no Japanese ship has entered {hex_id} in Malaya")
        elif hexes:
            yield Refusal(_RULE, f"{FORCE_Z} goes first")
        elif _is_free(state, unit) and hex_id in current_offensive(state).battles:
            yield from join_refusals(state, unit, hex_id)
        else:
            yield Refusal(
                _RULE,
                f"{unit} is not an Allied air unit outside battle hexes, or {hex_id} is not a battle hex",
            )

    @override
    def apply(self, run: EotsRun, frame: OrderedReactionFrame, side: Side, command: Join) -> None:
        if command.unit == FORCE_Z:
            _send_force_z(run, command.at)
        else:
            run.add(UnitJoined(unit=command.unit, at=command.at))


_ORDERED_JOINING: Final = OrderedJoining()


def _may_decline(state: State) -> bool:
    return TURN_1_AIR.uses_alternative(state.options) and not force_z_hexes(state)


def _decline_refusals(state: State, _frame: OrderedReactionFrame, _side: Side) -> Iterator[Refusal]:
    """Refuse a pass while the card's orders are binding (OPS-8)."""
    if not _may_decline(state):
        yield Refusal(_RULE, "J-2 orders it")


class OrderedReactionHandler(DecisionHandler[OrderedReactionFrame]):
    """Asks the Allies how to carry out the card's orders. Orders that leave no choice are automatic (17.11, 17-g)."""

    frame = OrderedReactionFrame
    rule = _RULE
    question = "J-2: name the battle that Force Z or an air unit joins"
    wrong_kind_text = _BUSY
    actions = (_ORDERED_JOINING, PlainAction(Pass, check=_decline_refusals))

    @override
    def active_roles(self, state: State, frame: OrderedReactionFrame) -> tuple[Side, ...]:
        """Return the Allied side if there are orders to carry out and each of them leaves a choice."""
        is_open = _ORDERED_JOINING.is_open(state, frame, Side.ALLIED)
        return (Side.ALLIED,) if is_open and self._forced(state) is None else ()

    def _forced(self, state: State) -> Join | None:
        """Return an order that leaves no choice, or None if there is no such order."""
        hexes = force_z_hexes(state)
        commands = ((FORCE_Z, hexes),) if hexes else tuple(free_air_units(state))
        if _may_decline(state):
            return None
        return next(
            (
                Join(unit=unit, at=destination[0])
                for unit, destination in commands
                if len(destination) == 1
            ),
            None,
        )

    @override
    def step(self, run: EotsRun, frame: OrderedReactionFrame) -> None:
        """Carry out an order that leaves no choice. If no orders are left, finish."""
        forced_command = self._forced(run.state)
        if forced_command is None:
            run.pop()
        else:
            _ORDERED_JOINING.apply(run, frame, Side.ALLIED, forced_command)


def fire_coast_guns(run: EotsRun) -> None:
    """Before the battles, remove a step from each escort of a landing at Manila or Singapore (17.11, CP-22)."""
    for unit, move in sorted(current_offensive(run.state).moved.items()):
        if move.shelled:
            lose_step(run, unit, _RULE)


def grants_free_moves(state: State) -> bool:
    """Return whether the Allies may make emergency naval moves after the offensive (17.11)."""
    return has_special(state, "jp02_allied_emergency_naval_move")


def begin_free_moves(run: EotsRun) -> None:
    """Offer each Allied naval unit an emergency move (17.11, 8.22)."""
    run.push(OpeningFrame(waiting=allied_ships(run.state)))


HANDLERS: Final = (OrderedReactionHandler(),)
