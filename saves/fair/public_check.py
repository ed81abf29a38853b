"""Checks the public part of a proposal, which every copy recomputes (``docs/fair-play.md``, section 7).

A copy resolves the command on its public state with the recorded throws and labels. Events, random results and status
must match. If the rules need a face that the copy does not know, only the part of the proposal before that point is
compared.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Final, NamedTuple, cast

from engine.kernel.dice import ChanceRevealedError, Dice, Die, EventCountingDice
from engine.kernel.errors import HiddenError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ruleset import Event
from saves.codec import AnyGame, codec
from saves.fair.messages import Proposal
from saves.fair.requests import (
    InvalidMessageError,
    Reading,
    decode_request_command,
    is_refused,
    readings,
)
from saves.fair.resolution import (
    DivergedError,
    ProposalContent,
    ResolutionProgress,
    Viewpoint,
    resolve_publicly,
)
from saves.fair.state import FairState, Pending
from saves.timeline import FOLD_ERRORS

_OTHER_RESULT: Final = "the proposal is not the result of the command"


class _Result(NamedTuple):
    """The part of a command's result that this copy can compute."""

    plan: ProposalContent
    is_whole: bool
    """True unless the rules need a face that this copy does not know."""


def check_public_part(state: FairState, body: Proposal) -> Generator[None, None, bool]:
    """Compare a proposal with this copy's own resolution of the command.

    The generator yields after each reading of the command that fails.

    Returns:
        True if the whole proposal was compared; False if the rules need a face that this copy does not know.

    Raises:
        InvalidMessageError: The proposal does not fit any possible reading of the command.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    if pending.request is None:
        return _check_opening(state, pending, body)
    command = decode_request_command(state.setup, pending.request.command)
    problem = _OTHER_RESULT
    for number, reading in enumerate(readings(state, pending.actor, command, pending.faces)):
        if number:
            yield
        if not state.setup.deals and is_refused(
            state.setup.game, reading.state, pending.actor, reading.command
        ):
            continue  # The named card is in another pile, so this reading is wrong.
        try:
            result = _decide_publicly(state, pending, reading)
        except (ChanceRevealedError, DivergedError, StopIteration, *FOLD_ERRORS) as error:
            problem = f"{_OTHER_RESULT}: {error}"
            continue
        problem = _difference(state.setup.game, pending, result, body)
        # The public form itself resolves only up to the first hidden card. A reading with that card
        # filled in may check more of the proposal.
        if not problem and (number or result.is_whole):
            return result.is_whole
    if problem:
        raise InvalidMessageError(problem)
    return False


def _check_opening(state: FairState, pending: Pending, body: Proposal) -> bool:
    """Compare a dealing host's opening with this copy's own, up to the first card or die roll.

    Return whether the whole opening has been compared.

    Raises:
        InvalidMessageError: The openings differ.
    """
    game, position = state.setup.game, state.setup.position
    if not state.setup.knows_position:
        return False  # Only the full copy can verify such an opening.

    def open_game(dice: Dice) -> tuple[Event, ...]:
        events: tuple[Event, ...] = game.open_game(position, dice)
        return events

    result = _decide_until_chance(open_game, uses_chance=True)
    plan = result.plan._replace(events=result.plan.events[len(pending.events) :])
    problem = _difference(game, pending, result._replace(plan=plan), body)
    if problem:
        raise InvalidMessageError(problem)
    return result.is_whole


def _decide_publicly(state: FairState, pending: Pending, reading: Reading) -> _Result:
    game = state.setup.game
    command = reading.command

    def decide(dice: Dice) -> tuple[Event, ...]:
        ledger = game.ledger(reading.state, dice)
        game.resolve(ledger, pending.actor, command)
        events: tuple[Event, ...] = ledger.events
        return events

    if not state.setup.deals:
        return _decide_until_chance(decide, uses_chance=pending.uses_chance)
    view = Viewpoint(game, None, reading.state, lambda _, label: label.face or HIDDEN)
    progress = ResolutionProgress(
        state.table, pending.throws, pending.uses, len(pending.events), state.throws
    )
    return _Result(*resolve_publicly(view, progress, decide, pending.actor))


class _HostDice(EventCountingDice):
    """Dice whose results are unknown until the host reveals its secret."""

    def __init__(self, *, uses_chance: bool) -> None:
        self._uses_chance = uses_chance

    @property
    def so_far(self) -> tuple[Event, ...]:
        return tuple(cast("Sequence[Event]", self._events))

    def roll(self, die: Die) -> int:
        return die.lowest + self._stop()

    def pick(self, items: Sequence[str]) -> str:
        return items[self._stop()]

    def _stop(self) -> int:
        if self._uses_chance:
            raise HiddenError("this record's random results follow from the host's secret")
        raise ChanceRevealedError("the command did not ask for a random result")


def _decide_until_chance(
    decide: Callable[[Dice], tuple[Event, ...]], *, uses_chance: bool
) -> _Result:
    """Return a command's events up to the first card or random result that this copy does not know."""
    dice = _HostDice(uses_chance=uses_chance)
    try:
        events, is_whole = decide(dice), True
    except HiddenError:
        events, is_whole = dice.so_far, False
    return _Result(ProposalContent(events, (), (), "done", None), is_whole)


def _difference(game: AnyGame, pending: Pending, result: _Result, body: Proposal) -> str:
    """Return how a proposal differs from this copy's resolution, or an empty string if it does not."""
    plan = result.plan
    events = [codec(game).pack(event) for event in game.redact_all(plan.events, None)]
    uses = [known_use.use for known_use in plan.uses]
    proposed_entries = [
        (made_event.entry.tag, made_event.entry.v, made_event.entry.body)
        for made_event in body.events
    ]
    if not result.is_whole:
        proposed_entries, proposed_uses = (
            proposed_entries[: len(events)],
            list(body.uses[: len(uses)]),
        )
    else:
        proposed_uses = list(body.uses)
    first_event = len(pending.events)
    if [*map(tuple, events)] != proposed_entries:
        index = next(
            (
                index
                for index, (made_event, proposed_event) in enumerate(
                    zip(events, proposed_entries, strict=False)
                )
                if made_event != proposed_event
            ),
            min(len(events), len(proposed_entries)),
        )
        return f"{_OTHER_RESULT}: event {first_event + index} differs"
    if uses != proposed_uses:
        return f"{_OTHER_RESULT}: its random results do not match"
    wanted_pile = plan.wanted if plan.status == "stage" else None
    if result.is_whole and (plan.status, wanted_pile) != (body.status, body.wanted):
        return f"{_OTHER_RESULT}: the next status is {plan.status}"
    return ""
