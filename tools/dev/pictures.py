"""Renders the documentation's pictures: runs the program without a terminal, and saves screens as SVG.

Run ``python -m tools.dev.pictures docs/img`` after you change the screens.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from textual.screen import Screen

from engine import registry
from engine.kernel.ids import Role
from play.local_session import LocalSession
from play.replay_session import ReplaySession
from saves.headers import Seat
from saves.logfile import Log
from saves.match import Match
from tools.bench.records import greedy_game
from tui.app.still import render_svg
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen
from tui.screens.replay.replay import ReplayScreen
from tui.terminal.settings import Settings

_SECRET: Final = bytes(range(32))
"""Match secret. It is fixed, so that the pictures always show the same cards."""
_OFFENSIVE: Final = (
    "oc A-21",
    "hq us-hq-south-pacific-halsey",
    "activate us-cv-enterprise",
    "activate us-bb-washington",
    "activate us-cv-lexington",
)


EXAMPLE: Final = Path(__file__).resolve().parents[2] / "docs/examples/ukraine-1941.json"
_RAID: Final = (
    "done",
    "launch hornet-f2 intercept-5",
    "launch yorktown-f1 intercept-5",
    "launch bunker-hill-f2 intercept-5",
    "launch wasp-f1 intercept-5",
    "fly intercept-5 1210",
    "done",
)
_BATTLE: Final = ("play de_land_battle#1", "battle germany ukraine ussr")


_MAX_RECORDS: Final = 1_000
"""Maximum number of records in a replayed game."""


class PictureSpec(msgspec.Struct, frozen=True):
    """A picture to render."""

    name: str
    size: tuple[int, int]
    commands: Sequence[str]
    """Commands in notation, given before the keys."""
    keys: Sequence[str]
    """Keys pressed before the screenshot."""
    example: Path | None = None
    """Scenario file to use instead of Empire of the Sun 1943. The commands are committed, not just planned."""
    lesson: str = ""
    """Carrier Battle scenario to use instead of Empire of the Sun 1943. The commands are committed."""
    replay: str = ""
    """Empire of the Sun scenario of the replayed game between bots; empty for no replay."""


PICTURES: Final = (
    PictureSpec("activation", (160, 46), _OFFENSIVE, ("n", "n", "n", "n")),
    PictureSpec(
        "reach", (120, 40), (*_OFFENSIVE, "done", "pick us-cv-enterprise"), ("left", "left", "up")
    ),
    PictureSpec("theatre", (200, 60), _OFFENSIVE, ("minus", "O", "n")),
    PictureSpec("detail", (120, 40), _OFFENSIVE, ("z", "n", "n")),
    PictureSpec("small", (80, 24), _OFFENSIVE, ("n",)),
    PictureSpec("hand", (80, 24), (), ("h",)),
    PictureSpec("roster", (120, 40), (), ("r", *"south")),
    PictureSpec("goals", (120, 40), (), ("t",)),
    PictureSpec("qmg-map", (120, 40), _BATTLE[:1], ("n",), EXAMPLE),
    PictureSpec("qmg-response", (160, 46), _BATTLE, (), EXAMPLE),
    PictureSpec("qmg-small", (80, 24), _BATTLE, (), EXAMPLE),
    PictureSpec("qmg-detail", (200, 60), _BATTLE[:1], ("s",), EXAMPLE),
    PictureSpec("cbps-map", (160, 46), _RAID, ("escape", "n", "n", "n", "n"), lesson="1"),
    PictureSpec("cbps-carriers", (120, 40), (), ("escape", "k"), lesson="3"),
    PictureSpec("battle", (120, 40), (), ("w", "w", *["space"] * 4), replay="1942"),
    PictureSpec(
        "replay",
        (160, 46),
        (),
        ("right_parenthesis", "right_parenthesis", "w", "w", "space"),
        replay="1942-44",
    ),
)


def example_session(file: Path, commands: Sequence[str]) -> LocalSession:
    """Start from a scenario file and give commands. Return the active role's session."""
    text = file.read_bytes()
    game = msgspec.json.decode(text)["game"]
    position = registry.position_decoder(game)(text, file.name)
    registry.ruleset(game).check_position(position)
    return _play_commands(game, position, "", commands)


def carrier_battle_session(scenario: str, commands: Sequence[str]) -> LocalSession:
    """Start a Carrier Battle scenario and give commands. Return the session."""
    position = registry.ruleset("cbps").position(scenario, {})
    return _play_commands("cbps", position, scenario, commands)


def _play_commands(
    game: str,
    position: Any,  # noqa: ANN401 - every game has its own
    scenario: str,
    commands: Sequence[str],
) -> LocalSession:
    rules = registry.ruleset(game)
    seats = [
        Seat(role=role, player=str(role), seat_id=str(role))
        for role in rules.roles(rules.initial_state())
    ]
    match: Match[Any] = Match.create(rules, position, scenario, {}, seats, _SECRET)
    for line in commands:
        match.submit(rules.active_roles(match.state)[0], rules.notation.parse(line), match.seq)
    return LocalSession(match, {}, rules.active_roles(match.state)[0])


def _session() -> LocalSession:
    rules = registry.ruleset("eots")
    seats = [Seat(role=Role(role), player=role, seat_id=role) for role in ("allied", "japan")]
    position = rules.position("1943", {})
    match: Match[Any] = Match.create(rules, position, "1943", {}, seats, _SECRET)
    return LocalSession(match, {}, Role("allied"))


async def render_picture(picture: PictureSpec, folder: Path) -> Path:
    """Render one picture and return its path."""
    path = folder / f"{picture.name}.svg"
    settings = Settings(reduced_motion=bool(picture.replay))
    text = await render_svg(await _screen(picture), picture.size, picture.keys, settings)
    path.write_text(text, encoding="utf-8")
    return path


async def _screen(picture: PictureSpec) -> Screen[None]:
    """Return the picture's screen after its commands have been given."""
    if picture.replay:
        match = greedy_game(registry.ruleset("eots"), picture.replay, 1, _MAX_RECORDS)
        log = Log(match.header, match.records, (), 0, None)
        replay = ReplaySession(log, match.ruleset, "game")
        return ReplayScreen(replay, load_presenter(replay.ruleset))
    if picture.example is not None:
        session = example_session(picture.example, picture.commands)
    elif picture.lesson:
        session = carrier_battle_session(picture.lesson, picture.commands)
    else:
        session = _session()
        for line in picture.commands:
            await session.give(session.parse(line))
    return PlayScreen(session, load_presenter(session.ruleset))


def main(arguments: Sequence[str]) -> int:
    """Render the named pictures into a folder, and return the exit status. If none are named, render all of them."""
    if not arguments:
        sys.stderr.write("usage: python -m tools.dev.pictures FOLDER [NAME]...\n")
        return 2
    folder, names = Path(arguments[0]), arguments[1:]
    folder.mkdir(parents=True, exist_ok=True)
    for picture in (spec for spec in PICTURES if not names or spec.name in names):
        path = asyncio.run(render_picture(picture, folder))
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
