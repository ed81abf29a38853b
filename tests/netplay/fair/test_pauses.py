"""M1 and AT-27: a host can serve other matches while it checks a command with thousands of events."""

from collections import Counter
from collections.abc import Callable, Generator
from typing import Any, TypeVar

import msgspec
import pytest

from saves.codec import codec
from saves.fair import proposals, resolution
from saves.fair.derivation import UniformSource
from saves.fair.event_steps import EventStep
from saves.fair.fold import fold, fold_in_steps, initial_fair_state
from saves.fair.messages import ChanceUse, Kind, Proposal, SignedMessage, encode_message
from saves.fair.proposals import _PAUSE_INTERVAL
from saves.fair.resolution import Throw
from saves.fair.state import FairState
from tests.netplay.fair.attacker import World

T = TypeVar("T")
EVENTS = 3_000


def not_whole(*_: object) -> Generator[None, None, bool]:
    """Compare nothing, as if the rules needed a card that this copy does not know."""
    yield from ()
    return False


def test_the_events_of_a_long_proposal_are_checked_in_short_steps(
    duel: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, victim, folded = duel, duel.victim, [0]
    assert world.index(world.request(victim, world.options(victim)[-1])) is None
    honest = world.message(world.made_of(victim, Kind.PROPOSAL))
    assert isinstance(honest.body, Proposal)
    events = (*honest.body.events, *honest.body.events[-1:] * EVENTS)
    body = msgspec.structs.replace(honest.body, events=events)
    data = encode_message(world.setup.match_id, msgspec.structs.replace(honest, body=body))
    signed = SignedMessage(data, world.match.secrets[victim].sign(data))
    evolve = world.game.evolve

    def counted(*args: Any) -> Any:  # noqa: ANN401  # as it is called
        folded[0] += 1
        return evolve(*args)

    monkeypatch.setattr("saves.fair.proposals.check_public_part", not_whole)
    monkeypatch.setattr(world.game, "evolve", counted)
    steps = 0
    for _ in fold_in_steps(world.state, signed):
        assert folded[0] <= _PAUSE_INTERVAL
        folded[0] = 0
        steps += 1
    assert steps >= EVENTS // _PAUSE_INTERVAL


class Work:
    """Counts the calls of a function, and the most of them between two pauses of a check."""

    def __init__(self) -> None:
        self.calls = 0
        self.most = 0

    def counting(self, function: Callable[..., T]) -> Callable[..., T]:
        """Return the function with a counter."""

        def counted(*args: Any) -> T:  # noqa: ANN401  # as it is called
            self.calls += 1
            return function(*args)

        return counted

    def of(self, steps: Generator[None, None, T]) -> T:
        """Run a check to its end and return its result."""
        while True:
            before = self.calls
            try:
                next(steps)
            except StopIteration as end:
                result: T = end.value
                return result
            finally:
                self.most = max(self.most, self.calls - before)


@pytest.mark.full
def test_the_deal_to_six_seats_is_checked_in_short_steps(
    table: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = table.host.messages
    last_reveal = [table.message(one).kind for one in messages].index(Kind.PROOF) - 1
    state = initial_fair_state(table.setup)
    for signed in messages[:last_reveal]:
        after = fold(state, signed)
        assert isinstance(after, FairState)
        state = after
    for module, name in (
        (resolution, "find_unmixed_pile"),  # called once for each event
        (proposals, "UniformSource"),  # called once for each use of chance
    ):
        work = Work()
        with monkeypatch.context() as patch:
            patch.setattr(module, name, work.counting(getattr(module, name)))
            dealt = work.of(fold_in_steps(state, messages[last_reveal]))
        assert isinstance(dealt, FairState)
        assert dealt.pending is not None
        uses = Counter(known.use.event for known in dealt.pending.uses)
        assert len(uses) >= len(table.seats), "every seat draws cards"
        one_event = 1 if module is resolution else max(uses.values())
        assert 0 < work.most <= one_event < work.calls, name


@pytest.fixture
def long_record(duel: World) -> tuple[FairState, list[EventStep]]:
    """A command that waits for its proposal, and thousands of events that change nothing."""
    victim = duel.victim
    assert duel.index(duel.request(victim, duel.options(victim)[-1])) is None
    body = duel.body(duel.made_of(victim, Kind.PROPOSAL), Proposal)
    entry, at = body.events[0].entry, duel.state.state
    event = codec(duel.game).event(entry.tag, entry.v, entry.body)
    steps = [
        EventStep(number, event, is_hidden=False, before=at, after=at, changes={})
        for number in range(EVENTS)
    ]
    return duel.state, steps


def same_table(_: object, found: T, *more: object) -> T:
    """Return a label table as it is."""
    del more
    return found


def test_label_moves_of_a_long_record_are_applied_in_short_steps(
    long_record: tuple[FairState, list[EventStep]], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, steps = long_record
    work, pending = Work(), state.pending
    assert pending is not None
    monkeypatch.setattr(proposals, "count_moves", work.counting(lambda table, *_: table))
    monkeypatch.setattr(proposals, "apply_moves", same_table)
    monkeypatch.setattr(proposals, "check_other_deck", lambda *_: None)
    body = Proposal(events=(), uses=(), moves=(), status="done")
    work.of(proposals._apply_uses_and_moves(state, pending, body, steps, state.index))
    assert work.calls == EVENTS
    assert work.most <= _PAUSE_INTERVAL


def test_a_completion_of_a_long_record_is_applied_in_short_steps(
    long_record: tuple[FairState, list[EventStep]], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, steps = long_record
    work, pending = Work(), state.pending
    assert pending is not None

    def read(*_: object) -> Generator[None, None, list[EventStep]]:
        yield
        return steps

    monkeypatch.setattr(proposals, "_transitions", read)
    monkeypatch.setattr(proposals, "apply_moves", work.counting(same_table))
    work.of(proposals._completed_moves(state, pending, pending.actor, (), state.index))
    assert work.calls == EVENTS
    assert work.most <= _PAUSE_INTERVAL


def test_many_chance_uses_are_computed_in_short_steps(
    long_record: tuple[FairState, list[EventStep]], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, _ = long_record
    work, pending = Work(), state.pending
    assert pending is not None
    monkeypatch.setattr(proposals, "UniformSource", work.counting(UniformSource))
    pending = msgspec.structs.replace(pending, throws=(Throw(0, bytes(32)),))
    uses = [ChanceUse(number, 10, 0) for number in range(EVENTS)]
    assert len(work.of(proposals._resolve_uses(state.table, pending, uses, {0: 0}))) == EVENTS
    assert work.most <= _PAUSE_INTERVAL
