"""Bad input to the real command: one clear sentence, the documented exit code, nothing lost.

Every case runs the program in a separate process, as a player would.
"""

import json
import re
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from play import games
from play.bots import create_seat_bot
from saves.logfile import LogWriter, read_log
from tests.patience import PATIENCE, patience
from tests.sizes import sampled
from tests.tools.programs import CODE, DISCARDS, Program
from tests.tui.terminals import Terminal


@pytest.fixture
def flagplot(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a game of some commands between two people, who play like bots."""
    path = tmp_path_factory.mktemp("record") / "game.fplog"
    match = games.create_game(games.NewGame(game="eots", scenario="1943"), path).match
    for _ in range(30):
        role = match.ruleset.active_roles(match.state)[0]
        question = match.ruleset.decision(match.state, role)
        seen = match.ruleset.project(match.state, role)
        match.submit(role, create_seat_bot("greedy", "eots").choose(seen, question), match.seq)
    match.close()
    return path


@pytest.fixture(scope="module")
def invites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the invites of a match whose host has stopped."""
    home = tmp_path_factory.mktemp("host")
    words = (
        "host",
        "open",
        "eots",
        "--headless",
        "--json",
        "--listen",
        "127.0.0.1:0",
        "--folder",
        "kept",
    )
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=home,
        env=Program(home).environ(),
    ) as process:
        assert process.stdout is not None
        with patience(process, PATIENCE):
            told = json.loads(process.stdout.readline())
            process.terminate()
            assert process.wait() == 0
    return {one["role"]: home / one["path"] for one in told["invites"]}


# -- records


FROM_END = 200
"""Position of the changed byte from the end: the opening alone may be half of a short game."""


def flipped(data: bytes) -> bytes:
    place = len(data) - FROM_END
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "one-byte-changed": (flipped, r"record \d+ at byte \d+ is damaged"),
    "head-cut": (lambda data: data[:200], "the file ends within its header"),
    "empty": (lambda _: b"", "the file is empty"),
    "some-text": (lambda _: b"hello\n", "this is not a flagplot record file"),
    "zeros": (lambda _: bytes(4096), "this is not a flagplot record file"),
}


@pytest.mark.parametrize(
    ("how", "words"),
    sampled(
        [
            pytest.param(how, words, id=f"{words[0]}-{how}")
            for words in (("play", "--plain", "--save"), ("show",), ("log", "export"))
            for how in BROKEN
        ],
        1,
    ),
)
def test_damaged_record_is_reported_and_unchanged(
    flagplot: Program, record: Path, how: str, words: tuple[str, ...]
) -> None:
    change, sentence = BROKEN[how]
    path = flagplot.home / "bad.fplog"
    path.write_bytes(change(record.read_bytes()))
    before = path.read_bytes()
    ran = flagplot(*words, path)
    ran.fails(3, sentence)
    assert "bad.fplog" in ran.err
    assert path.read_bytes() == before


@pytest.mark.full
def test_verify_reports_the_changed_record(flagplot: Program, record: Path) -> None:
    path = flagplot.home / "bad.fplog"
    path.write_bytes(flipped(record.read_bytes()))
    ran = flagplot("verify", path, record)
    assert ran.code == 3
    starts = read_log(record).record_offsets
    number = max(n for n, at in enumerate(starts) if at <= path.stat().st_size - FROM_END)
    assert re.search(rf"^BAD .*bad.fplog: record {number} \(byte \d+\)", ran.out, re.MULTILINE)
    assert re.search(r"^ok .*game.fplog", ran.out, re.MULTILINE)


@pytest.mark.full
def test_intact_part_of_a_damaged_record_is_salvaged(flagplot: Program, record: Path) -> None:
    path = flagplot.home / "bad.fplog"
    path.write_bytes(flipped(record.read_bytes()))
    assert flagplot("log", "salvage", path, "good.fplog").code == 0
    assert flagplot("verify", "good.fplog").code == 0
    resumed = flagplot(
        "play", "--plain", "--save", "good.fplog", "--bot", "japan=greedy", lines="quit\n"
    )
    assert resumed.code == 0


@pytest.mark.full
def test_torn_tail_is_dropped_and_reported(flagplot: Program, record: Path) -> None:
    path = flagplot.home / "torn.fplog"
    path.write_bytes(record.read_bytes()[:-7])
    ran = flagplot("verify", path)
    assert ran.code == 0
    assert "torn" in ran.out or "tail" in ran.out


@pytest.mark.full
def test_seat_copy_is_not_resumed_as_the_match(flagplot: Program, record: Path) -> None:
    text = flagplot("log", "export", "--jsonl", "--seat", "allied", record).out
    (flagplot.home / "seat.jsonl").write_text(text)
    assert flagplot("log", "import", "seat.jsonl", "seat.fplog").code == 0
    flagplot("play", "--plain", "--save", "seat.fplog").fails(3, "redacted copy.*flagplot join")


@pytest.mark.full
def test_import_does_not_overwrite_an_existing_file(flagplot: Program, record: Path) -> None:
    text = flagplot("log", "export", record).out
    (flagplot.home / "game.txt").write_text(text)
    (flagplot.home / "out.fplog").write_bytes(b"mine")
    flagplot("log", "import", "game.txt", "out.fplog").fails(3, "already exists")
    assert (flagplot.home / "out.fplog").read_bytes() == b"mine"


@pytest.mark.full
def test_new_game_skips_a_name_used_by_another_program(flagplot: Program) -> None:
    """Two games started at the same moment get different names."""
    folder = flagplot.home / "data" / "flagplot" / "games"
    folder.mkdir(parents=True)
    writer = LogWriter.create(folder / "eots-1943-001.fplog")
    ran = flagplot("play", "--plain", lines="quit\n")
    writer.close()
    assert ran.code == 0
    assert "eots-1943-002.fplog" in ran.err


# -- command lines


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    sampled(
        [
            pytest.param(("paly",), 2, "No such command 'paly'", id="command"),
            pytest.param(
                ("play", "chess", "--plain"),
                3,
                "no game 'chess'; known: cbps, eots, qmg",
                id="game",
            ),
            pytest.param(
                ("play", "--plain", "--scenario", "1950"),
                3,
                "no scenario '1950'; known: campaign-1941",
                id="scenario",
            ),
            pytest.param(
                ("play", "--plain", "--seat", "china"),
                3,
                "no seat 'china'; known: allied, japan",
                id="seat",
            ),
            pytest.param(
                ("play", "--plain", "--bot", "japan=deep"), 3, "no bot 'deep'.*greedy", id="bot"
            ),
            pytest.param(
                ("play", "--plain", "--bot", "japan"),
                2,
                "'japan' is not ROLE=BOT; write --bot japan=BOT",
                id="bot-without-role",
            ),
            pytest.param(
                ("play", "--plain", "--option", "hainan=maybe"),
                3,
                "'maybe' is not one of",
                id="value",
            ),
            pytest.param(
                ("play", "--plain", "--option", "house=1"),
                3,
                "there is no option 'house'",
                id="option",
            ),
            pytest.param(("play",), 5, "not a terminal; use --plain", id="no-terminal"),
            pytest.param(
                ("lobby", "--as", "ann"),
                5,
                "not a terminal; connect with plain ssh, without a command after the host name",
                id="no-terminal-at-the-door",
            ),
            pytest.param(
                ("mail", "open", "eots", "--clock", "3d"),
                2,
                "No such option '--clock'",
                id="clock-by-mail",
            ),
            pytest.param(
                ("host", "open", "eots", "--headless", "--spectator-delay", "soon"),
                2,
                "'soon' is not a delay; write 30m, 2h or 1d, or 2t for two turns",
                id="delay",
            ),
            pytest.param(
                (
                    "host",
                    "open",
                    "eots",
                    "--headless",
                    "--chance",
                    "joint",
                    "--reply-limit",
                    "soon",
                ),
                2,
                "'soon' is not a duration; write 90s, 30m, 12h or 3d",
                id="reply-limit-in-words",
            ),
            pytest.param(
                ("host", "open", "eots", "--headless", "--chance", "joint", "--reply-limit", "40d"),
                2,
                "'40d' is not between 0s and 30d",
                id="reply-limit-too-long",
            ),
            pytest.param(
                ("host", "open", "eots", "--headless", "--chance", "fair", "--seed-wait", "10s"),
                2,
                "'10s' is not between 60s and 30d",
                id="seed-wait-too-short",
            ),
            pytest.param(
                ("host", "open", "eots", "--headless", "--chance", "joint", "--ack-wait", "2h"),
                2,
                "--ack-wait requires a new match with --chance fair",
                id="ack-wait-without-seeds",
            ),
            pytest.param(
                ("host", "open", "eots", "--headless", "--chance", "host", "--reply-limit", "3d"),
                2,
                "--reply-limit requires a new match with --chance joint or fair",
                id="reply-limit-of-a-trusted-host",
            ),
            pytest.param(
                ("play", "--plain", "--save", "."), 2, "is a directory", id="save-is-a-folder"
            ),
            pytest.param(
                ("play", "--plain", "--position", "none.json"),
                2,
                "does not exist",
                id="position-missing",
            ),
            pytest.param(
                ("host", "open", "eots", "--listen", "here"), 2, "not an address", id="listen"
            ),
            pytest.param(
                ("host", "open", "eots", "--headless", "--scenario", "1950"),
                3,
                "no scenario '1950'",
                id="host-scenario",
            ),
            pytest.param(
                ("host", "open", "eots", "--headless", "--seats", "a,b,c"),
                3,
                "too many",
                id="seats",
            ),
            pytest.param(("verify", "none.fplog"), 2, "does not exist", id="verify-missing"),
            pytest.param(
                ("log", "import", "none.txt", "out.fplog"), 2, "does not exist", id="import-missing"
            ),
            pytest.param(("rules", "eots", "99.9"), 2, "no paragraph '99.9'", id="rule"),
            pytest.param(
                ("rules", "chess"),
                2,
                "'chess' is not one of 'cbps', 'eots', 'qmg'",
                id="rules-game",
            ),
            pytest.param(
                ("fuzz", "eots", "--scenario", "1950"),
                3,
                "no playable scenario",
                id="fuzz-scenario",
            ),
        ],
        1,
    ),
)
def test_wrong_command_line_is_refused(
    flagplot: Program, words: tuple[str, ...], code: int, sentence: str
) -> None:
    flagplot(*words).fails(code, sentence)
    assert not [*flagplot.home.rglob("*.fplog")]


# -- scenario files


@pytest.mark.parametrize(
    ("text", "sentence"),
    sampled(
        [
            pytest.param("", "this is not a scenario file", id="empty"),
            pytest.param("not JSON", "this is not a scenario file", id="text"),
            pytest.param("[" * 20_000, "this is not a scenario file", id="deep"),
            pytest.param('{"game": "chess"}', "no game 'chess'|not for 'eots'", id="other-game"),
            pytest.param('{"game": "eots"}', "scenario", id="fields-missing"),
        ],
        1,
    ),
)
def test_invalid_scenario_file_is_refused(flagplot: Program, text: str, sentence: str) -> None:
    (flagplot.home / "own.json").write_text(text)
    ran = flagplot("scenario", "check", "own.json")
    assert ran.code == 3
    assert re.search(sentence, ran.err)
    assert len(ran.err.splitlines()) == 1
    flagplot("play", "--plain", "--position", "own.json").fails(3, sentence)


@pytest.mark.full
def test_impossible_position_is_refused(flagplot: Program) -> None:
    shown = flagplot("scenario", "show", "eots", "1943")
    position = json.loads(shown.out)
    position["turn"] = 99
    (flagplot.home / "own.json").write_text(json.dumps(position))
    ran = flagplot("scenario", "check", "own.json")
    assert ran.code == 3
    assert "turn" in ran.err
    assert len(ran.err.splitlines()) == 1
    flagplot("play", "--plain", "--position", "own.json").fails(3, "turn")


# -- invites and ports


NO_INVITES: dict[str, tuple[bytes | None, str]] = {
    "empty": (b"", "not a flagplot invite"),
    "binary": (bytes(range(256)), "not a flagplot invite"),
    "no-fields": (b"{}", "not a flagplot invite"),
    "missing": (None, "cannot be read: No such file"),
}


@pytest.mark.parametrize(
    ("text", "sentence", "words"),
    sampled(
        [
            pytest.param(*case, words, id=f"{words[0]}-{words[1]}-{name}")
            for words in (("join", "--plain"), ("join", "--bot", "greedy"), ("watch", "--headless"))
            for name, case in NO_INVITES.items()
        ],
        1,
    ),
)
def test_invalid_invite_file_is_refused(
    flagplot: Program, text: bytes | None, sentence: str, words: tuple[str, ...]
) -> None:
    path = flagplot.home / "an.invite"
    if text is not None:
        path.write_bytes(text)
    flagplot(*words, path).fails(3, sentence)


@pytest.mark.full
def test_player_and_spectator_invites_are_not_interchangeable(
    flagplot: Program, invites: dict[str, Path]
) -> None:
    flagplot("join", "--plain", invites["spectator"]).fails(3, "use 'flagplot watch'")
    flagplot("watch", "--headless", invites["japan"]).fails(3, "use 'flagplot join'")


@pytest.mark.full
def test_invite_changed_to_another_seat_is_refused(
    flagplot: Program, invites: dict[str, Path]
) -> None:
    changed = json.loads(invites["japan"].read_text()) | {"role": "allied"}
    path = flagplot.home / "changed.invite"
    path.write_text(json.dumps(changed))
    flagplot("join", "--bot", "greedy", path).fails(3, "is for japan, not for allied")


@pytest.mark.full
def test_absent_host_is_reported(flagplot: Program, invites: dict[str, Path]) -> None:
    ran = flagplot("join", "--bot", "greedy", "--wait", "1", invites["japan"])
    ran.fails(4, "no host is listening at")


@pytest.mark.full
def test_port_in_use_is_reported(flagplot: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = flagplot("host", "open", "eots", "--headless", "--listen", f"127.0.0.1:{port}")
    ran.fails(4, f"port {port} on 127.0.0.1 is in use; choose another with --listen")
    assert not [*flagplot.home.rglob("*.invite")]


# -- terminals


@pytest.mark.full
def test_dumb_terminal_is_refused_with_a_hint(flagplot: Program) -> None:
    code = f"import sys; sys.argv += ['play']; {CODE}"
    with Terminal(code, flagplot.home, TERM="dumb") as program:
        shown = program.until(b"--plain")
        assert program.wait(PATIENCE) is not None
    assert b"a terminal of type 'dumb' cannot show screens; use --plain" in shown
    assert program.status == 5


@pytest.mark.full
def test_too_small_terminal_shows_the_required_size(flagplot: Program) -> None:
    code = f"import sys; sys.argv += ['play']; {CODE}"
    with Terminal(code, flagplot.home, size=(60, 20)) as program:
        shown = program.until(b"80x24")
        program.type(b"\x11")
        assert program.wait(PATIENCE) is not None
    assert b"flagplot needs 80x24" in shown
    assert program.status == 0


# -- the disk


@pytest.mark.full
@pytest.mark.series("S8")
def test_full_disk_keeps_all_confirmed_commands(flagplot: Program) -> None:
    ran = flagplot(
        "play",
        "--plain",
        "--save",
        "game.fplog",
        lines=DISCARDS,
        limits={resource.RLIMIT_FSIZE: 30_000},
    )
    ran.fails(3, "cannot write game.fplog: File too large")
    assert flagplot("verify", "game.fplog").code == 0
    kept = flagplot("show", "--log", "--seat", "allied", "game.fplog").out
    lines = ran.out.splitlines()
    done = [
        line.lstrip("> ")
        for before, line in pairwise(lines)
        if "Allies discard A-" in line and "Planned: " not in before
    ]
    assert done
    assert [sentence for sentence in done if sentence not in kept] == []
    again = flagplot("play", "--plain", "--save", "game.fplog", lines="quit\n")
    assert again.code == 0
    assert re.search(r"^ +1  \w", again.out, re.MULTILINE), "the player is asked again"


@pytest.mark.full
@pytest.mark.series("S8")
def test_disk_full_from_the_start_leaves_no_file(flagplot: Program) -> None:
    flagplot(
        "play", "--plain", "--save", "game.fplog", limits={resource.RLIMIT_FSIZE: 8_192}
    ).fails(3, "cannot write game.fplog")
    assert not (flagplot.home / "game.fplog").exists()
    again = flagplot("play", "--plain", "--save", "game.fplog", lines="quit\n")
    assert again.code == 0


@pytest.mark.full
@pytest.mark.series("S8")
def test_host_on_a_full_disk_exits_with_an_error(flagplot: Program) -> None:
    ran = flagplot(
        "host",
        "open",
        "eots",
        "--headless",
        "--listen",
        "127.0.0.1:0",
        limits={resource.RLIMIT_FSIZE: 1_024},
    )
    ran.fails(3, "File too large")


@pytest.mark.full
def test_failed_standard_output_is_reported(flagplot: Program, record: Path) -> None:
    with (flagplot.home / "out.txt").open("w") as out:
        done = subprocess.run(
            [sys.executable, "-c", CODE, "log", "export", str(record)],
            check=False,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            env=flagplot.environ(),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)),
        )
    assert done.returncode == 3
    assert done.stderr == "Error: standard output: File too large\n"


@pytest.mark.full
def test_unwritable_home_is_reported(flagplot: Program) -> None:
    (flagplot.home / "data").write_text("a file where a folder belongs")
    flagplot("play", "--plain").fails(3, "cannot create")
    flagplot("host", "open", "eots", "--headless", "--listen", "127.0.0.1:0").fails(
        3, "cannot create"
    )
