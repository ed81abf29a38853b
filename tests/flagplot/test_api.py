"""The public Python interface: it is complete, fast to import, typed, and never shows a seat more than its view."""

import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import flagplot
from engine import registry
from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command, View
from tests.tui.terminals import ROOT
from tools.dev.wheel_layout import PACKAGES

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SLOW = ("textual", "pynng", "click", "structlog", "cryptography", "nacl", "engine.eots.ruleset")
"""Modules that importing the package must not load."""


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which contains the records that the page names."""
    (tmp_path / "games").mkdir()
    for game in registry.games():
        content = registry.tutorial(game).read_bytes()
        (tmp_path / "games" / f"{game}.fplog").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_examples_on_the_api_page_are_correct(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = re.findall(r"^```pycon\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    example = doctest.DocTestParser().get_doctest("\n".join(parts), {}, "docs/api.md", None, 0)
    assert len(example.examples) > 30
    assert not doctest.DocTestRunner().run(example).failed, capsys.readouterr().out


@pytest.mark.full
def test_api_page_program_counts_interceptions(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(program, "docs/api.md", "exec"), {})  # the page's own example
    lines = capsys.readouterr().out.splitlines()
    assert lines
    for line in lines:
        assert re.fullmatch(r"(allied|japan): \d+ of \d+ offensives, \d+%", line)


def test_import_loads_no_large_module() -> None:
    code = (
        f"import sys, flagplot; loaded = [n for n in {SLOW} if n in sys.modules]; print(loaded);"
        " print(sorted(set(flagplot.__all__) - set(dir(flagplot))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout == "[]\n[]\n"


def test_every_public_name_exists_and_no_package_shadows_it() -> None:
    assert flagplot.__all__ == sorted(flagplot.__all__)
    for name in flagplot.__all__:
        assert getattr(flagplot, name) is not None
    assert not set(flagplot.__all__) & set(PACKAGES), "in the wheel, a package would replace it"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = flagplot.nothing


@pytest.mark.parametrize("game", registry.games())
def test_a_game_exports_its_whole_vocabulary(game: str) -> None:
    rules, words = registry.ruleset(game), import_module(f"flagplot.{game}")
    kinds = {*get_args(rules.event_type), *get_args(rules.command_type)}
    view = type(flagplot.new_game(game, seed=1).position.view())
    enums = {
        part
        for kind in (*kinds, view)
        for hint in get_type_hints(kind).values()
        for part in _parts(hint)
        if issubclass(part, Enum) and part.__module__.startswith(f"engine.{game}")
    }
    assert {getattr(words, name) for name in words.__all__} == {*kinds, view, *enums}
    assert words.__all__ == sorted(words.__all__)


def _parts(hint: object) -> Iterator[type[Any]]:
    if isinstance(hint, type):
        yield hint
    for part in get_args(hint):
        yield from _parts(part)


@pytest.mark.parametrize("game", registry.games())
def test_stepping_and_jumping_give_the_same_views(game: str) -> None:
    record = flagplot.read_record(registry.tutorial(game))
    viewers = (None, *record.position(0).roles)
    steps = [[step.position.view(role) for role in viewers] for step in record]
    jumping = flagplot.read_record(registry.tutorial(game))
    for seq in (len(record) - 1, 0, len(record) // 2, 1):
        assert [jumping.position(seq).view(role) for role in viewers] == steps[seq]
    assert record.position(-1).seq == len(record) - 1
    with pytest.raises(IndexError, match=f"the record has {len(record)}"):
        record.position(len(record))


@pytest.mark.parametrize("game", ["eots", "qmg"])
def test_seat_copy_shows_only_that_seats_view(game: str, tmp_path: Path) -> None:
    full = flagplot.read_record(registry.tutorial(game))
    own, other, *_ = full.position(0).roles
    full.seen_by(own).save(tmp_path / "own.fplog")
    copy = flagplot.read_record(tmp_path / "own.fplog")
    assert copy.match_id == full.match_id
    for seq in range(0, len(full), 7):
        assert copy.position(seq).view(own) == full.position(seq).view(own)
        decision = full.position(seq).decision(own)
        assert copy.position(seq).decision(own) == decision
    for ask in (
        lambda: copy.position(0).view(other),
        lambda: copy.position(0).legal_commands(other),
        lambda: copy.position(0).why_not(other, "pass"),
        lambda: copy.seen_by(other),
        lambda: copy.position(0).view("nobody"),
    ):
        with pytest.raises(flagplot.SeatError):
            ask()
    with pytest.raises(flagplot.SeatError, match="full copy"):
        copy.position(0).apply(own, full.position(0).legal_commands(own)[0])


@pytest.mark.parametrize("game", registry.games())
def test_legal_commands_are_accepted_and_illegal_ones_explained(game: str) -> None:
    record = flagplot.read_record(registry.tutorial(game))
    before = record.position(0)
    for step in record:
        if step.command is not None:
            role, command = step.role, step.command
            assert command in before.legal_commands(role)
            assert before.why_not(role, step.line) == ()
            assert before.command(before.notation(command)) == command
        before = step.position
    role = before.roles[0]
    position = record.position(0)
    legal = {role: set(position.legal_commands(role)) for role in position.roles}
    for step in record:
        if step.command is not None and step.command not in legal[role]:
            (reason, *_) = position.why_not(role, step.command)
            assert reason.rule
            assert reason.text
            with pytest.raises(flagplot.IllegalCommandError) as refused:
                position.apply(role, step.command)
            assert refused.value.refusals == position.why_not(role, step.command)
            break


@pytest.mark.full
def test_equal_seeds_play_equal_games(tmp_path: Path) -> None:
    first = _played(tmp_path / "first.fplog", (None,))
    second = _played(tmp_path / "second.fplog", (7, 11, None))
    assert first == second
    assert flagplot.verify(tmp_path / "first.fplog").status == "ok"
    assert flagplot.verify(tmp_path / "first.fplog").unfinished is False


def _played(path: Path, limits: tuple[int | None, ...]) -> bytes:
    roles = flagplot.scenarios("qmg")[0].roles
    bots = dict.fromkeys(roles, "random")
    with flagplot.new_game("qmg", "base", bots=bots, seed=4, path=path) as game:
        for limit in limits:
            steps = game.play(limit=limit)
            assert limit is None or len(steps) == limit
        outcome = game.outcome
        assert outcome is not None
        assert not game.position.active_roles
        assert game.play() == ()
        with pytest.raises(flagplot.MatchError):
            game.take_back(0)
    assert flagplot.read_record(path).outcome == outcome
    return path.read_bytes()


def test_closed_game_can_be_continued(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    with flagplot.new_game("eots", "1943", path=path) as game:
        (role, *_) = game.position.active_roles
        command = game.position.legal_commands(role)[0]
        assert game.give(role, game.position.notation(command)).command == command
    with flagplot.open_game(path) as game:
        assert game.record[-1].command == command
        with pytest.raises(flagplot.StorageError):
            game.save(path)
        assert game.take_back(0).takeback_to == 0
        assert [step.seq for step in game.record.mainline()] == [0]


class _Default:
    def choose(self, view: View, decision: Decision[Command]) -> Command:
        return decision.default


def test_custom_bot_plays_only_its_seats() -> None:
    game = flagplot.new_game("eots", "1943", seed=2)
    (role, *_) = game.position.active_roles
    assert game.position.ask(role, _Default()) == _decision(game, role).default
    steps = game.play({role: _Default()}, limit=3)
    assert {step.role for step in steps} == {role}
    with pytest.raises(flagplot.SeatError):
        game.play({"nobody": "random"})
    with pytest.raises(flagplot.DataError):
        game.play({role: "clever"})


def _decision(game: flagplot.LiveGame, role: str) -> Decision[Command]:
    decision = game.position.decision(role)
    assert decision is not None
    return decision


def test_damaged_file_is_reported_with_its_place(tmp_path: Path) -> None:
    content = bytearray(registry.tutorial("qmg").read_bytes())
    content[len(content) // 2] ^= 1
    path = tmp_path / "bad.fplog"
    path.write_bytes(content)
    with pytest.raises(flagplot.CorruptLogError, match=r"bad\.fplog.*record \d+"):
        flagplot.read_record(path)
    verdict = flagplot.verify(path)
    assert verdict.status == "unreadable"
    assert verdict.finding is not None
