"""Long records and full folders open in bounded time and memory, and the time grows linearly (D9).

Times are processor times of a separate process, so that other load on the machine does not count.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from saves.logfile import write_log
from tests.patience import PATIENCE
from tests.saves.play import new_match, play
from tests.sizes import sized

ROOT = Path(__file__).parents[2]
RECORDS: Final = sized(1_500, 6_000, 20_000, of="records of a toy game")
FILES: Final = sized(300, 2_000, 10_000, of="games in a folder")
PARTS: Final = 4
"""A file and a folder of a quarter of the size are measured as well."""
SECONDS: Final = 2.0
MEGABYTES: Final = 200
STEEPEST: Final = 2.5 * PARTS
"""Maximum time ratio for four times the size. Quadratic growth would take sixteen times as long."""
MEASURED: Final = """
import json, re, sys, time
from pathlib import Path
from saves.match import Match
from play.games import saved_games
from tests.toy_game import TOY

def of_file(path):
    match = Match.resume(path, TOY)
    match.close()
    return match.seq + 1

def of_folder(path):
    return sum(saved.can_resume for saved in saved_games(path))

found = []
for place in map(Path, sys.argv[1:]):
    times = []
    for _ in range(3):
        for snapshot in place.parent.glob("*.snap"):
            snapshot.unlink()
        began = time.process_time()
        count = of_folder(place) if place.is_dir() else of_file(place)
        times.append(time.process_time() - began)
    found.append((count, min(times)))
# What getrusage tells begins with the memory of the process that started this one.
highest = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(json.dumps([found, int(highest[1]) / 1024]))
"""


def measured(*places: Path) -> tuple[list[tuple[int, float]], float]:
    """Return for each place the number of items found and the seconds needed, and the megabytes of the process."""
    ended = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, places)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE * 3,
    )
    found, megabytes = json.loads(ended.stdout)
    return [(count, seconds) for count, seconds in found], megabytes


def check(found: list[tuple[int, float]], megabytes: float, most: int) -> None:
    (small, brief), (great, long) = found
    assert (small, great) == (most // PARTS, most)
    assert long < SECONDS
    assert long < STEEPEST * brief + 0.05  # too short to measure
    assert megabytes < MEGABYTES


@pytest.mark.series("D9")
def test_d9_long_record_opens_in_bounded_time_and_memory(tmp_path: Path) -> None:
    match = new_match(scenario="long")
    play(match, RECORDS, seed=9, takebacks=0.1)
    places = [tmp_path / "part" / "game.fplog", tmp_path / "whole" / "game.fplog"]
    for place, count in zip(places, (RECORDS // PARTS, RECORDS), strict=True):
        place.parent.mkdir()
        write_log(place, match.header, match.records[:count])
    check(*measured(*places), RECORDS)


@pytest.mark.series("D9")
def test_d9_full_folder_is_listed_in_bounded_time_and_memory(tmp_path: Path) -> None:
    match = new_match(scenario="short")
    play(match, 6)
    folders = [tmp_path / "part", tmp_path / "whole"]
    for folder, count in zip(folders, (FILES // PARTS, FILES), strict=True):
        folder.mkdir()
        write_log(folder / "0.fplog", match.header, match.records)
        content = (folder / "0.fplog").read_bytes()
        for number in range(1, count):
            (folder / f"{number}.fplog").write_bytes(content)
    check(*measured(*folders), FILES)
