"""Measures how many commands each seat can decide on its own redacted copy.

In a match whose host cannot read hands, no program has the full state. The player who gives a command decides it on
their own copy. The other players apply the part of the result that they may know. This program reads full records, and
decides each command on its giver's redacted copy with dice that repeat the record's results. A pick among hidden cards
returns a hidden card unless the rules turn that card face up immediately.

The program counts the commands whose events match the giver's copy of the record, and lists the other commands by
their location in the source (``docs/fair-play.md``, section 7).

    python -m tools.dev.own_copies games/*.fplog
"""

import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.kernel.dice import DerivedDice
from engine.kernel.errors import FlagplotError, HiddenError, IllegalCommandError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ledger import Ledger
from engine.kernel.ruleset import Command, Event
from engine.qmg.ids import COUNTRIES
from engine.registry import ruleset
from saves.codec import AnyGame
from saves.entries import decode_command
from saves.headers import Header
from saves.logfile import read_log
from saves.records import Record
from saves.redaction import redact_record
from saves.timeline import FOLD_ERRORS, Timeline
from tools.dev.card_completion import (
    DifferentRollError,
    GiversDice,
    LoggingDice,
    completion_errors,
    visibility_errors,
)

ROOT: Final = Path(__file__).parents[2]
_CARRIERS: Final = ("run.py", "flow.py", "ledger.py", "machine.py", "framed.py", "ruleset.py")
"""Modules that only record events for other modules and are therefore never reported as an event's source."""


class Cause(msgspec.Struct, frozen=True, order=True):
    """A reason why commands cannot be decided on their giver's copy."""

    game: str
    kind: str
    """Kind of difference.

    ``hidden``: The command needs a card that the giver does not know. ``refused``: The command is refused. ``differs``:
    Its events differ. ``order``: Only the order of its events differs. ``chance``: Its rolls or picks differ.
    ``breaks``: It raises an unexpected exception. ``filling``: Card owners cannot complete its events.
    """
    place: str
    """Module and line of the cause."""
    about: str
    """Tags of the command and of the first event that differs."""


class OwnCopyCounts(msgspec.Struct):
    """Counts for one or more games."""

    commands: int = 0
    matching: int = 0
    """Number of commands whose events match the record."""
    secret: int = 0
    """Number of commands that moved or picked a card unknown to the giver."""
    witnessed: int = 0
    """Number of commands whose events match on a spectator's copy once the card that the command shows is revealed."""
    filled: int = 0
    """Number of commands whose events are complete after each owner has filled in their hidden cards."""
    picks: int = 0
    """Number of picks among cards, including those in openings."""
    openings: int = 0
    """Number of games."""
    openings_filled: int = 0
    """Number of openings whose events are complete after each owner has filled in their hidden cards."""
    matching_openings: int = 0
    """Number of openings whose events match on a copy without known cards."""
    causes: Counter[Cause] = msgspec.field(default_factory=Counter)
    examples: dict[Cause, str] = msgspec.field(default_factory=dict)

    @property
    def share(self) -> float:
        """Return the fraction of commands that seats can decide on their own copies."""
        return self.matching / self.commands if self.commands else 1.0

    def add(self, other: "OwnCopyCounts") -> None:
        """Add another measurement's counts."""
        self.commands += other.commands
        self.openings += other.openings
        self.matching_openings += other.matching_openings
        self.openings_filled += other.openings_filled
        self.filled += other.filled
        self.picks += other.picks
        self.matching += other.matching
        self.secret += other.secret
        self.witnessed += other.witnessed
        self.causes.update(other.causes)
        self.examples = {**other.examples, **self.examples}


def measure(rules: AnyGame, header: Header, records: Iterable[Record]) -> OwnCopyCounts:
    """Decide each of a game's commands on its giver's copy, and return the counts."""
    counts = OwnCopyCounts()
    assert header.secret is not None, "the copy must be full"
    full_timeline: Timeline[Any] = Timeline(rules)
    copies: dict[Role | None, Timeline[Any]] = {None: Timeline(rules)}
    for record in records:
        if record.kind == "command":
            dice = LoggingDice(DerivedDice(header.secret, record.seq))
            states = {role: copy.state for role, copy in copies.items()}
            _measure_command(rules, record, full_timeline.state, states, dice, counts)
        full_timeline.add(record, full_timeline.state_after(record))
        if record.kind == "opening":
            copies |= {role: Timeline(rules) for role in rules.roles(full_timeline.state)}
            _measure_opening(rules, header, tuple(copies), counts)
        for role, copy in copies.items():
            redacted = redact_record(rules, record, role)
            copy.add(redacted, copy.state_after(redacted))
    return counts


def _measure_opening(
    rules: AnyGame, header: Header, audiences: Sequence[Role | None], counts: OwnCopyCounts
) -> None:
    """Decide the opening on a copy with the starting position but without hidden cards."""
    assert header.secret is not None
    assert header.position is not None
    position = msgspec.msgpack.decode(header.position, type=rules.position_type)
    dice = LoggingDice(DerivedDice(header.secret, 0))
    events = rules.open_game(position, dice)
    public_setup = rules.redact(events[0], None)
    assert public_setup is not None, "the first event must be public"
    giver_dice = GiversDice(dice, None)
    own_events = rules.open_game(public_setup.position, giver_dice)
    giver_dice.check_used_up()
    counts.openings += 1
    counts.picks += len(dice.card_picks)
    counts.matching_openings += rules.redact_all(own_events, None) == rules.redact_all(events, None)
    empty_copies = dict.fromkeys(audiences, rules.initial_state())
    errors = list(
        completion_errors(
            rules, None, empty_copies, (events[0], *own_events[1:]), events, dice.card_picks
        )
    )
    errors += visibility_errors(rules, rules.initial_state(), rules.initial_state(), events)
    counts.openings_filled += not errors
    _count_cause(counts, rules, "start", errors, "opening")


def _count_cause(
    counts: OwnCopyCounts, rules: AnyGame, tag: str, errors: Sequence[str], example: str
) -> None:
    """Count the first error in the events completed by card owners."""
    for error in errors[:1]:
        cause = Cause(rules.game, "filling", "", f"{tag}: {error}"[:200])
        counts.causes[cause] += 1
        counts.examples.setdefault(cause, example)


def _measure_command(
    rules: AnyGame,
    record: Record,
    full_state: object,
    copies: Mapping[Role | None, object],
    dice: LoggingDice,
    counts: OwnCopyCounts,
) -> None:
    """Decide a command on the full state, on its giver's copy and on a spectator's copy."""
    role, public_state = record.role, copies[None]
    assert record.command is not None
    command = decode_command(rules, record.command)
    assert command is not None
    events = rules.run_command(full_state, role, command, dice).events
    expected = rules.redact_all(events, role)
    counts.commands += 1
    counts.picks += len(dice.card_picks)
    counts.witnessed += _is_witnessed(rules, role, command, public_state, dice, events)
    dice_of_giver = GiversDice(dice, role)
    own_events: list[Event] = []
    cause = _find_cause(rules, role, command, copies[role], dice_of_giver, expected, own_events)
    if dice_of_giver.hidden or expected != events:
        counts.secret += 1
    example = f"record {record.seq}: {rules.notation.line(command)}"
    if cause is not None:
        counts.causes[cause] += 1
        counts.examples.setdefault(cause, example)
        return
    counts.matching += 1
    errors = list(completion_errors(rules, role, copies, own_events, events, dice.card_picks))
    errors += visibility_errors(rules, full_state, public_state, events)
    counts.filled += not errors
    _count_cause(counts, rules, str(type(command).__struct_config__.tag), errors, example)


def _is_witnessed(
    rules: AnyGame,
    role: Role,
    command: Command,
    public_state: object,
    dice: LoggingDice,
    events: Sequence[Event],
) -> bool:
    """Return whether deciding a command on a spectator's copy produces the events that spectators receive."""
    redacted_command = rules.redact_command(command, role, None)
    if redacted_command is None:
        return False
    state = _with_revealed(rules, role, getattr(redacted_command, "card", HIDDEN), public_state)
    try:
        own_events = rules.run_command(state, role, redacted_command, GiversDice(dice, None)).events
    except (FlagplotError, *FOLD_ERRORS):
        return False
    return rules.redact_all(own_events, None) == rules.redact_all(events, None)


def _with_revealed(rules: AnyGame, role: Role, card: str, state: Any) -> object:  # noqa: ANN401 - a state of any game
    """Return a state in which a shown card replaces a hidden card in its owner's hand."""
    is_eots = rules.game == "eots"
    piles = dict(state.decks) if is_eots else dict(zip(COUNTRIES, state.cards, strict=True))
    hand = piles[role].hand
    if card == HIDDEN or card in hand or HIDDEN not in hand:
        return state
    known_cards = list(hand)
    known_cards[known_cards.index(HIDDEN)] = card
    piles[role] = msgspec.structs.replace(piles[role], hand=tuple(known_cards))
    if is_eots:
        return msgspec.structs.replace(state, decks=piles)
    return msgspec.structs.replace(state, cards=tuple(piles.values()))


def _find_cause(
    rules: AnyGame,
    role: Role,
    command: Command,
    own_state: object,
    dice: GiversDice,
    expected: Sequence[Event],
    own_events: list[Event],
) -> Cause | None:
    """Return why a command's events differ on its giver's copy. If they match, fill ``own_events`` and return None."""
    tag = str(type(command).__struct_config__.tag)
    places: list[str] = []
    try:
        with _EventSources(rules, places):
            events = rules.run_command(own_state, role, command, dice).events
        dice.check_used_up()
    except HiddenError as error:
        return Cause(rules.game, "hidden", _raise_location(rules, error), tag)
    except IllegalCommandError as error:
        return Cause(rules.game, "refused", str(error.refusals[0].rule), tag)
    except DifferentRollError as error:
        return Cause(rules.game, "chance", _raise_location(rules, error), f"{tag}: {error}")
    except FOLD_ERRORS as error:
        return Cause(rules.game, "breaks", _raise_location(rules, error), f"{tag}: {error!r}"[:80])
    redacted_events = [
        (rules.redact(event, role), place) for event, place in zip(events, places, strict=True)
    ]
    visible_events = [(event, place) for event, place in redacted_events if event is not None]
    if [event for event, _ in visible_events] == list(expected):
        own_events.extend(events)
        return None
    for index, (event, place) in enumerate(visible_events):
        if index >= len(expected) or event != expected[index]:
            other_tag = _tag(expected[index]) if index < len(expected) else "nothing"
            tags = (
                _tag(event) if _tag(event) == other_tag else f"{_tag(event)} instead of {other_tag}"
            )
            if Counter(map(repr, expected)) == Counter(
                repr(own_event) for own_event, _ in visible_events
            ):
                return Cause(rules.game, "order", place, f"{tag}: {tags}")
            fields = "" if tags != other_tag else f" {_differing_fields(event, expected[index])}"
            return Cause(rules.game, "differs", place, f"{tag}: {tags}{fields}")
    return Cause(
        rules.game,
        "differs",
        visible_events[-1][1] if visible_events else "",
        f"{tag}: too few events",
    )


def _tag(item: Event) -> str:
    return str(type(item).__struct_config__.tag)


def _differing_fields(event: Event, other_event: Event) -> str:
    names = [
        name
        for name in event.__struct_fields__
        if getattr(event, name) != getattr(other_event, name)
    ]
    return "/".join(names)


class _EventSources:
    """Logs, for each event, the line in the rules that recorded it."""

    def __init__(self, rules: AnyGame, places: list[str]) -> None:
        self._rules, self._places = rules, places

    def __enter__(self) -> None:
        self._add, self._undo = Ledger.add, Ledger.undo
        places, rules, add = self._places, self._rules, self._add

        def watched(ledger: Ledger[Any, Any], event: Any) -> None:  # noqa: ANN401 - events of any game
            places.append(_innermost_game_line(rules, traceback.extract_stack(limit=12)))
            add(ledger, event)

        Ledger.add = watched  # type: ignore[assignment, method-assign]  # for this one command

    def __exit__(self, *_: object) -> None:
        Ledger.add = self._add  # type: ignore[method-assign]  # restored


def _raise_location(rules: AnyGame, error: BaseException) -> str:
    return _innermost_game_line(rules, traceback.extract_tb(error.__traceback__))


def _innermost_game_line(rules: AnyGame, stack: Iterable[traceback.FrameSummary]) -> str:
    """Return the innermost source line in the game's own package."""
    folder = f"/engine/{rules.game}/"
    for frame in reversed(list(stack)):
        if folder in frame.filename and Path(frame.filename).name not in _CARRIERS:
            path = Path(frame.filename)
            name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            return f"{name}:{frame.lineno} {frame.name}"
    return "?"


def table(counts: OwnCopyCounts) -> Iterator[str]:
    """Yield the report's lines, with the most frequent causes first."""
    yield f"{counts.openings} openings, {counts.matching_openings} equal on a spectator's copy"
    yield (
        f"{counts.commands} commands, {counts.secret} with cards unknown to the acting player; "
        f"{counts.matching} equal ({counts.share:.2%}); "
        f"{counts.witnessed} also equal on a spectator's copy after the shown card was revealed to it"
    )
    yield (
        f"{counts.filled} commands and {counts.openings_filled} openings complete after each owner of hidden "
        f"cards has filled them in; {counts.picks} picks among cards"
    )
    for cause, count in counts.causes.most_common():
        yield f"{count:6} {cause.kind:8} {cause.place}  [{cause.about}]  e.g. {counts.examples[cause]}"


def main(paths: Sequence[str]) -> None:
    """Measure record files and print the results."""
    counts_by_game: dict[str, OwnCopyCounts] = {}
    for path in paths:
        log = read_log(Path(path))
        rules: AnyGame = ruleset(log.header.game)
        counts_by_game.setdefault(rules.game, OwnCopyCounts()).add(
            measure(rules, log.header, log.records)
        )
    for game, key in counts_by_game.items():
        print(game)  # noqa: T201 - a tool for contributors
        for line in table(key):
            print(line)  # noqa: T201 - as above


if __name__ == "__main__":
    main(sys.argv[1:])
