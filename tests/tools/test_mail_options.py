"""``flagplot mail open``, ``send`` and ``take``: two people with an account each, exchanging files."""

import re
import sys
from pathlib import Path

import pytest

from engine import registry
from tests.tools.commands import Cli, Ran
from tests.toy_game import REGISTERED


class Account:
    """One person's machine."""

    def __init__(self, cli: Cli, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self._cli = cli
        self._monkeypatch = monkeypatch
        self.home = home
        (home / "desk").mkdir(parents=True)
        self.data = home / "data" / "flagplot"

    def __call__(self, *words: object, typed: bytes = b"") -> Ran:
        self._monkeypatch.setenv("XDG_DATA_HOME", str(self.home / "data"))
        self._monkeypatch.setenv("XDG_CONFIG_HOME", str(self.home / "config"))
        self._monkeypatch.chdir(self.home / "desk")
        file = self.home / "typed"
        file.write_bytes(typed)
        with file.open(encoding="utf-8") as stdin:
            self._monkeypatch.setattr(sys, "stdin", stdin)
            return self._cli(*words)


@pytest.fixture(name="both")
def _both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Account, Account, str]:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    cli = Cli(capsys)
    ann, bob = (Account(cli, monkeypatch, tmp_path / name) for name in ("ann", "bob"))
    ran = ann("mail", "open", "toy", "--scenario", "short", "--seats", "Ann,Bob")
    assert ran.code == 0
    assert "trust you with dice and" in ran.out
    match = re.findall(r"Match ([0-9a-f]{16})", ran.out)[0]
    (ann.data / "hosted/invites/bob.invite").rename(bob.home / "desk/bob.invite")
    return ann, bob, match


def words_of(path: Path) -> str:
    return path.read_text()


def test_match_by_mail_round_trip(both: tuple[Account, Account, str]) -> None:
    ann, bob, match = both
    ran = ann("mail", "send")
    assert ran.out == "short-ann-to-bob-1.txt: send it to Bob\n"
    file = ann.home / "desk/short-ann-to-bob-1.txt"
    ran = bob("mail", "take", file)
    assert ran.out.splitlines() == [
        "File 1 from Ann: 1 new record.",
        f"Next: flagplot join {match[:8]}",
    ]
    ran = bob("join", match[:8], "--plain", typed=b"hold\ncommit\npost\nquit\n")
    assert ran.code == 0
    told = re.findall(r"Send (\S+) to Ann\.", ran.out)
    assert told == [str(bob.data / "mail/short-bob-to-ann-1.txt")]
    ran = ann("mail", "take", told[0])
    assert ran.out.splitlines()[0] == "File 1 from Bob: 1 command carried out."
    ran = bob("mail", "send", "--say", "Your move!", "--out", "-")
    assert ran.out.startswith("flagplot toy short: move file 2 from Bob to Ann\n")
    quoted = "".join(f"> {line}\r\n" for line in ran.out.splitlines())
    ran = ann("mail", "take", "-", typed=f"Bob wrote:\n{quoted}\n-- \n".encode())
    assert ran.out.splitlines() == [
        "File 2 from Bob: its commands had already been carried out.",
        "Your move!",
        f"Next: flagplot mail send {match[:8]}",
    ]
    ran = ann("mail", "send", match[:6], "--to", "bob", "--out", "answer.txt")
    assert ran.out == "answer.txt: send it to Bob\n"


def test_quoted_text_below_a_move_file_is_ignored(both: tuple[Account, Account, str]) -> None:
    ann, bob, _ = both
    first = ann("mail", "send", "--out", "-").out
    bob("mail", "take", "-", typed=first.encode())
    answer = bob("mail", "send", "--say", "Hello", "--out", "-").out
    quoted = "".join(f"> {line}\n" for line in first.splitlines())
    ran = ann("mail", "take", "-", typed=f"{answer}\nAnn wrote:\n{quoted}".encode())
    assert (ran.code, ran.out.splitlines()[:2]) == (0, ["File 1 from Bob: no move.", "Hello"])


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("mail", "take", "nowhere.txt"), 3, "nowhere.txt: cannot be read"),
        (("mail", "take", "bob.invite"), 3, "there is no move file in this text"),
        (("mail", "send", "beef"), 3, "beef: this is neither an invite file nor the id of a match"),
        (("mail", "send", "--to", "ann"), 3, "--to: a seat's files go only to the host"),
        (
            (
                "mail",
                "send",
            ),
            3,
            "this seat has not received a move file yet",
        ),
        (("mail", "open"), 2, "Missing argument 'GAME'"),
    ],
)
def test_invalid_mail_arguments_are_refused(
    both: tuple[Account, Account, str], words: tuple[str, ...], code: int, told: str
) -> None:
    ran = both[1](*words)
    assert ran.code == code
    assert told in ran.err
    assert len(ran.err.strip().splitlines()) == 1 or code == 2


def test_move_file_without_its_invite_is_refused(both: tuple[Account, Account, str]) -> None:
    ann, bob, _ = both
    text = ann("mail", "send", "--out", "-").out.encode()
    invite = (bob.home / "desk/bob.invite").rename(bob.home / "elsewhere.invite")
    ran = bob("mail", "take", "-", typed=text)
    assert ran.code == 3
    assert "whose invite is not here" in ran.err
    assert ann("mail", "take", "-", typed=text).err.startswith("Error: this move file for match")
    ran = bob("mail", "take", "-", "--invite", invite, typed=text)
    assert ran.code == 0
    assert [one.name for one in (bob.data / "invites").iterdir()] == ["elsewhere.invite"]


def test_send_is_refused_if_no_player_needs_a_file(both: tuple[Account, Account, str]) -> None:
    ann = both[0]
    ann("mail", "send")
    ran = ann("mail", "send")
    assert (ran.code, ran.out) == (3, "")
    assert "no player needs a file; --to NAME writes one" in ran.err
    assert ann("mail", "send", "--to", "Bob").code == 0
    assert "move files can be sent to: Bob" in ann("mail", "send", "--to", "Cy").err


def test_join_before_the_first_move_file_is_refused(both: tuple[Account, Account, str]) -> None:
    ran = both[1]("join", "bob.invite", "--plain")
    assert ran.code == 4
    assert "this seat has not received a move file yet" in ran.err


def test_lost_invite_is_reissued(both: tuple[Account, Account, str]) -> None:
    ann, bob, _ = both
    first = ann("mail", "send", "--out", "-").out
    ran = ann("host", "invite", "bob")
    assert (ran.code, ran.err) == (0, "")
    Path(ran.out.strip()).rename(bob.home / "desk/bob.invite")
    assert "given a new invite" in bob("mail", "take", "-", typed=first.encode()).err
    assert "its key is needed once" in ann("mail", "send", "--to", "bob", "--out", "-").err
    (ann.data / "hosted/invites/bob.invite").write_bytes(
        (bob.home / "desk/bob.invite").read_bytes()
    )
    text = ann("mail", "send", "--to", "bob", "--out", "-").out
    assert bob("mail", "take", "-", typed=text.encode()).code == 0
