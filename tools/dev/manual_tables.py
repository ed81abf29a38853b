"""Generates the tables on the reference pages of the player's manual: scenarios, keys, commands and options.

Run ``python -m tools.dev.manual_tables`` after you change any of these. A test compares the pages with the program.
"""

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from textual.binding import Binding

from engine import registry
from play.local_session import LocalSession
from saves.export.columns import columns
from saves.export.tables import TABLES, TableName
from saves.headers import Seat
from saves.match import Match
from tui.app.app import FlagplotApp
from tui.drawing.capabilities import Depth, Terminal
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen
from tui.screens.replay.replay import ReplayScreen
from tui.widgets.base_screens import active_actions, key_name

MANUAL: Final = Path(__file__).resolve().parents[2] / "docs" / "manual"
"""Folder with the manual's pages."""
_GAME: Final = "eots"
_SECRET: Final = bytes(32)
_ARROWS: Final = {"up": "↑", "down": "↓", "left": "←", "right": "→"}


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def scenarios(game: str = _GAME) -> str:
    """Return the table of a game's scenarios."""
    rows = (
        (f"`{info.id}`", info.name, str(info.rule), info.summary)
        for info in registry.ruleset(game).scenarios()
    )
    return table(("scenario", "name", "rule", "length"), rows)


def verbs(game: str = _GAME) -> str:
    """Return the table of all commands in a game's notation."""
    rows = (
        (f"`{' '.join([verb.word, *(name.upper() for name in verb.fields)])}`", verb.summary)
        for verb in registry.ruleset(game).notation.verbs()
    )
    return table(("command", "what it does"), rows)


def switches(game: str = _GAME) -> str:
    """Return the table of a game's options. Each option's first value is the default."""
    rows = (
        (
            f"`{option.id}`",
            option.text,
            "<br>".join(f"`{value}`: {words}" for value, words in option.answers.items()),
        )
        for option in registry.ruleset(game).options()
    )
    return table(("switch", "question", "values, the default first"), rows)


def keys(game: str | None = None) -> str:
    """Return a table of the game screen's keys, as listed in the program's help.

    Args:
        game: Lists the keys that differ from those of another game; None for the keys that all games share.
    """
    rows_by_game = _all_key_rows()
    shared = [
        row for row in rows_by_game[_GAME] if all(row in rows for rows in rows_by_game.values())
    ]
    rows = shared if game is None else [row for row in rows_by_game[game] if row not in shared]
    return table(("keys", "what they do"), rows)


@cache
def _all_key_rows() -> dict[str, list[tuple[str, ...]]]:
    return {game: asyncio.run(_key_rows(game)) for game in registry.games()}


async def _key_rows(game: str) -> list[tuple[str, ...]]:
    rules = registry.ruleset(game)
    scenario = rules.scenarios()[0].id
    position = rules.position(scenario, {})
    roles = rules.roles(rules.initial_state())
    seats = [Seat(role=role, player=str(role), seat_id=str(role)) for role in roles]
    match: Match[Any] = Match.create(rules, position, scenario, {}, seats, _SECRET)
    session = LocalSession(match, {}, roles[0])
    screen = PlayScreen(session, load_presenter(rules))
    terminal = Terminal(dumb=False, depth=Depth.TRUE, unicode=True)
    with tempfile.TemporaryDirectory() as home:
        app = FlagplotApp(terminal, Path(home) / "settings.json", screen)
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            # Close a briefing, or the screen that asks who is at the keyboard.
            while app.screen_stack[-1] is not screen:
                app.pop_screen()
                await pilot.pause()
            screen.map.focus()  # the table includes the map's keys
            await pilot.pause()
            return [(_format_keys(row.keys), row.name) for row in active_actions(app.screen)]


def replay_keys() -> str:
    """Return the table of the keys that work only in a replay."""
    keys_by_name: dict[str, list[str]] = {}
    for binding in Binding.make_bindings(ReplayScreen.BINDINGS):
        keys_by_name.setdefault(binding.description, []).append(key_name(binding.key))
    rows = ((_format_keys(" ".join(keys)), name) for name, keys in keys_by_name.items())
    return table(("keys", "what they do"), rows)


def export_columns(name: TableName) -> str:
    """Return the table of an exported table's columns."""
    rows = (
        (
            f"`{column.name}`",
            f"{column.kind}, may be missing" if column.is_optional else column.kind,
            column.description,
        )
        for column in columns(name)
    )
    return table(("column", "type", "content"), rows)


def _format_keys(keys: str) -> str:
    return " ".join(
        f"`{'+'.join(_ARROWS.get(part, part) for part in key.split('+')) if len(key) > 1 else key}`"
        for key in keys.split()
    )


REFERENCE: Final[dict[str, dict[str, Callable[[], str]]]] = {
    "../export.md": {name: partial(export_columns, name) for name in TABLES},
    "command-reference.md": {
        "commands": verbs,
        "qmg commands": partial(verbs, "qmg"),
        "cbps commands": partial(verbs, "cbps"),
    },
    "keys.md": {
        "keys": keys,
        **{f"{game} keys": partial(keys, game) for game in registry.games()},
        "replay keys": replay_keys,
    },
    "rulings.md": {
        "switches": switches,
        "qmg switches": partial(switches, "qmg"),
        "cbps switches": partial(switches, "cbps"),
    },
    "scenarios.md": {
        "scenarios": scenarios,
        "qmg scenarios": partial(scenarios, "qmg"),
        "cbps scenarios": partial(scenarios, "cbps"),
    },
}
"""Functions that create the tables, by reference page and by the table name in the page's markers."""


def with_tables(text: str, tables: Mapping[str, Callable[[], str]]) -> str:
    """Return a page in which every table between markers has been replaced.

    Raises:
        ValueError: The page has no markers for one of the tables.
    """
    for name, make in tables.items():
        head, start_marker, remainder = text.partition(f"<!-- {name} -->\n")
        _, end_marker, tail = remainder.partition("<!-- end -->")
        if not (start_marker and end_marker):
            raise ValueError(f"the page has no place for the table '{name}'")
        text = f"{head}{start_marker}{make()}\n{end_marker}{tail}"
    return text


def main() -> None:
    """Write the tables into the reference pages."""
    for name, tables in REFERENCE.items():
        page = MANUAL / name
        page.write_text(with_tables(page.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
