"""``flagplot host invite``: a seat gets a new file, whether or not its host is running."""

from pathlib import Path

import pytest

from engine import registry
from netplay.host.host_command import HostRunner
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from tests.netplay.tables import toy_plan, toy_rules, until
from tests.toy_game import RED, REGISTERED
from tools.cli import _run


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)


def told_path(capsys: pytest.CaptureFixture[str]) -> Path:
    """Return the file that the command names in its last line. No other account may read it."""
    path = Path(capsys.readouterr().out.splitlines()[-1])
    assert path.stat().st_mode & 0o777 == 0o600
    return path


async def test_running_host_accepts_only_the_reissued_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "host"
    hosting = HostRunner(toy_plan(folder, own=RED))
    running = await hosting.start()
    old = load_invite(folder / "invites/bob.invite")
    try:
        assert _run(["host", "invite", "bob", "--folder", str(folder)]) == 0
        path = told_path(capsys)
        assert path == folder / "invites/bob.invite"
        late = Peer(old, tmp_path / "old", toy_rules)
        new = Peer(load_invite(path), tmp_path / "new", toy_rules)
        late.start()
        new.start()
        await until(lambda: late.reporter.is_over and new.is_live)
        await late.close()
        await new.close()
    finally:
        await hosting.stop()
    words = ["--folder", str(folder), "--match", running.match, "--address", "ann.example"]
    assert _run(["host", "invite", "red", *words]) == 0
    moved = load_invite(told_path(capsys))
    assert moved.addresses == (f"tls+tcp://ann.example:{running.port}",)
    assert load_invite(folder / "own" / f"{running.match}.invite") == moved


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["bob"], 3, "no host has opened a match in this folder"),
        (["bob", "ann"], 2, "unexpected extra argument (ann)"),
    ],
)
def test_invite_without_a_match_or_with_extra_arguments_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    assert _run(["host", "invite", *words, "--folder", str(tmp_path)]) == code
    assert told in capsys.readouterr().err
