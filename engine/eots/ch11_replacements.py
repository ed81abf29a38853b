"""The Replacement Segment: both sides spend their replacement steps (4.12, 11)."""

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.eots.ch10_places import places_of
from engine.eots.ch11_pools import (
    POOLS_OF,
    allied_pools,
    check_rebuild,
    check_recipient,
    check_repair,
    check_repairable,
    check_returnable,
    is_china_cut_off,
    japan_points,
    most_divisions,
    points,
    rebuild,
    repair,
)
from engine.eots.commands import Divisions, Done, EotsCommand, Rebuild, Repair
from engine.eots.counters import counters
from engine.eots.events.tracks import DivisionsLeftChina, JapanPointsSet, PoolsSet, SegmentClosed
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import Phase, ReplacementFrame, TurnFrame
from engine.eots.ids import Pool, Side, UnitId
from engine.eots.state import ELIMINATED, Pools, State
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.memo import IdentityMemo


class Uses(msgspec.Struct, frozen=True, eq=False):
    """What the steps of a side can do now."""

    repairs: tuple[Repair, ...]
    returns: tuple[Rebuild, ...]


_MEMO: Final = IdentityMemo[Uses](16)


def begin_replacements(run: EotsRun) -> None:
    """Fix the steps of both sides and open the Allied spending, then the Japanese (4.12, 11.0-5)."""
    state = run.state
    run.add(PoolsSet(pools=allied_pools(state)))
    naval, air = japan_points(state)
    if (naval, air) != (state.tracks.japan_naval_points, state.tracks.japan_air_points):
        run.add(JapanPointsSet(naval=naval, air=air))
    run.enter(ReplacementFrame(side=Side.JAPAN))
    run.enter(ReplacementFrame(side=Side.ALLIED))


def uses(state: State, side: Side) -> Uses:
    """Return every repair and return that a side can pay for now; remembered.

    Repairs go by pool, then by unit; returns by pool, unit, hex and steps. While Japan holds ground
    steps taken from China it sees only their uses, because they must be used at once (11.23).
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
    return _MEMO.get(state, key, lambda: _uses(state, side))


def _uses(state: State, side: Side) -> Uses:
    forced = uses_of(state, Pool.JAPAN_GROUND, points(state, Pool.JAPAN_GROUND))
    if side is Side.JAPAN and (forced.repairs or forced.returns):
        return forced
    repairs: tuple[Repair, ...] = ()
    returns: tuple[Rebuild, ...] = ()
    for pool in POOLS_OF[side]:
        found = uses_of(state, pool, points(state, pool))
        repairs, returns = (*repairs, *found.repairs), (*returns, *found.returns)
    return Uses(repairs, returns)


def uses_of(state: State, pool: Pool, steps: int) -> Uses:
    """Return what so many steps of a kind can do now, whatever the pool holds (11.0)."""
    if steps < 1:
        return Uses((), ())
    units = tuple(unit for unit in _recipients(pool) if not any(check_recipient(state, pool, unit)))
    repairs = tuple(
        Repair(pool=pool, unit=unit) for unit in units if not any(check_repairable(state, unit))
    )
    lost = tuple(
        unit
        for unit in units
        if state.units[unit].at == ELIMINATED and not any(check_returnable(state, unit))
    )
    returns = tuple(
        Rebuild(pool=pool, unit=unit, at=at, steps=count)
        for unit, places in places_of(state, lost).items()
        for at in places
        for count in range(1, min(steps, counters()[unit].max_steps) + 1)
    )
    return Uses(repairs, returns)


def _recipients(pool: Pool) -> Iterator[UnitId]:
    """Yield the units that steps of a pool could ever serve, in the order of their ids (OPB-12)."""
    naval = {Pool.US_NAVAL, Pool.CW_NAVAL}
    kinds = naval if pool in naval else {pool}
    for unit, counter in counters().items():
        if counter.replacement_pool in kinds:
            yield unit


def usable_divisions(state: State) -> int:
    """Return how many divisions may leave China now: no more than their steps can be used (11.23)."""
    most = most_divisions(state)
    if most == 0:
        return 0
    found = uses_of(state, Pool.JAPAN_GROUND, most)
    per_unit = {option.unit: 1 for option in found.repairs}
    for option in found.returns:
        per_unit[option.unit] = max(per_unit.get(option.unit, 0), option.steps)
    return min(most, sum(per_unit.values()))


def options_of(state: State, frame: ReplacementFrame) -> tuple[EotsCommand, ...]:
    """Return the commands of a side: repairs, returns, and to finish unless ground steps must be used (11.23)."""
    now = uses(state, frame.side)
    spending: tuple[Repair | Rebuild, ...] = (*now.repairs, *now.returns)
    return spending if _must_use_ground(spending) else (*spending, Done())


def _must_use_ground(spending: tuple[Repair | Rebuild, ...]) -> bool:
    """Return whether ground steps from China wait for their use; then nothing else is offered (11.23)."""
    return bool(spending) and spending[0].pool is Pool.JAPAN_GROUND


class ReplacementHandler(Handler[ReplacementFrame]):
    """A side spends its replacement steps until it is done (4.12, 11.0)."""

    frame = ReplacementFrame

    def asked(self, state: State, frame: ReplacementFrame) -> tuple[Side, ...]:
        """Return the side that spends, while it can do anything."""
        if _asks_divisions(frame):
            return (frame.side,) if usable_divisions(state) else ()
        now = uses(state, frame.side)
        return (frame.side,) if now.repairs or now.returns else ()

    def decision(self, state: State, frame: ReplacementFrame, side: Side) -> EotsDecision:
        """Ask Japan for divisions first, then for each use of steps."""
        if _asks_divisions(frame):
            counts = tuple(Divisions(count=n) for n in range(usable_divisions(state) + 1))
            prompt = "How many divisions leave China as ground replacements?"
            return EotsDecision(
                role=Role(side),
                rule=Rule("11.23"),
                prompt=prompt,
                options=counts,
                default=counts[0],
            )
        options = options_of(state, frame)
        default = options[-1] if isinstance(options[-1], Done) else options[0]
        left = ", ".join(
            f"{points(state, pool)} {pool}" for pool in POOLS_OF[side] if points(state, pool)
        )
        return EotsDecision(
            role=Role(side),
            rule=Rule("11.0"),
            prompt=f"Spend replacement steps: {left}",
            options=options,
            default=default,
        )

    def resolve(
        self,
        run: EotsRun,
        frame: ReplacementFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Carry out one use of steps."""
        del side
        match command:
            case Divisions(count=count):
                if count:
                    run.add(DivisionsLeftChina(count=count))
                run.replace(replace(frame, divisions_asked=True))
            case Repair(pool=pool, unit=unit):
                repair(run, pool, unit)
            case Rebuild(pool=pool, unit=unit, at=at, steps=steps):
                rebuild(run, pool, unit, at, steps)
            case _:
                _close(run, frame)

    def step(self, run: EotsRun, frame: ReplacementFrame) -> None:
        """Pass over what has no use."""
        if _asks_divisions(frame):
            run.replace(replace(frame, divisions_asked=True))
        else:
            _close(run, frame)

    def why_not(
        self, state: State, frame: ReplacementFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield why steps may not be spent so."""
        if _asks_divisions(frame) or isinstance(command, Divisions):
            yield from _check_divisions(state, frame, command)
            return
        if isinstance(command, Repair | Rebuild):
            if command.pool not in POOLS_OF[side]:
                yield Refusal(Rule("11.0"), f"{command.pool} steps are not yours")
                return
            if command.unit not in state.units:
                yield Refusal(Rule("11.0"), f"there is no unit {command.unit}")
                return
        match command:
            case Repair(pool=pool, unit=unit):
                yield from check_repair(state, pool, unit)
            case Rebuild(pool=pool, unit=unit, at=at, steps=steps):
                yield from check_rebuild(state, pool, unit, at, steps)
            case Done():
                pass
            case _:
                yield Refusal(Rule("11.0"), "replacement steps are being spent now")
        now = uses(state, side)
        is_ground = isinstance(command, Repair | Rebuild) and command.pool is Pool.JAPAN_GROUND
        if _must_use_ground((*now.repairs, *now.returns)) and not is_ground:
            yield Refusal(Rule("11.23"), "ground steps from China must be used first")


def _asks_divisions(frame: ReplacementFrame) -> bool:
    return frame.side is Side.JAPAN and not frame.divisions_asked


def _check_divisions(
    state: State, frame: ReplacementFrame, command: EotsCommand
) -> Iterator[Refusal]:
    """Yield why so many divisions may not leave China now (11.23, 13.71-5)."""
    if not _asks_divisions(frame):
        yield Refusal(Rule("11.23"), "divisions leave China once, before any step is spent")
    elif not isinstance(command, Divisions):
        yield Refusal(Rule("11.23"), "say first how many divisions leave China")
    elif is_china_cut_off(state):
        yield Refusal(Rule("13.71"), "the Allies hold every port of China and Korea")
    elif command.count > most_divisions(state):
        yield Refusal(Rule("11.23"), f"at most {most_divisions(state)} division(s) may leave China")
    elif not 0 <= command.count <= usable_divisions(state):
        yield Refusal(
            Rule("11.23"), f"only {usable_divisions(state)} ground step(s) could be used now"
        )


def is_in_segment(state: State) -> bool:
    """Return whether the Replacement Segment is under way."""
    return any(
        isinstance(frame, TurnFrame) and frame.phase is Phase.REPLACEMENT for frame in state.frames
    )


def _close(run: EotsRun, frame: ReplacementFrame) -> None:
    """Drop what is left; Japanese air and naval points are kept (11.0-6); after Japan the segment is over (11.0-4)."""
    if run.state.pools != Pools():
        run.add(PoolsSet(pools=Pools()))
    if frame.side is Side.JAPAN and is_in_segment(run.state):
        run.add(SegmentClosed())
    run.leave()


HANDLERS: Final = (ReplacementHandler(),)
