"""Records an offensive as an asciicast by running the program on a pseudo-terminal with scripted keys.

Run ``python -m tools.dev.recording docs/img/offensive.cast`` after you change the screens. The secret is fixed and
animations are off, so the same keys always show the same game. Frame times are scripted, not measured.
"""

import codecs
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from engine import registry
from engine.kernel.ids import Role
from play.bots import BOT_PLAYER_PREFIX
from saves.headers import Seat
from saves.logfile import LogWriter
from saves.match import Match
from tools.bench.processes import TerminalProgram
from tui.app.cast import CastFrame, asciicast
from tui.terminal.settings import Settings, save_settings

SIZE: Final = (100, 30)
_SECRET: Final = bytes([1]) * 32
"""Match secret. It is fixed, so that the cards and dice are always the same."""
_SEATS: Final = (
    Seat(role=Role("allied"), player="Ann", seat_id="local-allied"),
    Seat(role=Role("japan"), player=f"{BOT_PLAYER_PREFIX}greedy", seat_id="local-japan"),
)
_PROGRAM: Final = """
import secrets
from tui.app.launch import launch

secrets.token_bytes = bytes
raise SystemExit(launch())
"""
TITLE: Final = "flagplot: Operation Watchtower, Empire of the Sun"
_MENU: Final = b"Against greedy"
"""The last text that the menu draws."""
_QUIET_SECONDS: Final = 1.0
"""A frame is complete after this many seconds without output."""
_TYPED_SECONDS: Final = 0.35
"""Seconds between two keys in a scene."""
_ENTER: Final = "\r"
_SPACE: Final = " "
_ESCAPE: Final = "\x1b"


class CastScene(NamedTuple):
    """Keys to press, and the number of seconds for which the last resulting frame is shown."""

    keys: Sequence[str]
    seconds: float = 1.2


SCENES: Final = (
    CastScene("c", 2.5),  # the saved game
    CastScene("1", 1.5),  # Operation Watchtower as an event
    CastScene("3", 1.5),  # South Pacific HQ
    CastScene(("1", "2", "3", "4", "5", _SPACE), 1.5),  # six units at Noumea
    CastScene("3", 1.5),  # the Enterprise
    CastScene("A", 1.5),  # and all other units with it
    CastScene(("\t", "/", *"guadal"), 1.0),
    CastScene((_ENTER,), 2.0),  # the assault
    CastScene((_ENTER,), 3.0),  # the whole plan; Japan reacts
    *(CastScene((_SPACE,), 1.6) for _ in range(8)),
    *(CastScene((_SPACE,), 3.0) for _ in range(3)),  # the battle board
    CastScene((_SPACE,), 2.5),  # what happened since the player's last move
    CastScene((_ESCAPE,), 1.5),
    CastScene("2", 2.5),  # hits
    *(CastScene((_SPACE,), 3.0) for _ in range(4)),
    CastScene((_ENTER,), 1.5),
    CastScene("b", 5.0),  # the whole battle board
)


def prepare(home: Path) -> None:
    """Save a South Pacific game in a temporary home directory, and turn animations off in the settings there."""
    save_settings(home / "config" / "flagplot" / "settings.json", Settings(reduced_motion=True))
    rules = registry.ruleset("eots")
    folder = home / "data" / "flagplot" / "games"
    folder.mkdir(parents=True)
    log = LogWriter.create(folder / "watchtower.fplog")
    position = rules.position("south-pacific", {})
    match = Match.create(rules, position, "south-pacific", {}, _SEATS, _SECRET, log)
    match.close()


def frames(scenes: Sequence[CastScene] = SCENES) -> Iterator[CastFrame]:
    """Play the scenes and yield one frame per key, after a frame for the menu."""
    with TemporaryDirectory() as name:
        home = Path(name)
        prepare(home)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with TerminalProgram(_PROGRAM, home, SIZE) as screen:
            menu = screen.read_until(_MENU) + screen.read_until_quiet(_QUIET_SECONDS)
            yield CastFrame(0.0, decoder.decode(menu))
            now = 2.0
            for scene in scenes:
                for place, key in enumerate(scene.keys, start=1):
                    answer = screen.press(key.encode(), _QUIET_SECONDS)
                    yield CastFrame(now, decoder.decode(answer.data))
                    now += scene.seconds if place == len(scene.keys) else _TYPED_SECONDS


_SEQUENCE: Final = re.compile(
    r"\x1b\[(?P<numbers>[0-9;?<>=]*)(?P<end>[@-~])|\x1b[\]P_^][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\x00-\x1f]"
)


def characters(data: str, size: tuple[int, int] = SIZE) -> list[str]:
    """Return the lines on the terminal after the given output, without styles."""
    width, height = size
    cells = [[" "] * width for _ in range(height)]
    row = column = start = 0
    for match in (*_SEQUENCE.finditer(data), None):
        for letter in data[start : len(data) if match is None else match.start()]:
            if row < height and column < width:
                cells[row][column] = letter
            column += 1
        if match is None:
            break
        start = match.end()
        if match["end"] == "H":
            row, column = (
                int(number or 1) - 1 for number in f"{match['numbers'] or ''};".split(";")[:2]
            )
    return ["".join(line).rstrip() for line in cells]


def main(arguments: Sequence[str]) -> int:
    """Write the recording to a file, and return the exit status."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tools.dev.recording FILE\n")
        return 2
    all_frames = list(frames())
    end = all_frames[-1].seconds + SCENES[-1].seconds
    text = asciicast(all_frames, end, SIZE, TITLE)
    Path(arguments[0]).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{arguments[0]}: {len(all_frames)} frames, {end:.0f} seconds\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
