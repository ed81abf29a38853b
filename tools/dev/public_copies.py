"""Measures how many public commands can be decided on copies that do not contain the giver's cards.

In a fair match, every program checks public commands by deciding them on its own copy. This program reads full records
and decides each command without hidden parts on the copies of a spectator and of every other seat, with the record's
dice and picks. A card that is secret from the copy appears as a hidden card. Cards named in the command are revealed to
the copy first, as their owner would reveal them in a match.

If a command needs a card unknown to the copy, deciding it must raise :class:`HiddenError`. A different event without an
error, or the refusal of a legal command, would lead to a false accusation.

    python -m tools.dev.public_copies games/*.fplog
"""

import enum
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.kernel.dice import CardPile, DerivedDice, Die, EventCountingDice
from engine.kernel.errors import HiddenError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ledger import Ledger
from engine.kernel.ruleset import Command, Event
from engine.registry import ruleset
from saves.codec import AnyGame
from saves.entries import decode_command
from saves.headers import Header
from saves.logfile import read_log
from saves.records import Record
from saves.redaction import redact_record
from saves.timeline import FOLD_ERRORS, Timeline
from tools.dev.card_completion import DifferentRollError, LoggingDice

Copies = Mapping[Role | None, Any]


class CopyResult(enum.StrEnum):
    """The outcome of deciding a command on another copy."""

    EQUAL = "equal"
    HIDDEN = "hidden"
    """The rules raise :class:`HiddenError` because they need a card unknown to this copy. Earlier events match."""
    REFUSED = "refused"
    DIFFERENT = "different"
    CHANCE = "chance"
    """The rolls or picks differ."""
    BREAKS = "breaks"
    """An unexpected exception is raised."""


class CopyCase(msgspec.Struct, frozen=True, order=True):
    """The key for counting outcomes of the same kind."""

    game: str
    result: CopyResult
    command: str
    place: str
    """Module and line that raised the exception, or the first event that differs."""


class PublicCopyCounts(msgspec.Struct):
    """Counts for one or more games."""

    commands: int = 0
    public: int = 0
    """Number of commands without hidden parts."""
    results: Counter[CopyResult] = msgspec.field(default_factory=Counter)
    """Results, two per public command and copy: at the request, and once all of the command's cards are revealed."""
    cases: Counter[CopyCase] = msgspec.field(default_factory=Counter)
    examples: dict[CopyCase, str] = msgspec.field(default_factory=dict)

    def add(self, other: "PublicCopyCounts") -> None:
        """Add another measurement's counts."""
        self.commands += other.commands
        self.public += other.public
        self.results.update(other.results)
        self.cases.update(other.cases)
        self.examples = {**other.examples, **self.examples}


class RedactedReplayDice(EventCountingDice):
    """Dice that repeat a record's results, but show only the cards that one copy may see."""

    def __init__(
        self, rules: AnyGame, log: LoggingDice, events: Sequence[Event], viewer: Role | None
    ) -> None:
        """Prepare to repeat rolls and picks in order.

        Args:
            rules: The game.
            log: The record's dice.
            events: Unredacted events of the record.
            viewer: The copy's role; None for a spectator.
        """
        self._rolls, self._picks = list(log.rolls), list(log.card_picks)
        self._rules, self._recorded, self._viewer = rules, events, viewer

    def roll(self, die: Die) -> int:
        """Return the face that was rolled."""
        if not self._rolls or self._rolls[0] not in die.faces:
            raise DifferentRollError("a different roll")
        return self._rolls.pop(0)

    def pick(self, items: Sequence[str]) -> str:
        """Return the picked card, or :data:`HIDDEN` if this copy may not see it."""
        if not self._picks or not isinstance(items, CardPile):
            raise DifferentRollError("more picks than in the record")
        pick = self._picks.pop(0)
        pile = pick.pile
        if (items.owner, items.segment, len(items)) != (pile.owner, pile.segment, len(pile)):
            raise DifferentRollError("a pick from a different pile")
        if self.event_count != pick.at:
            raise DifferentRollError("a pick at a different event")
        is_visible = (
            items.is_shown or items.owner == self._viewer or self._shows(pick.at, pick.face)
        )
        return pick.face if is_visible else HIDDEN

    def _shows(self, index: int, face: str) -> bool:
        redacted = self._rules.redact(self._recorded[index], self._viewer)
        return redacted is not None and face in set(_texts(msgspec.to_builtins(redacted)))

    def check_used_up(self) -> None:
        """Raise DifferentRollError if a roll or pick from the record has not been repeated."""
        if self._rolls or self._picks:
            raise DifferentRollError("fewer rolls or picks than in the record")


def _texts(item: object) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, Mapping):
        for value in item.values():
            yield from _texts(value)
    elif isinstance(item, Sequence):
        for value in item:
            yield from _texts(value)


def compare(
    rules: AnyGame,
    role: Role,
    command: Command,
    log: LoggingDice,
    events: Sequence[Event],
    copies: Copies,
    full_state: object,
) -> Iterator[CopyCase]:
    """Decide a public command on every copy except the giver's, and yield the outcomes.

    Args:
        rules: The game.
        role: Role that gave the command.
        command: The command.
        log: The record's dice after the command.
        events: Unredacted events of the record.
        copies: Each copy's state before the command.
        full_state: Full state before the command.
    """
    named_cards = rules.named_cards(role, command)
    opened_cards = [card for event in events for card in rules.revealed_cards(event)]
    for viewer, copy in copies.items():
        if viewer == role:
            continue
        for stage, faces in (("request", named_cards), ("complete", (*named_cards, *opened_cards))):
            state = _with_faces(rules, copy, full_state, faces)
            dice = RedactedReplayDice(rules, log, events, viewer)
            result, place = _outcome(rules, role, command, state, dice, viewer, events)
            tag = str(type(command).__struct_config__.tag)
            yield CopyCase(rules.game, result, f"{stage} {tag}", place)


def _with_faces(rules: AnyGame, copy: Any, full_state: object, faces: Iterable[str]) -> Any:  # noqa: ANN401 - of any game
    """Return a copy in which the given cards are revealed in their piles."""
    for owner, deck in rules.decks().items():
        for card in sorted(set(faces) & set(deck)):
            for name, place in rules.card_piles(full_state, owner).items():
                if card in place.cards:
                    copy = rules.with_hidden_card(copy, owner, name, card)
    return copy


def _outcome(
    rules: AnyGame,
    role: Role,
    command: Command,
    state: object,
    dice: RedactedReplayDice,
    viewer: Role | None,
    events: Sequence[Event],
) -> tuple[CopyResult, str]:
    """Decide a command on a copy, and return the result and its location."""
    expected = rules.redact_all(events, viewer)
    ledger: Ledger[Any, Any] = rules.ledger(state, dice)
    try:
        if not rules.is_legal(state, role, command):
            reasons = rules.why_not(state, role, command)
            return CopyResult.REFUSED, str(reasons[0]) if reasons else ""
        rules.resolve(ledger, role, command)
        dice.check_used_up()
    except HiddenError as error:
        actual = rules.redact_all(ledger.events, viewer)
        if actual != expected[: len(actual)]:
            return (
                CopyResult.DIFFERENT,
                f"{_difference(actual, expected)} before {_raise_location(error)}",
            )
        return CopyResult.HIDDEN, _raise_location(error)
    except DifferentRollError as error:
        return CopyResult.CHANCE, f"{error} {_raise_location(error)}"
    except FOLD_ERRORS as error:
        return CopyResult.BREAKS, f"{error!r} {_raise_location(error)}"
    actual = rules.redact_all(ledger.events, viewer)
    return (
        (CopyResult.EQUAL, "")
        if actual == expected
        else (CopyResult.DIFFERENT, _difference(actual, expected))
    )


def _difference(actual: Sequence[Event], expected: Sequence[Event]) -> str:
    """Return the tags of the first two events that differ."""
    pairs = enumerate(zip(actual, expected, strict=False))
    index = next(
        (index for index, (first, second) in pairs if first != second),
        min(len(actual), len(expected)),
    )
    return " instead of ".join(
        _tag(events[index]) if index < len(events) else "nothing" for events in (actual, expected)
    )


def _tag(event: Event) -> str:
    return str(type(event).__struct_config__.tag)


def _raise_location(error: BaseException) -> str:
    """Return the innermost source line in the engine outside the kernel."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if "engine" in path.parts and "kernel" not in path.parts:
            return f"{path.name}:{frame.lineno} {frame.name}"
    return "?"


def measure(rules: AnyGame, header: Header, records: Iterable[Record]) -> PublicCopyCounts:
    """Decide a game's public commands on all other copies, and return the counts."""
    counts = PublicCopyCounts()
    assert header.secret is not None, "the copy must be full"
    full_timeline: Timeline[Any] = Timeline(rules)
    copies: dict[Role | None, Timeline[Any]] = {None: Timeline(rules)}
    for record in records:
        command = None if record.command is None else decode_command(rules, record.command)
        if record.kind == "command" and command is not None:
            log = LoggingDice(DerivedDice(header.secret, record.seq))
            states = {role: copy.state for role, copy in copies.items()}
            line = f"record {record.seq}: {rules.notation.line(command)}"
            count(counts, rules, record.role, command, log, states, full_timeline.state, line)
        full_timeline.add(record, full_timeline.state_after(record))
        if record.kind == "opening":
            copies |= {role: Timeline(rules) for role in rules.roles(full_timeline.state)}
        for role, copy in copies.items():
            redacted = redact_record(rules, record, role)
            copy.add(redacted, copy.state_after(redacted))
    return counts


def count(
    counts: PublicCopyCounts,
    rules: AnyGame,
    role: Role,
    command: Command,
    log: LoggingDice,
    copies: Copies,
    full_state: object,
    line: str,
) -> None:
    """Decide one command on the full state. If it is public, also decide it on each copy. Count the results."""
    counts.commands += 1
    if rules.redact_command(command, role, None) != command:
        return
    counts.public += 1
    events = rules.run_command(full_state, role, command, log).events
    for case in compare(rules, role, command, log, events, copies, full_state):
        counts.results[case.result] += 1
        if case.result is not CopyResult.EQUAL:
            counts.cases[case] += 1
            counts.examples.setdefault(case, line)


def table(counts: PublicCopyCounts) -> Iterator[str]:
    """Yield the report's lines, with the most frequent cases first."""
    results = ", ".join(f"{number} {result}" for result, number in sorted(counts.results.items()))
    yield f"{counts.commands} commands, {counts.public} public; on other copies: {results}"
    for case, number in counts.cases.most_common():
        example = counts.examples[case]
        yield f"{number:6} {case.result:9} {case.command}: {case.place}  e.g. {example}"


def main(paths: Sequence[str]) -> None:
    """Measure record files and print the results."""
    counts_by_game: dict[str, PublicCopyCounts] = {}
    for path in paths:
        log = read_log(Path(path))
        rules: AnyGame = ruleset(log.header.game)
        counts_by_game.setdefault(rules.game, PublicCopyCounts()).add(
            measure(rules, log.header, log.records)
        )
    for game, key in counts_by_game.items():
        print(game)  # noqa: T201 - a tool for contributors
        for line in table(key):
            print(line)  # noqa: T201 - as above


if __name__ == "__main__":
    main(sys.argv[1:])
