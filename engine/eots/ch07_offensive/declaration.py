"""Step 3 and the end of step 8: committing air units and carriers to battles and cover (7.24, 7.26, 9.11)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.cards.activation_limits import required_battles, required_landings
from engine.eots.cards.conditions import in_areas
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch07_offensive.activation import activated
from engine.eots.ch07_offensive.conclusion import take_back
from engine.eots.ch07_offensive.feasibility import (
    can_cover,
    can_fight,
    check_join,
    is_allowed_battle,
    is_strike_target,
    may_join,
    plan,
    strike_targets,
)
from engine.eots.commands import Cover, Done, EotsCommand, Join, TakeBack
from engine.eots.counters import counters
from engine.eots.events.offensive import BattleDeclared, UnitCovers, UnitJoined
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import DeclarationFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State, current
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule


def declare_forced(run: EotsRun) -> None:
    """Declare every hex that holds units of both sides (7.24)."""
    for at in sorted(plan(run.state).forced):
        if at not in current(run.state).battles:
            declare(run, at, special=False)


def declare(run: EotsRun, at: HexId, *, special: bool) -> None:
    """Make a hex a battle hex; note whether a landing there is contested (9.4 R1)."""
    state = run.state
    offensive = current(state)
    landed = any(
        unit in offensive.moved and offensive.moved[unit].mode.is_landing
        for unit in units_at(state).get(at, ())
        if counters()[unit].side is offensive.side
    )
    contested = landed and _held_ground(state, offensive.side.enemy, at)
    run.add(BattleDeclared(at=at, special=special, contested_landing=contested))


def _held_ground(state: State, side: Side, at: HexId) -> bool:
    """Return whether a side has a ground unit or HQ in a hex, or had one before it withdrew from the landing (9.4 R1).

    What intrinsic units mean is asked in battle (OPB-7).
    """
    now = units_at(state).get(at, ())
    before = (unit for unit, piece in current(state).before.units.items() if piece.at == at)
    rows = (counters()[unit] for unit in (*now, *before))
    return any(row.side is side and (row.is_ground or row.is_hq) for row in rows)


def free_strikers(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return activated air units and carriers outside battle hexes without a task, in the order of their ids."""
    offensive = current(state)
    return tuple(
        unit
        for unit in sorted(activated(state, side))
        if counters()[unit].is_air_capable
        and state.units[unit].is_on_map
        and state.units[unit].at not in offensive.battles
        and unit not in offensive.joined
        and unit not in offensive.covers
        and can_fight(state, unit)
    )


def bound_battle(state: State, unit: UnitId) -> HexId | None:
    """Return the battle that a reacting unit left and must still fight in (7.26, 9.11-3)."""
    offensive = current(state)
    origin = offensive.origins.get(unit)
    if origin is not None and unit in offensive.reaction.activated and origin in offensive.battles:
        return HexId(origin)
    return None


def join_options(state: State, side: Side) -> tuple[Join, ...]:
    """Return every commitment to a battle, by unit, then by hex (7.24, 7.26)."""
    offensive = current(state)
    targets = set(offensive.battles)
    if side is offensive.side:
        targets.update(strike_targets(state, offensive, plan(state)))
    found: list[Join] = []
    for unit in free_strikers(state, side):
        bound = bound_battle(state, unit)
        found += [
            Join(unit=unit, at=at)
            for at in sorted(targets)
            if (bound is None or bound == at) and may_join(state, unit, at)
        ]
    return tuple(found)


def cover_options(state: State) -> tuple[Cover, ...]:
    """Return every commitment to cover a landing, by unit, then by hex (7.24)."""
    return tuple(
        Cover(unit=unit, at=at)
        for unit in free_strikers(state, current(state).side)
        for at in can_cover(state, unit)
    )


def check_finish(state: State, side: Side) -> Iterator[Refusal]:
    """Yield what still must be committed before the step may end (7.24, 7.26, CP-04)."""
    offensive = current(state)
    if side is not offensive.side:
        for unit in dict.fromkeys(option.unit for option in join_options(state, side)):
            yield Refusal(Rule("7.26"), f"{unit} was activated and must take part in a battle")
        return
    for unit in plan(state).must_fight:
        yield Refusal(Rule("7.24"), f"{unit} is at sea and must fight or cover a landing")
    yield from check_demands(state)


def check_demands(state: State) -> Iterator[Refusal]:
    """Yield the demands of the card on battles and landings that are not met (CP-04)."""
    offensive = current(state)
    for demand in required_battles(state):
        met = sum(
            (not demand.region or in_areas(demand.region, at))
            and (not demand.hexes or at in demand.hexes)
            and (demand.occupied_by is None or _is_occupied(state, demand.occupied_by, at))
            and (not demand.ground_combat_possible or _can_fight_on_ground(state, at))
            for at in offensive.battles
        )
        if met < demand.minimum:
            yield Refusal(
                Rule("CP-04"),
                f"{offensive.card} demands {demand.minimum} declared battle hex(es) of its own",
            )
    for landing in required_landings(state):
        landed = sum(
            moved.mode.is_landing and board().distance(moved.path[-1], landing.of) <= landing.within
            for unit, moved in offensive.moved.items()
            if unit in offensive.activated
        )
        if landed < landing.minimum:
            yield Refusal(
                Rule("CP-04"),
                f"{offensive.card} demands {landing.minimum} landing(s) within {landing.within} hexes of {landing.of}",
            )


def _is_occupied(state: State, side: Side, at: HexId) -> bool:
    return any(counters()[unit].side is side for unit in units_at(state).get(at, ()))


def _can_fight_on_ground(state: State, at: HexId) -> bool:
    offensive = current(state)
    return any(
        unit in offensive.activated and counters()[unit].is_ground
        for unit in units_at(state).get(at, ())
    )


def check_commit(state: State, side: Side, unit: UnitId, at: HexId) -> Iterator[Refusal]:
    """Yield why a unit may not be committed to the battle of a hex (7.24, 9.11)."""
    offensive = current(state)
    if unit not in activated(state, side):
        yield Refusal(Rule("7.24"), f"{unit} is not activated")
        return
    yield from _check_free(state, unit)
    yield from check_join(state, unit, at)
    bound = bound_battle(state, unit)
    if bound not in {None, at}:
        yield Refusal(Rule("9.11"), f"{unit} left the battle in {bound} and must fight there")
    if at in offensive.battles:
        return
    if side is not offensive.side or not is_strike_target(state, at):
        yield Refusal(Rule("7.24"), f"{at} is no battle hex and cannot be declared")
    elif not is_allowed_battle(state, at):
        yield Refusal(Rule("5.31"), f"{offensive.card} does not allow a battle in {at}")
    elif at not in strike_targets(state, offensive, plan(state)):
        yield Refusal(
            Rule("7.24"), "an operations card allows one battle hex, and another is bound to be it"
        )


def _check_free(state: State, unit: UnitId) -> Iterator[Refusal]:
    """Yield why an activated unit is not free for a task (7.24)."""
    offensive = current(state)
    if unit in offensive.joined or unit in offensive.covers:
        yield Refusal(Rule("7.24"), f"{unit} has its task already")
    elif state.units[unit].at in offensive.battles:
        yield Refusal(Rule("7.24"), f"{unit} fights in the battle hex where it stands")


def check_cover(state: State, side: Side, unit: UnitId, at: HexId) -> Iterator[Refusal]:
    """Yield why a unit may not cover a landing (7.24)."""
    if side is not current(state).side or unit not in activated(state, side):
        yield Refusal(Rule("7.24"), f"{unit} is not activated for the offensive")
        return
    yield from _check_free(state, unit)
    if at not in plan(state).landings:
        yield Refusal(
            Rule("7.24"), f"nobody landed in {at}, or it is not vacant and enemy-controlled"
        )
    yield from check_join(state, unit, at)


def may_take_back(state: State) -> bool:
    """Return whether the card makes demands that are not met, so that its play may be taken back (CP-04)."""
    return bool(required_battles(state) or required_landings(state)) and any(
        True for _ in check_demands(state)
    )


class DeclarationHandler(Handler[DeclarationFrame]):
    """Ask for commitments one by one (7.24, 7.26)."""

    frame = DeclarationFrame

    def asked(self, state: State, frame: DeclarationFrame) -> tuple[Side, ...]:
        """Ask while there is something to commit or a demand is open."""
        if self._forced_join(state, frame.side) is not None:
            return ()
        options = self._options(state, frame.side)
        return (frame.side,) if options and options != (Done(),) else ()

    def decision(self, state: State, frame: DeclarationFrame, side: Side) -> EotsDecision:
        """Offer battles by unit and hex, then cover, then the end."""
        options = self._options(state, side)
        offensive = current(state)
        rule = Rule("7.24") if side is offensive.side else Rule("7.26")
        prompt = (
            "Declare battles: commit air units and carriers"
            if rule == "7.24"
            else "Commit reacting units to battles"
        )
        default = _default(state, side, options)
        return Decision(role=Role(side), rule=rule, prompt=prompt, options=options, default=default)

    def resolve(
        self,
        run: EotsRun,
        frame: DeclarationFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Commit a unit or finish."""
        match command:
            case Join(unit=unit, at=at):
                self._join(run, unit, at)
            case Cover(unit=unit, at=at):
                run.add(UnitCovers(unit=unit, at=at))
            case TakeBack():
                take_back(run)
            case _:
                run.leave()

    def step(self, run: EotsRun, frame: DeclarationFrame) -> None:
        """Commit what has no choice, or finish."""
        forced = self._forced_join(run.state, frame.side)
        if forced is None:
            run.leave()
        else:
            self._join(run, forced.unit, forced.at)

    def why_not(
        self, state: State, frame: DeclarationFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a commitment or the end."""
        match command:
            case Join(unit=unit, at=at):
                yield from check_commit(state, side, unit, at)
            case Cover(unit=unit, at=at):
                yield from check_cover(state, side, unit, at)
            case Done():
                yield from check_finish(state, side)
            case _:
                yield Refusal(Rule("7.24"), "battles are being declared now")

    def _options(self, state: State, side: Side) -> tuple[EotsCommand, ...]:
        offensive = current(state)
        joins: tuple[EotsCommand, ...] = join_options(state, side)
        covers: tuple[EotsCommand, ...] = cover_options(state) if side is offensive.side else ()
        done: tuple[EotsCommand, ...] = (
            () if any(True for _ in check_finish(state, side)) else (Done(),)
        )
        back: tuple[EotsCommand, ...] = (
            (TakeBack(),) if side is offensive.side and may_take_back(state) else ()
        )
        return (*joins, *covers, *done, *back)

    def _forced_join(self, state: State, side: Side) -> Join | None:
        """Return the commitment of a reacting unit that has only one battle."""
        if side is current(state).side:
            return None
        by_unit: dict[UnitId, list[Join]] = {}
        for option in join_options(state, side):
            by_unit.setdefault(option.unit, []).append(option)
        return next((options[0] for options in by_unit.values() if len(options) == 1), None)

    def _join(self, run: EotsRun, unit: UnitId, at: HexId) -> None:
        if at not in current(run.state).battles:
            declare(run, at, special=False)
        run.add(UnitJoined(unit=unit, at=at))


def _default(state: State, side: Side, options: tuple[EotsCommand, ...]) -> EotsCommand:
    """Return what happens without an answer: whoever must fight goes to the nearest target, lowest hex first (7.24)."""
    if Done() in options:
        return Done()
    bound = plan(state).must_fight if side is current(state).side else activated(state, side)
    tasks = [
        option for option in options if isinstance(option, Join | Cover) and option.unit in bound
    ]
    return min(
        tasks,
        key=lambda task: (board().distance(HexId(state.units[task.unit].at), task.at), task.at),
        default=options[-1],
    )


HANDLERS: Final = (DeclarationHandler(),)
