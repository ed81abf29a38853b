"""Measures how many public commands can be decided on copies that do not contain the giver's cards.

In a fair match, every program checks public commands by deciding them on its own copy. This program reads full records
and decides each command without hidden parts on the copies of a spectator and of every other seat, with the dice and
picks of the record. A card that the copy may not see appears as a hidden card. Cards that the command names are
revealed to the copy first, as their owner reveals them in a match.

A copy that lacks a card must raise :class:`HiddenError`. A different event without an error, or the refusal of a legal
command, would be a false accusation.

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
    """The rules raise :class:`HiddenError` because they need a card unknown to this copy. Earlier events are equal."""
    REFUSED = "refused"
    DIFFERENT = "different"
    CHANCE = "chance"
    """Other rolls or picks."""
    BREAKS = "breaks"
    """Another exception."""


class CopyCase(msgspec.Struct, frozen=True, order=True):
    """A kind of outcome."""

    game: str
    result: CopyResult
    command: str
    place: str
    """Module and line that raised, or the first event that differs."""


class PublicCopyCounts(msgspec.Struct):
    """Counts for one or more games."""

    commands: int = 0
    public: int = 0
    """Commands without hidden parts."""
    results: Counter[CopyResult] = msgspec.field(default_factory=Counter)
    """Two results per public command and copy: at the request, and after all the command's cards were revealed."""
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
    """Dice that repeat a record's results, showing only the cards that one copy may see."""

    def __init__(
        self, rules: AnyGame, heard: LoggingDice, events: Sequence[Event], viewer: Role | None
    ) -> None:
        """Repeat rolls and picks in order.

        Args:
            rules: The game.
            heard: The record's dice.
            events: Unredacted events of the record.
            viewer: The copy's role; None for a spectator.
        """
        self._rolls, self._picks = list(heard.rolls), list(heard.noted)
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
        was = pick.pile
        if (items.owner, items.segment, len(items)) != (was.owner, was.segment, len(was)):
            raise DifferentRollError("a pick from a different pile")
        if self.event_count != pick.at:
            raise DifferentRollError("a pick at a different event")
        is_seen = items.is_shown or items.owner == self._viewer or self._shows(pick.at, pick.face)
        return pick.face if is_seen else HIDDEN

    def _shows(self, at: int, face: str) -> bool:
        seen = self._rules.redact(self._recorded[at], self._viewer)
        return seen is not None and face in set(_texts(msgspec.to_builtins(seen)))

    def check_used_up(self) -> None:
        """Raise DifferentRollError unless every roll and pick was repeated."""
        if self._rolls or self._picks:
            raise DifferentRollError("fewer rolls or picks than in the record")


def _texts(item: object) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, Mapping):
        for each in item.values():
            yield from _texts(each)
    elif isinstance(item, Sequence):
        for each in item:
            yield from _texts(each)


def compare(
    rules: AnyGame,
    role: Role,
    command: Command,
    heard: LoggingDice,
    events: Sequence[Event],
    copies: Copies,
    whole: object,
) -> Iterator[CopyCase]:
    """Decide a public command on every copy except the giver's, and yield the outcomes.

    Args:
        rules: The game.
        role: Role that gave the command.
        command: The command.
        heard: The record's dice after the command.
        events: Unredacted events of the record.
        copies: State before the command on each copy.
        whole: Full state before the command.
    """
    named = rules.named_cards(role, command)
    opened = [card for event in events for card in rules.revealed_cards(event)]
    for viewer, copy in copies.items():
        if viewer == role:
            continue
        for stage, faces in (("request", named), ("complete", (*named, *opened))):
            state = _with_faces(rules, copy, whole, faces)
            dice = RedactedReplayDice(rules, heard, events, viewer)
            result, place = _outcome(rules, role, command, state, dice, viewer, events)
            tag = str(type(command).__struct_config__.tag)
            yield CopyCase(rules.game, result, f"{stage} {tag}", place)


def _with_faces(rules: AnyGame, copy: Any, whole: object, faces: Iterable[str]) -> Any:  # noqa: ANN401 - of any game
    """Return a copy with cards revealed in their piles."""
    for owner, deck in rules.decks().items():
        for card in sorted(set(faces) & set(deck)):
            for name, place in rules.card_piles(whole, owner).items():
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
    due = rules.redact_all(events, viewer)
    ledger: Ledger[Any, Any] = rules.ledger(state, dice)
    try:
        if not rules.is_legal(state, role, command):
            reasons = rules.why_not(state, role, command)
            return CopyResult.REFUSED, str(reasons[0]) if reasons else ""
        rules.resolve(ledger, role, command)
        dice.check_used_up()
    except HiddenError as error:
        found = rules.redact_all(ledger.events, viewer)
        if found != due[: len(found)]:
            return (
                CopyResult.DIFFERENT,
                f"{_difference(found, due)} before {_raise_location(error)}",
            )
        return CopyResult.HIDDEN, _raise_location(error)
    except DifferentRollError as error:
        return CopyResult.CHANCE, f"{error} {_raise_location(error)}"
    except FOLD_ERRORS as error:
        return CopyResult.BREAKS, f"{error!r} {_raise_location(error)}"
    found = rules.redact_all(ledger.events, viewer)
    return (
        (CopyResult.EQUAL, "") if found == due else (CopyResult.DIFFERENT, _difference(found, due))
    )


def _difference(found: Sequence[Event], due: Sequence[Event]) -> str:
    """Return the tags of the first pair of events that differ."""
    pairs = enumerate(zip(found, due, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(found), len(due)))
    return " instead of ".join(
        _tag(some[at]) if at < len(some) else "nothing" for some in (found, due)
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
    found = PublicCopyCounts()
    assert header.secret is not None, "the full copy is needed"
    whole: Timeline[Any] = Timeline(rules)
    copies: dict[Role | None, Timeline[Any]] = {None: Timeline(rules)}
    for record in records:
        command = None if record.command is None else decode_command(rules, record.command)
        if record.kind == "command" and command is not None:
            heard = LoggingDice(DerivedDice(header.secret, record.seq))
            states = {role: copy.state for role, copy in copies.items()}
            line = f"record {record.seq}: {rules.notation.line(command)}"
            count(found, rules, record.role, command, heard, states, whole.state, line)
        whole.add(record, whole.after(record))
        if record.kind == "opening":
            copies |= {role: Timeline(rules) for role in rules.roles(whole.state)}
        for role, copy in copies.items():
            told = redact_record(rules, record, role)
            copy.add(told, copy.after(told))
    return found


def count(
    found: PublicCopyCounts,
    rules: AnyGame,
    role: Role,
    command: Command,
    heard: LoggingDice,
    copies: Copies,
    whole: object,
    line: str,
) -> None:
    """Decide one command on the full state and, if it is public, on each copy, and count the results."""
    found.commands += 1
    if rules.redact_command(command, role, None) != command:
        return
    found.public += 1
    events = rules.run_command(whole, role, command, heard).events
    for case in compare(rules, role, command, heard, events, copies, whole):
        found.results[case.result] += 1
        if case.result is not CopyResult.EQUAL:
            found.cases[case] += 1
            found.examples.setdefault(case, line)


def table(found: PublicCopyCounts) -> Iterator[str]:
    """Yield the report lines, the most frequent case first."""
    results = ", ".join(f"{number} {result}" for result, number in sorted(found.results.items()))
    yield f"{found.commands} commands, {found.public} public; on other copies: {results}"
    for case, number in found.cases.most_common():
        example = found.examples[case]
        yield f"{number:6} {case.result:9} {case.command}: {case.place}  e.g. {example}"


def main(paths: Sequence[str]) -> None:
    """Measure record files and print the results."""
    found: dict[str, PublicCopyCounts] = {}
    for path in paths:
        log = read_log(Path(path))
        rules: AnyGame = ruleset(log.header.game)
        found.setdefault(rules.game, PublicCopyCounts()).add(
            measure(rules, log.header, log.records)
        )
    for game, each in found.items():
        print(game)  # noqa: T201 - a tool for contributors
        for line in table(each):
            print(line)  # noqa: T201 - as above


if __name__ == "__main__":
    main(sys.argv[1:])
