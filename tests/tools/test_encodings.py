"""Files saved by editors of other systems: a byte order mark before UTF-8 is harmless, UTF-16 is reported."""

import codecs
import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.text_bytes import EncodingError, strip_bom
from engine.qmg.ruleset import QMG
from netplay.invites.identity import new_authority
from netplay.invites.invite import load_invite, new_invite, write_invite
from netplay.wire.errors import InviteError
from saves.logfile import LogWriter
from saves.textlog import text_lines
from tests.saves.play import finished
from tests.tools.commands import Cli
from tests.toy_game import REGISTERED, TOY
from tools.scenario_files import as_json
from tui.terminal.settings import Settings, load_settings

WIDE = [
    ("utf-16", "UTF-16"),
    ("utf-16-le", "UTF-16"),
    ("utf-16-be", "UTF-16"),
    ("utf-32", "UTF-32"),
]
SCRIPT = "game eots\nscenario 1943\nexpect control 4021 japan\n"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def saved_as(path: Path, text: str, encoding: str) -> Path:
    """Write a text as an editor does with or without an explicit encoding."""
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(("encoding", "name"), WIDE)
@pytest.mark.parametrize("text", ["{}\n", "game eots\n", "ab"])
def test_wide_text_is_refused_with_its_encoding_name(text: str, encoding: str, name: str) -> None:
    with pytest.raises(EncodingError, match=f"this is {name} text; save it as UTF-8"):
        strip_bom(text.encode(encoding))


@pytest.mark.parametrize(
    "data", [b"", b"a", b"ab", "é{}".encode(), b"\0\0", b"\0\x01\x02\x03", b"\xff", b"\xef\xbb"]
)
def test_bytes_other_than_a_bom_are_kept(data: bytes) -> None:
    assert strip_bom(data) == data
    assert strip_bom(codecs.BOM_UTF8 + data) == data


@pytest.mark.parametrize("command", ["script", "scenario", "import"])
def test_bom_is_accepted_and_wide_text_is_refused_by_commands(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    runs: dict[str, tuple[str, Callable[[Path], tuple[object, ...]]]] = {
        "script": (SCRIPT, lambda path: ("script", path)),
        "scenario": (_scenario(), lambda path: ("scenario", "check", path)),
        "import": (
            _log_text(tmp_path, monkeypatch),
            lambda path: ("log", "import", path, _out(path)),
        ),
    }
    text, words = runs[command]
    good = cli(*words(saved_as(tmp_path / "good.txt", text, "utf-8-sig")))
    assert good.code == 0, good.err
    for encoding, name in WIDE[:2]:
        bad = cli(*words(saved_as(tmp_path / f"{encoding}.txt", text, encoding)))
        assert bad.code == 3
        assert f"this is {name} text; save it as UTF-8" in bad.err + bad.out
        assert len(bad.err.splitlines() + bad.out.splitlines()) == 1


def _out(path: Path) -> Path:
    return path.with_suffix(".fplog")


def _scenario() -> str:
    return as_json(QMG.position("base", {}))


def _log_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    match = finished(LogWriter.create(folder / "full.fplog"))
    match.close()
    return "\n".join(text_lines(TOY, match.header, match.records)) + "\n"


def test_invite_with_a_bom_is_accepted(tmp_path: Path) -> None:
    now = dt.datetime.now(dt.UTC)
    valid = now, now + dt.timedelta(days=9)
    address = ("tls+tcp://127.0.0.1:9",)
    invite = new_invite(new_authority(now), address, "0" * 16, "toy", "red", valid)
    path = write_invite(tmp_path, invite)
    text = path.read_text(encoding="utf-8")
    assert load_invite(saved_as(path, text, "utf-8-sig")) == invite
    with pytest.raises(InviteError, match="this is UTF-16 text; save it as UTF-8"):
        load_invite(saved_as(path, text, "utf-16"))


def test_settings_with_a_bom_are_accepted(tmp_path: Path) -> None:
    path = saved_as(tmp_path / "settings.json", '{"thinking": 2}', "utf-8-sig")
    settings, problem = load_settings(path)
    assert (problem, settings == Settings()) == ("", False)
    settings, problem = load_settings(saved_as(path, '{"thinking": 2}', "utf-16"))
    assert "this is UTF-16 text" in problem
    assert settings == Settings()
