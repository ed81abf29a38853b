"""The Replacement Segment, in which both sides spend their replacement steps (4.12, 11)."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from engine.eots.ch06_supply.activation import placement_refusals
from engine.eots.ch10_places import legal_places
from engine.eots.ch11_pools import (
    POOLS_OF,
    allied_pools,
    is_china_cut_off,
    japan_points,
    max_divisions,
    point_refusals,
    pool_name,
    recipient_refusals,
    repairable_unit_refusals,
    returnable_unit_refusals,
    spend_steps,
    steps_in_pool,
)
from engine.eots.commands import Divisions, Done, EotsCommand, Rebuild, Repair
from engine.eots.counters import counters
from engine.eots.events.tracks import (
    DivisionsLeftChina,
    JapanPointsSet,
    PoolsSet,
    SegmentClosed,
    UnitArrived,
)
from engine.eots.events.units import StepGained, UnitPlaced
from engine.eots.flow import Action, DecisionHandler, EotsRun, PlainAction, is_in_segment
from engine.eots.frames import Phase, ReplacementFrame
from engine.eots.ids import Pool, Side, UnitId
from engine.eots.state import ELIMINATED, Pools, State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo
from engine.kernel.sentences import count_noun

SEGMENT: Final = "replacement"
_DIVISIONS_FIRST: Final = Refusal(Rule("11.23"), "first decide how many divisions leave China")

K = TypeVar("K", Repair, Rebuild)


class ReplacementUses(msgspec.Struct, frozen=True, eq=False):
    """The possible uses of a side's replacement steps."""

    repairs: tuple[Repair, ...]
    rebuilds: tuple[Rebuild, ...]


_MEMO: Final = Memo[ReplacementUses](16)


def begin_replacements(run: EotsRun) -> None:
    """Set the number of steps on both sides and begin spending, first for the Allies, then for Japan (4.12, 11.0-5)."""
    state = run.state
    run.add(PoolsSet(pools=allied_pools(state)))
    naval, air = japan_points(state)
    if (naval, air) != (state.tracks.japan_naval_points, state.tracks.japan_air_points):
        run.add(JapanPointsSet(naval=naval, air=air))
    run.push(ReplacementFrame(side=Side.JAPAN))
    run.push(ReplacementFrame(side=Side.ALLIED))


def possible_uses(state: State, side: Side) -> ReplacementUses:
    """Return every repair and every return to play that a side can pay for now. Results are cached.

    Repairs are ordered by pool and unit. Returns are ordered by pool, unit, hex and steps. While Japan can use ground
    steps from China, only uses of those steps are listed, because they must be used first (11.23).
    """
    key = (
        state.units,
        state.control,
        state.tracks,
        state.pools,
        state.arrived_hqs,
        state.arrived_air,
        state.options,
        side,
    )
    return _MEMO.get(state, key, lambda: _possible_uses(state, side))


def _possible_uses(state: State, side: Side) -> ReplacementUses:
    forced_uses = uses_from_pool(state, Pool.JAPAN_GROUND, steps_in_pool(state, Pool.JAPAN_GROUND))
    if side is Side.JAPAN and (forced_uses.repairs or forced_uses.rebuilds):
        return forced_uses
    repairs: tuple[Repair, ...] = ()
    rebuilds: tuple[Rebuild, ...] = ()
    for pool in POOLS_OF[side]:
        uses = uses_from_pool(state, pool, steps_in_pool(state, pool))
        repairs, rebuilds = (*repairs, *uses.repairs), (*rebuilds, *uses.rebuilds)
    return ReplacementUses(repairs, rebuilds)


def has_use(state: State, side: Side) -> bool:
    """Return whether a side can pay for any repair or return to play now. The search stops at the first match."""
    for pool in POOLS_OF[side]:
        if steps_in_pool(state, pool) < 1:
            continue
        units = _eligible_units(state, pool)
        if any(next(repairable_unit_refusals(state, unit), None) is None for unit in units):
            return True
        if any(legal_places(state, _returnable_units(state, units)).values()):
            return True
    return False


def _eligible_units(state: State, pool: Pool) -> tuple[UnitId, ...]:
    """Return the units that may now receive steps from a pool, sorted by id."""
    return tuple(
        unit for unit in _replaceable_units(pool) if not any(recipient_refusals(state, pool, unit))
    )


def _returnable_units(state: State, units: Iterable[UnitId]) -> tuple[UnitId, ...]:
    """Return the given units that are eliminated but may come back into play."""
    return tuple(
        unit
        for unit in units
        if state.units[unit].at == ELIMINATED and not any(returnable_unit_refusals(state, unit))
    )


def uses_from_pool(state: State, pool: Pool, steps: int) -> ReplacementUses:
    """Return the possible uses of a given number of steps of one kind, whether or not the pool contains them (11.0)."""
    if steps < 1:
        return ReplacementUses((), ())
    units = _eligible_units(state, pool)
    repairs = tuple(
        Repair(pool=pool, unit=unit)
        for unit in units
        if not any(repairable_unit_refusals(state, unit))
    )
    lost_units = _returnable_units(state, units)
    rebuilds = tuple(
        Rebuild(pool=pool, unit=unit, at=hex_id, steps=count)
        for unit, places in legal_places(state, lost_units).items()
        for hex_id in places
        for count in range(1, min(steps, counters()[unit].max_steps) + 1)
    )
    return ReplacementUses(repairs, rebuilds)


@cache
def _replaceable_units(pool: Pool) -> tuple[UnitId, ...]:
    """Return all units that could ever receive steps from a pool, sorted by id (OPB-12)."""
    naval = {Pool.US_NAVAL, Pool.CW_NAVAL}
    kinds = naval if pool in naval else {pool}
    return tuple(unit for unit, counter in counters().items() if counter.replacement_pool in kinds)


def usable_divisions(state: State) -> int:
    """Return how many divisions may leave China now, limited to the number of usable steps (11.23)."""
    max_steps = max_divisions(state)
    if max_steps == 0:
        return 0
    uses = uses_from_pool(state, Pool.JAPAN_GROUND, max_steps)
    # Each unit can use only a limited number of steps, so divisions beyond the total of these
    # numbers would be wasted.
    per_unit = {option.unit: 1 for option in uses.repairs}
    for option in uses.rebuilds:
        per_unit[option.unit] = max(per_unit.get(option.unit, 0), option.steps)
    return min(max_steps, sum(per_unit.values()))


def _asks_divisions(frame: ReplacementFrame) -> bool:
    return frame.side is Side.JAPAN and not frame.divisions_asked


def _order_refusals(state: State, frame: ReplacementFrame, pool: Pool | None) -> Iterator[Refusal]:
    """Refuse all other uses while usable ground steps from China are left (11.23)."""
    if frame.side is not Side.JAPAN or pool is Pool.JAPAN_GROUND:
        return
    if steps_in_pool(state, Pool.JAPAN_GROUND) < 1:
        return
    uses = possible_uses(state, frame.side)
    possible: tuple[Repair | Rebuild, ...] = uses.repairs or uses.rebuilds
    # While steps from China can be used, no other uses are listed.
    if possible and possible[0].pool is Pool.JAPAN_GROUND:
        yield Refusal(Rule("11.23"), "ground steps from China must be used first")


class SendDivisions(Action[ReplacementFrame, Divisions]):
    """Decides how many divisions leave China to provide ground steps (11.23)."""

    kind = Divisions

    @override
    def candidates(self, state: State, frame: ReplacementFrame, side: Side) -> Iterator[Divisions]:
        if _asks_divisions(frame):
            for count in range(usable_divisions(state) + 1):
                yield Divisions(count=count)

    @override
    def refusals(
        self, state: State, frame: ReplacementFrame, side: Side, command: Divisions
    ) -> Iterator[Refusal]:
        """Yield the reasons why the given number of divisions may not leave China now (11.23, 13.71-5)."""
        rule, max_steps = Rule("11.23"), max_divisions(state)
        if not _asks_divisions(frame):
            yield Refusal(rule, "divisions may leave China only once, before any step is spent")
        elif is_china_cut_off(state):
            yield Refusal(Rule("13.71"), "the Allies control every port in China and Korea")
        elif command.count > max_steps:
            yield Refusal(rule, f"at most {count_noun(max_steps, 'division')} may leave China")
        elif not 0 <= command.count <= usable_divisions(state):
            steps = count_noun(usable_divisions(state), "ground step")
            yield Refusal(rule, f"only {steps} could be used now")

    @override
    def apply(self, run: EotsRun, frame: ReplacementFrame, side: Side, command: Divisions) -> None:
        if command.count:
            run.add(DivisionsLeftChina(count=command.count))
        run.replace_top(replace(frame, divisions_asked=True))


class _Use(Action[ReplacementFrame, K]):
    """Base class for spending a pool's steps on a unit (11.0)."""

    is_exact = True

    @override
    def refusals(
        self, state: State, frame: ReplacementFrame, side: Side, command: K
    ) -> Iterator[Refusal]:
        """Yield every reason why steps may not be spent this way."""
        if _asks_divisions(frame):
            yield _DIVISIONS_FIRST
        elif command.pool not in POOLS_OF[side]:
            yield Refusal(Rule("11.0"), f"{command.pool} steps are not yours")
        elif command.unit not in state.units:
            yield Refusal(Rule("11.0"), f"there is no unit {command.unit}")
        else:
            yield from self.check(state, command)
            yield from _order_refusals(state, frame, command.pool)

    @abstractmethod
    def check(self, state: State, command: K) -> Iterator[Refusal]:
        """Yield a refusal for every violated rule that is specific to this kind of use."""


class RepairUnit(_Use[Repair]):
    """Flips a reduced unit to full strength (11.0)."""

    kind = Repair

    @override
    def candidates(self, state: State, frame: ReplacementFrame, side: Side) -> tuple[Repair, ...]:
        """Return every possible repair, ordered by pool and then by unit."""
        return () if _asks_divisions(frame) else possible_uses(state, side).repairs

    @override
    def check(self, state: State, command: Repair) -> Iterator[Refusal]:
        """Yield every reason why a step from a pool may not flip a unit (11.0, 11.1)."""
        yield from point_refusals(state, command.pool, 1)
        yield from recipient_refusals(state, command.pool, command.unit)
        yield from repairable_unit_refusals(state, command.unit)

    @override
    def apply(self, run: EotsRun, frame: ReplacementFrame, side: Side, command: Repair) -> None:
        """Flip the unit and deduct a step from the pool (11.0-1)."""
        run.add(StepGained(rule=Rule("11.0"), unit=command.unit))
        spend_steps(run, command.pool, 1)


class ReturnUnit(_Use[Rebuild]):
    """Returns an eliminated unit to play (11.0)."""

    kind = Rebuild

    @override
    def candidates(self, state: State, frame: ReplacementFrame, side: Side) -> tuple[Rebuild, ...]:
        """Return every possible return to play, ordered by pool, unit, hex and number of steps."""
        return () if _asks_divisions(frame) else possible_uses(state, side).rebuilds

    @override
    def check(self, state: State, command: Rebuild) -> Iterator[Refusal]:
        """Yield every reason why a unit may not return at this place with these steps (11.0, 11.1, 10.11)."""
        unit, steps = command.unit, command.steps
        if not 1 <= steps <= counters()[unit].max_steps:
            yield Refusal(Rule("11.0"), f"{unit} cannot return with {count_noun(steps, 'step')}")
        yield from point_refusals(state, command.pool, steps)
        yield from recipient_refusals(state, command.pool, unit)
        yield from returnable_unit_refusals(state, unit)
        yield from placement_refusals(state, unit, command.at)

    @override
    def apply(self, run: EotsRun, frame: ReplacementFrame, side: Side, command: Rebuild) -> None:
        """Return the unit to play, deduct its steps and record its return for the turn (11.0-1, 11.0-4, 12.31)."""
        unit, steps = command.unit, command.steps
        run.add(UnitPlaced(rule=Rule("11.0"), unit=unit, at=command.at, steps=steps))
        run.add(UnitArrived(unit=unit, segment=SEGMENT))
        spend_steps(run, command.pool, steps)


class FinishSpending(PlainAction[ReplacementFrame, Done]):
    """Ends a side's spending (11.0-6)."""

    @override
    def refusals(
        self, state: State, frame: ReplacementFrame, side: Side, command: Done
    ) -> Iterator[Refusal]:
        """Yield a refusal if a decision is pending or other steps must be used first (11.23)."""
        return (
            iter((_DIVISIONS_FIRST,))
            if _asks_divisions(frame)
            else _order_refusals(state, frame, None)
        )

    @override
    def apply(self, run: EotsRun, frame: ReplacementFrame, side: Side, command: Done) -> None:
        _finish_side(run, frame)


class ReplacementHandler(DecisionHandler[ReplacementFrame]):
    """Asks a side to spend its replacement steps. Japan first decides how many divisions leave China (4.12, 11.0)."""

    frame = ReplacementFrame
    actions = (SendDivisions(), RepairUnit(), ReturnUnit(), FinishSpending(Done))

    @override
    def active_roles(self, state: State, frame: ReplacementFrame) -> tuple[Side, ...]:
        """Return the spending side if it has a decision to make."""
        if _asks_divisions(frame):
            return (frame.side,) if usable_divisions(state) else ()
        side = frame.side
        is_left = self.is_hint_legal(state, frame, side, (Done,)) or has_use(state, side)
        return (side,) if is_left else ()

    @override
    def decision_rule(self, state: State, frame: ReplacementFrame) -> Rule:
        return Rule("11.23" if _asks_divisions(frame) else "11.0")

    @override
    def prompt(self, state: State, frame: ReplacementFrame, side: Side) -> str:
        """Return the prompt, which asks for the number of divisions or states the steps left to spend."""
        if _asks_divisions(frame):
            return "How many divisions leave China as ground replacements?"
        pool_texts = ", ".join(
            f"{steps_in_pool(state, pool)} {pool_name(pool)}"
            for pool in POOLS_OF[side]
            if steps_in_pool(state, pool)
        )
        return f"Replacements left: {pool_texts}"

    @override
    def step(self, run: EotsRun, frame: ReplacementFrame) -> None:
        """Skip a decision in which only one choice is useful."""
        if _asks_divisions(frame):
            run.replace_top(replace(frame, divisions_asked=True))
        else:
            _finish_side(run, frame)

    @override
    def wrong_kind(
        self, state: State, frame: ReplacementFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Refuse other commands, naming any decision or use that must come first."""
        if _asks_divisions(frame):
            yield _DIVISIONS_FIRST
        else:
            yield Refusal(Rule("11.0"), "finish spending replacement steps first")
            yield from _order_refusals(state, frame, None)


def _finish_side(run: EotsRun, frame: ReplacementFrame) -> None:
    """Drop the remaining steps except Japan's saved points (11.0-6).

    Once Japan is done, the segment is over (11.0-4).
    """
    if run.state.pools != Pools():
        run.add(PoolsSet(pools=Pools()))
    if frame.side is Side.JAPAN and is_in_segment(run.state, Phase.REPLACEMENT):
        run.add(SegmentClosed())
    run.pop()


HANDLERS: Final = (ReplacementHandler(),)
