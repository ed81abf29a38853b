"""The corpus covers every scenario, card, counter, and kind of command and event of the games (P1).

``absent.txt`` lists what no game of the corpus shows, one item per line; the tests of the rules show these items. A
superfluous line fails just as a missing one does. ``python -m tests.golden_games.test_what_is_played`` rewrites the
file.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, get_args

import msgspec
import pytest

from engine.cbps.game_data import standard_game_data
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.qmg.deck import CARD
from engine.registry import ruleset
from tests.golden_games.corpus import GAMES, plans, read

ABSENT: Final = Path(__file__).parent / "absent.txt"


def _texts(plain: object) -> Iterator[str]:
    match plain:
        case str():
            yield plain
        case dict():
            for key, value in plain.items():
                yield from _texts(key)
                yield from _texts(value)
        case list() | tuple():
            for value in plain:
                yield from _texts(value)
        case _:
            pass


def _played(game: str) -> set[str]:
    """Return everything that the games of the corpus name, in their commands and events."""
    found: set[str] = set()
    for plan in plans():
        if plan.game != game:
            continue
        found.add(f"scenario {plan.scenario}")
        for record in read(plan.name)[1]:
            command = () if record.command is None else (record.command,)
            found |= {f"command {entry.tag}" for entry in command}
            found |= {f"event {entry.tag}" for entry in record.events}
            for entry in (*command, *record.events):
                assert entry.body is not None
                found |= set(_texts(msgspec.msgpack.decode(entry.body)))
    return found


def _wanted(game: str) -> Mapping[str, str]:
    """Return the elements of a game: their line in the file, and the text by which they are found."""
    rules = ruleset(game)
    parts: dict[str, list[str]] = {}
    match game:
        case "eots":
            parts = {"card": [*cards()], "counter": [*counters()]}
        case "qmg":
            parts = {"card": [*CARD]}
        case _:
            book = standard_game_data()
            parts = {"air unit": [*book.air_units], "ship": [*book.us_ships, *book.japanese_ships]}
    lines = {f"{part} {id}": id for part, ids in parts.items() for id in ids}
    for scenario in rules.scenarios():
        lines[f"scenario {scenario.id}"] = f"scenario {scenario.id}"
    for kind, union in (("command", rules.command_type), ("event", rules.event_type)):
        for each in get_args(union):
            tag = each.__struct_config__.tag
            lines[f"{kind} {tag}"] = f"{kind} {tag}"
    return lines


def absent(game: str) -> list[str]:
    """Return the elements that no game of the corpus shows, as lines."""
    played = _played(game)
    return sorted(f"{game} {line}" for line, text in _wanted(game).items() if text not in played)


@pytest.mark.full
@pytest.mark.series("P1")
@pytest.mark.parametrize("game", GAMES)
def test_p1_content_missing_from_golden_games_is_listed(game: str) -> None:
    listed = [line for line in ABSENT.read_text().splitlines() if line.startswith(f"{game} ")]
    assert absent(game) == listed


@pytest.mark.series("P1")
def test_p1_every_scenario_card_and_counter_is_covered() -> None:
    found = [line.split()[1] for line in ABSENT.read_text().splitlines()]
    assert not {"scenario", "card", "counter"} & {*found}


if __name__ == "__main__":
    ABSENT.write_text("".join(f"{line}\n" for game in GAMES for line in absent(game)))
