"""Step 3 and the end of step 8: committing air units and carriers to battles and cover (7.24, 7.26, 9.11)."""

from collections.abc import Iterator
from itertools import groupby, islice
from typing import Final

from typing_extensions import override

from engine.eots.board import board
from engine.eots.cards.activation_limits import required_battles, required_landings
from engine.eots.cards.conditions import is_in_areas
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch07_offensive.activation import activated_units, fixed_units
from engine.eots.ch07_offensive.conclusion import undo_card_play
from engine.eots.ch07_offensive.feasibility import (
    can_fight,
    can_join,
    coverable_landings,
    declaration_requirements,
    is_allowed_battle,
    join_refusals,
    reaction_held_hexes,
    strike_targets,
)
from engine.eots.ch17_south_pacific import battle_refusals
from engine.eots.commands import Cover, Done, EotsCommand, Join, TakeBack
from engine.eots.counters import counters
from engine.eots.events.offensive import BattleDeclared, UnitCovers, UnitJoined
from engine.eots.flow import Action, DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import DeclarationFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule
from engine.kernel.sentences import count_noun, pluralise


def declare_forced_battles(run: EotsRun) -> None:
    """Declare every hex that contains units of both sides (7.24)."""
    for hex_id in sorted(declaration_requirements(run.state).forced):
        if hex_id not in current_offensive(run.state).battles:
            declare_battle(run, hex_id, is_special=False)


def declare_battle(run: EotsRun, hex_id: HexId, *, is_special: bool) -> None:
    """Declare a battle hex and record whether a landing there is contested (9.4 R1)."""
    state = run.state
    offensive = current_offensive(state)
    has_landed = any(
        unit in offensive.moved and offensive.moved[unit].mode.is_landing
        for unit in units_at(state).get(hex_id, ())
        if counters()[unit].side is offensive.side
    )
    is_contested = has_landed and _has_held_ground(state, offensive.side.enemy, hex_id)
    run.add(BattleDeclared(at=hex_id, special=is_special, contested_landing=is_contested))


def _has_held_ground(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a side has a ground unit or HQ in a hex, or had one there before the offensive (9.4 R1).

    Intrinsic units are considered later, during the battle (OPB-7).
    """
    units = units_at(state).get(hex_id, ())
    enemy_held = (
        unit for unit, piece in current_offensive(state).before.units.items() if piece.at == hex_id
    )
    rows = (counters()[unit] for unit in (*units, *enemy_held))
    return any(row.side is side and (row.is_ground or row.is_hq) for row in rows)


def free_strikers(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the activated air units and carriers outside battle hexes that have no task yet, sorted by id."""
    offensive = current_offensive(state)
    return tuple(
        unit
        for unit in sorted(activated_units(state, side))
        if counters()[unit].is_air_capable
        and state.units[unit].is_on_map
        and state.units[unit].at not in offensive.battles
        and unit not in offensive.joined
        and unit not in offensive.covers
        and can_fight(state, unit)
    )


def required_battle(state: State, unit: UnitId) -> HexId | None:
    """Return the battle hex where a reacting unit began and must fight; None if it began elsewhere (7.26, 9.11-3)."""
    offensive = current_offensive(state)
    origin = offensive.origins.get(unit)
    if origin is not None and unit in offensive.reaction.activated and origin in offensive.battles:
        return HexId(origin)
    return None


def finish_refusals(state: State, side: Side) -> Iterator[Refusal]:
    """Refuse to end the step while a unit must still be committed or a requirement is not met (7.24, 7.26, CP-04)."""
    offensive = current_offensive(state)
    if side is not offensive.side:
        for unit in dict.fromkeys(option.unit for option in battle_commitments(state, side)):
            yield Refusal(Rule("7.26"), f"{unit} was activated and must take part in a battle")
        return
    for unit in declaration_requirements(state).must_fight:
        yield Refusal(Rule("7.24"), f"{unit} is at sea and must fight or cover a landing")
    yield from demand_refusals(state)


def demand_refusals(state: State) -> Iterator[Refusal]:
    """Yield a refusal for each requirement of the card, for battles or landings, that is not met (CP-04)."""
    offensive = current_offensive(state)
    for demand in required_battles(state):
        met_count = sum(
            (not demand.region or is_in_areas(demand.region, hex_id))
            and (not demand.hexes or hex_id in demand.hexes)
            and (demand.occupied_by is None or _is_occupied(state, demand.occupied_by, hex_id))
            and (not demand.ground_combat_possible or _can_fight_on_ground(state, hex_id))
            for hex_id in offensive.battles
        )
        if met_count < demand.minimum:
            hexes = pluralise(demand.minimum, "declared battle hex", "declared battle hexes")
            yield Refusal(
                Rule("5.31"),
                f"{offensive.card} requires {hexes} of its own",
            )
    for landing in required_landings(state):
        landed_count = sum(
            move.mode.is_landing and board().distance(move.path[-1], landing.of) <= landing.within
            for unit, move in offensive.moved.items()
            if unit in offensive.activated
        )
        if landed_count < landing.minimum:
            landings = count_noun(landing.minimum, "landing")
            yield Refusal(
                Rule("5.31"),
                f"{offensive.card} requires {landings} within {landing.within} hexes of {landing.of}",
            )


def _is_occupied(state: State, side: Side, hex_id: HexId) -> bool:
    return any(counters()[unit].side is side for unit in units_at(state).get(hex_id, ()))


def _can_fight_on_ground(state: State, hex_id: HexId) -> bool:
    offensive = current_offensive(state)
    return any(
        unit in offensive.activated and counters()[unit].is_ground
        for unit in units_at(state).get(hex_id, ())
    )


def _free_refusals(state: State, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why an activated unit cannot be committed at all (7.24)."""
    offensive = current_offensive(state)
    if unit in offensive.joined or unit in offensive.covers:
        yield Refusal(Rule("7.24"), f"{unit} already has a task")
    elif state.units[unit].at in offensive.battles:
        yield Refusal(Rule("7.24"), f"{unit} must fight in the battle hex it is in")


def battle_commitments(state: State, side: Side) -> Iterator[Join]:
    """Yield every possible commitment to a battle, ordered by unit and then by hex (7.24, 7.26)."""
    offensive = current_offensive(state)
    targets: list[HexId] | None = None
    for unit in free_strikers(state, side):
        # The search for targets is needed only if some unit has no task yet.
        if targets is None:
            strikes = (
                strike_targets(state, offensive, declaration_requirements(state))
                if side is offensive.side
                else ()
            )
            targets = sorted({*offensive.battles, *strikes})
        battle_required = required_battle(state, unit)
        for hex_id in targets:
            if battle_required in {None, hex_id} and can_join(state, unit, hex_id):
                yield Join(unit=unit, at=hex_id)


class JoiningBattle(Action[DeclarationFrame, Join]):
    """Commits an air unit or carrier to the battle in a hex, declaring the battle if necessary (7.24, 7.26, 9.11)."""

    kind = Join
    is_exact = True

    @override
    def candidates(self, state: State, frame: DeclarationFrame, role: Side) -> Iterator[Join]:
        """Yield every possible commitment to a battle, ordered by unit and then by hex."""
        return battle_commitments(state, role)

    @override
    def refusals(
        self, state: State, frame: DeclarationFrame, role: Side, command: Join
    ) -> Iterator[Refusal]:
        """Yield the reasons why a unit may not be committed to the battle in a hex (7.24, 9.11)."""
        unit, hex_id = command.unit, command.at
        offensive = current_offensive(state)
        if unit not in activated_units(state, role):
            yield Refusal(Rule("7.24"), f"{unit} is not activated")
            return
        yield from _free_refusals(state, unit)
        yield from join_refusals(state, unit, hex_id)
        yield from battle_refusals(state, role, hex_id)
        battle_required = required_battle(state, unit)
        if battle_required not in {None, hex_id}:
            yield Refusal(
                Rule("9.11"),
                f"{unit} began in the battle hex {battle_required} and must fight there",
            )
        if hex_id in offensive.battles:
            return
        struck_hexes = occupancy(state).bitsets.bit_by_id[hex_id] & reaction_held_hexes(state)
        if role is not offensive.side or not struck_hexes:
            yield Refusal(Rule("7.24"), f"{hex_id} is not a battle hex and cannot be declared one")
        elif not is_allowed_battle(state, hex_id):
            yield Refusal(Rule("5.31"), f"{offensive.card} does not allow a battle in {hex_id}")
        elif hex_id not in strike_targets(state, offensive, declaration_requirements(state)):
            yield Refusal(
                Rule("7.24"),
                "an operations card allows only one battle hex, and another hex must be it",
            )

    @override
    def apply(self, run: EotsRun, frame: DeclarationFrame, role: Side, command: Join) -> None:
        """Declare the battle if necessary, and commit the unit to it."""
        _commit_unit(run, command)


class Covering(Action[DeclarationFrame, Cover]):
    """Commits an offensive air unit or carrier to cover a landing (7.24)."""

    kind = Cover
    is_exact = True

    @override
    def candidates(self, state: State, frame: DeclarationFrame, role: Side) -> Iterator[Cover]:
        """Yield every possible commitment to cover a landing, ordered by unit and then by hex."""
        if role is current_offensive(state).side:
            for unit in free_strikers(state, role):
                for hex_id in coverable_landings(state, unit):
                    yield Cover(unit=unit, at=hex_id)

    @override
    def refusals(
        self, state: State, frame: DeclarationFrame, role: Side, command: Cover
    ) -> Iterator[Refusal]:
        """Yield the reasons why a unit may not cover a landing (7.24)."""
        unit, hex_id = command.unit, command.at
        if role is not current_offensive(state).side or unit not in activated_units(state, role):
            yield Refusal(Rule("7.24"), f"{unit} is not activated for the offensive")
            return
        yield from _free_refusals(state, unit)
        if hex_id not in declaration_requirements(state).landings:
            yield Refusal(
                Rule("7.24"),
                f"no unit has landed in {hex_id}, or the hex is not vacant and enemy-controlled",
            )
        yield from join_refusals(state, unit, hex_id)

    @override
    def apply(self, run: EotsRun, frame: DeclarationFrame, role: Side, command: Cover) -> None:
        run.add(UnitCovers(unit=command.unit, at=command.at))


def _take_back_refusals(state: State, _frame: DeclarationFrame, role: Side) -> Iterator[Refusal]:
    """Refuse to take the card back unless one of its requirements is unmet (CP-04)."""
    demands = required_battles(state) or required_landings(state)
    if fixed_units(state, role):
        yield Refusal(Rule("17.11"), f"{current_offensive(state).card} cannot be taken back")
    elif (
        role is not current_offensive(state).side or not demands or not any(demand_refusals(state))
    ):
        yield Refusal(Rule("7.24"), "finish declaring battles first")


_TAKING_BACK: Final = PlainAction(
    TakeBack, lambda run, _frame, _role: undo_card_play(run), _take_back_refusals
)
_FINISHING: Final[PlainAction[DeclarationFrame, Done]] = PlainAction(
    Done, check=lambda state, _, role: finish_refusals(state, role)
)


class DeclarationHandler(DecisionHandler[DeclarationFrame]):
    """Lets a side commit its units one at a time (7.24, 7.26)."""

    frame = DeclarationFrame
    actions = (JoiningBattle(), Covering(), _FINISHING, _TAKING_BACK)
    is_plan = True
    wrong_kind_text = "finish declaring battles first"

    @override
    def active_roles(self, state: State, frame: DeclarationFrame) -> tuple[Side, ...]:
        """Return the side if it can commit a unit or has not met the card's requirements.

        A forced commitment needs no decision.
        """
        if _forced_join(state, frame.side) is not None:
            return ()
        return (frame.side,) if self.has_other_command(state, frame, frame.side) else ()

    @override
    def decision_rule(self, state: State, frame: DeclarationFrame) -> Rule:
        """Return the rule for commitments: 7.24 for the Offensive player, 7.26 for the Reaction player."""
        return Rule("7.24") if frame.side is current_offensive(state).side else Rule("7.26")

    @override
    def prompt(self, state: State, frame: DeclarationFrame, role: Side) -> str:
        """Return the prompt: declare battles, or choose which units join them."""
        if role is current_offensive(state).side:
            return "Declare battles: choose which air units and carriers join"
        return "Choose which reacting units join battles"

    @override
    def default(
        self, state: State, frame: DeclarationFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Finish if possible. Otherwise commit a unit that must fight to the nearest possible hex (7.24).

        In a tie, choose the lowest hex.
        """
        if Done() in options:
            return Done()
        required_option = (
            declaration_requirements(state).must_fight
            if role is current_offensive(state).side
            else activated_units(state, role)
        )
        tasks = [
            option
            for option in options
            if isinstance(option, Join | Cover) and option.unit in required_option
        ]
        return min(
            tasks,
            key=lambda task: (board().distance(HexId(state.units[task.unit].at), task.at), task.at),
            default=options[-1],
        )

    @override
    def step(self, run: EotsRun, frame: DeclarationFrame) -> None:
        """Make a forced commitment, or finish if there is none."""
        forced_join = _forced_join(run.state, frame.side)
        if forced_join is None:
            run.pop()
        else:
            _commit_unit(run, forced_join)


def _forced_join(state: State, side: Side) -> Join | None:
    """Return the commitment of a unit that can join only one battle; None if there is no such unit.

    Only reacting units and units activated by J-1 are committed automatically.
    """
    if side is current_offensive(state).side and not fixed_units(state, side):
        return None
    for _, group in groupby(battle_commitments(state, side), key=lambda join: join.unit):
        # Two options are enough to show that there is a choice.
        first_two = tuple(islice(group, 2))
        if len(first_two) == 1:
            return first_two[0]
    return None


def _commit_unit(run: EotsRun, join: Join) -> None:
    if join.at not in current_offensive(run.state).battles:
        declare_battle(run, join.at, is_special=False)
    run.add(UnitJoined(unit=join.unit, at=join.at))


HANDLERS: Final = (DeclarationHandler(),)
