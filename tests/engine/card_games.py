"""Golden and random games of all rulesets with hidden cards, event by event, with every copy of the state."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typing_extensions import override

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.dice import DerivedDice, Dice, Die
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from engine.registry import AnyRuleset, position_decoder, ruleset, script_words
from engine.scripts.runner import Runner
from engine.scripts.script import run_with
from saves.codec import codec
from saves.entries import decode_command
from tests.golden_games.corpus import pins, read, rulings
from tests.sizes import sampled
from tools.dev.card_completion import LoggingDice

CARD_GAMES = tuple(name for name in ("eots", "qmg") if ruleset(name).decks())
GOLDEN = tuple(name for name in sorted(pins()) if name.partition("-")[0] in CARD_GAMES)
QUICK = ("eots-1942-by-verb-mixed", "qmg-total-war-busy-free-first")
FULL = (*GOLDEN[::7], "eots-campaign-1941-greedy-mixed")
GOLDEN_CASES = sampled(
    [
        *QUICK,
        *(
            pytest.param(name, marks=pytest.mark.full if name in FULL else pytest.mark.nightly)
            for name in GOLDEN
            if name not in QUICK
        ),
    ],
    1,
)
Copies = dict[Role | None, Any]


def random_cases(*values: str) -> list[tuple[str, str, str]]:
    """Return the game, scenario and ruling values of random games.

    Evenly spread samples include every scenario and value.
    """
    scenarios = [(game, info.id) for game in CARD_GAMES for info in ruleset(game).scenarios()]
    turns = range(len(values))
    return [
        (game, scenario, values[(place + turn) % len(values)])
        for place, (game, scenario) in enumerate(scenarios)
        for turn in turns
    ]


class Moment(NamedTuple):
    """A command in a game, or its opening, with every copy of the state before it. The key ``None`` is a spectator."""

    seq: int
    role: Role | None
    """None for the opening."""
    command: Command | None
    events: tuple[Event, ...]
    whole: Any
    copies: Mapping[Role | None, Any]
    dice: Dice
    """The unused dice of the command."""


class Walk:
    """The state of one game in all copies, folded event by event."""

    def __init__(self, rules: AnyRuleset) -> None:
        self.rules = rules
        self.whole: Any = rules.initial_state()
        self.copies: Copies = {None: rules.initial_state()}

    def seat(self, roles: tuple[Role, ...]) -> None:
        """Add the roles' copies before the first event."""
        self.copies |= {role: self.rules.initial_state() for role in roles}

    def fold(self, event: Event) -> None:
        """Fold an event into the state, and each copy's visible part of it into that copy."""
        self.whole = self.rules.evolve(self.whole, event)
        for role, copy in self.copies.items():
            seen = self.rules.redact(event, role)
            if seen is not None:
                self.copies[role] = self.rules.evolve(copy, seen)


def golden(name: str) -> Iterator[Moment]:
    """Yield the commands of a golden game. Takebacks return to the state after the record."""
    header, records = read(name)
    assert header.secret is not None
    rules: Any = ruleset(header.game)
    walk = Walk(rules)
    after: list[tuple[Any, Copies]] = []
    for record in records:
        command = None if record.command is None else decode_command(rules, record.command)
        events = tuple(
            codec(rules).event(entry.tag, entry.v, entry.body)
            for entry in record.events
            if entry.body is not None
        )
        if record.kind == "opening":
            walk.seat(rules.all_roles())
        if record.kind in {"opening", "command"}:
            role = None if record.kind == "opening" else record.role
            dice = DerivedDice(header.secret, record.seq)
            yield Moment(record.seq, role, command, events, walk.whole, dict(walk.copies), dice)
        for event in events:
            walk.fold(event)
        if record.takeback_to is not None:
            walk.whole, copies = after[record.takeback_to]
            walk.copies = dict(copies)
        after.append((walk.whole, dict(walk.copies)))


def random_game(
    game: str, scenario: str, seed: int, most: int, values: str = "first"
) -> Iterator[Moment]:
    """Yield the commands of a random game of a scenario under the given rulings."""
    rules = ruleset(game)
    return random_from(rules, rules.position(scenario, rulings(rules, values)), seed, most)


def random_from(
    rules: AnyRuleset,
    position: Any,  # noqa: ANN401 - of any game
    seed: int,
    most: int,
) -> Iterator[Moment]:
    """Yield the commands of a random game, including an occasional any-time command."""
    secret = blake2b(f"cards {position.scenario} {seed}".encode(), digest_size=32).digest()
    chance = DerivedDice(blake2b(secret, digest_size=32).digest(), 0)
    player = RandomPlayer(chance, list(Habit)[seed % 3])
    walk = Walk(rules)
    walk.seat(rules.roles_at(position))
    events = rules.open_game(position, DerivedDice(secret, 0))
    yield Moment(0, None, None, events, walk.whole, dict(walk.copies), DerivedDice(secret, 0))
    for seq in range(1, most):
        for event in events:
            walk.fold(event)
        asked = rules.active_roles(walk.whole)
        if not asked:
            return
        role = asked[chance.randbelow(len(asked))]
        command = player.choose(None, rules.decision(walk.whole, role))  # type: ignore[arg-type]  # it sees no view
        if seq % 17 == 0 and (free := rules.free_actions(walk.whole, role)):
            command = free[chance.randbelow(len(free))]
        dice = DerivedDice(secret, seq)
        events = rules.decide(walk.whole, role, command, dice)
        yield Moment(
            seq, role, command, events, walk.whole, dict(walk.copies), DerivedDice(secret, seq)
        )


SCRIPTS = Path(__file__).parents[1] / "scripts"


def scripts(game: str) -> Sequence[Path]:
    """Return the scripts of a game."""
    return sorted((SCRIPTS / game).rglob("*.script"))


class ReplayDice:
    """Dice that repeat the rolls and picks of other dice."""

    def __init__(self, heard: LoggingDice) -> None:
        self._rolls, self._picks = list(heard.rolls), list(heard.picks)

    def roll(self, die: Die) -> int:
        face = self._rolls.pop(0)
        assert face in die.faces
        return face

    def pick(self, items: Sequence[str]) -> str:
        name = self._picks.pop(0)
        assert name in items
        return name


class _Given(NamedTuple):
    before: Any
    role: Role | None
    command: Command | None
    events: tuple[Event, ...]
    dice: Dice


class _Recorder(Runner[Any]):
    """A script run that records its commands and events."""

    def __init__(self, game: str, folder: Path) -> None:
        decode = position_decoder(game)
        super().__init__(
            ruleset(game),
            script_words(game),
            lambda name: decode((folder / name).read_bytes(), name),
        )
        self.given: list[_Given] = []

    @override
    def opening_events(self, position: Any) -> tuple[Any, ...]:
        heard = LoggingDice(self.dice)
        events = self.rules.open_game(position, heard)
        self.given.append(_Given(self.rules.initial_state(), None, None, events, ReplayDice(heard)))
        return events

    @override
    def decide(self, role: Role, command: Any) -> tuple[Any, ...]:
        heard = LoggingDice(self.dice)
        events = self.rules.decide(self.state, role, command, heard)
        self.given.append(_Given(self.state, role, command, events, ReplayDice(heard)))
        return events


def script(path: Path) -> Iterator[Moment]:
    """Yield the commands of a script, except those that its runner tried and took back."""
    recorder = _Recorder(path.relative_to(SCRIPTS).parts[0], path.parent)
    rules = recorder.rules
    run_with(recorder, path.read_text(), path.name)
    kept: list[_Given] = []
    for given in reversed(recorder.given):
        if not kept or rules.fold(given.before, given.events) == kept[0].before:
            kept.insert(0, given)
    walk = Walk(rules)
    walk.seat(rules.roles(recorder.state))
    for seq, (before, role, command, events, dice) in enumerate(kept):
        assert before == walk.whole
        yield Moment(seq, role, command, events, walk.whole, dict(walk.copies), dice)
        for event in events:
            walk.fold(event)
