"""The corpus: its games, how they were played, and the pinned values of each.

``python -m tests.golden_games.corpus NEW`` plays the listed games that are not stored yet. A stored game is never
overwritten. ``pins.json`` contains the pinned values: the chain, a digest of all options that were offered, and the
digest of each redacted copy's file. ``python -m tests.golden_games.corpus VIEWS GAME`` pins the views of a game again
after a field of its view was added; all other pinned values stay the same. ``python -m tests.golden_games.corpus KEEP
SCRIPT`` plays a script and stores the game under the current rules version, before a change of the rules gives it
another result.
"""

import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.bots.player import Player, choose_command
from engine.bots.random_player import Habit, RandomPlayer
from engine.bots.registry import create_bot
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.registry import AnyRuleset, ruleset, script_words
from engine.scripts.script import run_with
from saves.chain import first_chain, record_chain
from saves.codec import AnyGame, Packed
from saves.commitments import compute_commitment, derive_salt
from saves.headers import Header, Seat, decode_header, encode_header
from saves.logfile import log_bytes
from saves.match import Match
from saves.records import Entry, Kind, Record
from saves.redaction import redact_header, redact_record
from saves.timeline import Timeline, view_digest
from tools.dev.tutorials import Recorder

FOLDER: Final = Path(__file__).parent
RECORDS: Final = FOLDER / "records"
PINS: Final = FOLDER / "pins.json"
OLDER: Final = FOLDER.parent / "saves" / "golden"
"""Folder with games played under older rules versions."""
MOST_COMMANDS: Final = 5_000
VIEWS_EVERY: Final = 7
"""Number of records between two positions whose views are part of the digest."""

GAMES: Final = ("eots", "qmg", "cbps")
PLAYERS: Final = ("greedy", "uniform", "by-verb", "busy")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Description of how one game of the corpus was played."""

    game: str
    scenario: str
    players: str
    """``greedy``, or a habit of the random player."""
    values: str
    """The value of each ruling: the ``first`` (its default), ``second`` or ``last``, or ``mixed`` in rotation."""

    @property
    def name(self) -> str:
        """Return the name of the record."""
        return f"{self.game}-{self.scenario}-{self.players}-{self.values}"


class Pin(msgspec.Struct, frozen=True, kw_only=True):
    """The values of a game that must not change."""

    commands: int
    chain: str
    """Chain value of the last record, in hex."""
    options: str
    """Digest of the roles asked and all their options in order, at each record that counts."""
    views: str
    """Digest of every role's and the spectator's view at every seventh record and at the end."""
    copies: dict[str, str]
    """Digest of the redacted copy's file for each audience."""


def plans() -> Iterator[Plan]:
    """Yield every game of the corpus: each scenario with greedy and random players under several sets of rulings."""
    mixes = ("first", "second", "last", "mixed")
    for game in GAMES:
        scenarios = tuple(info.id for info in ruleset(game).scenarios())
        for number, scenario in enumerate(scenarios):
            if game != "cbps":
                yield Plan(game=game, scenario=scenario, players="greedy", values="first")
                yield Plan(game=game, scenario=scenario, players="greedy", values="mixed")
            for at, values in enumerate(mixes):
                habit = PLAYERS[1 + (at + number) % 3]
                yield Plan(game=game, scenario=scenario, players=habit, values=values)
        if game == "qmg":
            for scenario in scenarios:
                for habit in PLAYERS[1:]:
                    for values in ("first", "second"):
                        yield Plan(
                            game=game, scenario=scenario, players=f"{habit}-free", values=values
                        )


def rulings(rules: AnyRuleset, values: str) -> dict[str, str]:
    """Return the options that a plan sets."""
    chosen = {}
    for number, option in enumerate(rules.options()):
        place = {"first": 0, "second": 1, "last": -1, "mixed": number % len(option.values)}[values]
        if place:
            chosen[option.id] = option.values[place]
    return chosen


def _secret(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=32).digest()


def play(plan: Plan) -> Match[Any]:
    """Play one game to its end. The same plan gives the same game while rules and bots are unchanged."""
    rules = ruleset(plan.game)
    options = rulings(rules, plan.values)
    info = rules.scenario_info(plan.scenario, options)
    seats = tuple(Seat(role=role, player=role.capitalize(), seat_id=role) for role in info.roles)
    position = rules.position(plan.scenario, options)
    secret = _secret(f"golden {plan.name}")
    match = Match.create(rules, position, plan.scenario, options, seats, secret)
    chance = DerivedDice(_secret(f"players of {plan.name}"), 0)
    players = {role: _player(plan, chance) for role in info.roles}
    free = plan.players.endswith("-free")
    while (asked := rules.active_roles(match.state)) and len(match.records) < MOST_COMMANDS:
        role = asked[len(match.records) % len(asked)]
        if free and len(match.records) % 5 == 0:
            role = info.roles[len(match.records) // 5 % len(info.roles)]
        extra = rules.free_actions(match.state, role)
        if role not in asked and not extra:
            role = asked[0]
        command = (
            choose_command(rules, match.state, role, players[role])
            if role in asked
            else extra[chance.randbelow(len(extra))]
        )
        match.submit(role, command, match.seq)
        if free and len(match.records) % 41 == 0:
            match.take_back(match.seq - 1 - chance.randbelow(3), role)
    assert rules.outcome(match.state) is not None, plan.name
    match.reveal()
    return match


def _player(plan: Plan, chance: DerivedDice) -> Player:
    if plan.players == "greedy":
        return create_bot("greedy", plan.game, chance)
    return RandomPlayer(chance, Habit(plan.players.removesuffix("-free")))


class Slim(msgspec.Struct, frozen=True, array_like=True):
    """A record without the parts that follow from the secret and earlier records."""

    kind: Kind
    role: Role
    command: Packed | None
    events: tuple[Packed, ...]
    takeback_to: int | None
    secret: bytes | None


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A game in the form stored in the corpus. Salts, commitments and chain are recomputed on reading."""

    header: bytes
    records: tuple[Slim, ...]


def keep(header: Header, records: Sequence[Record]) -> bytes:
    """Return a game in its stored form."""
    slim = tuple(
        Slim(
            record.kind,
            record.role,
            None if record.command is None else _packed(record.command),
            tuple(map(_packed, record.events)),
            record.takeback_to,
            record.secret,
        )
        for record in records
    )
    return lzma.compress(msgspec.msgpack.encode(Kept(encode_header(header), slim)), preset=9)


def _packed(entry: Entry) -> Packed:
    assert entry.body is not None, "the full copy is complete"
    return Packed(entry.tag, entry.v, entry.body)


def read(name: str) -> tuple[Header, tuple[Record, ...]]:
    """Return the full copy of a game of the corpus."""
    return unpacked((RECORDS / f"{name}.xz").read_bytes())


def unpacked(data: bytes) -> tuple[Header, tuple[Record, ...]]:
    """Return the full copy of a game that is stored in compressed form."""
    kept = msgspec.msgpack.decode(lzma.decompress(data), type=Kept)
    header = decode_header(kept.header)
    secret, chain = header.secret, first_chain(header)
    assert secret is not None, "the full copy has the secret"
    records = []
    for seq, slim in enumerate(kept.records):
        draft = Record(
            seq=seq,
            kind=slim.kind,
            role=slim.role,
            command=None
            if slim.command is None
            else Entry(**_entry(slim.command, derive_salt(secret, seq, 0))),
            events=tuple(
                Entry(**_entry(event, derive_salt(secret, seq, index)))
                for index, event in enumerate(slim.events, start=1)
            ),
            takeback_to=slim.takeback_to,
            secret=slim.secret,
            prev=chain,
            chain=b"",
        )
        chain = record_chain(draft)
        records.append(msgspec.structs.replace(draft, chain=chain))
    return header, tuple(records)


def _entry(item: Packed, salt: bytes) -> dict[str, Any]:
    tag, v, body = item
    commitment = compute_commitment(salt, tag, v, body)
    return {"tag": tag, "v": v, "body": body, "commitment": commitment, "salt": salt}


def pin(rules: AnyGame, header: Header, records: Sequence[Record]) -> Pin:
    """Return the current values of a game, without verifying it."""
    options, views = blake2b(digest_size=16), blake2b(digest_size=16)
    roles: tuple[Role, ...] = ()
    for record, state in positions(rules, records):
        roles = rules.roles(state)
        for role in rules.active_roles(state):
            question = rules.decision(state, role)
            lines = "\n".join(map(rules.notation.line, question.options))
            default = rules.notation.line(question.default)
            options.update(f"{record.seq} {role} {question.rule}\n{lines}\n{default}\n".encode())
            for command in rules.free_actions(state, role):
                options.update(rules.notation.line(command).encode())
        if _is_viewed(record, records):
            _add_views(views, rules, state)
    return Pin(
        commands=sum(record.kind == "command" for record in records),
        chain=records[-1].chain.hex(),
        options=options.hexdigest(),
        views=views.hexdigest(),
        copies={
            role or "spectator": copy_digest(rules, header, records, role)
            for role in (*roles, None)
        },
    )


def views_of(rules: AnyGame, records: Sequence[Record]) -> str:
    """Return the digest of the views of a game, as `pin` does."""
    views = blake2b(digest_size=16)
    for record, state in positions(rules, records):
        if _is_viewed(record, records):
            _add_views(views, rules, state)
    return views.hexdigest()


def _is_viewed(record: Record, records: Sequence[Record]) -> bool:
    return record.seq % VIEWS_EVERY == 0 or record.seq == len(records) - 1


def _add_views(views: blake2b, rules: AnyGame, state: object) -> None:
    for viewer in (*rules.roles(state), None):
        views.update(view_digest(rules, state, viewer))


def copy_digest(
    rules: AnyGame, header: Header, records: Sequence[Record], role: Role | None
) -> str:
    """Return the digest of a role's redacted copy as a file, None for the spectators'."""
    redacted = [redact_record(rules, record, role) for record in records]
    return blake2b(log_bytes(redact_header(header, role), redacted), digest_size=16).hexdigest()


def positions(rules: AnyGame, records: Sequence[Record]) -> Iterator[tuple[Record, Any]]:
    """Yield each record with the state after it."""
    timeline: Timeline[Any] = Timeline(rules)
    for record in records:
        timeline.add(record, timeline.state_after(record))
        yield record, timeline.state


def pins() -> Mapping[str, Pin]:
    """Return the pinned values by name of the game."""
    return msgspec.json.decode(PINS.read_bytes(), type=dict[str, Pin]) if PINS.exists() else {}


def add_new() -> None:
    """Play and pin every planned game that is not stored yet."""
    known = dict(pins())
    RECORDS.mkdir(exist_ok=True)
    for plan in plans():
        if plan.name in known:
            continue
        match = play(plan)
        data = keep(match.header, match.records)
        (RECORDS / f"{plan.name}.xz").write_bytes(data)
        known[plan.name] = pin(ruleset(plan.game), *read(plan.name))
        print(plan.name, known[plan.name].commands, len(data))  # noqa: T201 - a tool for contributors
        _write(known)


def repin_views(game: str) -> None:
    """Pin only the views of every stored game of a ruleset again."""
    known = dict(pins())
    for name, pinned in pins().items():
        if name.startswith(f"{game}-"):
            views = views_of(ruleset(game), read(name)[1])
            known[name] = msgspec.structs.replace(pinned, views=views)
            print(name, "as before" if views == pinned.views else "other views", flush=True)  # noqa: T201 - a tool for contributors
    _write(known)


def keep_older(script: Path) -> Path:
    """Play a script under the current rules, store the game for the tests of older rules, and return its file."""
    text = script.read_text(encoding="utf-8")
    game = text.partition("game ")[2].split()[0]
    rules = ruleset(game)
    recorder = Recorder(rules, script_words(game), None)
    run_with(recorder, text, script.name)
    assert recorder.match is not None, "the script plays something"
    target = OLDER / f"{game}-rules-{rules.version}.xz"
    target.write_bytes(keep(recorder.match.header, recorder.match.records))
    return target


def _write(known: Mapping[str, Pin]) -> None:
    text = msgspec.json.format(msgspec.json.encode(dict(sorted(known.items()))), indent=1)
    PINS.write_bytes(text + b"\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["NEW"]:
            add_new()
        case ["VIEWS", game]:
            repin_views(game)
        case ["KEEP", script]:
            print(keep_older(Path(script)))  # noqa: T201 - a tool for contributors
        case _:
            pass
